// Calls and costs over time.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { changeAnswers, saved, showRole } from '../support/browser/acts.ts'
import { pageOf, service } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { refusedWith } from '../support/browser/visitor.ts'

/** The UTC day so many days ago. */
const dayBefore = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

const status = (page: Page) => page.getByRole('group', { name: 'Filters' }).getByRole('status').textContent()

const tab = (page: Page, name: string) => page.getByRole('group', { name: 'Shown by' }).getByRole('link', { name })

const tile = (page: Page, name: string) =>
  page.getByRole('region', { name: 'Sums' }).locator('.tile').filter({ hasText: name }).first().innerText()

describe('analytics', () => {
  it('says calmly what to do where too much is asked, and keeps what is chosen', async () => {
    const page = await open(
      service.filled.owner,
      `/app/analytics?start=${dayBefore(300)}&end=${dayBefore(0)}&group=key`,
      { provoked: refusedWith(400) },
    )
    await page.getByText('Key by key and day by day, at most 92 days can be counted.').waitFor()
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await page.getByRole('button', { name: 'Add up by month' }).click()
    await page.getByRole('heading', { name: 'Calls by key' }).waitFor()
    await expect.poll(() => tab(page, 'Key').getAttribute('aria-current')).toBe('true')
    await page.locator('.plot').getByText('This month, so far').first().waitFor()
  })

  it('keeps what is chosen in the address, so that a link and the way back show the same', async () => {
    const page = await open(service.filled.owner, '/app/analytics')
    await page.getByRole('heading', { name: 'Calls by outcome' }).waitFor()
    const all = await status(page)
    await tab(page, 'Model').click()
    await page.getByRole('heading', { name: 'Calls by model' }).waitFor()
    await page.getByRole('button', { name: 'Model any' }).click()
    const choice = page.getByRole('group', { name: 'Model' }).getByRole('link').nth(1)
    const model = (await choice.textContent()) ?? ''
    await choice.click()
    await expect.poll(() => status(page)).toMatch(/^[\d,]+ calls?$/)
    await expect.poll(() => status(page)).not.toBe(all)
    const some = await status(page)

    const colleague = await open(service.filled.owner, page.url())
    await expect.poll(() => status(colleague)).toBe(some)
    await colleague.getByRole('button', { name: `Model ${model}` }).waitFor()

    await page.goBack()
    await expect.poll(() => status(page)).toBe(all)
  })

  it('shows what was counted as what it is, while something else is being counted', async () => {
    const page = await open(service.filled.owner, '/app/analytics?group=model')
    await page.getByRole('heading', { name: 'Calls by model' }).waitFor()
    const held = Promise.withResolvers<void>()
    await page.route('**/api/analytics/costs?*', async (route) => {
      await held.promise
      await route.continue()
    })
    await tab(page, 'Key').click()
    await page.getByText('Counting what you have chosen now').waitFor()
    await expect.poll(() => page.getByRole('heading', { name: 'Calls by model' }).count()).toBe(1)
    held.resolve()
    await page.getByRole('heading', { name: 'Calls by key' }).waitFor()
    await expect.poll(() => status(page)).not.toContain('Counting')
  })

  it('says that there was nothing in days without calls, and leads to those with some', async () => {
    const page = await open(service.filled.owner, '/app/analytics?start=2026-01-01&end=2026-01-07')
    await page.getByRole('heading', { name: 'No calls in these days' }).waitFor()
    await page.getByRole('link', { name: 'The last 30 days' }).click()
    await page.getByRole('heading', { name: 'Calls by outcome' }).waitFor()
  })

  it('leads on from an organisation without calls, and shows no figures of nothing', async () => {
    const page = await open(service.owners['healthcare'] ?? service.filled.owner, '/app/analytics')
    await expect.poll(() => page.locator('main').getByRole('link').allInnerTexts()).toEqual(['Open the playground'])
    await expect.poll(() => page.locator('.tile').count()).toBe(0)
  })

  it('says that days are in the wrong order, without asking for them', async () => {
    const page = await open(service.filled.owner, '/app/analytics?start=2026-11-20&end=2026-11-01')
    await page.getByText('The first day is after the last one.').waitFor()
    await page.getByRole('link', { name: 'The last 30 days' }).click()
    await page.getByRole('heading', { name: 'Calls by outcome' }).waitFor()
  })

  it('has the same total in the figure, the legend and the table, and saves what adds up to it', async () => {
    const page = await open(service.filled.owner, '/app/analytics?group=model&show=cost')
    const total = /€\d+\.\d\d/.exec(await tile(page, 'Cost'))?.[0] ?? 'none'
    await expect.poll(() => page.locator('.legend .shown-point').innerText()).toMatch(new RegExp(`In all\\s+${total}$`))
    const table = page.getByRole('table', { name: 'Cost by model, sums' })
    await expect.poll(() => table.locator('tbody tr').last().innerText()).toContain(total)

    const file = await saved(page, 'Save as CSV')
    expect(file.name).toBe('invented-data-countersign-costs.csv')
    const [head = '', ...rows] = file.text.trim().split('\n')
    const at = head.split(',').indexOf('cost_eur')
    const sum = rows.reduce((before, row) => before + Number(row.split(',')[at]), 0)
    expect(`€${sum.toFixed(2)}`).toBe(total)
  })
})

describe('who and when', () => {
  it('sums by member what the keys of each cost, and says so', async () => {
    const page = await open(service.filled.owner, '/app/analytics?show=cost')
    const total = /€\d+\.\d\d/.exec(await tile(page, 'Cost'))?.[0] ?? 'none'
    await tab(page, 'Member').click()
    const rows = page.getByRole('table', { name: 'Cost by member, sums' }).locator('tbody tr')
    await expect.poll(() => rows.last().innerText()).toContain(total)
    await expect.poll(() => rows.first().innerText()).toMatch(/^(?:You|The operator)\s+€/)
    await page.getByText('A member has the calls of the keys that they made').waitFor()
  })

  it('has no tab of members for roles that do not see them', async () => {
    const page = await pageOf(service.filled.owner)
    await showRole(page, 'auditor')
    await open(page, '/app/analytics')
    await tab(page, 'Key').waitFor()
    await expect.poll(() => tab(page, 'Member').count()).toBe(0)
  })

  it('has the mean calls of each weekday, and what stored answers and caches spared', async () => {
    const page = await pageOf(service.filled.owner)
    const totals = { passed: 200, cached: 20, input_tokens: 1000, cached_input_tokens: 250 }
    await changeAnswers<{ totals: object }>(page, '**/api/analytics/requests*', (found) => ({
      ...found,
      totals: { ...found.totals, ...totals },
    }))
    await open(page, '/app/analytics')
    const weekdays = page.getByRole('figure', { name: 'Average calls by weekday (UTC)' })
    await expect.poll(() => weekdays.getByRole('rowheader').allInnerTexts()).toHaveLength(7)
    const caches = page.getByRole('region', { name: 'Reused answers and input' })
    await expect.poll(() => caches.innerText()).toMatch(/20, [\d.]+%[^]*250, 25%/)
  })
})

describe('the period before', () => {
  it('is as many days, and hides nothing where it cannot be counted', async () => {
    const page = await pageOf(service.filled.owner)
    await page.route(`**/api/analytics/*start=${dayBefore(59)}&end=${dayBefore(30)}*`, (route) => route.abort())
    await open(page, '/app/analytics')
    await expect.poll(() => tile(page, 'Calls')).toMatch(/^Calls[\s:]+[\d,]+[\s.]*$/)
    await expect.poll(() => page.getByRole('columnheader', { name: '30 days before' }).count()).toBe(0)
    await page.unrouteAll()
    await page.reload()
    await expect.poll(() => tile(page, 'Calls')).toMatch(/(?:up|down)\s+from [\d,]+$/)
    await page.locator('.plot .before').waitFor({ state: 'attached' })
  })
})

describe('a time', () => {
  type Times = Record<'mean' | 'p50' | 'p95' | 'p99', number | null>

  /** Opens the page with these times for the last 30 days, and for the 30 days before. */
  const openTimes = async (now: Times, before: Times): Promise<Page> => {
    const page = await pageOf(service.filled.owner)
    for (const [times, end] of [
      [now, dayBefore(0)],
      [before, dayBefore(30)],
    ] as const) {
      const path = `**/api/analytics/requests*end=${end}*`
      await changeAnswers<{ totals: object }>(page, path, (found) => ({
        ...found,
        totals: { ...found.totals, response_ms: times },
      }))
    }
    return open(page, '/app/analytics')
  }

  const texts = async (page: Page): Promise<string[]> => {
    const heads = page.locator('#times .figure')
    await heads.first().waitFor()
    return (await heads.locator('b, span').allInnerTexts()).map((text) => text.trim().replaceAll('\u00A0', ' '))
  }

  it('that is a bound is said as one, and has not changed by one bucket', async () => {
    const page = await openTimes(
      { mean: 431, p50: 431, p95: 543, p99: null },
      { mean: 415, p50: 415, p95: 799, p99: 799 },
    )
    expect(await texts(page)).toEqual([
      '≤ 431 ms',
      'p50, about the same before',
      '≤ 543 ms',
      'p95, ≤ 799 ms before',
      '–',
      'p99, ≤ 799 ms before',
    ])
    await page.locator('#times').getByText('Too few calls a day to show').first().waitFor()
    await expect.poll(() => page.getByRole('slider', { name: '99 of 100 calls, by day' }).count()).toBe(0)
    expect(await tile(page, 'Median time')).toMatch(/≤\s431\sms[\s.]+About the same$/)
  })

  it('that is exact is said with its change', async () => {
    const none = { p50: null, p95: null, p99: null }
    const page = await openTimes({ mean: 431, ...none }, { mean: 415, ...none })
    expect(await texts(page)).toEqual(['431 ms', 'mean, 415 ms before'])
    expect(await tile(page, 'Average time')).toMatch(/431\sms[\s.↑]+16\sms\s+up\s+from 415\sms$/)
  })
})

describe('a figure, the one before and their change', () => {
  it('add up as they are shown, and two that look the same have not changed', async () => {
    const page = await pageOf(service.filled.owner)
    const show = (days: number, failed: number, eur: number, completed: number) => [
      changeAnswers<{ totals: object }>(page, `**/api/analytics/requests?start=${dayBefore(days)}&*`, (list) => ({
        ...list,
        totals: { ...list.totals, requests: 10_000, failed, completed, cached: 0, cancelled: 0, interrupted: 0 },
      })),
      changeAnswers<{ totals: object }>(page, `**/api/analytics/costs?start=${dayBefore(days)}&*`, (list) => ({
        ...list,
        totals: { ...list.totals, cost_eur: eur },
      })),
    ]
    await Promise.all([...show(29, 452, 12.344, 700), ...show(59, 164, 12.341, 1000)])
    await open(page, '/app/analytics')
    await expect.poll(() => tile(page, 'Failed')).toMatch(/4\.5%[^]*2\.9 points up from 1\.6%/)
    await expect.poll(() => tile(page, 'Cost')).toMatch(/€12\.34[^]*As before/)
    await expect.poll(() => tile(page, 'Cost of a passed call')).toMatch(/€0\.0176[^]*43\.1% up from €0\.0123/)
  })
})

describe('a bar', () => {
  it('opens the calls of its day with the filters of the page', async () => {
    const page = await open(service.filled.owner, '/app/analytics')
    const slider = page.getByRole('slider', { name: 'Calls by outcome, by day' })
    await slider.press('End')
    await slider.press('Enter')
    await page.waitForURL(`**/app/calls?from=${dayBefore(0)}&to=${dayBefore(0)}*`)
  })

  it('opens nothing for a role without the list of calls', async () => {
    const page = await pageOf(service.filled.owner)
    await showRole(page, 'developer')
    await open(page, '/app/analytics')
    const slider = page.getByRole('slider', { name: 'Calls by outcome, by day' })
    await slider.press('End')
    await slider.press('Enter')
    await expect.poll(() => page.locator('main a[href*="/app/calls"]').count()).toBe(0)
    expect(new URL(page.url()).pathname).toBe('/app/analytics')
  })
})
