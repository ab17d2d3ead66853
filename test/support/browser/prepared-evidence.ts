// The pages of the audit trail, receipts, compliance and anomalies, and what only shows there after somebody has done something.
import type { Page } from 'playwright-core'
import { changeAnswers } from './acts.ts'
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
      await page.locator('.code-names').getByRole('link', { name: /^X1/ }).click()
      await page.getByRole('button', { name: 'Add an explanation of control X1' }).click()
    },
  },
  { address: '/app/anomalies', state: 'full', prepare: openAnomaly },
  {
    address: '/app/compliance',
    state: 'full',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Make a report' }).click()
      await page.getByRole('button', { name: 'Make the report' }).click()
      await page.getByText('same hash').waitFor()
    },
  },
]

/** Whatever the first row of a list opens: a drawer, or a page of its own. */
async function openFirstRow(page: Page): Promise<void> {
  await page.locator('.calls .cover').first().click()
  await page.getByText('Signature valid.').waitFor()
}

/** Shows an anomaly, which the demonstration has none of, with the menu of groups open. */
async function openAnomaly(page: Page): Promise<void> {
  const anomaly = {
    kind: 'failed_rate',
    series: 'model:gpt-5.6-luna',
    since: '2026-11-18T09:00:00Z',
    value: 0.12,
    baseline: 0.02,
    statistic: 18.2,
    threshold: 14.1,
  }
  await changeAnswers(page, '**/api/compliance/bias-detection*', (detection) => ({
    ...detection,
    anomalies: [anomaly, { ...anomaly, kind: 'volume', series: 'all', since: '2026-11-03', value: 41, baseline: 20 }],
  }))
  await page.getByRole('button', { name: 'Group by' }).click()
  await page.getByRole('link', { name: 'model', exact: true }).click()
  await page.getByText('Since 18 Nov', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Group by' }).click()
}
