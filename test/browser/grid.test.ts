// What every list does, tried on that of the calls: keyboard, columns, selection, its file, its place in the history, paper, and a list
// so long that only a part of it may be drawn anew.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { changeAnswers, saved } from '../support/browser/acts.ts'
import { pageOf, service } from '../support/browser/browser.ts'
import { open, settled } from '../support/browser/pages.ts'
import { refusedWith } from '../support/browser/visitor.ts'

const { owner } = service.filled

type Call = { id: string; created_at: string; model: string; index: number }

/** The service has no record of the calls that are listed here. */
const INVENTED = { provoked: refusedWith(404) }

const MINUTE_MS = 60_000
const NOON = Date.parse('2026-07-01T12:00:00Z')

/** Lists as many copies of a call as asked for, each a minute older than the one before. */
async function listOf(page: Page, count: number, change: Partial<Call> = {}): Promise<void> {
  await changeAnswers<{ data: readonly Call[] }>(page, /\/api\/calls\?/, ({ data: [call], ...list }) => ({
    ...list,
    has_more: true,
    next_cursor: '1',
    data: Array.from({ length: count }, (_, at) => ({
      ...call,
      id: `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      created_at: new Date(NOON - at * MINUTE_MS).toISOString(),
      ...change,
    })),
  }))
}

const focused = (page: Page): Promise<string> =>
  page.evaluate("document.activeElement.closest('[data-row]')?.dataset.row.slice(-3) ?? ''")

const press = async (page: Page, ...keys: readonly string[]): Promise<void> => {
  for (const key of keys) await page.keyboard.press(key)
}

const heads = (page: Page): Promise<string[]> => page.getByRole('columnheader').allInnerTexts()

describe('the keyboard', () => {
  it('moves between rows, selects and opens them, and goes on in the drawer', async () => {
    const page = await pageOf(owner, INVENTED)
    await listOf(page, 60)
    await open(page, '/app/calls')
    await press(page, 'j', 'j', 'ArrowDown')
    expect(await focused(page)).toBe('002')
    await press(page, 'k', 'x', 'j', 'x')
    await page.getByText('2 calls selected').waitFor()
    await page.getByRole('checkbox', { name: 'Select this row' }).first().click()
    await page.getByText('3 calls selected').waitFor()
    await press(page, 'j')
    await press(page, 'End')
    expect(await focused(page)).toBe('059')
    // The names of the columns stay in sight, below the bar of the page.
    const bar = await page.getByRole('region', { name: 'Search and account' }).boundingBox()
    const named = await page.locator('.grid thead').boundingBox()
    expect(Math.abs((bar?.y ?? NaN) + (bar?.height ?? NaN) - (named?.y ?? NaN))).toBeLessThan(2)
    await press(page, 'Home', 'Enter')
    const drawer = page.getByRole('dialog')
    await drawer.getByText('1 of ').waitFor()
    await press(page, 'j')
    await drawer.getByText('2 of ').waitFor()
    await press(page, 'k', 'k')
    await drawer.getByText('1 of ').waitFor()
    await press(page, 'j', 'Escape')
    await expect.poll(() => focused(page)).toBe('001')
    await press(page, '?')
    await page.getByText('In a list: select the row').waitFor()
    await page.getByLabel('Switch keys without Ctrl off').check()
    await press(page, 'Escape', 'End', 'j')
    expect(await focused(page)).toBe('059')
  })

  it('is left alone where somebody types', async () => {
    const page = await pageOf(owner)
    await listOf(page, 60)
    await open(page, '/app/calls')
    await page.getByRole('searchbox').pressSequentially('jkx')
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('jkx')
    await expect.poll(() => page.getByRole('group', { name: 'Selected rows' }).count()).toBe(0)
  })
})

describe('the columns', () => {
  it('are chosen in the menu, and are in the address and in the file', async () => {
    const page = await pageOf(owner)
    await listOf(page, 60, { model: '=cmd()' })
    await open(page, '/app/calls?cols=time,model,nothing')
    expect(await heads(page)).toEqual(['Selected', 'Time (UTC)', 'Model'])
    await page.getByRole('button', { name: 'Columns and file of this list' }).click()
    await page.getByLabel('Entry', { exact: true }).check()
    await expect.poll(() => heads(page)).toEqual(['Selected', 'Time (UTC)', 'Model', 'Entry'])
    expect(new URL(page.url()).searchParams.get('cols')).toBe('time,model,entry')
    const { text } = await saved(page, 'Save these rows (CSV)')
    const [head, first] = text.split('\r\n')
    expect(head).toBe('time,model,entry')
    expect(first).toMatch(/^2026-07-01T12:00:00\.000Z,'=cmd\(\),\d+$/)
    expect(text.trimEnd().split('\r\n')).toHaveLength(61)
  })

  it('have one that opens the row, also where the list is too narrow for those of the address', async () => {
    const page = await pageOf(owner)
    await page.setViewportSize({ width: 820, height: 900 })
    await open(page, '/app/calls?cols=key,took,hash')
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    const row = page.locator('[data-row]').first()
    await row.click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    const menu = page.getByRole('button', { name: 'Columns and file of this list' })
    await menu.click()
    await page.getByRole('checkbox', { name: 'Request hash' }).waitFor()
    await expect.poll(() => page.getByRole('checkbox', { name: 'Took' }).count()).toBe(0)
    await menu.click()
    await expect.poll(() => page.getByRole('checkbox', { name: 'Request hash' }).count()).toBe(0)
  })

  it('are the usual ones where the address names none that there is', async () => {
    const page = await open(owner, '/app/calls?cols=<script>')
    expect(await heads(page)).toContain('Outcome')
  })

  it('show times of this device where the person chose them', async () => {
    const page = await pageOf(owner)
    await listOf(page, 60)
    await page.addInitScript("localStorage.setItem('times', 'local')")
    await open(page, '/app/calls')
    await expect.poll(() => page.locator('[data-row]').first().innerText()).toContain('13:00:00')
    await page.addInitScript("localStorage.setItem('times', 'utc')")
    await open(page, '/app/calls')
    await expect.poll(() => page.locator('[data-row]').first().innerText()).toContain('12:00:00')
  })
})

describe('a long list', () => {
  it('is drawn anew only in the rows that change, and offers days where more rows serve nobody', async () => {
    const page = await pageOf(owner, INVENTED)
    await listOf(page, 5_000)
    await open(page, '/app/calls')
    await expect.poll(() => page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
    await page.locator('.foot-line').getByLabel('Go to a day').waitFor()
    await page.evaluate(`
      globalThis.changes = 0
      new MutationObserver((records) => { globalThis.changes += records.length }).observe(
        document.querySelector('[data-grid]'), { attributes: true, childList: true, subtree: true, characterData: true })`)
    await page.locator('[data-row] a').first().click()
    await page.getByRole('dialog').waitFor()
    // The row that is open is marked.
    await expect.poll(() => page.evaluate('globalThis.changes')).toBeLessThan(3)
    await press(page, 'Escape', 'End')
    expect(await focused(page)).toBe('999')
  })

  it('is at the place that was left when somebody comes back', async () => {
    const page = await pageOf(owner)
    await open(page, '/app/calls')
    const before = await page.locator('[data-row]').count()
    await page.getByRole('button', { name: 'Show more' }).click()
    await expect.poll(() => page.locator('[data-row]').count()).toBeGreaterThan(before)
    const loaded = await page.locator('[data-row]').count()
    await page.evaluate('scrollTo(0, 4000)')
    await page.goto('/app/keys')
    await page.goBack()
    await settled(page)
    await expect.poll(() => page.locator('[data-row]').count()).toBeGreaterThanOrEqual(loaded)
    await expect.poll(() => page.evaluate('scrollY')).toBeGreaterThan(3_000)
  })
})

describe('on paper', () => {
  it('begins with whose it is, what it lists and how many, and repeats the names of its columns', async () => {
    const page = await pageOf(owner, { width: 673 })
    await listOf(page, 60)
    await open(page, '/app/calls?outcome=blocked')
    await page.emulateMedia({ media: 'print' })
    await expect
      .poll(() => page.locator('.paper-head').innerText())
      .toMatch(/^\S.+\nPrinted .+ UTC by .+, from http.+\/app\/calls\?outcome=blocked&org=/)
    await expect
      .poll(() => page.locator('[data-grid] .only-print').innerText())
      .toMatch(/^Calls, newest first: 30 days to today, UTC · Blocked · The first 60 of \d+ calls$/)
    const display = await page.evaluate("getComputedStyle(document.querySelector('[data-grid] thead')).display")
    expect(display).toBe('table-header-group')
    const times = page.locator('[data-row] time')
    await expect.poll(() => times.first().innerText()).toBe('12:00:00')
    expect((await times.first().boundingBox())?.height).toBeLessThan(20)
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(673)
    await expect.poll(() => page.getByRole('checkbox').count()).toBe(0)
  })
})
