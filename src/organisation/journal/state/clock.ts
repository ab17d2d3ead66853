// The time that events count for, when the clock steps. It does not run backwards, so that no window is opened twice: where
// the clock steps back by minutes, events count for the latest time until the clock has come that far again. A clock that
// was further ahead was wrong, and nobody is to wait for it: what counted for later times then counts for now.
import { MINUTE_MS } from '../../../platform/time.ts'

/** How far back a step is waited for. */
export const HELD_MS = 10 * MINUTE_MS

/** `latest`: of all events; 0 before the first. `runs`: where the time fell, the oldest first. */
export type EventClock = { latest: number; runs: Run[] }

/** Times begin anew at `at` from this position on; those before it that are later count for `at`. */
export type Run = { position: number; at: number }

export const MOST_RUNS = 100

export const createClock = (): EventClock => ({ latest: 0, runs: [] })

/** The time that an event counts for which happens at `now`. */
export const timeOf = ({ clock: { latest } }: { clock: EventClock }, now: number): number =>
  now < latest && latest - now <= HELD_MS ? latest : now

export function takeBackClock({ clock, next }: { clock: EventClock; next: number }, at: number): void {
  clock.latest = at
  clock.runs.push({ position: next, at })
  if (clock.runs.length > MOST_RUNS) clock.runs.shift()
}
