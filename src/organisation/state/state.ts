// An organisation's state: a fold over what was written. It is held in memory, where decisions are made from it, and is the
// same whenever it is built anew from the same events. Pure, and changed in place: only by what was written.
import { DEFAULT_SETTINGS, type VersionedSettings } from '../../policies/organisation-settings.ts'
import { applyCalls, takeBackCalls, type Calls } from './calls.ts'
import { createClock, takeBackClock, type EventClock } from './clock.ts'
import { applyCounts, createCounts, takeBackCounts, type HourCounts } from './counts.ts'
import type { Event } from './event.ts'
import { applyLoops, createLoops, takeBackLoops, type Loops } from './loops.ts'
import { applyMonths, createMonths, takeBackMonths, type Months } from './months.ts'
import { applyReadings, createReadings, takeBackReadings, type Readings } from './readings.ts'

export type State = {
  /** The position of the next entry. */
  next: number
  clock: EventClock
  settings: VersionedSettings
  calls: Calls
  months: Months
  readings: Readings
  loops: Loops
  counts: HourCounts
}

export const emptyState = (): State => ({
  next: 0,
  clock: createClock(),
  settings: { ...DEFAULT_SETTINGS, version: 0 },
  calls: new Map(),
  months: createMonths(),
  readings: createReadings(),
  loops: createLoops(),
  counts: createCounts(),
})

/** What each concern makes of an event. Loops compare the settings with those before, so these come after. */
const APPLY: ReadonlyArray<(state: State, event: Event) => void> = [
  applyCalls,
  applyMonths,
  applyReadings,
  applyLoops,
  applyCounts,
  applySettings,
]

/** The clock comes last, since what has left a window is told by the latest time before. */
const TAKE_BACK: ReadonlyArray<(state: State, at: number) => void> = [
  takeBackCalls,
  takeBackMonths,
  takeBackReadings,
  takeBackLoops,
  takeBackCounts,
  takeBackClock,
]

/** Belongs in the turn that wrote the event, after it. */
export function apply(state: State, event: Event): void {
  if (event.at < state.clock.latest) takeBack(state, event.at)
  state.clock.latest = event.at
  for (const applyTo of APPLY) applyTo(state, event)
  if (event.kind !== 'call') state.next += 1
}

/** Whatever counted for a later time counts for `at`. */
export function takeBack(state: State, at: number): void {
  for (const takeBackOf of TAKE_BACK) takeBackOf(state, at)
}

function applySettings(state: State, event: Event): void {
  if (event.kind === 'act' && event.settings !== null) state.settings = event.settings
}
