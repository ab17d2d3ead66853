// The cache where calls are decided: what is found, what it is written as, and that nobody else finds it.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerMember } from '../../../../src/evidence/records/answer-outline.ts'
import { sha256Hex } from '../../../../src/platform/sha256.ts'
import type { NewCacheEntry } from '../../../../src/organisation/admit/answer-reuse.ts'
import type { Act } from '../../../../src/organisation/append-act.ts'
import type { PolicyDocument } from '../../../../src/policies/document/policy-document.ts'
import {
  foundOrganisation,
  hashOf,
  noon,
  type ChatKey,
  type ChatOrganisation,
  type FactsChange,
} from '../chat-organisation.ts'

const SECOND = 1000
const DAY = 86_400_000

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const act: Act = { actor: 'operator', act: 'policy.put', requestId: 'req_policy' }
const CACHE: PolicyDocument = { cache: { ttl_seconds: 60 } }

const put = async ({ id }: ChatOrganisation, document: PolicyDocument) =>
  env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id)).policy.change({ document, ifVersion: null }, act)

async function withCache(settings: object = {}, document = CACHE) {
  const organisation = await foundOrganisation({ tier: 'pro', ...settings })
  await put(organisation, document)
  return { organisation, key: await organisation.issueKey() }
}

/** The same request each time, but for what is told, and another one to loop detection. */
let asked = 0
const same = (more: FactsChange = {}): FactsChange => ({
  requestHash: hashOf('a request'),
  loopHash: hashOf(`once ${(asked += 1)}`),
  upFrontMicroeur: 500,
  ...more,
})

async function admitted(organisation: ChatOrganisation, key: ChatKey, facts = same()) {
  const admission = await organisation.admit(key, facts)
  if (admission.outcome !== 'admitted') throw new Error(admission.outcome)
  return admission
}

const ANSWER = { salt: '0a'.repeat(16), sha256: 'b1'.repeat(32) }
type Answer = typeof ANSWER | null

/** A call that is run, answered and settled, as the Worker does it. */
async function run(organisation: ChatOrganisation, key: ChatKey, facts = same(), answer: Answer = ANSWER) {
  const { position, record, keep, cached } = await admitted(organisation, key, facts)
  if (cached !== null) throw new Error('it was answered from the cache')
  const entry = keep?.cacheEntry ?? null
  const named = entry && { ...entry, object: keep?.place.name ?? '', attestationId: record.attestation_id, answer }
  await organisation.settle(position, 7, { answer }, { released: null, cached: named })
  return { attestationId: record.attestation_id, place: keep?.place }
}

const rowsOf = (organisation: ChatOrganisation) =>
  organisation.query<{ key: ArrayBuffer; object: string; attestation_id: string; expires_at: number }>(
    'SELECT * FROM cache_entries',
  )

describe('a call that the cache answers', () => {
  it('has a receipt of its own and is settled in the same turn, costs nothing, and names the receipt it came from', async () => {
    const { organisation, key } = await withCache()
    const { attestationId, place } = await run(organisation, key)
    const hit = await admitted(organisation, key)
    expect(hit).toMatchObject({ cached: { attestationId, place: { name: place?.name, key: place?.key } }, keep: null })
    expect(hit.record).toMatchObject({ outcome: 'ALLOWED', request_hash: hashOf('a request') })
    const [decision, settlement] = (await organisation.entries()).slice(-2)
    expect(decision).toMatchObject({ outcome: 'ALLOWED', reserve_microeur: 0 })
    expect(settlement).toMatchObject({
      settles: hit.position,
      ended: 'cached',
      cost_microeur: 0,
      usage: null,
      cached_from: attestationId,
    })
    const { months, calls } = await organisation.state()
    expect([...months.used.values()]).toEqual([{ requests: 2, spentMicroeur: 7, reservedMicroeur: 0 }])
    expect([months.open.size, calls.get(key.id)?.today.calls]).toEqual([0, 2])
    expect(await organisation.settle(hit.position, 7)).toEqual({ outcome: 'not_open' })
  })

  it('is settled with the hash and salt of the answer that it repeats, and without where that has none', async () => {
    const settlements = async (organisation: ChatOrganisation) => {
      const contents = (await organisation.entries()).filter(({ kind }) => kind === 'settlement')
      const rows = await organisation.query<{ facts: string | null }>(
        "SELECT facts FROM entries WHERE kind = 'settlement' ORDER BY position",
      )
      return rows.map(({ facts }, at) => [contents[at]?.['answer'], facts])
    }
    for (const answer of [ANSWER, null]) {
      const { organisation, key } = await withCache()
      await run(organisation, key, same(), answer)
      await admitted(organisation, key)
      const told = answer
        ? [answerMember(answer), `{"answer_salt":"${answer.salt}","v":"answer-2"}`]
        : [undefined, null]
      expect(await settlements(organisation)).toEqual([told, told])
    }
  })

  it('fits into a budget of which nothing is left', async () => {
    const { organisation, key } = await withCache({ monthly_budget_eur: 0.0005 })
    await run(organisation, key)
    expect((await organisation.admit(key, same({ requestHash: hashOf('another') }))).outcome).toBe('quota_exceeded')
    expect((await admitted(organisation, key)).cached).not.toBeNull()
  })

  it('is found after the object has started anew, and by none of the columns can its request be guessed', async () => {
    const { organisation, key } = await withCache()
    await run(organisation, key)
    await organisation.evict()
    expect((await admitted(organisation, key)).cached).not.toBeNull()
    const [row] = await rowsOf(organisation)
    const guess = sha256Hex(hashOf('a request'))
    const stored = new Uint8Array(row?.key ?? new ArrayBuffer(0)).toHex()
    expect([stored.length, stored === guess, stored === hashOf('a request')]).toEqual([64, false, false])
  })

  it('is looked at by the rules of the policy and by loop detection as any other', async () => {
    const { organisation, key } = await withCache({}, { ...CACHE, use_case_guard: { required: true } })
    await run(organisation, key, same({ useCase: 'triage' }))
    expect((await organisation.admit(key, same())).outcome).toBe('policy_blocked')
    const looping = same({ useCase: 'triage', loopHash: hashOf('again and again') })
    const outcomes: string[] = []
    for (let n = 0; n < 5; n++) outcomes.push((await organisation.admit(key, looping)).outcome)
    expect(outcomes).toEqual(['admitted', 'admitted', 'admitted', 'admitted', 'loop_detected'])
  })
})

it('fits into a budget of which more than all is used', async () => {
  const { organisation, key } = await withCache({ monthly_budget_eur: 1 })
  const { position, keep, record } = await admitted(organisation, key)
  const named = {
    ...keep?.cacheEntry,
    object: keep?.place.name ?? '',
    attestationId: record.attestation_id,
    answer: null,
  }
  await organisation.settle(position, 700_000, {}, { released: null, cached: named as NewCacheEntry })
  await organisation.set({ monthly_budget_eur: 0.5 })
  expect((await organisation.admit(key, same({ requestHash: hashOf('another') }))).outcome).toBe('quota_exceeded')
  expect((await admitted(organisation, key)).cached).not.toBeNull()
})

describe('an answer is not found', () => {
  const missed = async (organisation: ChatOrganisation, key: ChatKey, facts = same()) =>
    expect((await admitted(organisation, key, facts)).cached).toBeNull()

  it('where there is no policy, or none of the cache, and nothing is written for it', async () => {
    const organisation = await foundOrganisation({ tier: 'pro' })
    const key = await organisation.issueKey()
    expect((await run(organisation, key)).place).toBeUndefined()
    await missed(organisation, key)
    expect(await rowsOf(organisation)).toEqual([])
    expect(await organisation.query('SELECT * FROM data_keys')).toEqual([])
  })

  it('by another organisation, another key, another request or another route', async () => {
    const [one, other] = [await withCache(), await withCache()]
    await run(one.organisation, one.key)
    await missed(other.organisation, other.key)
    await missed(one.organisation, await one.organisation.issueKey())
    await missed(one.organisation, one.key, same({ requestHash: hashOf('another request') }))
    await missed(one.organisation, one.key, same({ route: 'createResponse' }))
    expect((await admitted(one.organisation, one.key)).cached).not.toBeNull()
  })

  it('once the organisation lets its models write more or less', async () => {
    const { organisation, key } = await withCache()
    const open = same({ output: { tokens: null, most: 32_000, choices: 1, microeurPerMillion: 0 } })
    await run(organisation, key, open)
    await organisation.set({ default_max_tokens: 20_000 })
    await missed(organisation, key, open)
    await organisation.set({ default_max_tokens: 16_384 })
    expect((await admitted(organisation, key, open)).cached).not.toBeNull()
  })

  it('under another policy, and again under the same', async () => {
    const { organisation, key } = await withCache()
    await run(organisation, key)
    await put(organisation, { ...CACHE, content_type_guard: {} })
    await missed(organisation, key)
    await put(organisation, CACHE)
    expect((await admitted(organisation, key)).cached).not.toBeNull()
  })

  it('from the moment on at which its time is over, counted from its settlement', async () => {
    const { organisation, key } = await withCache()
    const { position, record, keep } = await admitted(organisation, key)
    vi.setSystemTime(noon + 50 * SECOND)
    const named = { key: keep?.cacheEntry?.key ?? new Uint8Array(32), ttlMs: keep?.cacheEntry?.ttlMs ?? 0 }
    const entry = { ...named, object: keep?.place.name ?? '', attestationId: record.attestation_id, answer: null }
    await organisation.settle(position, 7, {}, { released: null, cached: entry })
    vi.setSystemTime(noon + 110 * SECOND - 1)
    expect((await admitted(organisation, key)).cached).not.toBeNull()
    vi.setSystemTime(noon + 110 * SECOND)
    await missed(organisation, key)
  })

  it('where the clock was ahead when it was written', async () => {
    vi.setSystemTime(noon + DAY)
    const { organisation, key } = await withCache()
    await run(organisation, key)
    vi.setSystemTime(noon)
    await missed(organisation, key)
  })

  it('where its call was settled without one, or as one that was interrupted', async () => {
    const { organisation, key } = await withCache()
    const { position } = await admitted(organisation, key)
    await organisation.settle(position, 7)
    await admitted(organisation, key)
    await organisation.evict()
    vi.setSystemTime(noon + 3_600_000)
    await organisation.runAlarm()
    await missed(organisation, key)
  })

  it('where the key of its content was destroyed', async () => {
    const { organisation, key } = await withCache()
    await run(organisation, key)
    await organisation.query("UPDATE data_keys SET key = NULL WHERE purpose = 'content'")
    await missed(organisation, key)
  })
})

describe('a cached answer that cannot be read', () => {
  it('leaves its receipt as it is, and the call is allowed once more and reserved, by a receipt that names the first', async () => {
    const { organisation, key } = await withCache({ idempotent_replays: true })
    await run(organisation, key)
    const underKey = { idempotencyKeyHash: Uint8Array.fromHex(hashOf('k')) }
    const hit = await admitted(organisation, key, same(underKey))
    const insteadOf = hit.record.attestation_id
    const second = await admitted(organisation, key, same({ ...underKey, insteadOf }))
    expect([second.cached, second.keep?.isReplayed]).toEqual([null, true])
    expect((await organisation.entries()).at(-1)).toMatchObject({ reserve_microeur: 500, instead_of: insteadOf })
    expect(await rowsOf(organisation)).toEqual([])
    const { months } = await organisation.state()
    expect([...months.used.values()]).toEqual([{ requests: 3, spentMicroeur: 7, reservedMicroeur: 500 }])
    expect(await organisation.admit(key, same(underKey))).toMatchObject({ outcome: 'repeated', isRunning: true })
  })
})

it('whose call is then refused gives its idempotency key back', async () => {
  const { organisation, key } = await withCache({}, { ...CACHE, rate_limit: { requests_per_minute: 2 } })
  await run(organisation, key)
  const underKey = { idempotencyKeyHash: Uint8Array.fromHex(hashOf('k')) }
  const hit = await admitted(organisation, key, same(underKey))
  const insteadOf = hit.record.attestation_id
  expect((await organisation.admit(key, same({ ...underKey, insteadOf }))).outcome).toBe('rate_limit_exceeded')
  vi.setSystemTime(noon + 120 * SECOND)
  await admitted(organisation, key, same(underKey))
})

it('an answer is kept until its entry is over that begins with its settlement, and for its idempotency key no shorter', async () => {
  const { organisation, key } = await withCache({ idempotent_replays: true })
  const expiresAt = async (facts: object = {}) =>
    (await admitted(organisation, key, same(facts))).keep?.place.expiresAt ?? 0
  expect(await expiresAt()).toBe(noon + 60 * SECOND + 900 * SECOND)
  expect(await expiresAt({ idempotencyKeyHash: Uint8Array.fromHex(hashOf('k')) })).toBe(noon + DAY)
  await put(organisation, { cache: { ttl_seconds: 2 * 86_400 } })
  expect(await expiresAt({ idempotencyKeyHash: Uint8Array.fromHex(hashOf('l')) })).toBe(noon + 2 * DAY + 900 * SECOND)
})

it('a call that is settled a second time leaves no entry', async () => {
  const { organisation, key } = await withCache()
  const { position, keep, record } = await admitted(organisation, key)
  const entry = keep?.cacheEntry ?? { key: new Uint8Array(32), ttlMs: 0 }
  const cached = { ...entry, object: keep?.place.name ?? '', attestationId: record.attestation_id, answer: null }
  await organisation.settle(position, 7)
  expect(await organisation.settle(position, 7, {}, { released: null, cached })).toEqual({ outcome: 'not_open' })
  expect(await rowsOf(organisation)).toEqual([])
})

it('entries whose time is over are deleted within a day', async () => {
  const { organisation, key } = await withCache()
  await run(organisation, key)
  vi.setSystemTime(noon + 59 * SECOND)
  await organisation.runAlarm()
  expect(await rowsOf(organisation)).toHaveLength(1)
  vi.setSystemTime(noon + 60 * SECOND + DAY)
  await organisation.runAlarm()
  expect(await rowsOf(organisation)).toEqual([])
})

it('a call that people are to approve is neither answered from the cache nor kept for it', async () => {
  const { organisation, key } = await withCache({}, { ...CACHE, human_approval: APPROVAL })
  await run(organisation, key, same({ requestHash: hashOf('a cheap request') }))
  expect((await rowsOf(organisation)).length).toBe(1)
  const dear = same({ requestHash: hashOf('a cheap request'), upFrontMicroeur: 1_000_000 })
  expect((await organisation.admit(key, dear)).outcome).toBe('approval_required')
})

const APPROVAL = { when: [{ min_cost_eur: 1 }], expires_seconds: 3600, approvals_required: 1 as const }
