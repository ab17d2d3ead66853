// The hour's counts in the log: whoever counts the entries and the calls between two of them comes to the same. And what is no
// longer held of a key that lies idle, which the same entry makes the state forget.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Organisation } from '../../../../src/organisation/organisation.do.ts'
import { DAY_MS, MINUTE_MS } from '../../../../src/platform/time.ts'
import { contentOf, type DetailsRow } from '../../../support/entry-content.ts'
import { runs } from '../../../support/runs.ts'
import { factsOf, foundOrganisation, hashOf, noon, type ChatKey, type ChatOrganisation } from '../chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

const HOUR_MS = 60 * MINUTE_MS

const act = { actor: 'operator' as const, act: 'test', requestId: 'req_test' }

const inObject = <T>({ id }: ChatOrganisation, work: (object: Organisation, sql: SqlStorage) => T): Promise<T> =>
  runInDurableObject(env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(id)), (object: Organisation, { storage }) =>
    work(object, storage.sql),
  )

const wakeAt = async (organisation: ChatOrganisation, at: number): Promise<void> => {
  vi.setSystemTime(at)
  await organisation.runAlarm()
}

const NOTHING = {
  allowed: 0,
  blocked: 0,
  suppressed: 0,
  referrals: {},
  readings: 0,
  refused: { scope: 0, closing: 0, rate: 0, quota: 0, budget: 0 },
  other_calls: 0,
}

type Keys = Record<'chat' | 'slow' | 'manage' | 'reader', ChatKey>

/** Whatever can be counted, by what it is counted as. */
const ASKED: Record<string, (object: Organisation, keys: Keys) => unknown> = {
  allowed: (object, { chat }) => object.admitChat(factsOf(chat)),
  'allowed or suppressed': (object, { chat }) => object.admitChat(factsOf(chat, { loopHash: hashOf('again') })),
  blocked: (object, { chat }) => object.admitChat(factsOf(chat, { provider: 'google' })),
  budget: (object, { chat }) => object.admitChat(factsOf(chat, { upFrontMicroeur: 1_000_001 })),
  'allowed or rate': (object, { slow }) => object.admitChat(factsOf(slow)),
  'counted or rate': (object, { slow }) => object.admitWithoutModel('models', slow),
  scope: (object, { manage }) => object.admitChat(factsOf(manage)),
  'counted by who manages': (object, { manage }) => object.admitWithoutModel('management', manage),
  'nothing at all': (object, { chat }) => object.admitChat(factsOf({ ...chat, secretHash: new Uint8Array(32) })),
  referral: (object, keys) => refer(object, keys, 'yes'),
  'another referral': (object, keys) => refer(object, keys, 'cannot_establish'),
  reading: (object, keys) => refer(object, keys, 'reading'),
  'no money for a reading': (object, keys) => refer(object, keys, 'reading', 20_000_001),
  'a referral without an entry': (object, { reader: { keyId, secretHash } }) =>
    object.admit({ keyId, secretHash, scope: 'referral:read', entry: null }),
  'a referral out of scope': (object, { reader: { keyId, secretHash } }) =>
    object.admit({ keyId, secretHash, scope: 'chat', entry: null }),
  'an act': (object) => object.log.recordAct(act),
  'less of a quota': (object) => object.settings.change({ change: { requestsPerMonth: 1 }, knownVersion: 0 }, act),
  'more of a quota': (object) => object.settings.change({ change: { requestsPerMonth: null }, knownVersion: 0 }, act),
  'an erasure is asked for': (object) => object.erasure.schedule({ request: erasure(), isImmediate: false }, act),
  'an erasure is cancelled': (object) => object.erasure.cancel(act),
}

function refer(object: Organisation, { reader: { keyId, secretHash } }: Keys, decision: string, reserve = 5) {
  const entry = { kind: 'referral_decision', content: { decision } } as const
  const reserved = decision === 'reading' ? { reserveMicroeur: reserve } : {}
  return object.admit({ keyId, secretHash, scope: 'referral:read', entry, ...reserved })
}

let erasures = 0
const erasure = () => ({
  id: `era_${String((erasures += 1)).padStart(8, '0')}-5b7e-7c41-9d1e-2f6a8c0b4d11` as const,
  subject: 'org_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11' as const,
  jurisdiction: 'eu' as const,
  requestedBy: 'usr_test' as const,
  requestedAt: Date.now(),
  // Never while a test runs.
  dueAt: Date.now() + 1000 * DAY_MS,
})

async function foundWithKeys(
  tier: 'pro' | 'enterprise' = 'enterprise',
): Promise<{ organisation: ChatOrganisation; keys: Keys }> {
  const organisation = await foundOrganisation({
    tier,
    monthly_budget_eur: 1,
    enabled_providers: ['openai'],
  })
  return {
    organisation,
    keys: {
      chat: await organisation.issueKey(),
      slow: await organisation.issueKey({ requests_per_minute: 1 }),
      manage: await organisation.issueKey({ scopes: ['manage'] }),
      reader: await organisation.issueKey({ prefix: 'vk_live_' }),
    },
  }
}

type EntryRow = DetailsRow<ArrayBuffer> & { position: number; at: number; outcome: string | null }
type CallRow = { before: number; at: number; outcome: string }

/** Counts the rows between two entries of counts, without the service's own counting. */
function recount(entries: readonly EntryRow[], calls: readonly CallRow[]) {
  const chats = entries.filter(({ kind }) => kind === 'chat_decision').map((row) => contentOf(row)['outcome'])
  const decisions = entries
    .filter(({ kind }) => kind === 'referral_decision')
    .map((row) => String(contentOf(row)['decision']))
  const referrals = Object.groupBy(
    decisions.filter((decision) => decision !== 'reading'),
    (decision) => decision,
  )
  const callsOf = (outcome: string) => calls.filter((call) => call.outcome === outcome).length
  const chatsOf = (outcome: string) => chats.filter((each) => each === outcome).length
  return {
    facts_form: 'facts-1',
    retention_days: 365,
    allowed: chatsOf('ALLOWED'),
    blocked: chatsOf('BLOCKED'),
    suppressed: chatsOf('SUPPRESSED'),
    referrals: Object.fromEntries(Object.entries(referrals).map(([decision, each = []]) => [decision, each.length])),
    readings: decisions.filter((decision) => decision === 'reading').length,
    refused: {
      scope: callsOf('scope'),
      closing: callsOf('closing'),
      rate: callsOf('rate'),
      quota: callsOf('quota'),
      budget: callsOf('budget'),
    },
    other_calls: callsOf('counted'),
  }
}

const isCounted = ({ kind }: EntryRow) => kind === 'chat_decision' || kind === 'referral_decision'

/** When they were written, the hour's beginning, and when the first came that is counted. */
type Written = { at: number; hour: number; first: number }

/** The counts that were written. Throws where a recount comes to anything else, or they leave anything out. */
async function expectRecount(organisation: ChatOrganisation): Promise<Written[]> {
  const entries = await organisation.query<EntryRow>(
    'SELECT position, kind, at, outcome, entry, facts FROM entries ORDER BY position',
  )
  const calls = await organisation.query<CallRow>('SELECT before, at, outcome FROM calls ORDER BY before, n')
  let from = 0
  const written = []
  for (const row of entries.filter(({ kind }) => kind === 'hour_counts')) {
    const { kind: _, at: __, hour, from: toldFrom, ...counts } = contentOf(row)
    const own = entries.filter(({ position }) => position >= from && position < row.position)
    const ownCalls = calls.filter(({ before }) => before >= from && before <= row.position)
    expect(toldFrom).toBe(from)
    expect(counts).toEqual(recount(own, ownCalls))
    expect(own.filter(isCounted).length + ownCalls.length).toBeGreaterThan(0)
    // The hour that they are of was over, and nothing else came that would have been counted before it.
    const hourStart = Date.parse(String(hour))
    expect(hourStart % HOUR_MS).toBe(0)
    expect(hourStart + HOUR_MS).toBeLessThanOrEqual(row.at)
    written.push({ hour: hourStart, at: row.at, first: firstOf(own, ownCalls) })
    from = row.position + 1
  }
  expect(entries.filter((row) => row.position >= from && isCounted(row))).toEqual([])
  expect(calls.filter(({ before }) => before >= from)).toEqual([])
  return written
}

/** The time of the first that is counted. */
const firstOf = (entries: readonly EntryRow[], calls: readonly CallRow[]): number =>
  Math.min(...entries.filter(isCounted).map(({ at }) => at), ...calls.map(({ at }) => at))

describe('the hour’s counts', () => {
  it('are what the entries and calls between two of them come to', async () => {
    const asked = fc.constantFrom(...Object.keys(ASKED))
    const laterMs = fc.oneof(
      { weight: 4, arbitrary: fc.nat(20_000) },
      { weight: 3, arbitrary: fc.nat(40 * MINUTE_MS) },
      { weight: 1, arbitrary: fc.constantFrom(HOUR_MS, 3 * HOUR_MS, DAY_MS) },
    )
    const step = fc.record({ names: fc.array(asked, { maxLength: 6 }), laterMs, isEvicted: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
        vi.setSystemTime(noon)
        const { organisation, keys } = await foundWithKeys()
        let now = noon
        // The alarm goes off when it is due, however often.
        const pass = async (ms: number) => {
          now += ms
          for (let due = await organisation.alarmAt(); due !== null && due <= now; due = await organisation.alarmAt()) {
            await wakeAt(organisation, Math.max(Date.now(), due))
          }
          vi.setSystemTime(now)
        }
        for (const { names, laterMs: ms, isEvicted } of steps) {
          await pass(ms)
          if (isEvicted) await organisation.evict()
          await inObject(organisation, (object) => names.map((name) => ASKED[name]?.(object, keys)))
        }
        await pass(HOUR_MS)
        const written = await expectRecount(organisation)
        // Each is of the hour of the first that it counts, and written as soon as that is over.
        for (const { hour, first, at } of written) {
          expect(hour).toBe(Math.floor(first / HOUR_MS) * HOUR_MS)
          expect(at).toBe(hour + HOUR_MS)
        }
        await organisation.state()
      }),
      { numRuns: runs(12), endOnFailure: true },
    )
  })

  it('are what a recount comes to, however the clock jumps', async () => {
    const asked = fc.constantFrom('allowed', 'blocked', 'allowed or rate', 'scope', 'referral', 'reading', 'an act')
    const stepMs = fc.oneof(
      fc.integer({ min: -HOUR_MS, max: 2 * HOUR_MS }),
      fc.constantFrom(-2 * DAY_MS, -MINUTE_MS, DAY_MS),
    )
    const step = fc.record({ name: asked, stepMs, isWoken: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 15 }), async (steps) => {
        vi.setSystemTime(noon)
        const { organisation, keys } = await foundWithKeys()
        for (const { name, stepMs: ms, isWoken } of steps) {
          vi.setSystemTime(Date.now() + ms)
          await inObject(organisation, (object) => ASKED[name]?.(object, keys))
          if (isWoken) await organisation.runAlarm()
        }
        // A step back by less than ten minutes is waited for.
        await wakeAt(organisation, Date.now() + HOUR_MS + 10 * MINUTE_MS)
        await expectRecount(organisation)
      }),
      { numRuns: runs(10), endOnFailure: true },
    )
  })

  it('tell all that was counted and refused, by what it was refused for', async () => {
    const { organisation, keys } = await foundWithKeys()
    const ask = (...names: string[]) =>
      inObject(organisation, (object) => names.forEach((name) => void ASKED[name]?.(object, keys)))
    await ask('allowed', 'blocked', ...Array<string>(6).fill('allowed or suppressed'))
    await ask('budget', 'allowed or rate', 'allowed or rate', 'counted or rate', 'scope', 'counted by who manages')
    await ask('nothing at all', 'referral', 'referral', 'another referral', 'reading', 'no money for a reading')
    await ask('a referral without an entry', 'a referral out of scope', 'an act', 'less of a quota', 'allowed')
    await ask('an erasure is asked for', 'allowed', 'referral', 'an erasure is cancelled')
    await wakeAt(organisation, noon + HOUR_MS)
    expect(await organisation.hourCounts()).toEqual([
      {
        kind: 'hour_counts',
        facts_form: 'facts-1',
        retention_days: 365,
        at: new Date(noon + HOUR_MS).toISOString(),
        from: 0,
        hour: new Date(noon).toISOString(),
        allowed: 6,
        blocked: 1,
        suppressed: 2,
        referrals: { yes: 2, cannot_establish: 1 },
        readings: 1,
        refused: { scope: 2, closing: 2, rate: 2, quota: 1, budget: 2 },
        other_calls: 2,
      },
    ])
    await expectRecount(organisation)
  })

  it('are written when the hour turns and not a millisecond before, also by an object that was evicted', async () => {
    const { organisation, keys } = await foundWithKeys()
    vi.setSystemTime(noon + HOUR_MS - 1)
    await organisation.admit(keys.chat)
    await organisation.runAlarm()
    expect(await organisation.hourCounts()).toEqual([])
    await organisation.evict()
    await wakeAt(organisation, noon + HOUR_MS)
    expect(await organisation.hourCounts()).toMatchObject([{ hour: new Date(noon).toISOString(), allowed: 1, from: 0 }])

    // Calls from here on belong to the next hour, and come after that entry.
    await organisation.admit(keys.chat)
    await organisation.runAlarm()
    await wakeAt(organisation, noon + 2 * HOUR_MS - 1)
    expect(await organisation.hourCounts()).toHaveLength(1)
    expect(await organisation.alarmAt()).toBe(noon + 2 * HOUR_MS)
    await wakeAt(organisation, noon + 2 * HOUR_MS)
    const [, second, ...more] = await organisation.hourCounts()
    expect(second).toMatchObject({ ...NOTHING, allowed: 1, hour: new Date(noon + HOUR_MS).toISOString() })
    expect(more).toEqual([])
    await expectRecount(organisation)
  })

  it('have what comes after their hour and before they are written', async () => {
    const { organisation, keys } = await foundWithKeys()
    await organisation.admit(keys.chat)
    vi.setSystemTime(noon + HOUR_MS + 5)
    await organisation.describe(keys.chat)
    await organisation.runAlarm()
    expect(await organisation.hourCounts()).toMatchObject([
      { hour: new Date(noon).toISOString(), allowed: 1, other_calls: 1 },
    ])
    await expectRecount(organisation)
  })

  it('are not written where nothing happened: for hours of rest, acts, settlements and bad keys', async () => {
    // Higher tiers wake their objects to look for anomalies.
    const { organisation, keys } = await foundWithKeys('pro')
    await wakeAt(organisation, noon + HOUR_MS)
    expect(await organisation.hourCounts()).toEqual([])
    const admission = await organisation.admit(keys.chat)
    await wakeAt(organisation, noon + 2 * HOUR_MS)
    expect(await organisation.hourCounts()).toHaveLength(1)

    if (admission.outcome === 'admitted') await organisation.settle(admission.position, 1)
    await organisation.set({ monthly_budget_eur: 2 })
    await organisation.admit({ ...keys.chat, secretHash: new Uint8Array(32) })
    // Ended calls are counted within the hour, and the log's head anchored after it.
    await wakeAt(organisation, noon + 3 * HOUR_MS)
    await wakeAt(organisation, noon + 3 * HOUR_MS + 10 * MINUTE_MS)
    expect(await organisation.alarmAt()).toBeGreaterThan(noon + 20 * HOUR_MS)
    for (let hours = 4; hours < 30; hours += 1) await wakeAt(organisation, noon + hours * HOUR_MS)
    expect(await organisation.hourCounts()).toHaveLength(1)
  })

  it('are those of the right hour where the clock was a day ahead', async () => {
    const { organisation, keys } = await foundWithKeys('pro')
    vi.setSystemTime(noon + DAY_MS)
    await organisation.describe(keys.chat)
    vi.setSystemTime(noon + 1000)
    await organisation.describe(keys.chat)
    expect(await organisation.alarmAt()).toBe(noon + HOUR_MS)
    await wakeAt(organisation, noon + HOUR_MS)
    expect(await organisation.hourCounts()).toMatchObject([{ hour: new Date(noon).toISOString(), other_calls: 2 }])
  })

  it('are written with the next alarm where they could not be, and have all of it', async () => {
    const { organisation, keys } = await foundWithKeys()
    await organisation.admit(keys.chat)
    await organisation.query(`CREATE TRIGGER failing BEFORE INSERT ON entries WHEN NEW.kind = 'hour_counts'
      BEGIN SELECT RAISE(ABORT, 'no'); END`)
    await wakeAt(organisation, noon + HOUR_MS)
    await organisation.admit(keys.chat)
    await organisation.query('DROP TRIGGER failing')
    await wakeAt(organisation, noon + HOUR_MS + 29_999)
    expect(await organisation.hourCounts()).toEqual([])
    await wakeAt(organisation, noon + HOUR_MS + 30_000)
    expect(await organisation.hourCounts()).toMatchObject([{ allowed: 2, hour: new Date(noon).toISOString() }])
    await expectRecount(organisation)
  })
})

describe('a key that lies idle', () => {
  const lastUse = async (organisation: ChatOrganisation, key: ChatKey) => {
    const told = await inObject(organisation, (object) => object.keys.find(key.keyId, null)?.lastUsedAt)
    const [row] = await organisation.query<{ at: number | null }>(
      `SELECT last_used_at AS at FROM keys WHERE id = '${key.keyId}'`,
    )
    return { told, inRow: row?.at, inState: (await organisation.state()).calls.get(key.keyId)?.lastAt ?? null }
  }

  /** The first key was used at noon, and the second so much later; then that hour is over. */
  async function idleFor(idleMs: number) {
    const { organisation, keys } = await foundWithKeys()
    await organisation.admit(keys.chat)
    await wakeAt(organisation, noon + HOUR_MS)
    vi.setSystemTime(noon + idleMs - HOUR_MS)
    await organisation.describe(keys.slow)
    return { organisation, keys }
  }

  it('keeps its last use when the state forgets it after two days, and not before', async () => {
    const { organisation, keys } = await idleFor(2 * DAY_MS)
    await wakeAt(organisation, noon + 2 * DAY_MS - 1)
    expect(await lastUse(organisation, keys.chat)).toEqual({ told: noon, inRow: null, inState: noon })
    await wakeAt(organisation, noon + 2 * DAY_MS)
    const forgotten = { told: noon, inRow: noon, inState: null }
    expect(await lastUse(organisation, keys.chat)).toEqual(forgotten)
    await organisation.evict()
    expect(await lastUse(organisation, keys.chat)).toEqual(forgotten)
    const used = noon + 2 * DAY_MS - HOUR_MS
    expect(await lastUse(organisation, keys.slow)).toEqual({ told: used, inRow: null, inState: used })
  })

  it('is known by its next use again, and by the one after that once it has lain idle anew', async () => {
    const { organisation, keys } = await idleFor(3 * DAY_MS)
    await wakeAt(organisation, noon + 3 * DAY_MS)
    const again = noon + 3 * DAY_MS + 5
    vi.setSystemTime(again)
    await organisation.describe(keys.chat)
    expect(await lastUse(organisation, keys.chat)).toEqual({ told: again, inRow: noon, inState: again })
    vi.setSystemTime(noon + 6 * DAY_MS)
    await organisation.describe(keys.slow)
    await wakeAt(organisation, noon + 6 * DAY_MS + HOUR_MS)
    expect(await lastUse(organisation, keys.chat)).toEqual({ told: again, inRow: again, inState: null })
  })

  it('is forgotten in the turn that writes its row, or not at all', async () => {
    const { organisation, keys } = await idleFor(2 * DAY_MS)
    const kept = { told: noon, inRow: null, inState: noon }
    for (const write of ["INSERT ON entries WHEN NEW.kind = 'hour_counts'", 'UPDATE ON keys']) {
      await organisation.query(`CREATE TRIGGER failing BEFORE ${write} BEGIN SELECT RAISE(ABORT, 'no'); END`)
      await wakeAt(organisation, Math.max(Date.now() + MINUTE_MS, noon + 2 * DAY_MS))
      expect(await lastUse(organisation, keys.chat)).toEqual(kept)
      expect(await organisation.hourCounts()).toHaveLength(1)
      await organisation.query('DROP TRIGGER failing')
    }
    await wakeAt(organisation, Date.now() + MINUTE_MS)
    expect(await lastUse(organisation, keys.chat)).toEqual({ told: noon, inRow: noon, inState: null })
    await expectRecount(organisation)
  })
})
