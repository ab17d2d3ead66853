// Analytics over their routes: what is counted and how it is shown, what may be asked together, and who may ask.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { noon, positionOf, type ChatKey } from '../../organisation/chat-organisation.ts'
import type { ChatSettlement } from '../../../../src/organisation/admit/settle-chat.ts'
import { presentCosts, presentRequests } from '../../../../src/management/analytics/present-analytics.ts'
import type { Analytics } from '../../../../src/organisation/usage/read-analytics.ts'
import { NO_SUMS } from '../../../../src/organisation/usage/tally.ts'
import { checkUsage } from '../../organisation/usage/counted-organisation.ts'
import { manage, type Asker, type Managed } from '../managed.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const DAY_MS = 86_400_000

type Row = Record<string, unknown>
type Answer = { data: Row[]; totals: Row; in_flight: number; has_more: boolean; next_cursor: string | null } & Row

const ask = async (by: Asker, query = '', what = 'requests'): Promise<Answer> => {
  const response = await by.ask('GET', `/api/analytics/${what}?${query}`)
  if (response.status !== 200) throw new Error(await response.text())
  return response.json()
}

const refusal = async (by: Asker, query: string) => {
  const response = await by.ask('GET', `/api/analytics/requests?${query}`)
  const { error } = await response.json<{ error: { code: string; param?: string; message: string } }>()
  return { status: response.status, ...error }
}

/** Returns the members of a row that are not zero or null. */
const said = (row: Row): Row =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== 0 && value !== null))

const USAGE = { inputUncached: 100, cacheRead: 20, cacheWrite: 3, cacheWriteHour: 4, outputVisible: 50, reasoning: 5 }

async function chat(
  { organisation }: Managed,
  key: ChatKey,
  settled: Partial<ChatSettlement> & { costMicroeur?: number } = {},
  asked: Parameters<Managed['organisation']['admit']>[1] = {},
): Promise<void> {
  const position = positionOf(await organisation.admit(key, { upFrontMicroeur: 900, ...asked }))
  await organisation.settle(position, settled.costMicroeur ?? 700, { usage: USAGE, upstreamMs: 120, ...settled })
}

async function managedWith(settings: object = {}): Promise<{ managed: Managed; key: ChatKey; auditor: Asker }> {
  const managed = await manage({ tier: 'starter', enabled_providers: ['openai'], ...settings })
  return { managed, key: await managed.organisation.issueKey(), auditor: await managed.signIn('auditor') }
}

describe('the requests', () => {
  it('are counted by day, days without a call with zeros, and those under way beside', async () => {
    const { managed, key } = await managedWith()
    await chat(managed, key)
    await chat(managed, key, { ended: 'failed', upstreamMs: 300 })
    await chat(managed, key, { finishReason: 'content_filter' })
    await managed.organisation.admit(key, { model: 'sonar', provider: 'perplexity' })
    vi.setSystemTime(noon + 2 * DAY_MS)
    await managed.organisation.admit(key)
    const answer = await ask(await managed.signIn('developer'), 'start=2091-03-15&end=2091-03-17')
    expect(answer).toMatchObject({
      start: '2091-03-15',
      end: '2091-03-17',
      bucket: 'day',
      time_zone: 'UTC',
      in_flight: 1,
      unreadable_entries: 0,
    })
    expect(answer.data.map(said)).toEqual([
      {
        object: 'analytics.requests',
        date: '2091-03-15',
        requests: 4,
        passed: 3,
        completed: 2,
        failed: 1,
        blocked: 1,
        refused: 1,
        input_tokens: 381,
        cached_input_tokens: 60,
        output_tokens: 165,
        response_ms: { mean: 180, p50: 123, p95: null, p99: null },
      },
      { object: 'analytics.requests', date: '2091-03-16' },
      { object: 'analytics.requests', date: '2091-03-17' },
    ])
    expect(answer.totals).toMatchObject({ requests: 4, passed: 3, response_ms: { p50: 123 } })
  })

  it('are the same once the day is closed', async () => {
    const { managed, key } = await managedWith()
    const looking = await managed.automate()
    const other = await managed.organisation.issueKey()
    await chat(managed, key, {}, { useCase: 'letters' })
    await chat(managed, key, { upstreamMs: 99 }, { model: 'gpt-4.1' })
    await chat(managed, other, { upstreamMs: 80 })
    vi.setSystemTime(noon + 2 * DAY_MS)
    await chat(managed, key, { upstreamMs: 400 }, { useCase: 'letters' })
    await chat(managed, key, { upstreamMs: 400 })
    const questions = [
      '',
      '&group_by=model',
      '&group_by=key',
      '&group_by=use_case',
      '&group_by=ending',
      '&bucket=month',
      '&bucket=month&group_by=model',
      `&key_id=${key.id}`,
      `&group_by=key&key_id=${key.id}`,
      `&group_by=model&key_id=${key.id}`,
      '&use_case=letters',
      '&model=gpt-4.1-mini',
      '&model=gpt-4.1-mini&group_by=model',
      `&model=gpt-4.1-mini&use_case=letters&key_id=${key.id}`,
    ]
    const answers = () =>
      Promise.all(questions.map((question) => ask(looking, `start=2091-03-14&end=2091-03-17${question}`)))
    const open = await answers()
    expect(open.map(({ totals }) => totals['requests'])).toEqual([5, 5, 5, 5, 5, 5, 5, 4, 4, 4, 2, 4, 4, 2])
    const toTheDayBefore = await ask(looking, 'start=2091-03-14&end=2091-03-16&bucket=month')
    expect(toTheDayBefore.data).toMatchObject([{ requests: 3 }])
    vi.setSystemTime(noon + 3 * DAY_MS)
    for (let alarms = 0; alarms < 4; alarms += 1) await managed.organisation.runAlarm()
    expect(await managed.organisation.query('SELECT COUNT(*) AS n FROM usage_margins WHERE dimension = 0')).toEqual([
      { n: 1 },
    ])
    expect(await answers()).toEqual(open)
  })

  it('are grouped by each thing, and filtered by any', async () => {
    const { managed, key, auditor } = await managedWith()
    const other = await managed.organisation.issueKey()
    await chat(managed, key, {}, { useCase: 'letters' })
    await chat(managed, other, {}, { useCase: 'letters' })
    // Named as its model is.
    await chat(managed, other, { ended: 'cancelled' }, { model: 'gpt-4.1', useCase: 'gpt-4.1' })
    const values = async (query: string) => {
      const { data } = await ask(auditor, `bucket=total&${query}`)
      return data.map(({ date, model, key_id, use_case, ending, requests }) => {
        expect(date).toBeNull()
        return [model ?? key_id ?? use_case ?? ending, requests]
      })
    }
    expect(await values('group_by=model')).toEqual([
      ['gpt-4.1-mini', 2],
      ['gpt-4.1', 1],
    ])
    expect(await values('group_by=key')).toEqual([
      [key.id, 1],
      [other.id, 2],
    ])
    expect(await values('group_by=use_case')).toEqual([
      ['letters', 2],
      ['gpt-4.1', 1],
    ])
    expect(await values('group_by=ending')).toEqual([
      ['completed', 2],
      ['cancelled', 1],
    ])
    expect(await values(`group_by=model&key_id=${other.id}`)).toEqual([
      ['gpt-4.1-mini', 1],
      ['gpt-4.1', 1],
    ])
    expect(await values(`model=gpt-4.1-mini&key_id=${other.id}&use_case=letters`)).toEqual([[null, 1]])
    expect(await values('use_case=never-declared')).toEqual([[null, 0]])
    await managed.organisation.admit(other, { model: 'gpt-4.1' })
    const inFlight = async (query: string) => (await ask(auditor, query))['in_flight']
    expect(
      await Promise.all(
        ['', 'model=gpt-4.1', 'model=gpt-4.1-mini', 'model=none', 'start=2091-03-13&end=2091-03-14'].map(inFlight),
      ),
    ).toEqual([1, 1, 0, 0, 0])
  })

  it('are counted together beyond 256 use cases', async () => {
    const { managed, key, auditor } = await managedWith({ tier: 'pro' })
    for (let n = 0; n < 258; n += 1) await chat(managed, key, {}, { useCase: `case-${n}` })
    await chat(managed, key, {}, { useCase: 'case-0' })
    const { data } = await ask(auditor, 'bucket=total&group_by=use_case&limit=1000')
    expect(data.length).toBe(257)
    expect(data[0]).toMatchObject({ use_case: 'case-0', requests: 2 })
    expect(data.at(-1)).toMatchObject({ use_case: '(other)', requests: 2 })
    expect(await checkUsage(managed.organisation)).toMatchObject({ differences: [], unreadable: 0 })
  })

  it('have percentiles, but not where latencies are not kept so', async () => {
    const { managed, key, auditor } = await managedWith({ tier: 'pro' })
    for (let n = 0; n < 18; n += 1) await chat(managed, key)
    await chat(managed, key, { upstreamMs: 300 }, { model: 'gpt-4.1' })
    await chat(managed, key, { upstreamMs: 900 })
    const timesOf = async (query: string) =>
      (await ask(auditor, `bucket=total&${query}`)).data.map((row) => row['response_ms'])
    expect(await timesOf('')).toEqual([{ mean: 168, p50: 123, p95: 303, p99: null }])
    const [mini, other] = [
      { mean: 161, p50: 123, p95: null, p99: null },
      { mean: 300, p50: 303, p95: null, p99: null },
    ]
    expect(await timesOf('group_by=model')).toEqual([mini, other])
    expect(await timesOf('model=gpt-4.1')).toEqual([other])
    const none = { p50: null, p95: null, p99: null }
    for (const query of ['group_by=key', 'group_by=use_case', 'group_by=ending', `key_id=${key.id}`]) {
      expect(await timesOf(query)).toMatchObject([none])
    }
    await chat(managed, key, {}, { useCase: 'letters' })
    expect(await timesOf('use_case=letters')).toMatchObject([none])
    await chat(managed, key, { ended: 'cached', upstreamMs: null })
    for (let n = 0; n < 78; n += 1) await chat(managed, key)
    expect(await timesOf('')).toMatchObject([{ p95: 123, p99: null }])
    await chat(managed, key)
    expect(await timesOf('')).toMatchObject([{ p95: 123, p99: 303 }])
  })

  it('come in pages, whose rows are those of the whole', async () => {
    const { managed, key, auditor } = await managedWith()
    await chat(managed, key)
    await chat(managed, key, {}, { model: 'gpt-4.1' })
    const query = 'start=2091-03-14&end=2091-03-16&group_by=model'
    const whole = await ask(auditor, query)
    const rows: Row[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: Answer = await ask(auditor, `${query}&limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)
      expect(page.totals).toEqual(whole.totals)
      rows.push(...page.data)
      cursor = page.next_cursor
    }
    expect(rows).toEqual(whole.data)
    expect(rows.length).toBe(6)
  })

  it('come in pages of days before 1970 too', async () => {
    const { auditor } = await managedWith()
    const query = 'start=1969-12-30&end=1970-01-02&limit=1'
    const { next_cursor } = await ask(auditor, query)
    expect((await ask(auditor, `${query}&cursor=${next_cursor}`)).data).toMatchObject([{ date: '1969-12-31' }])
  })

  it('come as CSV, all rows at once', async () => {
    const { managed, key, auditor } = await managedWith()
    await chat(managed, key)
    const response = await auditor.ask('GET', '/api/analytics/requests?format=csv&start=2091-03-14&end=2091-03-15')
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    const [head, empty, day, end] = (await response.text()).split('\r\n')
    expect(head).toContain('date,model,key_id,use_case,ending,requests,passed,')
    expect(empty).toBe(`2091-03-14,,,,${',0'.repeat(19)},,,,`)
    expect(day).toBe('2091-03-15,,,,,1,1,1,0,0,0,0,0,0,0,0,0,0,0,0,0,127,20,55,120,123,,')
    expect(end).toBe('')
    const long = await auditor.ask('GET', '/api/analytics/costs?format=csv&start=2090-12-01&end=2091-03-15')
    expect((await long.text()).split('\r\n').length).toBe(1 + 105 + 1)
  })
})

describe('entries that cannot be read', () => {
  it('are told, since what they said is in no row', async () => {
    const { managed, key, auditor } = await managedWith()
    await chat(managed, key)
    await managed.organisation.admit(key)
    await managed.organisation.query('DROP TRIGGER entries_never_change')
    await managed.organisation.query(`UPDATE entries SET entry = x'81' WHERE kind = 'settlement'`)
    expect(await ask(auditor, 'bucket=total')).toMatchObject({ in_flight: 2, unreadable_entries: 1 })
  })
})

describe('the costs', () => {
  it('are those that were settled, and what the budget has left', async () => {
    const { managed, key, auditor } = await managedWith({ monthly_budget_eur: 5 })
    await chat(managed, key, { costMicroeur: 1_234_567 })
    await chat(managed, key, { costMicroeur: 1, estimated: true })
    await managed.organisation.admit(key, { model: 'sonar', provider: 'perplexity', inputMicroeur: 42 })
    await managed.organisation.admit(key, { upFrontMicroeur: 1000 })
    const answer = await ask(auditor, 'bucket=month', 'costs')
    const owner = await managed.signIn('owner')
    await owner.ask('PUT', '/api/policies', { budget_guard: { month_eur: 2, day_eur: 1 } })
    expect(await ask(auditor, 'bucket=month', 'costs')).toMatchObject({ budget_eur: 2, budget_left_eur: 0.764_432 })
    await managed.organisation.set({ monthly_budget_eur: null })
    await owner.ask('PUT', '/api/policies', { budget_guard: { day_eur: 1 } })
    expect(await ask(auditor, 'bucket=month', 'costs')).toMatchObject({ budget_eur: null, budget_left_eur: null })
    expect(answer).toMatchObject({ budget_eur: 5, budget_left_eur: 3.764_432, reserved_eur: 0.001, in_flight: 1 })
    expect(answer.data.map(({ date, cost_eur }) => [date, cost_eur])).toEqual([
      ['2091-02', 0],
      ['2091-03', 1.234568],
    ])
    expect(answer.totals).toEqual({
      requests: 3,
      cost_eur: 1.234_568,
      cost_prevented_eur: 0.000_042,
      cost_estimated_requests: 1,
    })
  })
})

describe('the keys', () => {
  it('are shown with their calls, cost, last use and what stopped them, beside the days before', async () => {
    const { managed, key, auditor } = await managedWith()
    const other = await managed.organisation.issueKey()
    vi.setSystemTime(noon - DAY_MS)
    await chat(managed, other)
    vi.setSystemTime(noon)
    await chat(managed, key)
    await chat(managed, key, { ended: 'failed' })
    for (let n = 0; n < 2; n += 1) {
      await managed.organisation.admit(key, { model: 'sonar', provider: 'perplexity' })
    }
    const response = await auditor.ask('GET', '/api/analytics/keys?start=2091-03-15&end=2091-03-15')
    const figures = await response.json<Answer & { previous_totals: object; data: Row[] }>()
    expect(figures).toMatchObject({
      previous_start: '2091-03-14',
      previous_end: '2091-03-14',
      totals: { requests: 4, passed: 2, blocked: 2, failed: 1, cost_eur: 0.0014 },
      previous_totals: { requests: 1, cost_eur: 0.0007 },
      data: [
        {
          key_id: key.id,
          requests: 4,
          previous: { requests: 0 },
          last_used_at: new Date(noon).toISOString(),
          busiest_hour: null,
          stops: [{ rule: 'model_allowlist', reason: 'model_not_allowed_by_provider', requests: 2 }],
        },
        { key_id: other.id, requests: 0, previous: { requests: 1 }, busiest_hour: null, stops: [] },
      ],
    })
    const one = await auditor.ask('GET', `/api/analytics/keys?start=2091-03-15&end=2091-03-15&key_id=${key.id}`)
    expect(await one.json()).toMatchObject({
      totals: { requests: 4 },
      data: [{ key_id: key.id, requests: 4, busiest_hour: { start: new Date(noon).toISOString(), requests: 4 } }],
    })
    const none = await auditor.ask('GET', `/api/analytics/keys?end=2091-03-01&key_id=${key.id}`)
    expect(await none.json()).toMatchObject({ data: [] })
    expect((await (await managed.signIn('clinician')).ask('GET', '/api/analytics/keys')).status).toBe(403)
  })
})

describe('what is shown', () => {
  const passed = { completed: 1, failed: 2, cancelled: 4, interrupted: 8, cached: 16, withheld: 0 }
  const held = { awaiting_approval: 128, denied: 256, expired: 512, withdrawn: 1024 }
  const endings = { ...passed, blocked: 32, suppressed: 64, ...held }
  const tokens = { input: 1, cache_read: 2, cache_write: 4, output: 8, reasoning: 16 }
  const totals = { ...NO_SUMS, ...endings, ...tokens, requests: 2047, estimated: 3, percentiles: null }
  const answer: Analytics = {
    outcome: 'answered',
    rows: [],
    hasMore: false,
    totals: { ...totals, timed: 3, upstream_ms: 100 },
    inFlight: 0,
    unreadable: 0,
    budget: { limitMicroeur: 5_000_000, spentMicroeur: 4_000_000, reservedMicroeur: 3_000_000 },
  }
  const asked = {
    organisationId: 'org_practice',
    days: { first: 0, last: 1 },
    bucket: 'total',
    group_by: undefined,
  } as const

  it('adds up what belongs together', () => {
    expect(presentRequests(asked, answer).totals).toMatchObject({
      passed: 31,
      held: 1920,
      input_tokens: 7,
      cached_input_tokens: 2,
      output_tokens: 24,
      response_ms: { mean: 33, p50: null },
    })
  })

  it('has no less than nothing left of a budget', () => {
    const shown = presentCosts(asked, answer)
    expect(shown).toMatchObject({ budget_eur: 5, budget_left_eur: 0, reserved_eur: 3 })
    expect(shown.totals.cost_estimated_requests).toBe(3)
  })
})

describe('a question', () => {
  it('is refused by the tier before it is read, and to who may not ask before that', async () => {
    const { managed, auditor } = await managedWith({ tier: 'free' })
    const clinician = await managed.signIn('clinician')
    expect(await refusal(clinician, 'bucket=year')).toMatchObject({ status: 403, code: 'role_required' })
    expect(await refusal(auditor, 'bucket=year')).toMatchObject({ status: 403, code: 'tier_required' })
    expect((await refusal(auditor, '')).message).toContain('starter, pro, healthcare, enterprise. Yours is free')
  })

  it.each([
    ['more than 400 days', 'start=2090-01-01&end=2091-03-01', 'start'],
    ['more than 92 days by day and key', 'start=2090-12-01&end=2091-03-15&group_by=key', 'start'],
    ['no date', 'start=yesterday', 'start'],
    ['another bucket', 'bucket=hour', 'bucket'],
    ['another cursor', 'cursor=abc', 'cursor'],
    ['pages of CSV', 'format=csv&limit=5', 'limit'],
    ['a later page of CSV', 'format=csv&cursor=1.1', 'cursor'],
  ])('for %s is refused, and the member named', async (_, query, param) => {
    const { auditor } = await managedWith()
    expect(await refusal(auditor, query)).toMatchObject({ status: 400, code: 'invalid_request', param })
  })

  it('by month and key may be of more than 92 days', async () => {
    const { auditor } = await managedWith()
    expect((await ask(auditor, 'start=2090-12-01&end=2091-03-15&group_by=key&bucket=month')).data).toEqual([])
  })

  it('for more rows than are made at once is refused', async () => {
    const { managed, auditor } = await managedWith()
    await ask(auditor)
    // As if there had been calls of so many models.
    await managed.organisation.query(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
      INSERT INTO usage_names (id, kind, name) SELECT i, 'model', 'model-' || i FROM n`)
    await managed.organisation
      .query(`INSERT INTO usage_days (day, key, model, use_case, ending, requests, estimated, refused, input,
        cache_read, cache_write, output, reasoning, cost_microeur, prevented_microeur, upstream_ms, timed, routed_eu, routed_eea_ch, routed_any)
      SELECT ${Math.floor(noon / DAY_MS)}, 0, id, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM usage_names`)
    expect(await refusal(auditor, 'group_by=model')).toMatchObject({
      status: 400,
      code: 'invalid_request',
      param: 'start',
    })
    expect((await ask(auditor, 'group_by=model&bucket=month')).totals).toMatchObject({ requests: 900 })
  })

  it('by two things of more than 92 days is refused where too many rows would be read', async () => {
    const { managed, auditor } = await managedWith()
    await ask(auditor)
    await managed.organisation.query(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100001)
      INSERT INTO usage_days (day, key, model, use_case, ending, requests, estimated, refused, input,
        cache_read, cache_write, output, reasoning, cost_microeur, prevented_microeur, upstream_ms, timed, routed_eu, routed_eea_ch, routed_any)
      SELECT ${Math.floor(noon / DAY_MS)}, 0, 0, i, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM n`)
    const byTwo = 'bucket=total&group_by=ending&use_case=letters&end=2091-03-15'
    await managed.organisation.query("INSERT INTO usage_names (id, kind, name) VALUES (1, 'use_case', 'letters')")
    expect(await refusal(auditor, `${byTwo}&start=2090-12-13`)).toMatchObject({ status: 400, param: 'start' })
    expect((await ask(auditor, `${byTwo}&start=2090-12-14`)).totals).toMatchObject({ requests: 1 })
  })
})
