// Text of people, models, providers and files that tries to be more than text, on every page of the dashboard.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { member, service, sessionOf } from '../support/browser/browser.ts'
import { keyOf, ownOrganisation } from '../support/browser/own-organisation.ts'
import { OF_MEMBERS, settled } from '../support/browser/pages.ts'
import { ask, newMember } from '../support/browser/people.ts'
import { overflowOf, type Visitor } from '../support/browser/visitor.ts'

/** Runs what `noteFault` hears, should it ever become an element; and is a word too long for any window. */
const HOSTILE = `"'><img data-hostile src=x onerror="noteFault('ran')"><svg/onload=noteFault('ran')>${'W'.repeat(90)}`
const SCRIPT = "javascript:noteFault('followed')"

/** Members that hold what people, models, providers or files say. */
const TEXTS = new Set([
  'name',
  'email',
  'model',
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
async function poison(page: Page): Promise<void> {
  await page.route('**/api/**', async (route) => {
    const response = await route.fetch()
    const text = await response.text()
    const isJson = (response.headers()['content-type'] ?? '').startsWith('application/json') && text !== ''
    await route.fulfill(isJson ? { response, json: hostile(JSON.parse(text)) } : { response, body: text })
  })
}

async function expectOnlyText({ page, faults }: Visitor): Promise<void> {
  expect(
    await page.evaluate('document.querySelectorAll("[data-hostile], [onerror], [onload], a[href^=javascript]").length'),
  ).toBe(0)
  expect(await page.evaluate('document.body.innerText')).toContain('<img data-hostile')
  await page.setViewportSize({ width: 320, height: 800 })
  expect(await overflowOf(page)).toBe(0)
  await page.setViewportSize({ width: 1280, height: 800 })
  expect(faults).toEqual([])
}

/** What is folded, and the first of what is listed. */
async function openMore(page: Page): Promise<void> {
  for (const summary of await page.locator('main summary').all()) await summary.click()
  const first = page.locator(`main tbody a[href*="${new URL(page.url()).pathname}?"]`).first()
  if ((await first.count()) === 0) return
  await first.click()
  await settled(page)
}

describe('hostile text', () => {
  it.each(OF_MEMBERS)('of answers is only text on %s', async (address) => {
    await using somebody = await member(service.filled.owner)
    const { page } = somebody
    await poison(page)
    await page.goto(address)
    await settled(page)
    await openMore(page)
    await expectOnlyText(somebody)
  })

  it('of errors is only text on every page', async () => {
    await using somebody = await member(service.filled.owner)
    const { page } = somebody
    const fields = [{ path: HOSTILE, rule: HOSTILE }]
    await page.route(
      (url) => url.pathname.startsWith('/api/') && url.pathname !== '/api/auth/me',
      (route) =>
        route.fulfill({
          status: 400,
          json: { error: { code: HOSTILE, message: HOSTILE, param: HOSTILE, fields, request_id: HOSTILE } },
        }),
    )
    for (const address of OF_MEMBERS) {
      await page.goto(address)
      await settled(page)
      await expectOnlyText(somebody)
    }
  })

  it('that people stored is only text on every page: names of the organisation, of keys and of members, use cases, policies', async () => {
    const organisation = await ownOrganisation(HOSTILE)
    const session = await sessionOf(organisation.owner)
    const key = await keyOf(organisation, HOSTILE.slice(0, 90))
    await newMember(organisation.owner, 'admin', HOSTILE.slice(0, 90))
    const policy = { use_case_guard: { allow: [HOSTILE.slice(0, 60)] } }
    // Where the service takes no such text, there is none to show.
    await ask('PUT', '/api/policies', policy, session).catch(() => null)
    await fetch(`${service.origin}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: HOSTILE, messages: [{ role: 'user', content: HOSTILE }] }),
    })
    await using somebody = await member(organisation.owner)
    for (const address of OF_MEMBERS) {
      await somebody.page.goto(address)
      await settled(somebody.page)
      await expectOnlyText(somebody)
    }
  })

  it('in the name of a file is no name that the system could take for a path', async () => {
    await using somebody = await member(service.filled.owner)
    const { page } = somebody
    await page.route('**/api/settings/export?*', (route) =>
      route.fulfill({
        body: '{"complete":true}',
        headers: {
          'content-type': 'application/json',
          'content-disposition': 'attachment; filename="<img data-hostile src=x onerror=noteFault(\'ran\')>.json"',
        },
      }),
    )
    await page.goto('/app/settings')
    await settled(page)
    await page.getByRole('button', { name: 'Download the export' }).click()
    await page.getByText('<img data-hostile', { exact: false }).waitFor()
    await expectOnlyText(somebody)
  })
})
