// Tests why a request is refused, in which order, and what of it is written down.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { traceIdOf } from '../../../src/evidence/records/attestation-record.ts'
import { canonicalJson } from '../../../src/evidence/records/canonical-json.ts'
import { judgeFacts } from '../../../src/evidence/records/facts-commitment.ts'
import { receiptEntry } from '../../../src/evidence/records/receipt-entry.ts'
import { readJsonObject } from '../../../src/platform/json.ts'
import { PLAIN_TEXT } from '../../fixtures/plain-text.ts'
import { factsOf, foundOrganisation, hashOf, idOf, noon, PUBLIC_KEY, type FactsChange } from './chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

describe('admitChat', () => {
  it('refuses a wrong secret, a revoked key, an expired key and a key of the other service, and says which it is', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const expired = await organisation.issueKey({ expires_at: new Date(noon + 1).toISOString() })
    const revoked = await organisation.issueKey()
    const referral = await organisation.issueKey({ prefix: 'vk_live_' })
    await organisation.service.operate('DELETE', `/organisations/${organisation.id}/keys/${revoked.id}`)
    vi.setSystemTime(noon + 1)
    const wrong = { ...key, secretHash: new Uint8Array(32) }
    for (const [bad, why] of [
      [wrong, 'unknown'],
      [expired, 'expired'],
      [revoked, 'revoked'],
      [referral, 'unknown'],
    ] as const) {
      expect(await organisation.admit(bad)).toEqual({ outcome: 'invalid_api_key', why })
      expect(await organisation.admitInvalid(bad)).toEqual({ outcome: 'invalid_api_key', why })
      expect(await organisation.describe(bad)).toEqual({ outcome: 'invalid_api_key', why })
    }
    expect(await organisation.entries()).toEqual([])
  })

  it('looks at key, rate, quota, scope, model, loop and budget, in this order', async () => {
    const organisation = await foundOrganisation({
      tier: 'enterprise',
      requests_per_minute: 6,
      requests_per_month: 4,
      monthly_budget_eur: 0.0001,
      enabled_providers: ['openai'],
    })
    const key = await organisation.issueKey()
    const noChat = await organisation.issueKey({ scopes: ['manage'] })
    const loopHash = hashOf('again and again')
    for (let n = 0; n < 4; n++) await organisation.admit(key, { loopHash })
    await organisation.set({ requests_per_minute: 4 })

    // Everything is wrong; then one thing after the other is put right.
    await organisation.set({ unsupported: 'refuse' })
    const wrong = { loopHash, provider: 'google', upFrontMicroeur: 101, hasDropped: true }
    const ask = async (facts: object, from = noChat) => (await organisation.admit(from, facts)).outcome
    expect(await ask(wrong, { ...noChat, secretHash: new Uint8Array(32) })).toBe('invalid_api_key')
    expect(await ask(wrong)).toBe('rate_limit_exceeded')
    await organisation.set({ requests_per_minute: 100 })
    expect(await ask(wrong)).toBe('quota_exceeded')
    await organisation.set({ requests_per_month: 100 })
    expect(await ask(wrong)).toBe('scope_required')
    expect(await ask(wrong, key)).toBe('unsupported')
    await organisation.set({ unsupported: 'drop' })
    expect(await ask(wrong, key)).toBe('model_not_allowed')
    expect(await ask({ ...wrong, provider: 'openai' }, key)).toBe('loop_detected')
    expect(await ask({ ...wrong, provider: 'openai', loopHash: hashOf('new') }, key)).toBe('quota_exceeded')
    expect(await ask({ loopHash: hashOf('newer') }, key)).toBe('admitted')
  })

  it.each([
    ['a dear model on the free tier', { tier: 'free' }, { costEffective: false }, 'tier'],
    ['a provider that is not enabled', { tier: 'pro', enabled_providers: ['google'] }, {}, 'provider'],
    ['any provider before one is chosen', { tier: 'pro', enabled_providers: [] }, {}, 'provider'],
  ])('refuses %s, and writes that down as blocked', async (_, settings, facts, reason) => {
    const organisation = await foundOrganisation(settings)
    const key = await organisation.issueKey()
    const refusal = await organisation.admit(key, facts)
    expect(refusal).toMatchObject({ outcome: 'model_not_allowed', reason, tier: settings.tier, position: 2 })
    expect(await organisation.entries()).toMatchObject([
      {
        kind: 'chat_decision',
        outcome: 'BLOCKED',
        policy_applied: ['model_allowlist'],
        reason: `model_not_allowed_by_${reason}`,
      },
    ])
    expect((await organisation.state()).months.open.size).toBe(0)
  })

  it('allows the free tier its cost-effective models', async () => {
    const organisation = await foundOrganisation()
    expect(await organisation.admit(await organisation.issueKey())).toMatchObject({
      outcome: 'admitted',
      tier: 'free',
      organisationId: organisation.id,
    })
  })

  it('writes the facts down before it answers, and nothing else', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    const asked: FactsChange = {
      useCase: 'discharge-summary',
      content: { ...PLAIN_TEXT, images: 1 },
      upFrontMicroeur: 12,
      requestHash: hashOf('a summary'),
      requestId: 'req_summary',
    }
    const facts = factsOf(key, asked)
    const admission = await organisation.admit(key, asked)
    expect(admission).toMatchObject({ outcome: 'admitted', position: 2 })
    expect(await organisation.entries()).toEqual([
      {
        kind: 'chat_decision',
        v: 1,
        attestation_id: idOf(admission),
        trace_id: traceIdOf(idOf(admission)),
        org_id: organisation.id,
        request_hash: facts.requestHash,
        model: 'gpt-4.1-mini',
        outcome: 'ALLOWED',
        policy_applied: ['loop_guard', 'model_allowlist', 'rate_limit'],
        cost_prevented_eur: 0,
        timestamp: new Date(noon).toISOString(),
        public_key: PUBLIC_KEY,
        salt: expect.stringMatching(/^[0-9a-f]{32}$/) as unknown,
        at: new Date(noon).toISOString(),
        retention_days: 7,
        reason: null,
        key_id: key.keyId,
        request_id: facts.requestId,
        provider: 'openai',
        stream: false,
        content_kinds: ['text', 'image'],
        bytes: 120,
        text_characters: 40,
        images: 1,
        input_microeur: 0,
        reserve_microeur: 12,
        use_case: 'discharge-summary',
      },
    ])
  })

  it.each([
    ['an admitted request', {}, {}, 1],
    ['a blocked one', { enabled_providers: ['google'] }, {}, 1],
    ['a suppressed one', { tier: 'pro' }, { loopHash: hashOf('once more') }, 5],
    ['one whose content is stored', { tier: 'healthcare', content_logging: { retention_days: 30 } }, {}, 1],
  ])('returns the record of %s as it is in the ledger, found by its id', async (_, settings, same, times) => {
    const organisation = await foundOrganisation(settings)
    const key = await organisation.issueKey()
    for (let n = 1; n < times; n++) await organisation.admit(key, same)
    const admission = await organisation.admit(key, { ...same, inputMicroeur: 7 })
    if (!('record' in admission)) throw new Error(`not recorded: ${admission.outcome}`)
    const { record, position, factsSha256 } = admission
    const [row] = await organisation.query<{ entry: ArrayBuffer; id: string; facts: string; at: number }>(
      `SELECT entry, lower(hex(id)) AS id, facts, at FROM entries WHERE position = ${position}`,
    )
    const facts = readJsonObject(row?.facts ?? null)
    expect(judgeFacts(facts, record.attestation_id)).toEqual({ sha256: factsSha256 })
    expect([facts['at'], canonicalJson(facts)]).toEqual([new Date(row?.at ?? 0).toISOString(), row?.facts])
    expect(new Uint8Array(row?.entry ?? new ArrayBuffer())).toEqual(receiptEntry(record))
    expect(row?.id).toBe(record.attestation_id.replaceAll('-', ''))
    expect(record.cost_prevented_eur).toBe(record.outcome === 'ALLOWED' ? 0 : 0.000007)
  })

  it('decides nothing when the record cannot be written: no count, no reservation, no leaf', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    await organisation.admit(key, { upFrontMicroeur: 3 })
    const stored = async () => [
      await organisation.query('SELECT * FROM entries ORDER BY position'),
      await organisation.query('SELECT * FROM calls ORDER BY before, n'),
      await organisation.query('SELECT * FROM snapshots ORDER BY name'),
      await organisation.state(),
    ]
    const before = await stored()
    for (const wrong of [{ loopHash: 'none' }, { inputMicroeur: 0.5, provider: 'elsewhere' }]) {
      await expect(organisation.admit(key, { upFrontMicroeur: 4, ...wrong })).rejects.toThrow()
    }
    expect(await stored()).toEqual(before)
  })

  it('writes no entry of a request refused for its key, rate, quota, scope or budget, and notes all but the first', async () => {
    const organisation = await foundOrganisation({ tier: 'enterprise', requests_per_month: 1, monthly_budget_eur: 1 })
    const key = await organisation.issueKey()
    await organisation.admit({ ...key, secretHash: new Uint8Array(32) })
    expect(await organisation.calls()).toEqual([])
    await organisation.admit(await organisation.issueKey({ scopes: ['manage'] }))
    await organisation.admit(key, { upFrontMicroeur: 1_000_001 })
    await organisation.admit(key)
    await organisation.admit(key)
    await organisation.set({ requests_per_minute: 1 })
    await organisation.admit(key)
    expect((await organisation.entries()).map(({ outcome }) => outcome)).toEqual(['ALLOWED'])
    expect(await organisation.calls()).toEqual(['scope', 'budget', 'quota', 'rate'])
  })
})

describe('admitInvalid', () => {
  it('is outranked by the rate, the quota and the scope, and writes nothing down', async () => {
    const organisation = await foundOrganisation({ tier: 'enterprise', requests_per_minute: 3, requests_per_month: 1 })
    const key = await organisation.issueKey()
    const noChat = await organisation.issueKey({ scopes: ['manage'] })
    expect(await organisation.admitInvalid(noChat)).toMatchObject({ outcome: 'scope_required', scope: 'chat' })
    expect((await organisation.admitInvalid(key)).outcome).toBe('admitted')
    await organisation.admit(key)
    expect((await organisation.admitInvalid(key)).outcome).toBe('rate_limit_exceeded')
    vi.setSystemTime(noon + 60_000)
    expect(await organisation.admitInvalid(key)).toMatchObject({ outcome: 'quota_exceeded', reason: 'requests' })
    expect((await organisation.entries()).length).toBe(1)
  })
})

describe('describeChatKey', () => {
  it('tells what the organisation may use, also when its month is used up', async () => {
    const organisation = await foundOrganisation({
      tier: 'enterprise',
      requests_per_month: 1,
      enabled_providers: ['google', 'openai'],
    })
    const key = await organisation.issueKey()
    await organisation.admit(key)
    expect(await organisation.describe(key)).toMatchObject({
      outcome: 'admitted',
      tier: 'enterprise',
      enabledProviders: ['openai', 'google'],
    })
  })

  it('counts for the rate, and is refused by it', async () => {
    const organisation = await foundOrganisation()
    const key = await organisation.issueKey()
    for (let remaining = 4; remaining >= 0; remaining--) {
      expect(await organisation.describe(key)).toMatchObject({ outcome: 'admitted', rate: { limit: 5, remaining } })
    }
    expect((await organisation.describe(key)).outcome).toBe('rate_limit_exceeded')
  })
})
