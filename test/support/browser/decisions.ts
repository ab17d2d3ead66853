// The page of the approvals in tests: the open request, its buttons, and a decision that is signed.
import type { Locator, Page } from 'playwright-core'
import { pageOf } from './browser.ts'
import { open } from './pages.ts'
import type { Person } from './service.ts'
import type { Look } from './visitor.ts'

/** The card of the open request. */
export const card = (page: Page) => page.getByRole('region', { name: 'Request', exact: true })

export const approve = (page: Page) => page.getByRole('button', { name: /^Approve request/ })
export const deny = (page: Page) => page.getByRole('button', { name: /^Deny request/ })
export const passOn = (page: Page) => page.getByRole('button', { name: /^Pass on/ })
export const undo = (page: Page) => page.getByRole('button', { name: 'Undo' })
export const question = (page: Page) => page.getByRole('dialog', { name: 'You have not compared the request' })

/** The page, whose time passes only where a test lets it. */
export async function openPaused(person: Person, address: string, look: Look = {}): Promise<Page> {
  const page = await pageOf(person, look)
  await page.clock.install()
  await open(page, address)
  await page.clock.pauseAt(Date.now() + 10_000)
  return page
}

/** Presses without having compared, confirms that, and lets the time to undo pass. */
export async function sign(page: Page, button: Locator): Promise<void> {
  await button.click()
  await page.getByRole('button', { name: /anyway$/ }).click()
  await undo(page).waitFor()
  await page.clock.runFor(5_000)
}
