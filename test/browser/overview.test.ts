// The first page of the dashboard.
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { abortFirst, changeAnswers, pathsOf, showRole } from '../support/browser/acts.ts'
import { pageOf, service } from '../support/browser/browser.ts'
import { open } from '../support/browser/pages.ts'
import { MOST_SHIFT } from '../support/browser/sights.ts'
import { shiftOf } from '../support/browser/visitor.ts'

const of = (tier: string) => service.owners[tier] ?? service.filled.owner

describe('the overview', () => {
  it('says what the tier lacks in one place, and asks for nothing of it', async () => {
    const page = await pageOf(of('free'))
    const asked = pathsOf(page)
    await open(page, '/app')
    await expect
      .poll(() => page.getByRole('region', { name: 'Not in Free' }).innerText())
      .toMatch(/Analytics[^]*from Starter on[^]*Healthcare has all of them/)
    expect(asked.filter((path) => path.startsWith('/api/analytics'))).toEqual([])
    await expect.poll(() => page.getByRole('alert').count()).toBe(0)
    await page.getByRole('region', { name: 'Not in Free' }).getByRole('link', { name: 'Analytics' }).click()
    await page.getByRole('button', { name: 'Ask for Starter' }).waitFor()
  })

  it('has the figures of its own calls in a tier without analytics', async () => {
    const page = await pageOf(service.filled.owner)
    await changeAnswers<{ organisations: object[] }>(page, '**/api/auth/me', (user) => ({
      ...user,
      organisations: user.organisations.map((one) => ({ ...one, tier: 'free' })),
    }))
    await open(page, '/app')
    const tiles = page.getByRole('region', { name: 'The last 7 days' })
    await expect.poll(() => tiles.innerText()).toMatch(/Signed records\s+50\s+Every call has one/)
    await page.getByText('What needs you, and your latest calls.').waitFor()
    await page.getByRole('table', { name: 'Your calls' }).locator('.cover').first().click()
    await page.waitForURL('**/app/calls?id=*')
  })

  it('says what needs a person, the most urgent first', async () => {
    const page = await pageOf(service.filled.owner)
    await changeAnswers<{ data: object[] }>(page, '**/api/keys?*', (list) => ({
      ...list,
      data: list.data.map((key) => ({ ...key, expires_at: null })),
    }))
    await changeAnswers<{ data: object[] }>(page, '**/api/analytics/costs?*', (list) => ({
      ...list,
      budget_eur: 0.01,
      // A month that has just begun has no cost yet.
      data: list.data.map((day) => ({ ...day, cost_eur: 1 })),
    }))
    await changeAnswers<object>(page, '**/api/notifications', (webhook) => ({ ...webhook, state: 'disabled' }))
    await changeAnswers<Record<'totals' | 'previous_totals', object>>(page, '**/api/analytics/keys?*', (list) => ({
      ...list,
      totals: { ...list.totals, failed: 18, interrupted: 3 },
      previous_totals: { ...list.previous_totals, failed: 8, interrupted: 1 },
    }))
    await open(page, '/app')
    const needs = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem')
    await expect.poll(() => needs.first().innerText()).toMatch(/requests? waits? for approval/)
    await expect.poll(() => needs.nth(1).innerText()).toMatch(/budget is used up\s+€[\d.]+ of €0\.01\. Raise it/)
    await expect
      .poll(() => needs.nth(2).innerText())
      .toMatch(/More calls fail than before\s+21 failed, 9 in the 30 days before/)
    await expect.poll(() => needs.nth(3).innerText()).toMatch(/controls? fails?/)
    await expect.poll(() => needs.nth(-2).innerText()).toMatch(/The webhook is disabled/)
    await expect.poll(() => needs.last().innerText()).toMatch(/keys? never expires?/)
  })

  it('has it before the figures on a phone, and beside the chart where there is room', async () => {
    const page = await open(service.filled.owner, '/app')
    const topOf = async (name: string) => (await page.getByRole('region', { name }).boundingBox())?.y ?? 0
    await page.getByRole('region', { name: 'Needs attention' }).waitFor()
    expect(await topOf('Needs attention')).toBeGreaterThan(await topOf('The last 30 days'))
    await page.setViewportSize({ width: 390, height: 844 })
    expect(await topOf('Needs attention')).toBeLessThan(await topOf('The last 30 days'))
  })

  it('says that nothing needs a person where that is so', async () => {
    const page = await pageOf(of('pro'))
    await showRole(page, 'developer')
    await changeAnswers<{ data: object[] }>(page, '**/api/keys?*', (list) => ({
      ...list,
      data: list.data.map((key) => ({ ...key, expires_at: '2099-01-01T00:00:00.000Z' })),
    }))
    await open(page, '/app')
    const needs = page.getByRole('region', { name: 'Needs attention' }).getByRole('listitem')
    await expect.poll(() => needs.allInnerTexts()).toEqual(['Nothing needs you.'])
  })

  it('says what failed, under which request, and is there once it is asked again', async () => {
    const page = await pageOf(of('pro'))
    await abortFirst(page, '**/api/analytics/costs?*')
    await open(page, '/app')
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('The service could not be reached')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('region', { name: 'First steps' }).waitFor()
  })

  it('has the requests and decisions of a role that decides, and asks for no figures where it has none', async () => {
    const page = await pageOf(service.filled.owner)
    const asked = pathsOf(page)
    await showRole(page, 'clinician')
    // All but the oldest are of a key that somebody else made.
    await changeAnswers<{ data: object[] }>(page, '**/api/approvals?state=pending*', ({ data, ...list }) => ({
      ...list,
      data: data.map((request, at) => (at === data.length - 1 ? request : { ...request, key_person: null })),
    }))
    await open(page, '/app')
    const waiting = page.getByRole('region', { name: 'Waiting for a decision' }).getByRole('listitem')
    await expect.poll(() => waiting.first().innerText()).toMatch(/ for [^]*Asked .*, [0-9a-f]{8}[^]* left$/)
    await expect.poll(() => waiting.first().innerText()).toContain('You made the key: somebody else decides.')
    const second = await waiting.nth(1).getByRole('link').getAttribute('href')
    const next = page.getByRole('link', { name: 'Decide the next one' })
    await expect.poll(() => next.getAttribute('href')).toBe(second)
    const decided = page.getByRole('region', { name: /atest decisions$/ }).getByRole('listitem')
    await expect.poll(() => decided.first().innerText()).toMatch(/(Approved|Denied) by (?!you)/)
    await page.getByRole('region', { name: 'What you can do here' }).getByRole('link', { name: 'Notices' }).waitFor()
    expect(asked.filter((path) => /analytics|keys|members/.test(path))).toEqual([])
    type Decided = { decisions: object[] }
    const me = await page.evaluate<string>("fetch('/api/auth/me').then(async (me) => (await me.json()).id)")
    await changeAnswers<{ data: Decided[] }>(page, '**/api/approvals?limit=*', ({ data, ...list }) => ({
      ...list,
      data: data.map(({ decisions, ...request }, at) => ({
        ...request,
        decisions: decisions.map((one) => (at === data.length - 1 ? { ...one, decided_by: me } : one)),
      })),
    }))
    await page.reload()
    await expect.poll(() => decided.allInnerTexts()).toEqual([expect.stringMatching(/(Approved|Denied) by you/)])
    await decided.first().getByRole('link').click()
    await page.waitForURL('**/app/approvals?id=apr_*')
  })

  it('leads whoever is in no organisation to founding one', async () => {
    const page = await pageOf(of('pro'))
    await changeAnswers(page, '**/api/auth/me', (user) => ({ ...user, organisations: [] }))
    await open(page, '/app')
    await expect
      .poll(() => page.getByRole('link', { name: 'Create an organisation' }).getAttribute('href'))
      .toBe('/app/organisation')
  })
})

describe('the requests that wait', () => {
  it('name no place of a provider that is not theirs, and have prevented no cost yet', async () => {
    const page = await pageOf(service.filled.owner)
    type Waiting = { attestation_id: string; facts: object }
    const shown = page.waitForResponse(/\/api\/approvals\/apr_[^/]+$/)
    await changeAnswers<Waiting>(page, /\/api\/approvals\/apr_[^/]+$/, ({ facts, ...approval }) => ({
      ...approval,
      facts: { ...facts, provider: 'mistral' },
    }))
    await open(page, '/app/approvals')
    const card = page.getByRole('region', { name: 'Request', exact: true })
    await expect.poll(() => card.textContent()).toContain('Goes first toMistral')
    await expect.poll(() => card.textContent()).not.toContain('routed to')
    const { attestation_id: id } = (await (await shown).json()) as Waiting
    await open(page, `/app/calls?id=${id}`)
    await page.getByRole('dialog').getByText('It waits for a person’s decision.').waitFor()
    await page.getByRole('dialog').getByRole('heading', { name: 'Details' }).waitFor()
    await expect.poll(() => page.getByText('Cost prevented').count()).toBe(0)
  })

  it('are as many in the tile, the list of needs and the menu, whatever the calls of the days are', async () => {
    const page = await pageOf(service.filled.owner)
    await changeAnswers<{ totals: object }>(page, '**/api/analytics/requests?*', (list) => ({
      ...list,
      totals: { ...list.totals, awaiting_approval: 99 },
    }))
    const waiting = { id: 'apr_1', expires_at: '2099-01-01T00:00:00.000Z' }
    await changeAnswers(page, '**/api/approvals?*', (list) => ({ ...list, data: [waiting, waiting], has_more: false }))
    await open(page, '/app')
    const tiles = page.getByRole('region', { name: 'The last 30 days' })
    await expect.poll(() => tiles.innerText()).toMatch(/Held for a person[^]*\b2 waiting now/)
    await page.getByRole('link', { name: '2 requests wait for approval' }).waitFor()
    await expect.poll(() => page.locator('#waiting').textContent()).toBe('2 waiting')
  })
})

describe('an organisation without calls', () => {
  it('has its first steps and what needs a person, and no figures of nothing', async () => {
    const page = await open(of('healthcare'), '/app')
    await page.getByRole('region', { name: 'First steps' }).getByText('Invite a second person').waitFor()
    await page.getByRole('region', { name: 'Needs attention' }).waitFor()
    await expect.poll(() => page.locator('.tile').count()).toBe(0)
  })
})

describe('anomalies that nobody has explained', () => {
  it('are a line of their own, and their control is counted as on the compliance page', async () => {
    const page = await pageOf(service.filled.owner)
    const asked = pathsOf(page)
    const unexplained = ['anomaly:failures:all:2026-11-12', 'and 3 more']
    await changeAnswers<{ controls: Controls }>(page, '**/api/compliance/score', (score) => ({
      ...score,
      controls: score.controls.flatMap((control) => {
        if (control.id === 'K1') return [{ ...control, state: 'fail' }]
        if (control.id !== 'M1') return [{ ...control, state: 'pass' }]
        return [
          { ...control, state: 'fail', evidence: { ...control.evidence, values: { without_statement: unexplained } } },
        ]
      }),
    }))
    await open(page, '/app')
    const needs = page.getByRole('region', { name: 'Needs attention' })
    const line = needs.getByRole('link', { name: '4 anomalies have no explanation' })
    await expect.poll(() => line.getAttribute('href')).toBe('/app/anomalies')
    const controls = needs.getByRole('listitem').filter({ hasText: '2 controls fail' })
    await expect.poll(() => controls.innerText()).toMatch(/signing key is for development, and 1 more/)
    expect(asked.filter((path) => path.startsWith('/api/anomalies'))).toEqual([])
  })
})

type Controls = { id: string; state: string; evidence: object }[]

describe('the figures of 30 days', () => {
  it('are the same in the sums, the sentence, the chart and the table', async () => {
    const page = await open(service.filled.owner, '/app')
    const figures = page.getByRole('region', { name: 'The last 30 days' })
    const total = /Calls[\s:]*([\d,]+)/.exec((await figures.textContent()) ?? '')?.[1] ?? ''
    const chart = page.locator('figure').filter({ hasText: 'Calls by outcome' })
    await expect.poll(() => chart.locator('figcaption').textContent()).toContain(`${total} calls from `)
    await chart.getByText('Figures by day').click()
    const cells = chart.locator('tbody tr td:nth-of-type(1)')
    await expect.poll(() => cells.count()).toBe(30)
    const counts = await cells.allTextContents()
    expect(counts.reduce((sum, count) => sum + Number(count), 0)).toBe(Number(total.replaceAll(',', '')))
  })

  it('are solid on a screen, and in forced colours and on paper each mark has a pattern of its own', async () => {
    const page = await open(service.filled.owner, '/app')
    const fills = () =>
      page.evaluate<string[]>(
        "[...document.querySelectorAll('.legend rect')].map((mark) => getComputedStyle(mark).fill)",
      )
    await expect.poll(async () => (await fills()).length).toBe(6)
    expect((await fills()).filter((fill) => fill.startsWith('url('))).toEqual([])
    for (const media of [{ forcedColors: 'active' }, { forcedColors: 'none', media: 'print' }] as const) {
      await page.emulateMedia(media)
      const patterns = (await fills()).map((fill) => /^url\("#(.+)"\)/.exec(fill)?.[1])
      const drawn = await Promise.all(patterns.map((id) => page.locator(`[id="${id}"]`).innerHTML()))
      expect(new Set(drawn).size).toBe(6)
    }
  })

  it('are totals until a day is chosen by keyboard or pointer, and totals again after it', async () => {
    const page = await open(service.filled.owner, '/app')
    const slider = page.getByRole('slider')
    const chart = page.locator('figure').filter({ has: slider })
    const legend = () => chart.locator('.legend').innerText()
    const totals = await legend()
    expect(totals).toContain('In all')
    await chart.getByText('Figures by day').click()
    const rows = chart.locator('details tbody tr')
    await slider.press('Home')
    await slider.press('ArrowRight')
    const day = (await rows.nth(1).locator('th').textContent()) ?? ''
    const [, passed = ''] = await rows.nth(1).locator('td').allTextContents()
    await expect.poll(() => slider.getAttribute('aria-valuetext')).toContain(`${day}: Passed: ${passed}, `)
    await expect.poll(legend).toContain(day)
    for (const key of ['End', 'ArrowRight', 'PageUp']) await slider.press(key)
    await expect.poll(() => slider.getAttribute('aria-valuenow')).toBe('29')
    await slider.blur()
    await expect.poll(legend).toBe(totals)
    await slider.hover()
    await expect.poll(legend).not.toBe(totals)
    await page.getByRole('heading', { level: 1 }).hover()
    await expect.poll(legend).toBe(totals)
  })

  it('have one row for all keys that the playground made, here and in analytics', async () => {
    const page = await pageOf(service.filled.owner)
    const temporary = { name: 'Playground', created_at: '2026-11-01T10:00:00Z', expires_at: '2026-11-01T11:00:00Z' }
    await changeAnswers<{ data: object[] }>(page, '**/api/keys?*', (list) => ({
      ...list,
      data: list.data.map((key) => ({ ...key, ...temporary })),
    }))
    await open(page, '/app')
    const link = page.getByRole('figure', { name: 'Cost by key' }).getByRole('link')
    await expect.poll(() => link.allInnerTexts()).toEqual(['Playground keys'])
    await expect.poll(() => link.getAttribute('href')).toContain('/app/keys?status=temporary')
    await open(page, '/app/analytics?group=key')
    const rows = page.getByRole('table', { name: 'Calls by key, sums' }).getByRole('row')
    const expected = ['Key', 'Playground keys', 'All'].map((name) => expect.stringMatching(`^${name}\\s`) as string)
    await expect.poll(() => rows.allInnerTexts()).toEqual(expected)
  })

  it('mark the day that has not ended', async () => {
    const page = await open(service.filled.owner, '/app')
    await page.locator('.plot').getByText('Today, so far').waitFor()
  })
})

describe('the first steps', () => {
  const steps = (page: Page) => page.getByRole('region', { name: 'First steps' })

  it('are done as the organisation does them, lead on to the next, and can be put away', async () => {
    const page = await open(of('free'), '/app')
    await expect.poll(() => steps(page).getByRole('listitem').first().innerText()).toMatch(/Key created[^]*Done/)
    await expect.poll(() => steps(page).locator('.button.first').allInnerTexts()).toEqual(['Open the playground'])
    await expect.poll(() => steps(page).innerText()).not.toContain('Invite a second person')
    // A phone has no empty room below the lead, and nothing moves.
    await page.setViewportSize({ width: 390, height: 844 })
    await open(page, '/app')
    await steps(page).waitFor()
    await expect.poll(() => page.locator('#acts').getByRole('link', { name: 'Open the playground' }).count()).toBe(1)
    expect(await shiftOf(page)).toBeLessThan(MOST_SHIFT)
    await page.getByRole('button', { name: 'Hide first steps' }).click()
    await expect.poll(() => steps(page).count()).toBe(0)
    await open(page, '/app')
    await page.getByRole('region', { name: 'Not in Free' }).waitFor()
    await expect.poll(() => steps(page).count()).toBe(0)
  })

  it('are for roles that make keys alone', async () => {
    const page = await pageOf(of('free'))
    await showRole(page, 'auditor')
    await open(page, '/app')
    await page.getByRole('region', { name: 'Not in Free' }).waitFor()
    await expect.poll(() => steps(page).count()).toBe(0)
  })

  it('are gone where an organisation is no longer new', async () => {
    const page = await open(service.filled.owner, '/app')
    await page.getByRole('region', { name: 'The last 30 days' }).waitFor()
    await expect.poll(() => steps(page).count()).toBe(0)
  })
})
