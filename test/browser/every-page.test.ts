// Every page once: as anybody sees it, or full. What is empty, failing or opened, and every other look at it, is for a release.
import { describe, expect, it } from 'vitest'
import { PAGE_STATES } from '../support/browser/pages.ts'
import { MOST_SHIFT, seeing, type Sight } from '../support/browser/sights.ts'

const SIGHT: Sight = { scheme: 'light', width: 1280 }

const ONCE = PAGE_STATES.filter(({ state, prepare }) => (state === 'open' || state === 'full') && prepare === undefined)

describe('every page', () => {
  it.each(ONCE.map((shown) => [shown.address, shown] as const))('%s', async (address, shown) => {
    const { wrong, narrow, bare, faults, path, shift } = await seeing(shown, [SIGHT])
    expect({ wrong, narrow, bare, faults }).toEqual({ wrong: [], narrow: 0, bare: [], faults: [] })
    expect(path).toBe(address.split('?')[0])
    expect(shift).toBeLessThan(MOST_SHIFT)
  })
})
