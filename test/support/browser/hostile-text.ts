// Text that tries to be more than text, wherever an answer of the API has what people, models, providers or files say.
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { overflowOf, unprovoked, type Visitor } from './visitor.ts'

/** Runs what `noteFault` hears, should it ever become an element; and is a word too long for any window. */
export const HOSTILE = `"'><img data-hostile src=x onerror="noteFault('ran')"><svg/onload=noteFault('ran')>${'W'.repeat(90)}`
const SCRIPT = "javascript:noteFault('followed')"

/** Members that hold what people, models, providers or files say. */
const TEXTS = new Set([
  'name',
  'email',
  'model',
  'served_model',
  'use_case',
  'cohort',
  'provider',
  'error_cause',
  'reason',
  'note',
  'text',
  'statement',
  'message',
  'invited_by_name',
  'label',
  'origin',
  'purpose',
  'title',
])
const ADDRESSES = new Set(['url', 'record_url', 'source_url', 'href'])

function hostile(value: unknown, of = ''): unknown {
  if (typeof value === 'string') return TEXTS.has(of) ? HOSTILE : ADDRESSES.has(of) ? SCRIPT : value
  if (Array.isArray(value)) return value.map((item) => hostile(item, of))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, hostile(item, name)]))
}

/** Every answer of the API with hostile text wherever there can be any. */
export async function poison(page: Page): Promise<void> {
  await page.route('**/api/**', async (route) => {
    const response = await route.fetch({ maxRetries: 2 })
    const text = await response.text()
    const isJson = (response.headers()['content-type'] ?? '').startsWith('application/json') && text !== ''
    await route.fulfill(isJson ? { response, json: hostile(JSON.parse(text)) } : { response, body: text })
  })
}

export async function expectOnlyText({ page, faults, provoked }: Visitor): Promise<void> {
  expect(
    await page.evaluate('document.querySelectorAll("[data-hostile], [onerror], [onload], a[href^=javascript]").length'),
  ).toBe(0)
  expect(await page.evaluate('document.body.innerText')).toContain('<img data-hostile')
  await page.setViewportSize({ width: 320, height: 800 })
  expect(await overflowOf(page)).toBe(0)
  await page.setViewportSize({ width: 1280, height: 800 })
  expect(unprovoked({ faults, provoked })).toEqual([])
}
