// Calls and costs over time.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { saved } from '../support/browser/acts.ts'
import { service } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { refusedWith } from '../support/browser/visitor.ts'

/** The UTC day so many days ago. */
const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const sums = (page: Page) => page.getByRole('region', { name: 'Sums' }).getByRole('status').textContent()

describe('analytics', () => {
  it('says calmly what to do where too much is asked, and keeps the filters', async () => {
    const page = await open(
      service.filled.owner,
      `/app/analytics?start=${dayBefore(300)}&end=${dayBefore(0)}&group=key`,
      { provoked: refusedWith(400) },
    )
    await page.getByText('Key by key and day by day, at most 92 days can be counted.').waitFor()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await expect.poll(() => page.getByLabel('Shown by').inputValue()).toBe('key')
    await page.getByRole('button', { name: 'Add up by month' }).click()
    await page.getByRole('heading', { name: 'Calls by key' }).waitFor()
  })

  it('keeps what is chosen in the address, so that a link and the way back show the same', async () => {
    const page = await open(service.filled.owner, '/app/analytics')
    const all = await sums(page)
    // The filters stay folded until one of them is set.
    await expect.poll(() => page.getByLabel('Shown by').isVisible()).toBe(false)
    await page.getByText('Other days, groups and filters').click()
    await page.getByLabel('Shown by').selectOption('Model')
    await page.getByRole('heading', { name: 'Calls by model' }).waitFor()
    const [, model = ''] = await page.getByLabel('Model', { exact: true }).getByRole('option').allTextContents()
    await page.getByLabel('Model', { exact: true }).selectOption(model)
    await expect.poll(() => sums(page)).not.toContain(all)
    const some = await sums(page)

    const colleague = await open(service.filled.owner, page.url())
    await expect.poll(() => sums(colleague)).toBe(some)
    await expect.poll(() => colleague.getByLabel('Model', { exact: true }).inputValue()).toBe(model)

    await page.goBack()
    await expect.poll(() => sums(page)).toBe(all)
  })

  it('shows what was counted as what it is, while something else is being counted', async () => {
    const page = await open(service.filled.owner, '/app/analytics?group=model')
    const held = Promise.withResolvers<void>()
    await page.route('**/api/analytics/costs?*', async (route) => {
      await held.promise
      await route.continue()
    })
    await page.getByLabel('Shown by').selectOption('Key')
    await page.getByText('Counting what you have chosen now').waitFor()
    await expect.poll(() => page.getByRole('heading', { name: 'Calls by model' }).isVisible()).toBe(true)
    held.resolve()
    await page.getByRole('heading', { name: 'Calls by key' }).waitFor()
    await expect.poll(() => sums(page)).not.toContain('Counting')
  })

  it('says that there was nothing in days without calls, and leads to those with some', async () => {
    const page = await open(service.filled.owner, '/app/analytics?start=2026-01-01&end=2026-01-07')
    await page.getByRole('heading', { name: 'No calls in these days' }).waitFor()
    await page.getByRole('link', { name: 'The last 30 days' }).click()
    await page.getByRole('heading', { name: 'How calls ended' }).waitFor()
  })

  it('saves what is asked as a table, under a name that says what it is', async () => {
    const page = await open(service.filled.owner, '/app/analytics?bucket=total&group=model')
    const file = await saved(page, 'Costs as CSV')
    expect(file.name).toBe('invented-data-countersign-costs.csv')
    const lines = file.text.trim().split('\n')
    const shown = await page.getByRole('table', { name: 'Cost by model' }).locator('tbody tr').count()
    expect(lines[0]).toContain('cost_eur')
    expect(lines).toHaveLength(1 + shown)
  })
})
