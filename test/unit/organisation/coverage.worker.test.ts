// Coverage entries in an organisation's log: each decision names the entry of the build that made it, which is before it and outlives
// it, whatever builds take turns; and no entry is written while another one serves.
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { coverageKey } from '../../../src/evidence/records/coverage-entry.ts'
import { admitChat } from '../../../src/organisation/admit/admit-chat.ts'
import { admitReferral } from '../../../src/organisation/admit/admit-referral.ts'
import { writeHourCounts } from '../../../src/organisation/admit/hour-counts.ts'
import { DECIDES, type DecidingOperation } from '../../../src/organisation/coverage/surface.ts'
import type { Build } from '../../../src/organisation/journal/journal.ts'
import { SETTINGS_CHANGED } from '../../../src/organisation/journal/load-state.ts'
import { openStores, type Stores } from '../../../src/organisation/organisation-stores.ts'
import { recordOutcome } from '../../../src/organisation/outcomes/outcomes.target.ts'
import { createTurnRunner } from '../../../src/organisation/turns.ts'
import { sha256Hex } from '../../../src/platform/sha256.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/platform/time.ts'
import { toNamedSettings } from '../../../src/policies/organisation-settings.ts'
import { contentOf } from '../../support/entry-content.ts'
import { runs } from '../../support/runs.ts'
import { factsOf, foundOrganisation, hashOf, noon, type ChatKey } from './chat-organisation.ts'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: noon }))
afterEach(() => vi.useRealTimers())

/** The state holds so many builds. */
const MOST_BUILDS = 8

function buildOf(n: number): Build {
  const content = { v: 'coverage-1', software: { n } }
  return { content, key: coverageKey(content, sha256Hex), worker: n % 2 === 0 ? `worker-${n}` : null }
}

/** Of software from before there were coverage entries. */
const OLD = null

type Decision = { operation: DecidingOperation; build: Build | null; worker: string | null }

type Written = { position: number; kind: string; expiresAt: number; at: number; content: Record<string, unknown> }

type Log = {
  stores: Stores
  now: number
  key: ChatKey
  reader: ChatKey
  /** Runs the object's next start with this software. */
  start(build: Build | null): void
  turn<T>(work: () => T): T
  decide(decision: Omit<Decision, 'build'>): boolean
  retain(days: number): void
  clear(): void
  /** The newest snapshot of the state. */
  snapshot(): Record<string, unknown>
  /** The entries since the log was cleared, oldest first. */
  entries(): Written[]
  /** Each decision, with who made it, by its position. */
  decisions: Map<number, Decision>
  differences(): string[]
}

async function withLog<T>(work: (log: Log) => T): Promise<T> {
  const organisation = await foundOrganisation({ tier: 'enterprise' })
  const key = await organisation.issueKey()
  const reader = await organisation.issueKey({ prefix: 'vk_live_' })
  const stub = env.ORGANISATIONS.get(env.ORGANISATIONS.idFromName(organisation.id))
  return runInDurableObject(stub, (_, { storage }) => work(openLog(storage, key, reader)))
}

function openLog(storage: DurableObjectStorage, key: ChatKey, reader: ChatKey): Log {
  let build: Build | null = OLD
  let cleared = 0
  const open = () => {
    const started = build
    return openStores(storage.sql, 'test', () => started)
  }
  const log: Log = {
    stores: open(),
    now: noon,
    key,
    reader,
    decisions: new Map(),
    start(next) {
      build = next
      log.stores = open()
    },
    turn: (work) => createTurnRunner(storage, log.stores)(work),
    decide({ operation, worker }) {
      const made = log.turn(() => decide(log, { operation, worker }))
      if (made) log.decisions.set(log.stores.journal.state.next - 1, { operation, worker, build })
      return made
    },
    retain(days) {
      log.turn(() => {
        const { settings } = log.stores.journal.state
        const content = { ...toNamedSettings({ ...settings, tier: 'enterprise', retentionDays: days }) }
        const version = { version: settings.version + 1 }
        const fields = { outcome: SETTINGS_CHANGED }
        log.stores.journal.append({ kind: 'operator_act', content: { ...content, ...version }, fields }, log.now)
      })
    },
    clear() {
      log.turn(() => log.stores.journal.clear())
      cleared = log.stores.journal.state.next
      log.decisions.clear()
    },
    snapshot: () => storage.sql.exec("SELECT state, coverage FROM snapshots WHERE name = 'newest' AND part = 0").one(),
    entries: () =>
      storage.sql
        .exec<{
          position: number
          kind: string
          at: number
          expires_at: number
          entry: ArrayBuffer
          facts: string | null
        }>(
          'SELECT position, kind, at, expires_at, entry, facts FROM entries WHERE position >= ? ORDER BY position',
          cleared,
        )
        .toArray()
        .map((row) => {
          const { position, kind, at, expires_at: expiresAt } = row
          return { position, kind, at, expiresAt, content: contentOf(row) }
        }),
    differences() {
      const check = log.stores.journal.beginCheck()
      for (;;) {
        const done = check.step()
        if (done !== null) return done.differences
      }
    },
  }
  return log
}

let readings = 0

/** Takes the decision in the turn that is open. Returns false if the call was refused without one. */
function decide({ stores, key, reader, now }: Log, { operation, worker }: Omit<Decision, 'build'>): boolean {
  const before = stores.journal.state.next
  const { keyId, secretHash } = reader
  if (operation === 'readReferral') {
    const entry = { kind: 'referral_decision', content: { decision: 'ask' } } as const
    admitReferral(stores, { keyId, secretHash, scope: 'referral:read', entry, worker }, now)
  } else if (operation === 'recordOutcome') {
    readings += 1
    const choiceHash = Uint8Array.fromHex(hashOf(`reading ${readings}`))
    const chosen = { decision: 'agree', specialty: 'Cardiology', role: 'gp', reason: '', readersSame: [true, true] }
    const signed = { requestId: 'req_x', readingHash: null, publicKey: 'k', choiceHash }
    recordOutcome(
      stores,
      { keyId, secretHash },
      { reading: choiceHash.subarray(16), ...chosen, ...signed } as never,
      now,
    )
  } else admitChat(stores, factsOf(key, { route: operation, worker }), now)
  return stores.journal.state.next > before
}

const CHAT = { operation: 'createChatCompletion', worker: null } as const

const said = ({ content }: Written) => ({
  coverage: content['coverage'],
  operation: content['operation'],
  worker: content['worker'],
})

/** Checks what every log promises. */
function checkLog(log: Log): void {
  const entries = log.entries()
  const byPosition = new Map(entries.map((entry) => [entry.position, entry]))
  for (const [position, { operation, worker, build }] of log.decisions) {
    const decision = byPosition.get(position)
    if (decision === undefined) throw new Error(`no decision at ${position}`)
    if (build === OLD) {
      expect(said(decision)).toEqual({ coverage: undefined, operation: undefined, worker: undefined })
      continue
    }
    const { coverage } = said(decision)
    // An outcome is recorded by the object alone.
    const isOther = operation !== 'recordOutcome' && worker !== null && worker !== build.worker
    expect(said(decision)).toEqual({ coverage, operation, worker: isOther ? worker : undefined })
    const named = byPosition.get(coverage as number)
    expect(named?.kind).toBe('coverage')
    expect(coverageKey(named?.content as never, sha256Hex)).toBe(build.key)
    expect(named?.position).toBeLessThan(position)
    expect(named?.expiresAt).toBeGreaterThanOrEqual(decision.expiresAt)
  }
  checkEntries(log, entries)
  for (const { position, content } of entries.filter(({ kind }) => kind === 'hour_counts')) {
    const from = content['from'] as number
    const covering = entries.filter(({ kind }) => kind === 'coverage').map((entry) => entry.position)
    const isCovered = covering.some((at) => at < from)
    // The hour in which an entry is written again says nothing: the state knows only the last one of a build.
    const isWritten = covering.some((at) => at >= from && at < position)
    const form = content['coverage_form']
    if (form !== undefined || !isWritten) expect(form).toBe(isCovered ? 'coverage-1' : undefined)
    if (!isCovered) continue
    for (const decided of log.decisions.keys()) {
      if (decided >= from && decided < position) expect(byPosition.get(decided)?.content).toHaveProperty('coverage')
    }
  }
  expect(log.differences()).toEqual([])
}

/** No entry is written while another one of its build serves, unless eight other builds came between. */
function checkEntries({ decisions }: Log, entries: readonly Written[]): void {
  const written = entries.filter(({ kind }) => kind === 'coverage')
  const keys = written.map(({ content }) => coverageKey(content as never, sha256Hex))
  for (const [at, { position }] of written.entries()) {
    const decision = entries.find((entry) => entry.position > position)
    // Each is for the decision after it.
    if (decision === undefined || !decisions.has(decision.position))
      throw new Error(`an entry at ${position} for nothing`)
    const before = keys.slice(0, at).lastIndexOf(keys[at] ?? '')
    const others = new Set(keys.slice(before + 1, at))
    if (before === -1 || others.size >= MOST_BUILDS) continue
    expect(written[before]?.expiresAt).toBeLessThan(decision.expiresAt + DAY_MS + 10 * MINUTE_MS)
  }
}

type Step =
  | ({ kind: 'decide' } & Omit<Decision, 'build'>)
  | { kind: 'start'; n: number }
  | { kind: 'later'; ms: number }
  | { kind: 'retain'; days: number }
  | { kind: 'fail' | 'hour' | 'snapshot' | 'clear' }

const OPERATIONS = DECIDES.map(({ operation }) => operation)

/** @param most how many builds there are */
const stepOf = (most: number): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 10,
      arbitrary: fc.record({
        kind: fc.constant('decide' as const),
        operation: fc.constantFrom(...OPERATIONS),
        worker: fc.constantFrom(null, 'worker-0', 'worker-2'),
      }),
    },
    { weight: 5, arbitrary: fc.record({ kind: fc.constant('start' as const), n: fc.nat(most - 1) }) },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant('later' as const),
        ms: fc.oneof(
          fc.constantFrom(HOUR_MS, 30 * DAY_MS, 364 * DAY_MS, 365 * DAY_MS, 366 * DAY_MS, 800 * DAY_MS),
          fc.integer({ min: -9 * MINUTE_MS, max: 0 }),
        ),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant('retain' as const), days: fc.constantFrom(7, 8, 365, 366, 2557) }),
    },
    { weight: 1, arbitrary: fc.constantFrom<Step>({ kind: 'fail' }, { kind: 'snapshot' }, { kind: 'clear' }) },
    { weight: 2, arbitrary: fc.constant<Step>({ kind: 'hour' }) },
  )

class Undone extends Error {}

function take(log: Log, step: Step): void {
  switch (step.kind) {
    case 'decide':
      log.now += 2 * MINUTE_MS
      log.decide(step)
      return
    case 'start':
      log.start(buildOf(step.n))
      return
    case 'later':
      log.now += step.ms
      return
    case 'retain':
      log.retain(step.days)
      return
    case 'fail': {
      const before = log.entries().length
      const undo = () =>
        log.turn(() => {
          decide(log, CHAT)
          throw new Undone()
        })
      expect(undo).toThrow(Undone)
      expect(log.entries().length).toBe(before)
      return
    }
    case 'hour':
      log.now += HOUR_MS
      log.turn(() => writeHourCounts(log.stores, log.now))
      return
    case 'snapshot':
      log.turn(() => log.stores.journal.moveOldestSnapshot(log.stores.journal.state.next))
      log.stores.journal.forget()
      return
    case 'clear':
      log.clear()
      return
  }
}

/** Begins an empty log, in which an older version decided so many chats. */
function begin(log: Log, decidedBefore: number): void {
  log.start(OLD)
  log.clear()
  log.retain(365)
  for (let n = 0; n < decidedBefore; n += 1) take(log, { kind: 'decide', ...CHAT })
  log.start(buildOf(0))
}

describe('a log', () => {
  it.each([
    ['two builds in turns', 2, 40],
    ['more builds than the state holds', 11, 60],
  ])('keeps its promises with %s', async (_, builds, maxLength) => {
    const histories = fc.array(stepOf(builds), { minLength: 5, maxLength, size: 'max' })
    await withLog((log) =>
      fc.assert(
        fc.property(histories, fc.nat(2), (steps, decidedBefore) => {
          begin(log, decidedBefore)
          for (const step of steps) take(log, step)
          checkLog(log)
        }),
        { numRuns: runs(60) },
      ),
    )
  })

  /** The kinds that each of the calls writes. */
  const kindsOf = (work: (log: Log, added: () => string[]) => void): Promise<void> =>
    withLog((log) => {
      begin(log, 0)
      let seen = log.entries().length
      work(log, () => {
        const kinds = log.entries().map(({ kind }) => kind)
        const added = kinds.slice(seen)
        seen = kinds.length
        return added
      })
      checkLog(log)
    })

  it('gets one row more for the first decision of a build, and none for others', () =>
    kindsOf((log, added) => {
      log.decide(CHAT)
      expect(added()).toEqual(['coverage', 'chat_decision'])
      log.decide(CHAT)
      log.decide({ operation: 'readReferral', worker: null })
      log.decide({ operation: 'recordOutcome', worker: null })
      log.start(buildOf(0))
      log.decide({ operation: 'createResponse', worker: null })
      expect(added()).toEqual(['chat_decision', 'referral_decision', 'referral_outcome', 'chat_decision'])
      log.start(buildOf(1))
      log.decide(CHAT)
      expect(added()).toEqual(['coverage', 'chat_decision'])
      log.start(buildOf(0))
      log.decide(CHAT)
      expect(added()).toEqual(['chat_decision'])
    }))

  it('gets another entry when the known one would end before the decision', () =>
    kindsOf((log, added) => {
      log.decide(CHAT)
      log.now += 364 * DAY_MS
      log.decide(CHAT)
      expect(added()).toEqual(['coverage', 'chat_decision', 'chat_decision'])
      log.now += 1
      log.decide(CHAT)
      expect(added()).toEqual(['coverage', 'chat_decision'])
      log.retain(2557)
      log.decide(CHAT)
      expect(added()).toEqual(['operator_act', 'coverage', 'chat_decision'])
      expect(log.entries().findLast(({ kind }) => kind === 'coverage')?.content['retention_days']).toBe(2557 + 365)
    }))

  it('is known after a start from a snapshot, whose state the version before can read', () =>
    kindsOf((log, added) => {
      for (let n = 0; n < 70; n += 1) log.decide(CHAT)
      expect(added()).toHaveLength(71)
      const { state, coverage } = log.snapshot()
      expect(JSON.parse(String(state))).not.toHaveProperty('coverage')
      expect(JSON.parse(String(coverage))).toEqual([[buildOf(0).key, expect.any(Number), expect.any(Number)]])
      log.start(buildOf(0))
      log.decide(CHAT)
      expect(added()).toEqual(['chat_decision'])
    }))

  it('is read where a newer version wrote another form of the column', () =>
    withLog((log) => {
      begin(log, 0)
      const [content, fields] = [{ v: 'coverage-2' }, { outcome: 'coverage-2 abc 10' }]
      log.turn(() => log.stores.journal.append({ kind: 'coverage', content, fields }, log.now))
      log.start(buildOf(0))
      log.decide(CHAT)
      expect(log.entries().map(({ kind }) => kind)).toEqual(expect.arrayContaining(['chat_decision']))
    }))

  it('knows eight builds', () =>
    kindsOf((log, added) => {
      const decideUnder = (n: number): string[] => {
        log.start(buildOf(n))
        log.decide(CHAT)
        return added()
      }
      for (let n = 0; n < MOST_BUILDS; n += 1) decideUnder(n)
      expect(decideUnder(0)).toEqual(['chat_decision'])
      expect(decideUnder(MOST_BUILDS)).toEqual(['coverage', 'chat_decision'])
      expect(decideUnder(0)).toEqual(['coverage', 'chat_decision'])
      expect(decideUnder(3)).toEqual(['chat_decision'])
      log.now += 400 * DAY_MS
      // The first of the eight now has the latest entry.
      expect(decideUnder(2)).toEqual(['coverage', 'chat_decision'])
      expect(decideUnder(MOST_BUILDS + 1)).toEqual(['coverage', 'chat_decision'])
      expect(decideUnder(2)).toEqual(['chat_decision'])
    }))

  it('gets nothing for an operation that the build does not declare', () =>
    kindsOf((log, added) => {
      const undeclared = () => log.decide({ operation: 'createEmbedding' as never, worker: null })
      expect(undeclared).toThrow('this build does not declare the operation')
      expect(added()).toEqual([])
      log.decide(CHAT)
      expect(added()).toEqual(['coverage', 'chat_decision'])
      expect(undeclared).toThrow('this build does not declare the operation')
      expect(added()).toEqual([])
    }))

  it('has its counts of an hour say so only once all their decisions are under an entry', () =>
    withLog((log) => {
      begin(log, 1)
      const count = () => {
        take(log, { kind: 'hour' })
        return log.entries().at(-1)?.content['coverage_form']
      }
      log.decide(CHAT)
      expect(count()).toBeUndefined()
      log.decide(CHAT)
      expect(count()).toBe('coverage-1')
      log.clear()
      log.retain(365)
      log.decide(CHAT)
      expect(count()).toBeUndefined()
    }))
})
