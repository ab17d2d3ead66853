// Tests that memory is what the rows add up to. Two organisations get the same requests, and one is evicted before each. They
// answer alike, also after turns that failed half-way and when the clock jumps. After each call, the memory of either is what
// all its rows add up to.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { KeyRequest } from '../../../src/organisation/keys/keys.target.ts'
import type { Organisation } from '../../../src/organisation/organisation.do.ts'
import { loadMemory, replay } from '../../../src/organisation/journal/load-state.ts'
import { SnapshotsStore } from '../../../src/organisation/journal/snapshots.store.ts'
import { differences, presentState } from '../../../src/organisation/journal/state/snapshot.ts'
import { DAY_MS, MINUTE_MS } from '../../../src/platform/time.ts'
import { keyId } from '../../../src/platform/ids.ts'
import type { OrganisationSettings } from '../../../src/policies/organisation-settings.ts'
import {
  factsOf,
  foundOrganisation,
  hashOf,
  NO_FACTS,
  noon,
  type ChatKey,
  type ChatOrganisation,
} from './chat-organisation.ts'
import { runs } from '../../support/runs.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

type Twin = { organisation: ChatOrganisation; keys: ChatKey[] }
type Step = { name: string; take: (object: Organisation, keys: readonly ChatKey[]) => unknown }

const act = { actor: 'operator' as const, act: 'test', requestId: 'req_test' }
const request: KeyRequest = {
  actor: { kind: 'person', id: 'usr_test', reach: 'all' },
  requestId: 'req_test',
  claim: null,
}
const attempt = {
  factsSha256: NO_FACTS,
  retentionDays: 7,
  ended: 'completed',
  usage: null,
  estimated: false,
  upstreamMs: 20,
} as const

/** The second key has limits of its own, the third may not chat, and the last one reads letters. */
const READER = 3

function keyAt(keys: readonly ChatKey[], at: number): ChatKey {
  const key = keys[at]
  if (key === undefined) throw new Error('there is no such key')
  return key
}

/** Its entries: the founding, four keys. */
async function foundTwin(): Promise<Twin> {
  const organisation = await foundOrganisation({ tier: 'pro', monthly_budget_eur: 0.001 })
  const keys = []
  for (const wanted of [{}, { requests_per_minute: 3 }, { scopes: ['manage'] }, { prefix: 'vk_live_' }]) {
    keys.push(await organisation.issueKey(wanted))
  }
  return { organisation, keys }
}
const FIRST = 5

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
  take: (object, keys) => object.admitWithoutModel('models', keyAt(keys, key)),
})
const many = (calls: number): Step => ({
  name: `list the models ${calls} times`,
  take: (object, keys) =>
    Array.from({ length: calls }, () => object.admitWithoutModel('models', keyAt(keys, 0)).outcome),
})
const read = (reserveMicroeur: number | null): Step => ({
  name: `read a letter for ${reserveMicroeur}`,
  take(object, keys) {
    const { keyId: id, secretHash } = keyAt(keys, READER)
    const decision = reserveMicroeur === null ? 'yes' : 'reading'
    const entry = { kind: 'referral_decision', content: { decision } } as const
    const reserve = reserveMicroeur === null ? {} : { reserveMicroeur }
    return object.admit({ keyId: id, secretHash, scope: 'referral:read', entry, ...reserve })
  },
})
const settleReading = (position: number, costMicroeur: number): Step => ({
  name: `settle the reading ${position} for ${costMicroeur}`,
  take: (object, keys) =>
    object.settleReading({ keyId: keyAt(keys, READER).keyId, position, costMicroeur, content: {} }),
})
const revoke = (key: number): Step => ({
  name: `revoke key ${key}`,
  take: (object, keys) => void object.keys.revoke(keyAt(keys, key).id, act),
})
const limit = (key: number, requestsPerMinute: number | null): Step => ({
  name: `limit key ${key} to ${requestsPerMinute}`,
  take: (object, keys) => void object.keys.update(keyAt(keys, key).keyId, { requestsPerMinute }, request),
})
const rotate = (key: number, overlapMs: number): Step => ({
  name: `rotate key ${key} within ${overlapMs}`,
  take(object, keys) {
    const id = keyId(crypto.getRandomValues(new Uint8Array(16)))
    const successor = { id, secretHash: new Uint8Array(32), lastFour: 'wxyz' }
    void object.keys.rotate({ id: keyAt(keys, key).keyId, successor, overlapMs }, request)
  },
})
const set = (change: Partial<OrganisationSettings>): Step => ({
  name: `set ${JSON.stringify(change)}`,
  take: (object) => void object.settings.change({ change, knownVersion: 0 }, act),
})
const budget = (monthlyBudgetMicroeur: number): Step => set({ monthlyBudgetMicroeur })
const wake: Step = { name: 'wake', take: (object) => object.alarm() }

const STATEMENTS = ['INSERT', 'UPDATE', 'DELETE']
const FAILURE = 'the disk fails'

/** Returns the differences between memory, a read at a start, and all rows. */
const differing = async (object: Organisation, sql: SqlStorage): Promise<string[]> => [
  ...(await object.log.checkState()).differences,
  ...differences(loadMemory(sql).state, replay(sql, new SnapshotsStore(sql).find('oldest')).state),
]

/** @param failsAt the table on which every statement fails, so that the turn ends half-way */
function takeStep(
  { organisation: { id }, keys }: Twin,
  { name, take }: Step,
  failsAt: string | null,
): Promise<unknown> {
  const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id))
  return runInDurableObject(stub, async (object: Organisation, { storage: { sql } }) => {
    const broken = failsAt === null ? [] : STATEMENTS
    for (const statement of broken) {
      const refuse = `BEGIN SELECT RAISE(ABORT, '${FAILURE}'); END`
      sql.exec(`CREATE TRIGGER failing_${statement} BEFORE ${statement} ON ${failsAt} ${refuse}`)
    }
    try {
      return await take(object, keys)
    } catch (thrown) {
      if (String(thrown).includes(FAILURE)) return 'failed'
      throw thrown
    } finally {
      for (const statement of broken) sql.exec(`DROP TRIGGER failing_${statement}`)
      expect(await differing(object, sql), name).toEqual([])
    }
  })
}

/** Returns the members of an answer that two organisations can have in common. */
function comparable(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || Array.isArray(answer)) return answer
  const { outcome, rate, reason, position, retryAfterSeconds } = Object.assign(
    { outcome: null, rate: null, reason: null, position: null, retryAfterSeconds: null },
    answer,
  )
  return { outcome, rate, reason, position, retryAfterSeconds }
}

const WRITTEN = [
  'SELECT position, kind, at, expires_at, outcome, microeur, settles, length(entry) > 0 AS kept FROM entries ORDER BY position',
  'SELECT before, n, at, of_gateway, outcome FROM calls ORDER BY before, n',
  // An object that starts after its rows were cleaned may write the newest elsewhere than one that goes on.
  "SELECT before, n FROM snapshots WHERE name = 'oldest'",
  'SELECT prefix, last_used_at, revoked_at, expires_at, requests_per_minute FROM keys ORDER BY 1, 2, 3, 4, 5',
]

/** Rows and state, with each key by its number. */
async function writtenBy({ organisation, keys }: Twin): Promise<unknown[]> {
  const rows = await Promise.all(WRITTEN.map((statement) => organisation.query(statement)))
  let state = JSON.stringify(presentState(await organisation.state(), '', true))
  for (const [n, key] of keys.entries()) state = state.replaceAll(key.keyId, `key ${n}`)
  const plain: unknown = JSON.parse(state)
  return [...rows, plain]
}

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

const now = { laterMs: 1, failsAt: null }

describe('what is held in memory', () => {
  it('is what its rows come to after a request that failed', async () => {
    const answers = await expectAlike([
      { step: admit(1, 'a', 400), ...now },
      { step: admit(1, 'b', 400), ...now, failsAt: 'entries' },
      { step: admit(1, 'b', 400), ...now },
      { step: settle(FIRST, 10), ...now },
      { step: admit(1, 'c', 400), ...now },
      { step: admit(1, 'd', 400), ...now },
    ])
    expect(answers[1]).toBe('failed')
    expect(answers[2]).toMatchObject({ outcome: 'admitted', position: FIRST + 1 })
    expect(answers.at(-1)).toMatchObject({ outcome: 'rate_limit_exceeded' })
  })

  it('is what its rows come to after a call without an entry that failed, also at a refusal', async () => {
    const answers = await expectAlike([
      { step: readModels(1), ...now },
      { step: readModels(1), ...now, failsAt: 'calls' },
      { step: readModels(1), ...now },
      { step: readModels(1), ...now },
      { step: readModels(1), ...now, failsAt: 'calls' },
      { step: readModels(1), ...now },
    ])
    const [admitted, refused] = [{ outcome: 'admitted' }, { outcome: 'rate_limit_exceeded' }]
    expect(answers).toMatchObject([admitted, 'failed', admitted, admitted, 'failed', refused])
  })

  it.each(['entries', 'calls'])(
    'is what its rows come to where the snapshot failed that belongs to a row of %s',
    async (table) => {
      const last = table === 'calls' ? readModels(0) : admit(0, 'a', 7)
      // The next event is the 64th.
      const before = { step: many(64 - FIRST - 1), ...now }
      const answers = await expectAlike([
        before,
        { step: last, ...now, failsAt: 'snapshots' },
        { step: last, ...now, failsAt: table },
        { step: last, ...now },
        { step: many(63), ...now },
        { step: admit(0, 'b', 8), ...now, failsAt: 'snapshots' },
        { step: settle(FIRST, 1), ...now, failsAt: 'snapshots' },
        { step: admit(0, 'b', 8), ...now },
      ])
      expect(answers.slice(1, 4)).toMatchObject(['failed', 'failed', { outcome: 'admitted' }])
      expect(answers.slice(-3)).toMatchObject([
        'failed',
        table === 'calls' ? { outcome: 'not_open' } : 'failed',
        { outcome: 'admitted' },
      ])
    },
  )

  it('is what its rows come to after a settlement that failed: what was reserved still is', async () => {
    const answers = await expectAlike([
      { step: admit(0, 'a', 400), ...now },
      { step: settle(FIRST, 10), ...now, failsAt: 'entries' },
      { step: admit(0, 'b', 700), ...now },
      { step: settle(FIRST, 10), ...now },
      { step: admit(0, 'b', 700), ...now },
    ])
    const dear = { outcome: 'quota_exceeded', reason: 'budget' }
    expect(answers.slice(1)).toMatchObject(['failed', dear, { outcome: 'settled' }, { outcome: 'admitted' }])
  })

  it('is what its rows come to after a reading that failed, and its settlement', async () => {
    const answers = await expectAlike([
      { step: read(15_000_000), ...now, failsAt: 'entries' },
      { step: read(15_000_000), ...now },
      { step: settleReading(FIRST, 1_000_000), ...now, failsAt: 'entries' },
      { step: read(6_000_000), ...now },
      { step: settleReading(FIRST, 1_000_000), ...now },
      { step: read(19_000_000), ...now },
    ])
    const [admitted, refused] = [{ outcome: 'admitted' }, { outcome: 'rate_limit_exceeded' }]
    expect(answers).toMatchObject(['failed', admitted, 'failed', refused, { outcome: 'settled' }, admitted])
  })

  it.each([
    ['a revoked key', revoke(0), 'keys', { outcome: 'invalid_api_key' }],
    ['a rotated key', rotate(0, 0), 'keys', { outcome: 'invalid_api_key' }],
    ['a lower budget', budget(100), 'entries', { outcome: 'quota_exceeded', reason: 'budget' }],
  ])('is not older than %s, and not newer where that failed', async (_, change, table, refusal) => {
    const answers = await expectAlike([
      { step: admit(0, 'a', 400), ...now },
      { step: change, ...now, failsAt: table },
      { step: change, ...now, failsAt: 'entries' },
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

  it('is what its rows come to once the content of those is gone that it was made of', async () => {
    const answers = await expectAlike([
      { step: set({ loopRepeats: 3, monthlyBudgetMicroeur: 500 }), ...now },
      { step: admit(0, 'a', 400), ...now },
      { step: settle(FIRST + 1, 300), ...now },
      { step: many(10), ...now },
      // The month of the request is over, and so is all retention.
      { step: wake, failsAt: null, laterMs: 400 * DAY_MS },
      { step: wake, ...now },
      { step: wake, ...now },
      { step: admit(0, 'b', 501), ...now },
      { step: admit(0, 'b', 100), ...now },
      { step: admit(0, 'b', 100), ...now },
      { step: admit(0, 'b', 100), ...now },
      { step: readModels(0), failsAt: null, laterMs: -400 * DAY_MS },
      { step: admit(0, 'c', 1), ...now },
    ])
    expect(answers.slice(7)).toMatchObject([
      { outcome: 'quota_exceeded', reason: 'budget' },
      { outcome: 'admitted' },
      { outcome: 'admitted' },
      { outcome: 'loop_detected' },
      { outcome: 'admitted' },
      { outcome: 'quota_exceeded', reason: 'budget' },
    ])
  })

  it.each([
    ['alarms that empty and settle', ['entries', 'calls', 'keys'], 2],
    // Without alarms, since then both write a snapshot with the same call.
    ['snapshots that fail', ['entries', 'calls', 'keys', 'snapshots', 'snapshots'], 0],
  ])('is what its rows come to whatever is asked and however the clock jumps, with %s', async (_, tables, wakes) => {
    const key = fc.nat(2)
    const position = fc.integer({ min: FIRST - 1, max: FIRST + 12 })
    const reserve = fc.option(fc.nat(9_000_000))
    const settings = fc.oneof(
      fc.record({ monthlyBudgetMicroeur: fc.option(fc.nat(3000)) }),
      fc.record({ loopRepeats: fc.integer({ min: 2, max: 6 }), loopWindowSeconds: fc.constantFrom(10, 60, 300) }),
      fc.record({ loopCycleRounds: fc.integer({ min: 2, max: 3 }) }),
      fc.record({ requestsPerMinute: fc.option(fc.integer({ min: 1, max: 200 })) }),
    )
    const step = fc.oneof(
      { weight: 8, arbitrary: fc.tuple(key, fc.constantFrom('a', 'b', 'c'), fc.nat(400)).map((of) => admit(...of)) },
      { weight: 4, arbitrary: fc.tuple(position, fc.nat(500)).map((of) => settle(...of)) },
      { weight: 2, arbitrary: key.map(readModels) },
      { weight: 2, arbitrary: fc.integer({ min: 2, max: 90 }).map(many) },
      { weight: 2, arbitrary: reserve.map(read) },
      { weight: 1, arbitrary: fc.tuple(position, fc.nat(9_000_000)).map((of) => settleReading(...of)) },
      { weight: 2, arbitrary: settings.map(set) },
      { weight: 1, arbitrary: key.map(revoke) },
      { weight: 1, arbitrary: fc.tuple(key, fc.option(fc.integer({ min: 1, max: 9 }))).map((of) => limit(...of)) },
      { weight: 1, arbitrary: fc.tuple(key, fc.nat(90_000)).map((of) => rotate(...of)) },
      { weight: wakes, arbitrary: fc.constant(wake) },
    )
    const failsAt = fc.option(fc.constantFrom(...tables), { freq: 2 })
    const laterMs = fc.oneof(
      { weight: 3, arbitrary: fc.nat(100) },
      { weight: 3, arbitrary: fc.nat(40_000) },
      {
        weight: 3,
        arbitrary: fc.constantFrom(MINUTE_MS, 16 * MINUTE_MS, 61 * MINUTE_MS, DAY_MS, 8 * DAY_MS, 31 * DAY_MS),
      },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 20 * MINUTE_MS }).map((ms) => -ms) },
      { weight: 1, arbitrary: fc.constantFrom(-DAY_MS, -8 * DAY_MS, -31 * DAY_MS) },
    )
    // A failed alarm is retried later by an object that remembers the failure, and at once by others.
    const call = fc
      .record({ step, failsAt, laterMs })
      .map((asked) => (asked.step === wake ? { step: wake, failsAt: null, laterMs: asked.laterMs } : asked))
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 5, maxLength: 25 }), async (asked) => {
        await expectAlike(asked)
      }),
      { numRuns: runs(6), endOnFailure: true },
    )
  })
})
