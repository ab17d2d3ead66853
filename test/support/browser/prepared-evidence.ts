// The pages of the audit trail, receipts, compliance and anomalies, and what only shows there after somebody has done something.
import type { Page } from 'playwright-core'
import type { PageState } from './pages.ts'

export const EVIDENCE_PAGES: readonly string[] = ['/app/calls', '/app/compliance', '/app/anomalies', '/app/exports']

export const PREPARED_EVIDENCE: readonly PageState[] = [
  { address: '/app/calls', state: 'full', prepare: openFirstRow },
  {
    address: '/app/calls',
    state: 'full',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Filter' }).click()
    },
  },
  {
    address: '/app/compliance',
    state: 'full',
    prepare: async (page) => {
      await page.locator('#control-X1 a').click()
      await page.getByRole('button', { name: 'Add an explanation of control X1' }).click()
    },
  },
  {
    address: '/app/compliance',
    state: 'full',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Make a report' }).click()
      await page.getByRole('button', { name: 'Make it and open it' }).click()
      await page.getByText('same hash').waitFor()
    },
  },
]

/** Whatever the first row of a list opens: a drawer, or a page of its own. */
async function openFirstRow(page: Page): Promise<void> {
  await page.locator('.calls .cover').first().click()
  await page.getByText('Signature valid.').waitFor()
}
