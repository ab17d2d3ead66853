// A state built anew: the newest small snapshot, the events of the minutes before it for what it leaves out, and then the
// events after it. And the proof of it: two states that should be one, compared.
import { CALL_WINDOW_MS, rememberCall, takeBackWindows } from './calls.ts'
import type { Event } from './event.ts'
import { rememberRequest, takeBackRequests, thresholdsOf } from './loops.ts'
import { presentState } from './snapshot.ts'
import type { State } from './state.ts'

/** Returns the horizon in milliseconds: an event this long before the latest, or longer, is in no window. */
export function horizonMs(state: State): number {
  const { repeatWindowMs, cycleWindowMs } = thresholdsOf(state)
  return Math.max(CALL_WINDOW_MS, repeatWindowMs, cycleWindowMs)
}

/**
 * Takes in what a small snapshot leaves out. `events`: all that came after the last event whose own time is the horizon or
 * more before the snapshot's latest time, up to the snapshot, in their order. More of them before do no harm.
 */
export function remember(state: State, events: Iterable<Event>): void {
  let latest = 0
  for (const event of events) {
    if (event.at < latest) {
      takeBackWindows(state.calls, latest, event.at)
      takeBackRequests(state, latest, event.at)
    }
    latest = event.at
    rememberCall(state, event)
    rememberRequest(state, event)
  }
}

/** The paths at which two states differ, but for what has left its window. Empty where they are the same. */
export const differences = (a: State, b: State): string[] =>
  differencesOf(presentState(a, '', true), presentState(b, '', true), '')

function differencesOf(a: unknown, b: unknown, path: string): string[] {
  if (!isComposite(a) || !isComposite(b)) return Object.is(a, b) ? [] : [path]
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].flatMap((name) => differencesOf(a[name], b[name], path === '' ? name : `${path}.${name}`))
}

const isComposite = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
