// The looks at every page that test/browser leaves out: each theme at each width, and text of twice its size.
import { describe, expect, it } from 'vitest'
import { PAGE_STATES } from '../support/browser/pages.ts'
import { mainSight, seeing, type Sight } from '../support/browser/sights.ts'

const SIGHTS: readonly Sight[] = [
  { scheme: 'dark', width: 1280 },
  { scheme: 'light', width: 320 },
  { scheme: 'light', width: 1280, percent: 200 },
  { scheme: 'dark', width: 640, percent: 200 },
]

describe('every page', () => {
  it.each(PAGE_STATES.map((shown, at) => [shown.address, shown.state, mainSight(at, true), shown] as const))(
    '%s, %s',
    async (_, __, sight, shown) => {
      const { wrong, faults } = await seeing(shown, [sight, ...SIGHTS])
      expect({ wrong, faults }).toEqual({ wrong: [], faults: [] })
    },
  )
})
