// Every page in every state, in both themes, wide and narrow: no barrier that axe finds, no overflow, and nothing that no page may do.
import { describe, expect, it } from 'vitest'
import { lookAt, PAGE_STATES } from '../support/browser/pages.ts'
import { barriersOf, overflowOf } from '../support/browser/visitor.ts'

const LOOKS = (['light', 'dark'] as const).flatMap((scheme) => [1280, 320].map((width) => ({ scheme, width })))

describe('every page', () => {
  it.each(PAGE_STATES)('$address, $state', async (shown) => {
    await using somebody = await lookAt(shown)
    const { page } = somebody
    expect(new URL(page.url()).pathname).toBe(new URL(shown.address, page.url()).pathname)
    for (const { scheme, width } of LOOKS) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height: 800 })
      const seen = { scheme, width, barriers: await barriersOf(somebody), overflow: await overflowOf(page) }
      expect(seen).toEqual({ scheme, width, barriers: [], overflow: 0 })
    }
    expect(somebody.faults).toEqual([])
  })
})
