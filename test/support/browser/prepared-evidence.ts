// The pages of the audit trail, receipts, compliance and anomalies, and what only shows there after somebody has done something.
import type { Page } from 'playwright-core'
import type { ConcordanceSchema } from '../../../src/management/concordance/concordance.schema.ts'
import type { Infer } from '../../../src/platform/once.ts'
import { changeAnswers } from './acts.ts'
import type { PageState } from './pages.ts'

export const EVIDENCE_PAGES: readonly string[] = [
  '/app/calls',
  '/app/compliance',
  '/app/anomalies',
  '/app/concordance',
  '/app/exports',
]

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
      await page.getByRole('link', { name: /^X1/ }).last().click()
      await page.getByRole('button', { name: 'Add an explanation of control X1' }).click()
    },
  },
  { address: '/app/anomalies', state: 'full', prepare: openAnomaly },
  {
    address: '/app/concordance',
    state: 'full',
    prepare: async (page) => {
      await showOutcomes(page)
      await page.reload()
      await page.getByText('Blocks shown').waitFor()
    },
  },
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
  await page.locator('[data-row] a').first().click()
  await page.getByText('Development key: unchanged').waitFor()
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
  await page.goto('/app/anomalies?by=model')
  await page
    .getByText(/^Since 18 Nov\b/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Group by' }).click()
}

const NONE_OF_11 = { k: 0, n: 11, interval: [0, 0.259] as [number, number] }

/** The service of the tests is too young for two closed months. The order is neither by name nor by number. */
const OUTCOMES: Pick<Infer<typeof ConcordanceSchema>, 'coverage' | 'totals' | 'data' | 'pending'> = {
  pending: true,
  coverage: { from: '2026-09', to: '2026-10', readings: 71, with_outcome: 28 },
  totals: {
    n: 24,
    accepted: 7,
    overridden: 13,
    chosen: 4,
    reader_a_same: { k: 11, n: 24, interval: [0.279, 0.649] },
    reader_b_same: { k: 9, n: 24, interval: [0.212, 0.573] },
  },
  data: [
    {
      specialty: 'Urology',
      blocks: [
        {
          from: '2026-09',
          to: '2026-10',
          n: 13,
          accepted: 7,
          overridden: 2,
          chosen: 4,
          reader_a_same: { k: 11, n: 13, interval: [0.578, 0.957] },
          reader_b_same: { k: 9, n: 13, interval: [0.424, 0.873] },
        },
      ],
    },
    {
      specialty: null,
      blocks: [
        {
          from: '2026-10',
          to: '2026-10',
          n: 11,
          accepted: 0,
          overridden: 11,
          chosen: 0,
          reader_a_same: NONE_OF_11,
          reader_b_same: NONE_OF_11,
        },
      ],
    },
  ],
}

export const showOutcomes = (page: Page): Promise<unknown> =>
  changeAnswers(page, '**/api/analytics/concordance', (answer) => ({ ...answer, ...OUTCOMES }))
