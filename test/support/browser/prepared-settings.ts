// The settings with what somebody has opened there, for looking at: nothing of it is done.
import type { Page } from 'playwright-core'
import type { PageState } from './pages.ts'

const address = '/app/settings'

export const PREPARED_SETTINGS: readonly PageState[] = [
  { address, state: 'full', prepare: openAll },
  { address, state: 'full', prepare: lowerBudget },
  { address, state: 'full', prepare: (page) => askToErase(page, 'Erase all content') },
  { address, state: 'full', prepare: (page) => askToErase(page, 'Erase the organisation') },
]

async function openAll(page: Page): Promise<void> {
  for (const summary of await page.locator('summary').all()) await summary.click()
}

async function lowerBudget(page: Page): Promise<void> {
  const limits = page.getByRole('region', { name: 'Limits and budget' })
  await limits.getByLabel('Monthly budget in euro').fill('1')
  await limits.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor()
}

async function askToErase(page: Page, what: string): Promise<void> {
  await page.getByRole('button', { name: what }).click()
  await page.getByRole('dialog', { name: what }).waitFor()
}
