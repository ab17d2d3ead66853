// Computes an organisation's state from its events, one after another. The object holds the state in memory and decides from it.
// Without I/O, so the same events always make the same state. Only events that were written change it, in place.
import { NO_POLICY, type VersionedPolicy } from '../../../policies/document/policy-document.ts'
import { DEFAULT_SETTINGS, type VersionedSettings } from '../../../policies/organisation-settings.ts'
import { applyApprovals, createApprovals, clampTimesOfApprovals, type Approvals } from './approvals.ts'
import { applyCoverage, createCoverage, type Coverage } from './coverage.ts'
import { applyCalls, clampTimesOfCalls, type Calls } from './calls.ts'
import { createClock, stepClockBack, type StateEvent, type EventClock } from './state-event.ts'
import { applyCounts, createHourCounts, clampTimesOfCounts, type HourCounts } from './current-hour.ts'
import { applyLoops, createLoops, clampTimesOfLoops, type Loops } from './loops.ts'
import { applyMonths, createMonths, clampTimesOfMonths, type Months } from './monthly-usage.ts'
import { applySpending, createSpending, clampTimesOfSpending, type Spending } from './spending.ts'
import { applyReadings, createReadings, clampTimesOfReadings, type Readings } from './readings.ts'

export type State = {
  /** The position of the next entry. */
  next: number
  clock: EventClock
  settings: VersionedSettings
  policy: VersionedPolicy
  calls: Calls
  months: Months
  spending: Spending
  readings: Readings
  loops: Loops
  counts: HourCounts
  approvals: Approvals
  coverage: Coverage
}

export const emptyState = (): State => ({
  next: 0,
  clock: createClock(),
  settings: { ...DEFAULT_SETTINGS, version: 0 },
  policy: NO_POLICY,
  calls: new Map(),
  months: createMonths(),
  spending: createSpending(),
  readings: createReadings(),
  loops: createLoops(),
  counts: createHourCounts(),
  approvals: createApprovals(),
  coverage: createCoverage(),
})

/** The order matters: spending needs a settlement's chat while it is open in months; loops need the old settings and policy. */
const APPLY: ReadonlyArray<(state: State, event: StateEvent) => void> = [
  applyCalls,
  applySpending,
  applyMonths,
  applyReadings,
  applyLoops,
  applyCounts,
  applyApprovals,
  applySettings,
  applyPolicy,
  applyCoverage,
]

/** The clock comes last, because the others need the latest time before the step. */
const CLAMP_TIMES: ReadonlyArray<(state: State, at: number) => void> = [
  clampTimesOfCalls,
  clampTimesOfMonths,
  clampTimesOfSpending,
  clampTimesOfReadings,
  clampTimesOfLoops,
  clampTimesOfCounts,
  clampTimesOfApprovals,
  stepClockBack,
]

/** Applies an event. Call it in the turn that wrote the event, after the write. */
export function applyToState(state: State, event: StateEvent): void {
  if (event.at < state.clock.latest) clampTimes(state, event.at)
  state.clock.latest = event.at
  for (const applyTo of APPLY) applyTo(state, event)
  if (event.kind !== 'call') state.next += 1
}

/** Moves everything that counted for a later time back to `at`. */
export function clampTimes(state: State, at: number): void {
  for (const clampTimesOf of CLAMP_TIMES) clampTimesOf(state, at)
}

function applySettings(state: State, event: StateEvent): void {
  if (event.kind === 'act' && event.settings !== null) state.settings = event.settings
}

function applyPolicy(state: State, event: StateEvent): void {
  if (event.kind === 'policy') state.policy = event.policy
}
