// The organisation's policy where calls are decided: what it refuses, what it writes, and that a change holds from the next call on.
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Act } from '../../../src/organisation/append-act.ts'
import type { PolicyDocument } from '../../../src/policies/document/policy-document.ts'
import {
  countOutcomes,
  foundOrganisation,
  hashOf,
  noon,
  positionOf,
  type ChatOrganisation,
} from './chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const DAY_MS = 86_400_000
const LARGE = { tier: 'enterprise', requests_per_minute: 30_000 }
const act: Act = { actor: 'operator', act: 'policy.put', requestId: 'req_policy' }

const objectOf = ({ id }: ChatOrganisation) => env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))

const put = async (organisation: ChatOrganisation, document: PolicyDocument, ifVersion: number | null = null) =>
  objectOf(organisation).policy.change({ document, ifVersion }, act)

async function withPolicy(document: PolicyDocument) {
  const organisation = await foundOrganisation(LARGE)
  const key = await organisation.issueKey()
  await put(organisation, document)
  return { organisation, key }
}

describe('a rule that refuses a request', () => {
  it('is named in a record of its own, with the reason and the version beside it, and nothing is reserved', async () => {
    const { organisation, key } = await withPolicy({ use_case_guard: { required: true } })
    const refused = await organisation.admit(key, { inputMicroeur: 5, upFrontMicroeur: 9 })
    expect(refused).toMatchObject({
      outcome: 'policy_blocked',
      policy: 'use_case_guard',
      reason: 'use_case_required',
      record: { outcome: 'BLOCKED', policy_applied: ['use_case_guard'], cost_prevented_eur: 0.000005 },
    })
    expect((await organisation.entries()).at(-1)).toMatchObject({
      outcome: 'BLOCKED',
      reason: 'use_case_required',
      policy_version: 1,
      use_case: null,
    })
    const { months } = await organisation.state()
    expect(months.used.size + months.open.size).toBe(0)
  })

  it('stands among the rules applied once the request passes', async () => {
    const { organisation, key } = await withPolicy({ use_case_guard: { required: true }, budget_guard: { day_eur: 1 } })
    expect(await organisation.admit(key, { useCase: 'triage' })).toMatchObject({
      outcome: 'admitted',
      record: { policy_applied: ['budget_guard', 'loop_guard', 'model_allowlist', 'rate_limit', 'use_case_guard'] },
    })
  })
})

describe('a change of the policy', () => {
  it('holds from the very next of 500 concurrent calls on, and for every one after it', async () => {
    const { organisation, key } = await withPolicy({})
    const calls = (count: number) => Array.from({ length: count }, () => organisation.admit(key))
    const before = calls(250)
    const changed = put(organisation, { use_case_guard: { required: true } })
    const after = calls(250)
    await changed
    expect(countOutcomes(await Promise.all(before))).toEqual({ admitted: 250 })
    expect(countOutcomes(await Promise.all(after))).toEqual({ policy_blocked: 250 })
  })

  it('is refused where another version is in force than was meant, and changes nothing', async () => {
    const { organisation } = await withPolicy({ use_case_guard: { required: true } })
    expect(await put(organisation, {}, 0)).toEqual({ outcome: 'stale', version: 1 })
    expect((await organisation.state()).policy).toMatchObject({ version: 1 })
    expect(await put(organisation, {}, 1)).toMatchObject({ outcome: 'changed', policy: { version: 2, document: {} } })
  })

  it('that changes nothing makes no version and no entry', async () => {
    const { organisation } = await withPolicy({ use_case_guard: { required: true } })
    const acts = (await organisation.acts()).length
    expect(await put(organisation, { use_case_guard: { required: true } })).toMatchObject({ policy: { version: 1 } })
    expect(await organisation.acts()).toHaveLength(acts)
  })

  it('is in the ledger with its document, and in force again when the object starts anew', async () => {
    const document: PolicyDocument = { model_allowlist: { models: ['sonar'] } }
    const { organisation, key } = await withPolicy(document)
    expect((await organisation.acts()).at(-1)).toMatchObject({ act: 'policy.put', policy_version: 1, document })
    await organisation.evict()
    expect(await organisation.admit(key)).toMatchObject({ outcome: 'policy_blocked', reason: 'model_not_in_policy' })
    expect(await objectOf(organisation).policy.read()).toMatchObject({
      version: 1,
      document,
      made: { madeAt: noon, actor: 'operator' },
    })
  })
})

describe('budgets of the policy', () => {
  it('admit exactly what fits in the day of 500 concurrent requests, and go on with the next day', async () => {
    const { organisation, key } = await withPolicy({ budget_guard: { day_eur: 0.001 } })
    const answers = await Promise.all(
      Array.from({ length: 500 }, () => organisation.admit(key, { upFrontMicroeur: 7 })),
    )
    expect(countOutcomes(answers)).toEqual({ admitted: 142, quota_exceeded: 358 })
    expect(await organisation.admit(key, { upFrontMicroeur: 7 })).toMatchObject({
      reason: 'budget',
      period: 'day',
      of: 'organisation',
      retryAfterSeconds: 43_200,
    })
    vi.setSystemTime(noon + DAY_MS / 2)
    expect((await organisation.admit(key, { upFrontMicroeur: 1000 })).outcome).toBe('admitted')
  })

  it('of one key leave the others alone, and give back what a call did not cost', async () => {
    const { organisation, key } = await withPolicy({ budget_guard: { key_day_eur: 0.0001, key_month_eur: 0.00015 } })
    const other = await organisation.issueKey()
    const position = positionOf(await organisation.admit(key, { upFrontMicroeur: 100 }))
    expect(await organisation.admit(key, { upFrontMicroeur: 1 })).toMatchObject({ period: 'day', of: 'key' })
    expect((await organisation.admit(other, { upFrontMicroeur: 100 })).outcome).toBe('admitted')
    await organisation.settle(position, 90)
    expect((await organisation.admit(key, { upFrontMicroeur: 10 })).outcome).toBe('admitted')
    vi.setSystemTime(noon + DAY_MS)
    expect(await organisation.admit(key, { upFrontMicroeur: 51 })).toMatchObject({ period: 'month', of: 'key' })
    expect((await organisation.admit(key, { upFrontMicroeur: 50 })).outcome).toBe('admitted')
  })
})

describe('rates of the policy', () => {
  it('refuse what is over the organisation’s, and over a key’s own', async () => {
    const { organisation, key } = await withPolicy({
      rate_limit: { requests_per_minute: 5, key_requests_per_minute: 3 },
    })
    const other = await organisation.issueKey()
    const mine = await Promise.all(Array.from({ length: 4 }, () => organisation.admit(key)))
    expect(countOutcomes(mine)).toEqual({ admitted: 3, rate_limit_exceeded: 1 })
    const theirs = await Promise.all(Array.from({ length: 3 }, () => organisation.admit(other)))
    expect(countOutcomes(theirs)).toEqual({ admitted: 2, rate_limit_exceeded: 1 })
  })

  it('let nothing through that the organisation’s settings refuse, or a key’s own limits', async () => {
    const { organisation, key } = await withPolicy({
      rate_limit: { requests_per_minute: 1000, key_requests_per_minute: 1000, key_requests_per_day: 1000 },
    })
    await organisation.set({ requests_per_minute: 5 })
    const limited = [
      await organisation.issueKey({ requests_per_minute: 1 }),
      await organisation.issueKey({ requests_per_day: 1 }),
    ]
    for (const one of limited) {
      const answers = [await organisation.admit(one), await organisation.admit(one)]
      expect(countOutcomes(answers)).toEqual({ admitted: 1, rate_limit_exceeded: 1 })
    }
    const mine = await Promise.all(Array.from({ length: 4 }, () => organisation.admit(key)))
    expect(countOutcomes(mine)).toEqual({ admitted: 3, rate_limit_exceeded: 1 })
  })
})

describe('loops of the policy', () => {
  it('are found at its thresholds, and counting begins anew with them', async () => {
    const { organisation, key } = await withPolicy({})
    const same = { loopHash: hashOf('the same') }
    for (let n = 0; n < 2; n++) expect((await organisation.admit(key, same)).outcome).toBe('admitted')
    await put(organisation, { loop_guard: { repeats: 3 } })
    for (let n = 0; n < 2; n++) expect((await organisation.admit(key, same)).outcome).toBe('admitted')
    expect((await organisation.admit(key, same)).outcome).toBe('loop_detected')
    await organisation.evict()
    expect((await organisation.admit(key, same)).outcome).toBe('loop_detected')
  })
})

describe('a request that was not looked through', () => {
  const SCAN = { pii_scan: { default: 'block' } } as const
  const found = { policy: '', findings: { pii_scan: { eircode: 1 } }, redacted: 0 }
  const output = (microeurPerMillion: number) => ({ tokens: 1_000, most: 1_000, choices: 1, microeurPerMillion })

  it.each<[string, PolicyDocument, object, string]>([
    ['a rule of facts', { use_case_guard: { required: true } }, {}, 'policy_blocked'],
    ['the models of its organisation', {}, { provider: 'perplexity', model: 'sonar' }, 'model_not_allowed'],
    ['its budget', { budget_guard: { day_eur: 0.00001 } }, { output: output(100_000_000) }, 'quota_exceeded'],
  ])('is refused by %s, and else the policy is asked for', async (_, rules, facts, outcome) => {
    const { organisation, key } = await withPolicy({ ...SCAN, ...rules })
    await organisation.set({ enabled_providers: ['openai'] })
    expect(await organisation.admit(key, { ...facts })).toMatchObject({ outcome })
    await put(organisation, SCAN)
    expect(await organisation.admit(key, { ...facts, provider: 'openai' })).toMatchObject({ outcome: 'scan_needed' })
  })

  it('is not refused for what its input would cost, which is less once values are taken out', async () => {
    const { organisation, key } = await withPolicy({ ...SCAN, budget_guard: { day_eur: 0.00001 } })
    const facts = { upFrontMicroeur: 1_000_000, output: output(1) }
    expect(await organisation.admit(key, facts)).toMatchObject({ outcome: 'scan_needed' })
  })

  it('is a loop before it is looked through, and after', async () => {
    const { organisation, key } = await withPolicy({ ...SCAN, loop_guard: { repeats: 2 } })
    const policy = await organisation.admit(key)
    if (policy.outcome !== 'scan_needed') throw new Error('the policy is not asked for')
    const { sha256 } = policy.policy
    const same = { loopHash: hashOf('the same') }
    const clean = { policy: sha256, findings: {}, redacted: 0 }
    expect(await organisation.admit(key, { ...same, scan: clean })).toMatchObject({ outcome: 'admitted' })
    expect(await organisation.admit(key, same)).toMatchObject({ outcome: 'loop_detected' })
    expect(await organisation.admit(key, { ...same, scan: { ...found, policy: sha256 } })).toMatchObject({
      outcome: 'loop_detected',
    })
    expect(await organisation.admit(key, { scan: { ...found, policy: sha256 } })).toMatchObject({
      outcome: 'policy_blocked',
      policy: 'pii_scan',
    })
  })
})

describe('a request that was looked through', () => {
  it('under a policy that is not in force is not decided, and nothing is written', async () => {
    const { organisation, key } = await withPolicy({ use_case_guard: { required: true } })
    const entries = await organisation.entries()
    const scan = { policy: hashOf('another policy'), findings: {}, redacted: 0 }
    expect(await organisation.admit(key, { scan, useCase: 'triage' })).toMatchObject({
      outcome: 'scan_needed',
      policy: { version: 1, document: { use_case_guard: { required: true } } },
    })
    expect(await organisation.entries()).toEqual(entries)
    expect(await organisation.calls()).toEqual([])
  })
})
