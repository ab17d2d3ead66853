// Every page in every state, in each theme, wide and narrow, and with text of twice its size.
import { describe, expect, it } from 'vitest'
import { pageOf } from '../support/browser/browser.ts'
import { PAGE_STATES } from '../support/browser/pages.ts'
import { MOST_SHIFT, seeing, type Sight } from '../support/browser/sights.ts'

const SIGHTS: readonly Sight[] = [
  { scheme: 'light', width: 1280 },
  { scheme: 'dark', width: 320 },
  { scheme: 'light', width: 640, percent: 200 },
]

describe('every page', () => {
  it.each(PAGE_STATES.map((shown) => [shown.address, shown.state, shown] as const))(
    '%s, %s',
    async (address, _, shown) => {
      const { wrong, narrow, bare, faults, path, shift } = await seeing(shown, SIGHTS)
      expect({ wrong, narrow, bare, faults }).toEqual({ wrong: [], narrow: 0, bare: [], faults: [] })
      expect(path).toBe(address.split('?')[0])
      expect(shift).toBeLessThan(MOST_SHIFT)
    },
  )
})

it('a page of the dashboard has room for the note of a demo before any answer', async () => {
  const page = await pageOf(null)
  await page.addInitScript("localStorage.setItem('demo', '')")
  const never = Promise.withResolvers<void>()
  await page.route('**/api/**', () => never.promise)
  await page.goto('/app/policies')
  await expect.poll(() => page.locator('#demo').boundingBox()).toMatchObject({ y: 0, height: 28 })
  never.resolve()
})
