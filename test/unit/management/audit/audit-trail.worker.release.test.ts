// The trail of an organisation's calls: what became of each, found by filters, however much of the log is sealed.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { putContent } from '../../../../src/organisation/content/content-bucket.store.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { noon, positionOf, type ChatKey, type FactsChange } from '../../organisation/chat-organisation.ts'
import { fillLedger, putAway, watchingPages } from '../export/exported.ts'
import { actsOf, manage, type Asker, type Managed } from '../managed.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const PATH = '/api/compliance/audit-trail'

type Entry = Record<string, unknown> & { attestation_id: string; index: number; model: string }
type Page = { data: Entry[]; has_more: boolean; next_cursor: string | null; unreadable_entries: number }

async function trail({ ask }: Asker, query = ''): Promise<Page> {
  const response = await ask('GET', `${PATH}?${query}`)
  if (response.status !== 200) throw new Error(await response.text())
  return response.json()
}

/** All pages of it. */
async function wholeTrail(asker: Asker, query = ''): Promise<{ entries: Entry[]; pages: number }> {
  const entries: Entry[] = []
  let pages = 0
  for (let cursor: string | null = ''; cursor !== null; pages += 1) {
    const page: Page = await trail(asker, `${query}${cursor === '' ? '' : `&cursor=${cursor}`}`)
    entries.push(...page.data)
    cursor = page.next_cursor
    expect(page.has_more).toBe(cursor !== null)
  }
  return { entries, pages }
}

const codeOf = async (response: Response): Promise<string> =>
  (await response.json<{ error: { code: string } }>()).error.code

const healthcare = (more: object = {}, bindings: object = {}): Promise<Managed> =>
  manage({ tier: 'healthcare', ...more }, bindings)

/** A call that is settled; its position. */
async function call({ organisation }: Managed, key: ChatKey, facts: FactsChange = {}): Promise<number> {
  const position = positionOf(await organisation.admit(key, facts))
  const usage = { inputUncached: 10, cacheRead: 5, cacheWrite: 2, cacheWriteHour: 1, outputVisible: 7, reasoning: 3 }
  await organisation.settle(position, 1500, { usage, upstreamMs: 321, servedModel: 'gpt-4.1-mini-2025-04-14' })
  return position
}

describe('readAuditTrail', () => {
  it('tells of a call all that the log has of it: who, what, its outcome, its tokens, its cost, its time', async () => {
    const managed = await healthcare()
    await (await managed.signIn('owner')).ask('PUT', '/api/policies', { bias: { cohorts: ['adults'] } })
    const key = await managed.organisation.issueKey()
    const position = await call(managed, key, { useCase: 'triage', cohort: 'adults' })
    const { data, has_more, unreadable_entries } = await trail(await managed.signIn('auditor'))
    expect({ has_more, unreadable_entries }).toEqual({ has_more: false, unreadable_entries: 0 })
    expect(data).toMatchObject([
      {
        object: 'audit_trail_entry',
        organisation_id: managed.organisation.id,
        key_id: key.id,
        model: 'gpt-4.1-mini',
        provider: 'openai',
        use_case: 'triage',
        cohort: 'adults',
        timestamp: new Date(noon).toISOString(),
        outcome: 'passed',
        reason: null,
        ending: 'completed',
        served_model: 'gpt-4.1-mini-2025-04-14',
        response_ms: 321,
        input_tokens: 18,
        cached_input_tokens: 5,
        output_tokens: 10,
        reasoning_tokens: 3,
        cost_eur: 0.0015,
        cost_estimated: false,
        index: position,
        settlement_index: position + 1,
      },
    ])
    expect(data[0]).not.toHaveProperty('content')
  })

  it('tells of one that runs, and of refusals, which cost nothing and say why', async () => {
    const managed = await healthcare({ enabled_providers: ['openai'] })
    const key = await managed.organisation.issueKey()
    await managed.organisation.admit(key)
    const refused = { model: 'claude-haiku-4-5', provider: 'anthropic', inputMicroeur: 2500 } as const
    await managed.organisation.admit(key, refused)
    const guessed = await managed.organisation.admit(key)
    await managed.organisation.settle(positionOf(guessed), 1500, { estimated: true })
    const { data } = await trail(await managed.automate())
    expect(data).toMatchObject([
      { ending: 'completed', served_model: null, cost_estimated: true },
      {
        outcome: 'blocked',
        model: 'claude-haiku-4-5',
        reason: expect.any(String) as string,
        ending: 'blocked',
        cost_eur: 0,
        cost_prevented_eur: 0.0025,
      },
      { outcome: 'passed', ending: 'running', cost_eur: null, settlement_index: null },
    ])
  })

  it('says of a settlement that it is not kept any more or cannot be read, and counts what cannot', async () => {
    const managed = await healthcare()
    const key = await managed.organisation.issueKey()
    const [over, damaged] = [await call(managed, key), await call(managed, key)]
    await managed.organisation.query('DROP TRIGGER entries_never_change')
    await managed.organisation.query(`UPDATE entries SET expires_at = 1 WHERE position = ${over + 1}`)
    await managed.organisation.query(`UPDATE entries SET entry = zeroblob(40) WHERE position = ${damaged + 1}`)
    const { data, unreadable_entries } = await trail(await managed.signIn('auditor'), 'content=true')
    expect(unreadable_entries).toBe(1)
    expect(data).toMatchObject([
      { index: damaged, ending: 'unreadable', cost_eur: null, content_absent: 'not_logged' },
      { index: over, ending: 'not_kept', cost_eur: null, content_absent: 'not_logged' },
    ])
  })

  it('filters by outcome, model, key, use case and days, the latest first', async () => {
    const managed = await healthcare({ enabled_providers: ['openai'] })
    const [one, two] = [await managed.organisation.issueKey(), await managed.organisation.issueKey()]
    const first = await call(managed, one, { useCase: 'triage' })
    vi.setSystemTime(noon + DAY_MS)
    const second = await call(managed, two, { model: 'gpt-4.1-nano' })
    await managed.organisation.admit(one, { model: 'claude-haiku-4-5', provider: 'anthropic' })
    const auditor = await managed.signIn('auditor')
    const found = async (query: string): Promise<number[]> =>
      (await trail(auditor, query)).data.map(({ index }) => index)
    expect(await found('')).toEqual([second + 2, second, first])
    expect(await found('outcome=blocked')).toEqual([second + 2])
    expect(await found('outcome=passed')).toEqual([second, first])
    expect(await found('model=gpt-4.1-nano')).toEqual([second])
    expect(await found(`key_id=${two.id}`)).toEqual([second])
    expect(await found('use_case=triage')).toEqual([first])
    expect(await found('use_case=triage&outcome=blocked')).toEqual([])
    const day = new Date(noon).toISOString().slice(0, 10)
    expect(await found(`start=${day}&end=${day}`)).toEqual([first])
    expect(await found(`start=${day}&end=${day}&cursor=${second + 2}`)).toEqual([first])
    const next = new Date(noon + DAY_MS).toISOString().slice(0, 10)
    expect(await found(`start=${next}&end=${next}`)).toEqual([second + 2, second])
    expect(await found('start=0001-01-01&end=0001-01-02')).toEqual([])
  })

  it('has each call once over all pages, with its settlement, wherever those are kept', async () => {
    const managed = await healthcare()
    const key = await managed.organisation.issueKey()
    const positions: number[] = []
    for (let n = 0; n < 140; n += 1) positions.push(await call(managed, key))
    await putAway(managed)
    for (let n = 0; n < 5; n += 1) positions.push(await call(managed, key))
    const auditor = await managed.signIn('auditor')
    for (const limit of [7, 200]) {
      const { entries } = await wholeTrail(auditor, `limit=${limit}`)
      expect(entries.map(({ index }) => index)).toEqual(positions.toReversed())
      expect(new Set(entries.map(({ ending, cost_eur }) => `${String(ending)} ${String(cost_eur)}`))).toEqual(
        new Set(['completed 0.0015']),
      )
    }
  })

  it('says that there is more until it has shown the first call of the days', async () => {
    const managed = await healthcare()
    const key = await managed.organisation.issueKey()
    vi.setSystemTime(noon + DAY_MS)
    const first = positionOf(await managed.organisation.admit(key))
    await managed.organisation.admit(key)
    const day = new Date(noon + DAY_MS).toISOString().slice(0, 10)
    const { entries, pages } = await wholeTrail(await managed.signIn('auditor'), `start=${day}&end=${day}&limit=1`)
    expect([entries.map(({ index }) => index), pages]).toEqual([[first + 1, first], 2])
  })

  it('takes a bounded look, so that a page where little matches is short and says that there is more', async () => {
    const managed = await healthcare()
    const key = await managed.organisation.issueKey()
    const position = positionOf(await managed.organisation.admit(key))
    await managed.organisation.settle(position, 5, { ended: 'cancelled' })
    await fillLedger(managed, 13_000, 'A'.repeat(43))
    const auditor = await managed.signIn('auditor')
    const first = await trail(auditor, 'ending=completed,cancelled&q=gpt')
    expect([first.data, first.has_more]).toEqual([[], true])
    const { entries, pages } = await wholeTrail(auditor, 'ending=completed,cancelled&q=gpt')
    expect(entries.map(({ index }) => index)).toEqual([position])
    expect(pages).toBe(2)
  })

  it('takes any position for a cursor, and shows nothing of what is not there', async () => {
    const managed = await healthcare()
    const position = await call(managed, await managed.organisation.issueKey())
    const auditor = await managed.signIn('auditor')
    expect((await trail(auditor, `cursor=${position}`)).data).toEqual([])
    expect((await trail(auditor, `cursor=${position + 1}`)).data).toHaveLength(1)
    expect((await trail(auditor, 'cursor=999999999999999')).data).toHaveLength(1)
    for (const query of [
      'cursor=-1',
      'cursor=x',
      'limit=0',
      'limit=201',
      'outcome=ALLOWED',
      'key_id=1',
      'use_case=A%20B',
      'start=2',
    ]) {
      expect([query, await codeOf(await auditor.ask('GET', `${PATH}?${query}`))]).toEqual([query, 'invalid_request'])
    }
  })

  it('comes with Healthcare and Enterprise; whoever may not read is told that first, and the tier before the query', async () => {
    const pro = await manage()
    const owner = await pro.signIn('owner')
    expect(await codeOf(await owner.ask('GET', `${PATH}?limit=0`))).toBe('tier_required')
    expect(await codeOf(await (await pro.signIn('developer')).ask('GET', PATH))).toBe('role_required')
    const enterprise = await manage({ tier: 'enterprise' })
    expect((await trail(await enterprise.automate())).data).toEqual([])
  })

  it('is asked for again where the object could not be reached', async () => {
    let failed = 0
    const failing = watchingPages(() => {
      if (failed++ < 2) throw new Error('cut off')
    }, 'audit.readTrail')
    const managed = await healthcare({}, failing)
    await call(managed, await managed.organisation.issueKey())
    expect((await trail(await managed.signIn('owner'))).data).toHaveLength(1)
  })
})

describe('with content', () => {
  const keeping = { content_logging: { retention_days: 30 } }

  async function callWithContent(managed: Managed, key: ChatKey, text: string): Promise<string> {
    const admission = await managed.organisation.admit(key)
    if (admission.outcome !== 'admitted' || admission.contentPlace === null) throw new Error(admission.outcome)
    const { contentPlace: place, position, record } = admission
    const kept = await putContent(env.FILES, place, Uint8Array.from(new TextEncoder().encode(text)))
    await managed.organisation.settle(position, 5, { content: { name: place.name, ...kept } })
    return record.attestation_id
  }

  it('an entry has what was asked and answered, to the byte, and the ledger says first who read it', async () => {
    const managed = await healthcare(keeping)
    const key = await managed.organisation.issueKey()
    const text = '{"request":{"temperature":1.0},"answer":null,"streamed":false,"truncated":false}'
    const kept = await callWithContent(managed, key, text)
    await managed.organisation.set({ content_logging: null })
    const plain = await call(managed, key)
    const auditor = await managed.signIn('auditor')
    const response = await auditor.ask('GET', `${PATH}?content=true`)
    const body = await response.text()
    expect(body).toContain(`"content":${text},"content_absent":null}`)
    expect((JSON.parse(body) as Page).data).toMatchObject([
      { index: plain, content: null, content_absent: 'not_logged' },
      { attestation_id: kept },
    ])
    expect(await actsOf(managed, 'content.read')).toMatchObject([{ actor: auditor.id, attestation_id: kept }])

    await env.FILES.delete((await env.FILES.list({ prefix: 'content/' })).objects.map(({ key: name }) => name))
    const gone = await trail(auditor, 'content=true')
    expect(gone.data[1]).toMatchObject({ content: null, content_absent: 'erased' })
  })

  it('a page ends where its contents are 4 MiB, and goes on from there', async () => {
    const managed = await healthcare(keeping)
    const key = await managed.organisation.issueKey()
    const text = JSON.stringify({ request: { padding: 'x'.repeat(3 * 1024 * 1024) } })
    const ids: string[] = []
    for (let n = 0; n < 4; n += 1) ids.push(await callWithContent(managed, key, text))
    const auditor = await managed.signIn('auditor')
    const first = await trail(auditor, 'content=true')
    expect(first.data.map(({ attestation_id }) => attestation_id)).toEqual([ids[3], ids[2]])
    const second = await trail(auditor, `content=true&cursor=${String(first.next_cursor)}`)
    expect(second.data.map(({ attestation_id }) => attestation_id)).toEqual([ids[1], ids[0]])
    expect(second.has_more).toBe(false)
  })

  it('is for people who may read content, from our own pages, and in small pages', async () => {
    const managed = await healthcare(keeping)
    const key = await managed.organisation.issueKey()
    await callWithContent(managed, key, '{}')
    const auditor = await managed.signIn('auditor')
    const refused = async (asker: Asker, query: string, headers = {}): Promise<string> =>
      codeOf(await asker.ask('GET', `${PATH}?${query}`, undefined, headers))
    expect(await refused(await managed.automate(), 'content=true')).toBe('role_required')
    expect(await refused(auditor, 'content=true', { 'sec-fetch-site': 'cross-site' })).toBe('origin_refused')
    expect(await refused(auditor, 'content=true&limit=21')).toBe('invalid_request')
    expect((await auditor.ask('HEAD', `${PATH}?content=true`)).status).toBe(200)
    expect(await actsOf(managed, 'content.read')).toEqual([])
    await managed.organisation.set({ content_logging: null })
    for (let n = 0; n < 20; n += 1) await call(managed, key)
    expect((await trail(auditor, 'content=true')).data).toHaveLength(20)
  })
})
