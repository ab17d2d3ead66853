// Calls and costs over time.
import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { member, service } from '../support/browser/browser.ts'
import { settled } from '../support/browser/pages.ts'
import { showRole } from '../support/browser/role.ts'

async function open(page: Page, query = ''): Promise<void> {
  await page.goto(`/app/analytics${query}`)
  await settled(page)
}

/** The UTC day so many days ago. */
const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const sums = (page: Page) => page.getByRole('region', { name: 'Sums' }).getByRole('status').textContent()

describe('analytics', () => {
  it('says which tiers have it, calmly', async () => {
    await using somebody = await member(service.owners['free'] ?? service.filled.owner)
    const { page } = somebody
    await open(page)
    await expect.poll(() => page.locator('main').textContent()).toContain('Analytics comes with the tiers starter')
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
  })

  it('says which roles have it, and asks nothing for the others', async () => {
    await using somebody = await member(service.filled.owner)
    const { page } = somebody
    await showRole(page, 'clinician')
    const asked: string[] = []
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    await open(page)
    await expect.poll(() => page.locator('main').textContent()).toContain('Your role does not include analytics')
    expect(asked.filter((path) => path.startsWith('/api/analytics'))).toEqual([])
  })

  it('says calmly what to do where too much is asked, and keeps the filters', async () => {
    await using somebody = await member(service.filled.owner)
    const { page } = somebody
    await open(page, `?start=${dayBefore(300)}&end=${dayBefore(0)}&group=key`)
    await page.getByText('Key by key and day by day, at most 92 days can be counted.').waitFor()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await expect.poll(() => page.getByLabel('Shown by').inputValue()).toBe('key')
    await page.getByRole('button', { name: 'Add up by month' }).click()
    await page.getByRole('heading', { name: 'Calls by key' }).waitFor()
  })

  it('keeps what is chosen in the address, so that a link and the way back show the same', async () => {
    await using somebody = await member(service.filled.owner)
    const { page } = somebody
    await open(page)
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

    await using colleague = await member(service.filled.owner)
    await colleague.page.goto(page.url())
    await settled(colleague.page)
    await expect.poll(() => sums(colleague.page)).toBe(some)
    await expect.poll(() => colleague.page.getByLabel('Model', { exact: true }).inputValue()).toBe(model)

    await page.goBack()
    await expect.poll(() => sums(page)).toBe(all)
  })

  it('shows what was counted as what it is, while something else is being counted', async () => {
    await using somebody = await member(service.filled.owner)
    const { page } = somebody
    await open(page, '?group=model')
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
    await using somebody = await member(service.filled.owner)
    const { page } = somebody
    await open(page, '?start=2026-01-01&end=2026-01-07')
    await page.getByRole('heading', { name: 'No calls in these days' }).waitFor()
    await page.getByRole('link', { name: 'The last 30 days' }).click()
    await page.getByRole('heading', { name: 'How calls ended' }).waitFor()
  })

  it('saves what is asked as a table, under a name that says what it is', async () => {
    await using somebody = await member(service.filled.owner)
    const { page } = somebody
    await open(page, '?bucket=total&group=model')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Costs as CSV' }).click()
    const file = await saved
    expect(file.suggestedFilename()).toBe('invented-data-countersign-costs.csv')
    const lines = (await readFile(await file.path(), 'utf8')).trim().split('\n')
    const shown = await page.getByRole('table', { name: 'Cost by model' }).locator('tbody tr').count()
    expect(lines[0]).toContain('cost_eur')
    expect(lines).toHaveLength(1 + shown)
  })

  it('shows use cases as text, whatever is in them', async () => {
    await using somebody = await member(service.filled.owner)
    const { page } = somebody
    const hostile = '<img src=x onerror="document.title=1">'
    await page.route('**/api/analytics/*', async (route) => {
      const response = await route.fetch({ maxRetries: 2 })
      const found = (await response.json()) as { data: object[] }
      const data = found.data.map((row) => Object.assign(row, { use_case: hostile }))
      await route.fulfill({ response, json: { ...found, data } })
    })
    await open(page, '?group=use_case')
    await expect.poll(() => page.getByRole('figure').first().textContent()).toContain(hostile)
  })
})
