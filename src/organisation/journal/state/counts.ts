// Counts what happens after the last entry of counts: the next such entry, at the end of the hour, is made of these.
import { HOUR_MS } from '../../../platform/time.ts'
import type { CallOutcome, ChatOutcome, Event } from './event.ts'

export type HourCounts = {
  /** The position from which on entries are counted here. */
  from: number
  /** Whole hours since the epoch: that of the first that is counted; null where there is none. */
  hour: number | null
  chats: Record<ChatOutcome, number>
  /** Referral decisions by their outcome. */
  referrals: Map<string, number>
  /** Readings that began: how they ended is in their settlements. */
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

/** When an entry with the counts is to be written: at the end of the hour that they began in; null where there is none. */
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

export function takeBackCounts({ counts }: { counts: HourCounts }, at: number): void {
  if (counts.hour !== null) counts.hour = Math.min(counts.hour, hourOf(at))
}

const hourOf = (at: number): number => Math.floor(at / HOUR_MS)
