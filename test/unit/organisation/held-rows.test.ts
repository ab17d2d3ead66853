// What the organisation's object holds in memory is what is on disk: two organisations are asked the same, of which one is
// evicted before every call and so knows nothing but its disk; they answer alike, also after turns that failed half-way.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { KeyRequest } from '../../../src/organisation/managed-keys.ts'
import type { Organisation } from '../../../src/organisation/organisation.do.ts'
import { keyId } from '../../../src/platform/ids.ts'
import { factsOf, foundOrganisation, hashOf, noon, type ChatKey, type ChatOrganisation } from './chat-organisation.ts'
import { runs } from '../../support/runs.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

type Twin = { organisation: ChatOrganisation; keys: ChatKey[] }
type Step = { name: string; take: (object: Organisation, keys: readonly ChatKey[]) => unknown }

const act = { actor: 'operator' as const, act: 'test', requestId: 'req_test' }
const request: KeyRequest = {
  asker: { kind: 'person', id: 'usr_test', reach: 'all', isFresh: true },
  requestId: 'req_test',
  claim: null,
}
const attempt = { ended: 'completed', usage: null, estimated: false, upstreamMs: 20 } as const

function keyAt(keys: readonly ChatKey[], at: number): ChatKey {
  const key = keys[at]
  if (key === undefined) throw new Error('there is no such key')
  return key
}

/** The second key has limits of its own. */
async function foundTwin(): Promise<Twin> {
  const organisation = await foundOrganisation({ tier: 'pro', monthly_budget_eur: 0.001 })
  return {
    organisation,
    keys: [await organisation.issueKey(), await organisation.issueKey({ requests_per_minute: 3 })],
  }
}

const admit = (key: number, text: string, upFrontMicroeur: number): Step => ({
  name: `admit ${text} with key ${key} for ${upFrontMicroeur}`,
  take: (object, keys) => object.admitChat(factsOf(keyAt(keys, key), { loopHash: hashOf(text), upFrontMicroeur })),
})
const settle = (position: number, costMicroeur: number): Step => ({
  name: `settle ${position} for ${costMicroeur}`,
  take: (object) => object.settleChat({ ...attempt, position, costMicroeur, finishReason: 'stop', errorCause: null }),
})
const readModels = (key: number): Step => ({
  name: `list the models with key ${key}`,
  take: (object, keys) => object.describeChatKey(keyAt(keys, key)),
})
const revoke = (key: number): Step => ({
  name: `revoke key ${key}`,
  take: (object, keys) => void object.revokeKey(keyAt(keys, key).id, act),
})
const limit = (key: number, requestsPerMinute: number | null): Step => ({
  name: `limit key ${key} to ${requestsPerMinute}`,
  take: (object, keys) => void object.updateKey(keyAt(keys, key).keyId, { requestsPerMinute }, request),
})
const rotate = (key: number, overlapMs: number): Step => ({
  name: `rotate key ${key} within ${overlapMs}`,
  take(object, keys) {
    const id = keyId(crypto.getRandomValues(new Uint8Array(16)))
    const successor = { id, secretHash: new Uint8Array(32), lastFour: 'wxyz' }
    void object.rotateKey({ id: keyAt(keys, key).keyId, successor, overlapMs }, request)
  },
})
const budget = (monthlyBudgetMicroeur: number): Step => ({
  name: `set the budget to ${monthlyBudgetMicroeur}`,
  take: (object) => void object.changeSettings({ change: { monthlyBudgetMicroeur }, knownVersion: 0 }, act),
})

const STATEMENTS = ['INSERT', 'UPDATE', 'DELETE']
const FAILURE = 'the disk fails'

/** @param failsAt the table on which every statement fails, so that the turn ends half-way */
function takeStep({ organisation: { id }, keys }: Twin, { take }: Step, failsAt: string | null): Promise<unknown> {
  const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))
  return runInDurableObject(stub, (object: Organisation, { storage: { sql } }) => {
    const broken = failsAt === null ? [] : STATEMENTS
    for (const statement of broken) {
      const refuse = `BEGIN SELECT RAISE(ABORT, '${FAILURE}'); END`
      sql.exec(`CREATE TRIGGER failing_${statement} BEFORE ${statement} ON ${failsAt} ${refuse}`)
    }
    try {
      return take(object, keys)
    } catch (thrown) {
      if (String(thrown).includes(FAILURE)) return 'failed'
      throw thrown
    } finally {
      for (const statement of broken) sql.exec(`DROP TRIGGER failing_${statement}`)
    }
  })
}

/** What two organisations can have in common. */
function comparable(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer
  const { outcome, rate, reason, position, retryAfterSeconds } = Object.assign(
    { outcome: null, rate: null, reason: null, position: null, retryAfterSeconds: null },
    answer,
  )
  return { outcome, rate, reason, position, retryAfterSeconds }
}

const WRITTEN = [
  'SELECT * FROM month_usage ORDER BY month',
  'SELECT * FROM chat_reservations ORDER BY position',
  'SELECT n, last_at, day, in_day FROM call_counts ORDER BY n, last_at, in_day',
  'SELECT at, n FROM calls ORDER BY at, n',
  'SELECT n, recent, active FROM seen_requests ORDER BY n, recent',
  'SELECT position FROM leaves ORDER BY position',
  'SELECT last_used_at, expires_at, requests_per_minute FROM keys ORDER BY created_at, requests_per_minute, expires_at, last_used_at',
]

const writtenBy = async ({ organisation }: Twin): Promise<unknown[]> =>
  await Promise.all(WRITTEN.map((statement) => organisation.query(statement)))

type Call = { step: Step; failsAt: string | null; laterMs: number }

async function expectAlike(calls: readonly Call[]): Promise<unknown[]> {
  vi.setSystemTime(noon)
  const [remembering, forgetful] = [await foundTwin(), await foundTwin()]
  const answers: unknown[] = []
  let now = noon
  for (const { step, failsAt, laterMs } of calls) {
    now += laterMs
    vi.setSystemTime(now)
    await forgetful.organisation.evict()
    const [answer, other] = [
      comparable(await takeStep(remembering, step, failsAt)),
      comparable(await takeStep(forgetful, step, failsAt)),
    ]
    expect(answer, step.name).toEqual(other)
    answers.push(answer)
  }
  expect(await writtenBy(remembering)).toEqual(await writtenBy(forgetful))
  return answers
}

const TABLES = [
  'calls',
  'call_counts',
  'seen_requests',
  'seen_hashes',
  'leaves',
  'details',
  'receipts',
  'chat_reservations',
  'month_usage',
]

const now = { laterMs: 1, failsAt: null }

describe('what is held in memory', () => {
  it.each(TABLES)('is as on disk after a request that failed at %s', async (table) => {
    const answers = await expectAlike([
      { step: admit(1, 'a', 400), ...now },
      { step: admit(1, 'b', 400), ...now, failsAt: table },
      { step: admit(1, 'b', 400), ...now },
      { step: settle(3, 10), ...now },
      { step: admit(1, 'c', 400), ...now },
      { step: admit(1, 'd', 400), ...now },
    ])
    expect(answers[1]).toBe('failed')
    expect(answers.at(-1)).toMatchObject({ outcome: 'rate_limit_exceeded' })
  })

  it.each(['chat_reservations', 'month_usage', 'leaves', 'details'])(
    'is as on disk after a settlement that failed at %s: what was reserved still is',
    async (table) => {
      const answers = await expectAlike([
        { step: admit(0, 'a', 400), ...now },
        { step: settle(3, 10), ...now, failsAt: table },
        { step: admit(0, 'b', 700), ...now },
        { step: settle(3, 10), ...now },
        { step: admit(0, 'b', 700), ...now },
      ])
      const dear = { outcome: 'quota_exceeded', reason: 'budget' }
      expect(answers.slice(1)).toMatchObject(['failed', dear, { outcome: 'settled' }, { outcome: 'admitted' }])
    },
  )

  it.each([
    ['a revoked key', revoke(0), 'keys', { outcome: 'invalid_api_key' }],
    ['a rotated key', rotate(0, 0), 'keys', { outcome: 'invalid_api_key' }],
    ['a lower budget', budget(100), 'settings', { outcome: 'quota_exceeded', reason: 'budget' }],
  ])('is not older than %s, and not newer where that failed', async (_, change, table, refusal) => {
    const answers = await expectAlike([
      { step: admit(0, 'a', 400), ...now },
      { step: change, ...now, failsAt: table },
      { step: change, ...now, failsAt: 'leaves' },
      { step: admit(0, 'b', 400), ...now },
      { step: change, ...now },
      { step: admit(0, 'c', 100), ...now },
    ])
    expect(answers).toMatchObject([
      { outcome: 'admitted' },
      'failed',
      'failed',
      { outcome: 'admitted' },
      undefined,
      refusal,
    ])
  })

  it('is as on disk whatever is asked, fails or passes by', async () => {
    const key = fc.nat(1)
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.tuple(key, fc.constantFrom('a', 'b', 'c'), fc.nat(400)).map((of) => admit(...of)) },
      { weight: 3, arbitrary: fc.tuple(fc.integer({ min: 3, max: 12 }), fc.nat(500)).map((of) => settle(...of)) },
      { weight: 1, arbitrary: key.map(readModels) },
      { weight: 1, arbitrary: fc.nat(3000).map(budget) },
      { weight: 1, arbitrary: key.map(revoke) },
      { weight: 1, arbitrary: fc.tuple(key, fc.option(fc.integer({ min: 1, max: 9 }))).map((of) => limit(...of)) },
      { weight: 1, arbitrary: fc.tuple(key, fc.nat(90_000)).map((of) => rotate(...of)) },
    )
    const failsAt = fc.option(fc.constantFrom(...TABLES, 'keys'), { freq: 2 })
    const laterMs = fc.oneof(fc.nat(100), fc.nat(40_000), fc.constantFrom(60_000, 86_400_000, 31 * 86_400_000))
    const calls = fc.array(fc.record({ step, failsAt, laterMs }), { minLength: 5, maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(calls, async (asked) => {
        await expectAlike(asked)
      }),
      { numRuns: runs(8), endOnFailure: true },
    )
  })
})
