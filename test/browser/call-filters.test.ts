// The filters of /app/calls: days, search, and lists of what the calls of these days have.
import { describe, expect, it } from 'vitest'
import { pageOf, service } from '../support/browser/browser.ts'
import { open, settled } from '../support/browser/pages.ts'

const { owner } = service.filled

describe('the calls', () => {
  it('ask for no days that are in no order', async () => {
    const page = await open(owner, '/app/calls')
    await page.getByRole('button', { name: 'Last 30 days' }).click()
    await page.getByLabel('From').fill('2026-11-20')
    await page.getByLabel('To', { exact: true }).fill('2026-11-01')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.locator('input:invalid').first().waitFor()
    expect(new URL(page.url()).search).toBe('')
    await page.getByLabel('To', { exact: true }).fill('2026-11-20')
    await page.getByRole('button', { name: 'Apply' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?from=2026-11-20&to=2026-11-20')
  })

  it('are counted as they are listed, by outcome and by the rule that stopped them', async () => {
    const page = await open(owner, '/app/calls?outcome=blocked')
    const counted = page.getByRole('group', { name: 'Outcome' }).locator('[aria-current=true] .number')
    const rows = page.locator('[data-row] a')
    await expect.poll(async () => (await rows.count()) === Number(await counted.innerText())).toBe(true)
    const rule = page.getByRole('group', { name: 'Rule' }).getByRole('link').first()
    const count = Number(await rule.locator('b').innerText())
    await rule.click()
    await expect.poll(() => rows.count()).toBe(count)
    await page.getByRole('button', { name: `Save these ${count} (CSV)` }).waitFor()
    await page.getByRole('group', { name: 'Outcome' }).getByRole('link', { name: /^All/ }).click()
    await expect.poll(() => new URL(page.url()).search).toMatch(/^\?rule=\w+$/)
    await expect.poll(() => counted.innerText()).toBe(String(count))
    // The outcome has no call of this rule, which can be taken away all the same.
    await page.getByRole('group', { name: 'Outcome' }).getByRole('link', { name: 'Held 0' }).click()
    await page
      .getByRole('group', { name: 'Rule' })
      .getByRole('link', { name: /remove the filter/ })
      .click()
    await expect.poll(() => new URL(page.url()).search).toBe('?outcome=held')
  })

  it('are found by a part of their model, and the search is one filter that can be taken away', async () => {
    const page = await open(owner, '/app/calls')
    await page.getByRole('searchbox').fill('HAIKU')
    await page.getByRole('searchbox').press('Enter')
    await expect
      .poll(() => page.locator('[data-row] td:nth-of-type(3)').allTextContents())
      .toEqual(expect.arrayContaining(['claude-haiku-4-5']))
    await settled(page)
    const models = await page.locator('[data-row] td:nth-of-type(3)').allTextContents()
    expect(new Set(models)).toEqual(new Set(['claude-haiku-4-5']))
    await page.getByRole('link', { name: 'remove the filter Search' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('')
    // The link that was pressed is gone.
    await expect.poll(() => page.evaluate("document.activeElement.closest('#island') !== null")).toBe(true)
  })

  it('have a search with room in a narrow window and beside an open call', async () => {
    const page = await open(owner, '/app/calls')
    const box = page.getByRole('searchbox')
    await page.setViewportSize({ width: 390, height: 844 })
    await box.click()
    await expect.poll(async () => (await box.boundingBox())?.width).toBeGreaterThan(300)
    await page.setViewportSize({ width: 1280, height: 844 })
    await page.locator('[data-row] a').first().click()
    await page.getByRole('dialog').waitFor()
    await box.click({ trial: true })
  })

  it('are narrowed at once by a model of these days', async () => {
    const page = await open(owner, '/app/calls')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('group', { name: 'More filters' }).getByText('Model', { exact: true }).click()
    await page.getByRole('group', { name: 'More filters' }).getByRole('link', { name: 'claude-haiku-4-5' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('?model=claude-haiku-4-5')
    await page.getByRole('link', { name: 'remove the filter Model' }).waitFor()
  })

  it('are narrowed by a text where the names of these days are not known', async () => {
    const page = await pageOf(owner)
    await page.route('**/api/analytics/stops*', (route) => route.abort())
    await open(page, '/app/calls')
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByLabel('Model', { exact: true }).fill('claude-haiku-4-5')
    await page.getByLabel('Model', { exact: true }).press('Enter')
    await expect.poll(() => new URL(page.url()).search).toBe('?model=claude-haiku-4-5')
  })
})
