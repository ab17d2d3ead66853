import { describe, expect, it } from 'vitest'
import { asSeen } from '../../../src/pages/text/words.ts'

describe('a name as it is seen', () => {
  it('is the same for whoever types what a page shows of it', () => {
    expect(asSeen(' Ward  4\u00a0B\u200b ')).toBe(asSeen('Ward 4 B'))
    expect(asSeen('Caf\u0065\u0301')).toBe(asSeen('Caf\u00e9'))
    expect(asSeen('Ward 4')).not.toBe(asSeen('ward 4'))
  })
})
