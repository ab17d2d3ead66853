// The events of an organisation, as the fold takes them in, and the time that each counts for. All but calls are entries of its
// log.
import type { VersionedPolicy } from '../../../policies/document/policy-document.ts'
import type { VersionedSettings } from '../../../policies/organisation-settings.ts'
import type { ApprovalEvent } from './approvals.ts'
import { MINUTE_MS } from '../../../platform/time.ts'

export const CHAT_OUTCOMES = ['ALLOWED', 'BLOCKED', 'SUPPRESSED'] as const
export type ChatOutcome = (typeof CHAT_OUTCOMES)[number]

/** Outcomes of calls that leave no entry. `counted`: a list of models, a request that could not be run, and the like. */
export const CALL_OUTCOMES = ['counted', 'scope', 'closing', 'rate', 'quota', 'budget'] as const
export type CallOutcome = (typeof CALL_OUTCOMES)[number]

/** `at`: the time it counts for, in milliseconds, as `timeOf` tells it. */
export type Event =
  | {
      kind: 'chat_decision'
      at: number
      keyId: string
      outcome: ChatOutcome
      /** 32 hexadecimal digits of the request's hash; null where it was not watched for loops. */
      loop: string | null
      /** The most it can cost; null where it was not allowed. */
      reservedMicroeur: number | null
    }
  | {
      kind: 'referral_decision'
      at: number
      keyId: string
      /** Null of a reading that begins. */
      outcome: string | null
      reservedMicroeur: number | null
    }
  | {
      kind: 'settlement'
      at: number
      /** The position of the decision that it ends: a chat or a reading. */
      settles: number
      costMicroeur: number
      outcome: 'settled' | 'interrupted'
    }
  | { kind: 'act'; at: number; /** Null where they did not change. */ settings: VersionedSettings | null }
  | { kind: 'policy'; at: number; policy: VersionedPolicy }
  | { kind: 'hour_counts'; at: number }
  | ApprovalEvent
  | {
      kind: 'call'
      at: number
      keyId: string
      /** True if the key is one of the gateway: the others' calls are not the organisation's. */
      ofGateway: boolean
      outcome: CallOutcome
    }

/**
 * How far back a step of the clock is waited for: events then count for the latest time until the clock has come that far again,
 * so that no window is opened twice. A clock that was further ahead was wrong: what counted for later times then counts for now.
 */
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
