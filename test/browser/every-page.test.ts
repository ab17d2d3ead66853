// Every page in every state, in one of two sights: light and wide, or dark and narrow. test/release has the others.
import { describe, expect, it } from 'vitest'
import { PAGE_STATES } from '../support/browser/pages.ts'
import { mainSight, MOST_SHIFT, seeing } from '../support/browser/sights.ts'

describe('every page', () => {
  it.each(PAGE_STATES.map((shown, at) => [shown.address, shown.state, mainSight(at), shown] as const))(
    '%s, %s, %o',
    async (address, _, sight, shown) => {
      const { wrong, narrow, bare, faults, path, shift } = await seeing(shown, [sight])
      expect({ wrong, narrow, bare, faults }).toEqual({ wrong: [], narrow: 0, bare: [], faults: [] })
      expect(path).toBe(address.split('?')[0])
      expect(shift).toBeLessThan(MOST_SHIFT)
    },
  )
})
