// Counts the calls and readings since the last `hour_counts` entry. At the end of the hour, the next such entry is made of these
// counts.
import { membersOf, RECORD_OUTCOMES, type RecordOutcome } from '../../../evidence/records/call-endings.ts'
import type { VersionedSettings } from '../../../policies/organisation-settings.ts'
import { planOf } from '../../../policies/tier.policy.ts'
import { HOUR_MS } from '../../../platform/time.ts'
import type { CallOutcome, StateEvent } from './state-event.ts'

export type HourCounts = {
  from: number
  /** The hour of the first counted event, in whole hours since the epoch; null if nothing was counted. */
  hour: number | null
  chats: Record<RecordOutcome, number>
  /** The least retention that a chat decision of the hour was given, in days; null without one. */
  retentionDays: number | null
  referrals: Map<string, number>
  /** Readings that began. Their settlements say how they ended. */
  readings: number
  /** Calls without an entry. */
  calls: Record<CallOutcome, number>
}

export const createHourCounts = (from = 0): HourCounts => ({
  from,
  hour: null,
  chats: membersOf(RECORD_OUTCOMES, () => 0),
  retentionDays: null,
  referrals: new Map(),
  readings: 0,
  calls: { counted: 0, scope: 0, closing: 0, rate: 0, quota: 0, budget: 0 },
})

/** Returns when the counts are to be written: the end of their hour, in milliseconds; null if nothing was counted. */
export const countsDueAt = ({ hour }: HourCounts): number | null => (hour === null ? null : (hour + 1) * HOUR_MS)

type CountedState = { counts: HourCounts; next: number; settings: VersionedSettings }

/** Call it before the event changes the settings, as the decision was given its retention. */
export function applyCounts(state: CountedState, event: StateEvent): void {
  const { counts } = state
  switch (event.kind) {
    case 'chat_decision':
      counts.chats[event.outcome] += 1
      counts.retentionDays = Math.min(counts.retentionDays ?? Infinity, planOf(state.settings).retentionDays)
      break
    case 'referral_decision':
      if (event.outcome === null) counts.readings += 1
      else counts.referrals.set(event.outcome, (counts.referrals.get(event.outcome) ?? 0) + 1)
      break
    case 'call':
      counts.calls[event.outcome] += 1
      break
    case 'hour_counts':
      state.counts = createHourCounts(state.next + 1)
      return
    case 'settlement':
    case 'coverage':
    case 'cost_corrected':
    case 'act':
    case 'policy':
    case 'approval':
      return
  }
  counts.hour ??= hourOf(event.at)
}

export function clampTimesOfCounts({ counts }: { counts: HourCounts }, at: number): void {
  if (counts.hour !== null) counts.hour = Math.min(counts.hour, hourOf(at))
}

const hourOf = (at: number): number => Math.floor(at / HOUR_MS)
