// Counts what happens after the last entry of hour counts. The next such entry, at the end of the hour, is made of these.
import { HOUR_MS } from '../../../platform/time.ts'
import type { CallOutcome, ChatOutcome, Event } from './event.ts'

export type HourCounts = {
  /** The first position that is counted here. */
  from: number
  /** The hour of the first counted event, in whole hours since the epoch; null if nothing was counted. */
  hour: number | null
  chats: Record<ChatOutcome, number>
  /** Referral decisions by their outcome. */
  referrals: Map<string, number>
  /** Readings that began. Their settlements say how they ended. */
  readings: number
  /** Calls without an entry. */
  calls: Record<CallOutcome, number>
}

export const createCounts = (from = 0): HourCounts => ({
  from,
  hour: null,
  chats: { ALLOWED: 0, BLOCKED: 0, SUPPRESSED: 0 },
  referrals: new Map(),
  readings: 0,
  calls: { counted: 0, scope: 0, closing: 0, rate: 0, quota: 0, budget: 0 },
})

/** Returns when the counts are to be written: the end of their hour, in milliseconds; null if nothing was counted. */
export const dueAt = ({ hour }: HourCounts): number | null => (hour === null ? null : (hour + 1) * HOUR_MS)

export function applyCounts(state: { counts: HourCounts; next: number }, event: Event): void {
  const { counts } = state
  switch (event.kind) {
    case 'chat_decision':
      counts.chats[event.outcome] += 1
      break
    case 'referral_decision':
      if (event.outcome === null) counts.readings += 1
      else counts.referrals.set(event.outcome, (counts.referrals.get(event.outcome) ?? 0) + 1)
      break
    case 'call':
      counts.calls[event.outcome] += 1
      break
    case 'hour_counts':
      state.counts = createCounts(state.next + 1)
      return
    case 'settlement':
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
