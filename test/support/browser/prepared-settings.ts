// The settings with what somebody has opened there, for looking at: nothing of it is done.
import type { Page } from 'playwright-core'
import type { PageState } from './pages.ts'

const partOf = (part: string): string => `/app/settings?part=${part}`

const READ: readonly PageState[] = ['calls', 'loops', 'data', 'webhook', 'erasure'].map((part) => ({
  address: partOf(part),
  state: 'full',
}))

export const PREPARED_SETTINGS: readonly PageState[] = [
  ...READ,
  { address: partOf('limits'), state: 'full', prepare: lowerBudget },
  { address: partOf('content'), state: 'full', prepare: (page) => askToErase(page, 'Erase all content') },
]

async function lowerBudget(page: Page): Promise<void> {
  await page.getByLabel('Monthly budget').fill('1')
  await page.getByRole('button', { name: 'Compare' }).click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await page.getByRole('dialog').waitFor()
}

async function askToErase(page: Page, what: string): Promise<void> {
  await page.getByRole('button', { name: what }).click()
  await page.getByRole('dialog', { name: what }).waitFor()
}
