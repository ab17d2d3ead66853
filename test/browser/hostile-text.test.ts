// Text of people, models, providers and files that tries to be more than text, on every page of the dashboard.
import type { Page } from 'playwright-core'
import { describe, it } from 'vitest'
import { member, service } from '../support/browser/browser.ts'
import { expectOnlyText, poison } from '../support/browser/hostile-text.ts'
import { OF_MEMBERS, open, settled } from '../support/browser/pages.ts'

/** Opens everything that is folded, and the first item of a list. */
async function openMore(page: Page): Promise<void> {
  for (const summary of await page.locator('main summary').all()) await summary.click()
  const first = page.locator(`main tbody a[href*="${new URL(page.url()).pathname}?"]`).first()
  if ((await first.count()) === 0) return
  await first.click()
  await settled(page)
}

describe('hostile text', () => {
  it.each([...OF_MEMBERS, '/app/analytics?group=use_case'])('of answers is only text on %s', async (address) => {
    await using somebody = await member(service.filled.owner)
    const { page } = somebody
    await poison(page)
    await open(page, address)
    await openMore(page)
    await expectOnlyText(somebody)
  })

  it('in the name of a file is no name that the system could take for a path', async () => {
    await using somebody = await member(service.filled.owner)
    const { page } = somebody
    await page.route('**/api/settings/export?*', (route) =>
      route.fulfill({
        body: '{"complete":true}',
        headers: {
          'content-type': 'application/json',
          'content-disposition': 'attachment; filename="<img data-hostile src=x onerror=noteFault(\'ran\')>.json"',
        },
      }),
    )
    await open(page, '/app/settings')
    await page.getByRole('button', { name: 'Download the export' }).click()
    await page.getByText('<img data-hostile', { exact: false }).waitFor()
    await expectOnlyText(somebody)
  })
})
