// The page that checks evidence, as a test fills it in and reads its verdict.
import type { Page } from 'playwright-core'
import { pageOf } from './browser.ts'

/** Matches what the browser reports when the page's policy blocks a call. */
export const CALLING = /connect-src|default-src|Content Security Policy|Fetch API cannot load/

export async function openVerifier(): Promise<Page> {
  const page = await pageOf(null)
  await page.goto('/verify')
  return page
}

export const put = (page: Page, label: string, value: unknown): Promise<void> =>
  page.getByLabel(label, { exact: true }).fill(typeof value === 'string' ? value : JSON.stringify(value))

/** Clicks `Check it`. Returns the heading of the verdict, or the reason why there is none. */
export async function verdictOn(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Check it' }).click()
  const status = page.locator('#verdict > *').first()
  await status.waitFor()
  const heading = status.getByRole('heading').first()
  return ((await heading.count()) > 0 ? heading : status).innerText()
}
