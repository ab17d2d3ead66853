// The search of the list of calls: each text finds the calls that a plain look at every call finds, wherever their entries are.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Call } from '../../../../src/management/calls/calls.schema.ts'
import { fingerprintOf } from '../../../../src/organisation/usage/search-blocks.store.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'
import { approvalOf } from '../../organisation/approvals/approved-organisation.ts'
import { hashOf, noon, positionOf, PUBLIC_KEY, type FactsChange } from '../../organisation/chat-organisation.ts'
import { fillLedger, putAway } from '../export/exported.ts'
import { manage, type Asker } from '../managed.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

type Page = { data: Call[]; next_cursor: string | null }

async function list({ ask }: Asker, query: Record<string, string> = {}): Promise<Call[]> {
  const calls: Call[] = []
  for (let cursor: string | null = ''; cursor !== null;) {
    const sent = new URLSearchParams({ start: '2091-03-01', limit: '200', ...query, ...(cursor !== '' && { cursor }) })
    const response = await ask('GET', `/api/calls?${sent.toString()}`)
    if (response.status !== 200) throw new Error(await response.text())
    const page: Page = await response.json()
    calls.push(...page.data)
    cursor = page.next_cursor
  }
  return calls
}

const positionsOf = (calls: readonly Call[]): number[] => calls.map(({ index }) => index)

const find = async (asker: Asker, q: string, more: Record<string, string> = {}): Promise<number[]> =>
  positionsOf(await list(asker, { q, ...more }))

async function ruled() {
  const managed = await manage({ tier: 'healthcare' })
  const owner = await managed.signIn('owner')
  const rules = {
    human_approval: { when: [{ use_cases: ['triage'] }], expires_seconds: 3600 },
    model_allowlist: { models: ['gpt-4.1-mini', 'claude-haiku-4-5'] },
    bias: { cohorts: ['adults', 'children'] },
  }
  expect((await owner.ask('PUT', '/api/policies', rules)).status).toBe(200)
  const names = ['Ward round', 'Night 100%']
  const keys = await Promise.all(names.map((name) => managed.organisation.issueKey({ name })))
  return { managed, owner, keys, keyNames: new Map(keys.map(({ id }, at) => [id, names[at] ?? ''])) }
}

type Ruled = Awaited<ReturnType<typeof ruled>>

/** Numbers from 0 to below 1, the same in each run. */
function numbersFrom(seed: number): () => number {
  let state = seed
  return () => (state = (state * 1103515245 + 12345) % 2 ** 31) / 2 ** 31
}

async function makeCalls({ managed, keys }: Ruled, seed: number, count: number) {
  const { organisation } = managed
  const reader = await managed.automate()
  const next = numbersFrom(seed)
  const oneOf = <T>(...values: readonly T[]): T => values[Math.floor(next() * values.length)] as T
  for (let n = 0; n < count; n += 1) {
    if (next() < 0.05) vi.setSystemTime(Date.now() + DAY_MS / 2)
    const key = oneOf(...keys)
    if (key === undefined) throw new Error('no key')
    const model = oneOf('gpt-4.1-mini', 'gpt-4.1-mini', 'claude-haiku-4-5', 'gpt-4.1')
    const facts: FactsChange = {
      model,
      provider: model === 'claude-haiku-4-5' ? 'anthropic' : 'openai',
      useCase: oneOf(null, 'coding', 'letters', 'triage', 'rare_1'),
      cohort: oneOf(null, null, 'adults', 'children'),
      requestHash: hashOf(`request ${seed} ${Math.floor(next() * 40)}`),
    }
    const admission = await organisation.admit(key, facts)
    if (admission.outcome === 'admitted' && next() < 0.9) {
      const failed = next() < 0.1 ? ({ ended: 'failed', errorCause: 'status' } as const) : {}
      await organisation.settle(positionOf(admission), 5, failed)
    }
    if (admission.outcome === 'approval_required' && next() < 0.5) {
      const approval = approvalOf(admission)
      const owner = await managed.signIn('owner')
      await owner.ask('POST', `/api/approvals/${approval}/decision`, { decision: oneOf('approve', 'deny') })
      const run = await organisation.admit(key, { ...facts, approval })
      if (run.outcome === 'admitted') await organisation.settle(run.position, 5)
    }
    // Each list counts, so blocks are made from steps of every size.
    if (next() < 0.1) await list(reader, { q: 'coding', limit: '1', start: '2091-03-15', end: '2091-03-15' })
  }
}

/** Some words that pages show for reasons. */
const WORDS: Readonly<Record<string, string>> = {
  model_not_in_policy: 'Model not allowed',
  approval_required: 'Approval required',
}

/** The same as the search, told from what the list says of a call. */
function isSought(call: Call, text: string, keyNames: ReadonlyMap<string, string>): boolean {
  const part = text.toLowerCase()
  const names = [call.error_cause, keyNames.get(call.key_id ?? '')]
  const shown = [call.model, call.use_case, call.cohort, call.reason, WORDS[call.reason ?? '']]
  const position = /^\d{1,3}(,\d{3})+$|^\d+$/.test(text) ? Number(text.replaceAll(',', '')) : -1
  return (
    [call.id, call.trace_id, call.request_id, call.approval?.id].includes(text) ||
    (part.length >= 12 && call.request_hash.startsWith(part)) ||
    names.some((name) => name?.toLowerCase().includes(part)) ||
    shown.some((name) => name?.replaceAll('_', ' ').toLowerCase().includes(part.replaceAll('_', ' '))) ||
    [call.index, call.settlement_index].includes(position)
  )
}

const HOSTILE = ['%', '_', '.*', '[', '(?:', '\\', '"', "'", '\u0000', '😀'.repeat(50), 'nothing like it', '*', '-- ;']
const NAMES = [
  'GPT',
  'haiku',
  'coding',
  'ODI',
  'rare_1',
  'adults',
  'DREN',
  'ward',
  '100%',
  'model_not',
  'Model not allowed',
  'approval req',
  'status',
  'tri',
]
const NUMBERS = ['1', '0', '7', '12', '41', '999,999', '1,0', '9'.repeat(15), '9'.repeat(40)]

function textsOf(calls: readonly Call[]): string[] {
  const some = calls.filter((_, at) => at % 40 === 0)
  const ids = some.flatMap(({ id, trace_id, request_id, request_hash, approval, index, settlement_index }) => [
    id,
    trace_id,
    id.slice(1),
    request_id ?? '',
    request_hash,
    request_hash.slice(0, 12),
    request_hash.slice(0, 30).toUpperCase(),
    request_hash.slice(0, 11),
    `${request_hash.slice(0, 12)}-`,
    approval?.id ?? '',
    String(index),
    String(settlement_index ?? ''),
  ])
  return [...new Set([...ids, ...HOSTILE, ...NAMES, ...NUMBERS])].filter((text) => text !== '')
}

describe('a search', () => {
  it('finds what a plain look at every call finds, in the database, in files, and where no block is', async () => {
    const ruledOne = await ruled()
    const { managed, keyNames } = ruledOne
    const compare = async (): Promise<number> => {
      const owner = await managed.automate()
      const all = await list(owner)
      let found = 0
      for (const text of textsOf(all)) {
        const wanted = positionsOf(all.filter((call) => isSought(call, text, keyNames)))
        expect([text, await find(owner, text)]).toEqual([text, wanted])
        found += wanted.length
      }
      for (const [name, member] of [
        ['model', 'model'],
        ['use_case', 'use_case'],
        ['key_id', 'key_id'],
      ] as const) {
        for (const value of new Set(all.map((call) => call[member]).filter((one) => one !== null))) {
          const wanted = positionsOf(all.filter((call) => call[member] === value))
          expect([value, positionsOf(await list(owner, { [name]: value }))]).toEqual([value, wanted])
        }
      }
      return found
    }
    await makeCalls(ruledOne, 1, 70)
    expect(await compare()).toBeGreaterThan(100)
    await putAway(managed)
    await makeCalls(ruledOne, 2, 40)
    await compare()
    // An older version has counted some calls.
    await managed.organisation.query('DELETE FROM search_blocks WHERE first % 2 = 0')
    await compare()
  }, 60_000)

  it('finds the call of a number with separators, as pages write it', async () => {
    const { managed, owner, keys } = await ruled()
    const [key] = keys
    if (key === undefined) throw new Error('no key')
    await fillLedger(managed, 1000, PUBLIC_KEY)
    const position = positionOf(await managed.organisation.admit(key))
    await managed.organisation.settle(position, 5)
    const last = positionOf(await managed.organisation.admit(key))
    expect(last).toBeGreaterThan(1000)
    for (const separator of [',', '.', '’', ' ', '\u00a0', '\u202f', '']) {
      const text = String(last).replace(/(\d{3})$/, `${separator}$1`)
      expect([text, await find(owner, text)]).toEqual([text, [last]])
    }
    expect(await find(owner, String(position + 1))).toEqual([position])
    expect(await find(owner, String(last + 1))).toEqual([])
    const rows = await managed.organisation.query<{ first: number; until: number }>(
      'SELECT first, until FROM search_blocks ORDER BY first',
    )
    expect(rows.map(({ first }) => first)).toEqual([0, ...rows.slice(0, -1).map(({ until }) => until)])
    expect(rows.length).toBeLessThan(6)
  }, 60_000)

  it('of two ids with one fingerprint finds the one that is sought', async () => {
    const seen = new Map<number, string>()
    let pair: string[] = []
    for (let n = 0; pair.length === 0; n += 1) {
      const id = `req_${n}`
      const fingerprint = fingerprintOf(id)
      const other = seen.get(fingerprint)
      if (other !== undefined) pair = [other, id]
      seen.set(fingerprint, id)
    }
    const { managed, owner, keys } = await ruled()
    const [key] = keys
    const [one = '', other = ''] = pair
    if (key === undefined) throw new Error('no key')
    const position = positionOf(await managed.organisation.admit(key, { requestId: one }))
    expect(await find(owner, one)).toEqual([position])
    expect(await find(owner, other)).toEqual([])
    const second = positionOf(await managed.organisation.admit(key, { requestId: other }))
    expect([await find(owner, one), await find(owner, other)]).toEqual([[position], [second]])
  })

  it('finds the run of a request that waited, by the number of its refusal', async () => {
    const { managed, owner, keys } = await ruled()
    const [key] = keys
    if (key === undefined) throw new Error('no key')
    const facts = { useCase: 'triage', requestHash: hashOf('held') }
    const waiting = await managed.organisation.admit(key, facts)
    const approval = approvalOf(waiting)
    const refused = positionsOf(await list(owner))[0] ?? -1
    expect(await find(owner, String(refused))).toEqual([refused])
    await owner.ask('POST', `/api/approvals/${approval}/decision`, { decision: 'approve' })
    const run = positionOf(await managed.organisation.admit(key, { ...facts, approval }))
    expect(await find(owner, approval)).toEqual([run])
    expect(await find(owner, String(refused))).toEqual([run])
  })

  it('keeps to the days and the other filters', async () => {
    const { managed, keys } = await ruled()
    const [one, two] = keys
    if (one === undefined || two === undefined) throw new Error('no key')
    const admission = await managed.organisation.admit(one, { requestId: 'req_first' })
    const first = positionOf(admission)
    vi.setSystemTime(noon + DAY_MS)
    const blocked = await managed.organisation.admit(two, { model: 'gpt-4.1' })
    expect(blocked.outcome).not.toBe('admitted')
    const day = { start: '2091-03-16', end: '2091-03-16' }
    const reader = await managed.automate()
    expect(await find(reader, 'req_first')).toEqual([first])
    expect(await find(reader, 'req_first', day)).toEqual([])
    expect(await find(reader, String(first))).toContain(first)
    expect(await find(reader, String(first), day)).not.toContain(first)
    expect(await find(reader, 'gpt', { outcome: 'blocked' })).toHaveLength(1)
    expect(await find(reader, 'gpt', { outcome: 'blocked', key_id: one.id })).toEqual([])
    expect(await find(reader, 'ward', { key_id: two.id })).toEqual([])
  })

  it('finds nothing by the name of a key without calls, also where it was revoked', async () => {
    const { managed, owner, keys } = await ruled()
    const [key] = keys
    if (key === undefined) throw new Error('no key')
    const { id } = await managed.organisation.issueKey({ name: 'Quiet' })
    await managed.organisation.admit(key)
    expect(await find(owner, 'quiet')).toEqual([])
    expect((await owner.ask('DELETE', `/api/keys/${id}`)).status).toBeLessThan(300)
    expect(await find(owner, 'quiet')).toEqual([])
    expect((await owner.ask('DELETE', `/api/keys/${key.id}`)).status).toBeLessThan(300)
    expect(await find(owner, 'ward round')).toHaveLength(1)
  })

  it('finds no call that has expired, and then nothing that it was found by is stored', async () => {
    const { managed, owner, keys } = await ruled()
    const [key] = keys
    if (key === undefined) throw new Error('no key')
    await managed.organisation.admit(key, { requestId: 'req_old', useCase: 'coding' })
    expect(await find(owner, 'req_old')).toHaveLength(1)
    const [block] = await managed.organisation.query<{ expires: number }>(
      'SELECT max(expires_at) AS expires FROM search_blocks',
    )
    vi.setSystemTime((block?.expires ?? 0) - 1)
    expect(await find(await managed.signIn('owner'), 'req_old')).toHaveLength(1)
    vi.setSystemTime(block?.expires ?? 0)
    const later = await managed.signIn('owner')
    expect([await find(later, 'req_old'), await find(later, 'coding')]).toEqual([[], []])
    vi.setSystemTime((block?.expires ?? 0) + 2 * DAY_MS)
    for (let n = 0; n < 20; n += 1) await managed.organisation.runAlarm()
    const kept = 'SELECT sum(length(ids)) AS ids, max(names) AS names, count(expires_at) AS calls FROM search_blocks'
    expect(await managed.organisation.query(kept)).toEqual([{ ids: 0, names: '[[],[]]', calls: 0 }])
  })
})
