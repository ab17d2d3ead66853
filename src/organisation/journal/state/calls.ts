// Counts the calls of the whole organisation and of each of its keys: in the last minute, in the UTC day, and the time of the
// last call.
import type { Counts } from '../../../keys/rate-limits.policy.ts'
import { DAY_MS, MINUTE_MS, utcDay } from '../../../platform/time.ts'
import type { StateEvent, EventClock } from './state-event.ts'

/** The subject that counts all calls to the gateway. The other subjects are keys. */
export const WHOLE_ORGANISATION = 'organisation'

export const CALL_WINDOW_MS = MINUTE_MS

/** A key without a call for this long is dropped from the state. The key's row in the database still has its last use. */
const IDLE_MS = 2 * DAY_MS

export type DayCount = { day: number; calls: number }

/** `before`: the last other day with calls, still known if the clock steps back to it. */
export type SubjectCalls = { window: Times; lastAt: number; today: DayCount; before: DayCount }

/** Calls by subject: the id of a key, or WHOLE_ORGANISATION. */
export type Calls = Map<string, SubjectCalls>

const NO_DAY: DayCount = { day: -1, calls: 0 }

/** Returns the counts at `at`, which is no earlier than the latest event. */
export function countsAt(calls: Calls, subject: string, at: number): Counts {
  const known = calls.get(subject)
  if (known === undefined) return { inWindow: 0, oldestAt: null, inDay: 0 }
  const { count, oldestAt } = countTimes(known.window, at - CALL_WINDOW_MS)
  return { inWindow: count, oldestAt, inDay: known.today.day === utcDay(at) ? known.today.calls : 0 }
}

/** Returns when a key was last used; null if it was not used within two days. */
export const lastUseOf = (calls: Calls, keyId: string): number | null => calls.get(keyId)?.lastAt ?? null

/** Lists the keys that are dropped when the hour's counts are written for `at`. */
export const listIdleKeys = (calls: Calls, at: number): { keyId: string; lastUsedAt: number }[] =>
  [...calls]
    .filter(([subject, { lastAt }]) => subject !== WHOLE_ORGANISATION && lastAt <= at - IDLE_MS)
    .map(([keyId, { lastAt }]) => ({ keyId, lastUsedAt: lastAt }))

export function applyCalls({ calls }: { calls: Calls }, event: StateEvent): void {
  if (event.kind === 'hour_counts') for (const { keyId } of listIdleKeys(calls, event.at)) calls.delete(keyId)
  for (const subject of subjectsOf(event)) countCall(calls, subject, event.at)
}

/** Restores what small snapshots leave out of a call: its time in the window. */
export function restoreCall({ calls }: { calls: Calls }, event: StateEvent): void {
  for (const subject of subjectsOf(event)) {
    const known = calls.get(subject)
    if (known !== undefined) addTime(known.window, event.at)
  }
}

export function clampTimesOfCalls({ calls, clock }: { calls: Calls; clock: EventClock }, at: number): void {
  clampWindows(calls, clock.latest, at)
  const today = utcDay(at)
  for (const known of calls.values()) {
    known.lastAt = Math.min(known.lastAt, at)
    if (known.today.day <= today) continue
    const isBeforeTaken = known.before.day >= today
    known.today = { day: today, calls: known.today.calls + (isBeforeTaken ? known.before.calls : 0) }
    if (isBeforeTaken) known.before = NO_DAY
  }
}

/** Moves later times back to `at`. Times that had left the window by `latest` stay out of it. */
export function clampWindows(calls: Calls, latest: number, at: number): void {
  for (const { window } of calls.values()) {
    dropTimes(window, latest - CALL_WINDOW_MS)
    capTimes(window, at)
  }
}

function countCall(calls: Calls, subject: string, at: number): void {
  let known = calls.get(subject)
  if (known === undefined) {
    known = { window: createTimes(), lastAt: at, today: { day: utcDay(at), calls: 0 }, before: NO_DAY }
    calls.set(subject, known)
  }
  dropTimes(known.window, at - CALL_WINDOW_MS)
  addTime(known.window, at)
  known.lastAt = at
  const day = utcDay(at)
  if (known.today.day === day) known.today.calls += 1
  else {
    known.before = known.today
    known.today = { day, calls: 1 }
  }
}

const NO_SUBJECTS: readonly string[] = []

function subjectsOf(event: StateEvent): readonly string[] {
  switch (event.kind) {
    case 'chat_decision':
      return [WHOLE_ORGANISATION, event.keyId]
    case 'referral_decision':
      return [event.keyId]
    case 'call':
      if (event.outcome === 'rate' || event.outcome === 'quota' || event.outcome === 'budget') return NO_SUBJECTS
      return event.ofGateway ? [WHOLE_ORGANISATION, event.keyId] : [event.keyId]
    case 'settlement':
    case 'cost_corrected':
    case 'act':
    case 'policy':
    case 'hour_counts':
    case 'coverage':
    case 'approval':
      return NO_SUBJECTS
  }
}

/**
 * The times of a sliding window, oldest first. Times before `head` have left it. They are deleted many at once, so that adding
 * one is cheap however many there are.
 */
type Times = { all: number[]; head: number }

const COMPACTED_AT = 1024

export const createTimes = (all: number[] = []): Times => ({ all, head: 0 })

/** Times must not go backwards. */
function addTime(times: Times, at: number): void {
  times.all.push(at)
}

function dropTimes(times: Times, until: number): void {
  times.head = indexAfter(times, until)
  if (times.head === times.all.length || (times.head >= COMPACTED_AT && times.head * 2 >= times.all.length)) {
    times.all.splice(0, times.head)
    times.head = 0
  }
}

/** Counts the times later than `after`. `oldestAt`: the oldest of them; null if none. */
function countTimes(times: Times, after: number): { count: number; oldestAt: number | null } {
  const index = indexAfter(times, after)
  return { count: times.all.length - index, oldestAt: times.all[index] ?? null }
}

export const timesAfter = (times: Times, after: number): number[] => times.all.slice(indexAfter(times, after))

function capTimes(times: Times, at: number): void {
  for (let index = times.all.length - 1; index >= times.head && timeAt(times, index) > at; index -= 1) {
    times.all[index] = at
  }
}

const timeAt = ({ all }: Times, index: number): number => all[index] ?? Infinity

function indexAfter(times: Times, after: number): number {
  let [low, high] = [times.head, times.all.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (timeAt(times, middle) > after) high = middle
    else low = middle + 1
  }
  return low
}
