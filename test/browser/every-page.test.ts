// Every page in every state, in both themes, wide and narrow. test/release has the other looks.
import { describe, expect, it } from 'vitest'
import { PAGE_STATES } from '../support/browser/pages.ts'
import { MOST_SHIFT, seeing, type Sight } from '../support/browser/sights.ts'

const SIGHTS: readonly Sight[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 320 },
]

describe('every page', () => {
  it.each(PAGE_STATES)('$address, $state', async (shown) => {
    const { wrong, faults, path, shift } = await seeing(shown, SIGHTS)
    expect({ wrong, faults }).toEqual({ wrong: [], faults: [] })
    expect(path).toBe(shown.address.split('?')[0])
    expect(shift).toBeLessThan(MOST_SHIFT)
  })
})
