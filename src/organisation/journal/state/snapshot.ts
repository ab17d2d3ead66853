// Writes an organisation's state as text and reads it back. A small snapshot leaves out the requests and times of the last
// minutes, which events restore; a full one has them. Neither has older requests. States are compared by full snapshots.
import { fromNamedSettings, toNamedSettings } from '../../../policies/organisation-settings.ts'
import { versionPolicy } from '../../../policies/document/policy-document.ts'
import { CALL_WINDOW_MS, createTimes, restoreCall, clampWindows, timesAfter } from './calls.ts'
import {
  createKeyLoops,
  dropOldRequests,
  activeLoops,
  restoreRequest,
  clampRequests,
  thresholdsOf,
  type KeyLoops,
} from './loops.ts'
import { addCost } from './readings.ts'
import { SNAPSHOT_VERSION, SnapshotSchema, type SnapshotDocument } from './snapshot.schema.ts'
import { clampTimes, type State } from './organisation-state.ts'
import { addSpending, type Periods } from './spending.ts'
import { createCoverage, presentCoverage, readCoverage } from './coverage.ts'
import type { StateEvent } from './state-event.ts'

/** `frontier`: the log's, stored as it is given. */
export const takeSnapshot = (state: State, frontier: string): string =>
  JSON.stringify(presentState(state, frontier, false))

export const takeFullSnapshot = (state: State, frontier: string): string =>
  JSON.stringify(presentState(state, frontier, true))

/** Reads a snapshot. Throws if the text is no snapshot of this version. */
export function readSnapshot(text: string): { state: State; frontier: string } {
  const snapshot = SnapshotSchema().parse(JSON.parse(text))
  const { next, clock, settings, policy, frontier } = snapshot
  const state: State = {
    next,
    clock,
    settings: fromNamedSettings(settings),
    policy: versionPolicy(policy.version, policy.document),
    calls: readCalls(snapshot),
    months: {
      used: new Map(snapshot.months.used.map(({ month, ...usage }) => [month, usage])),
      open: new Map(
        snapshot.months.open.map(([position, at, microeur, keyId]) => [position, { position, at, microeur, keyId }]),
      ),
    },
    spending: { days: readPeriods(snapshot.spending.days), keyMonths: readPeriods(snapshot.spending.keyMonths) },
    readings: { days: readDays(snapshot), open: new Map(snapshot.readings.open.map((of) => [of.position, of])) },
    loops: {
      since: snapshot.loops.since,
      sincePolicy: snapshot.loops.sincePolicy,
      keys: new Map(
        Object.entries(snapshot.loops.keys).map(([keyId, { active, recent = [], times }]) => [
          keyId,
          { ...createKeyLoops(), active, recent, times: new Map(times) },
        ]),
      ),
    },
    counts: { ...snapshot.counts, referrals: new Map(snapshot.counts.referrals) },
    approvals: new Map(snapshot.approvals?.map((approval) => [approval.approval_id, approval])),
    coverage: readCoverage(snapshot.coverage ?? []),
  }
  return { state, frontier }
}

/** Returns the state for decisions at `at`: this one, or what it will be after an event of an earlier time. */
export function stateAt(state: State, at: number): State {
  if (at >= state.clock.latest) return state
  const copy = readSnapshot(takeFullSnapshot(state, '')).state
  clampTimes(copy, at)
  return copy
}

/** Returns the state as plain data. */
export function presentState(state: State, frontier: string, isFull: boolean): SnapshotDocument {
  const { next, clock, settings, policy, months, spending, readings, loops, counts, approvals, coverage } = state
  return {
    version: SNAPSHOT_VERSION,
    frontier,
    next,
    clock,
    settings: { ...toNamedSettings(settings), version: settings.version },
    policy: { version: policy.version, document: policy.document },
    calls: presentCalls(state),
    ...(isFull ? { windows: presentWindows(state) } : {}),
    months: {
      used: Array.from(months.used, ([month, usage]) => ({ month, ...usage })),
      open: Array.from(months.open.values(), ({ position, at, microeur, keyId }) => [position, at, microeur, keyId]),
    },
    spending: { days: presentPeriods(spending.days), keyMonths: presentPeriods(spending.keyMonths) },
    readings: {
      days: [...readings.days].flatMap(([day, costs]) =>
        [...costs].map(([keyId, microeur]) => ({ day, keyId, microeur })),
      ),
      open: [...readings.open.values()],
    },
    loops: { since: loops.since, sincePolicy: loops.sincePolicy, keys: presentLoops(state, isFull) },
    counts: { ...counts, referrals: [...counts.referrals] },
    ...(approvals.size === 0 ? {} : { approvals: [...approvals.values()] }),
    ...(coverage.size === 0 ? {} : { coverage: presentCoverage(coverage) }),
  }
}

const presentCalls = ({ calls }: State): SnapshotDocument['calls'] =>
  Object.fromEntries(
    Array.from(calls, ([subject, { lastAt, today, before }]) => [
      subject,
      [lastAt, today.day, today.calls, before.day, before.calls],
    ]),
  )

const presentWindows = ({ calls, clock }: State): SnapshotDocument['windows'] =>
  Object.fromEntries(
    Array.from(calls, ([subject, { window }]) => [subject, timesAfter(window, clock.latest - CALL_WINDOW_MS)]),
  )

function presentLoops(state: State, isFull: boolean): SnapshotDocument['loops']['keys'] {
  const { loops, clock } = state
  const thresholds = thresholdsOf(state)
  const present = ([keyId, key]: [string, KeyLoops]): Array<[string, SnapshotDocument['loops']['keys'][string]]> => {
    if (!isFull && key.active.length === 0) return []
    const copy = isFull ? { ...key, times: new Map(key.times) } : createKeyLoops()
    dropOldRequests(copy, thresholds, clock.latest)
    const held = activeLoops(key, thresholds, clock.latest)
    const active = held.map(({ hashes, lastAt }) => ({ hashes: [...hashes], lastAt }))
    if (active.length + copy.recent.length + copy.times.size === 0) return []
    return [[keyId, isFull ? { active, recent: copy.recent, times: [...copy.times] } : { active }]]
  }
  return Object.fromEntries([...loops.keys].flatMap(present))
}

function readCalls({ calls, windows = {} }: SnapshotDocument): State['calls'] {
  const read: State['calls'] = new Map()
  for (const [subject, [lastAt, day, inDay, dayBefore, inDayBefore]] of Object.entries(calls)) {
    const today = { day, calls: inDay }
    const before = { day: dayBefore, calls: inDayBefore }
    read.set(subject, { lastAt, today, before, window: createTimes(windows[subject]) })
  }
  return read
}

function readDays({ readings }: SnapshotDocument): State['readings']['days'] {
  const days: State['readings']['days'] = new Map()
  for (const { day, keyId, microeur } of readings.days) addCost(days, day, keyId, microeur)
  return days
}

const presentPeriods = (periods: Periods): SnapshotDocument['spending']['days'] =>
  [...periods].flatMap(([period, subjects]) =>
    Array.from(subjects, ([subject, { spentMicroeur, reservedMicroeur }]): [number, string, number, number] => [
      period,
      subject,
      spentMicroeur,
      reservedMicroeur,
    ]),
  )

function readPeriods(spent: SnapshotDocument['spending']['days']): Periods {
  const periods: Periods = new Map()
  for (const [period, subject, spentMicroeur, reservedMicroeur] of spent) {
    addSpending(periods, period, subject, { spentMicroeur, reservedMicroeur })
  }
  return periods
}

/** Returns the horizon in milliseconds: an event this long before the latest, or longer, is in no window. */
export function horizonMs(state: State): number {
  const { repeatWindowMs, cycleWindowMs } = thresholdsOf(state)
  return Math.max(CALL_WINDOW_MS, repeatWindowMs, cycleWindowMs)
}

/**
 * Restores what a small snapshot leaves out. `events`: in order, up to the snapshot. They start after the last event that is
 * `horizonMs` or more before the snapshot's latest time. Earlier events do no harm.
 */
export function restore(state: State, events: Iterable<StateEvent>): void {
  let latest = 0
  for (const event of events) {
    if (event.at < latest) {
      clampWindows(state.calls, latest, event.at)
      clampRequests(state, latest, event.at)
    }
    latest = event.at
    restoreCall(state, event)
    restoreRequest(state, event)
  }
}

/**
 * Returns the paths at which two states differ. Requests that have left their window do not count, nor which coverage entries are
 * known: after a rollback a snapshot may lack some, and then another entry is written. Empty if there are none.
 */
export const differences = (a: State, b: State): string[] => differencesOf(comparable(a), comparable(b), '')

const comparable = (state: State) => presentState({ ...state, coverage: createCoverage() }, '', true)

function differencesOf(a: unknown, b: unknown, path: string): string[] {
  if (!isComposite(a) || !isComposite(b)) return Object.is(a, b) ? [] : [path]
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].flatMap((name) => differencesOf(a[name], b[name], path === '' ? name : `${path}.${name}`))
}

const isComposite = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
