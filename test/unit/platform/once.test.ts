import { describe, expect, it } from 'vitest'
import { once } from '../../../src/platform/once.ts'

describe('once', () => {
  it('makes the value at the first call, and returns the same one from then on', () => {
    let made = 0
    const value = once(() => ({ number: (made += 1) }))
    expect(made).toBe(0)
    expect(value()).toBe(value())
    expect(made).toBe(1)
  })
})
