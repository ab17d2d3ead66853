// The events that an organisation's state is computed from: the entries of its log, and calls that left none. Also the clock that
// gives each its time, even if the machine's clock steps back.
import type { RecordOutcome } from '../../../evidence/records/call-endings.ts'
import type { VersionedPolicy } from '../../../policies/document/policy-document.ts'
import type { VersionedSettings } from '../../../policies/organisation-settings.ts'
import type { ApprovalEvent } from './approvals.ts'
import { MINUTE_MS } from '../../../platform/time.ts'

/** Outcomes of calls that leave no entry. `counted`: a list of models, a request that could not be run, and the like. */
export const CALL_OUTCOMES = ['counted', 'scope', 'closing', 'rate', 'quota', 'budget'] as const
export type CallOutcome = (typeof CALL_OUTCOMES)[number]

/** `at`: the time that the event counts for, in milliseconds, as `timeOf` returns it. */
export type StateEvent =
  | {
      kind: 'chat_decision'
      at: number
      keyId: string
      outcome: RecordOutcome
      /** 32 hexadecimal digits of the request's hash; null if it was not watched for loops. */
      loop: string | null
      /** The most that it can cost; null if it was not allowed. */
      reservedMicroeur: number | null
    }
  | {
      kind: 'referral_decision'
      at: number
      keyId: string
      /** Null for a reading that begins. */
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
  | {
      kind: 'cost_corrected'
      at: number
      /** The time that the call counts for, and its key. */
      countedAt: number
      keyId: string | null
      /** Added to its cost; may be below 0. */
      moreMicroeur: number
    }
  | { kind: 'act'; at: number; /** Null if they did not change. */ settings: VersionedSettings | null }
  | { kind: 'policy'; at: number; policy: VersionedPolicy }
  | { kind: 'hour_counts'; at: number }
  | { kind: 'coverage'; at: number; key: string; position: number; /** In milliseconds. */ until: number }
  | ApprovalEvent
  | {
      kind: 'call'
      at: number
      keyId: string
      /** True for a key of the gateway. Only those keys' calls count for the organisation. */
      ofGateway: boolean
      outcome: CallOutcome
    }

/**
 * If the clock steps back by at most this, events count for the latest time until it is reached again. So no window opens twice.
 * A larger step means that the clock was wrong before: what counted for later times then counts for the new time.
 */
export const MOST_STEP_BACK_MS = 10 * MINUTE_MS

/** `latest`: the latest time of all events; 0 before the first. `runs`: each step back of the time, the oldest first. */
export type EventClock = { latest: number; runs: ClockStep[] }

/** The clock stepped back to `at` at this position. Events before it with a later time count as `at`. */
export type ClockStep = { position: number; at: number }

export const MOST_STEPS_BACK = 100

export const createClock = (): EventClock => ({ latest: 0, runs: [] })

/** Returns the time that an event at `now` counts for. */
export const timeOf = ({ clock: { latest } }: { clock: EventClock }, now: number): number =>
  now < latest && latest - now <= MOST_STEP_BACK_MS ? latest : now

export function stepClockBack({ clock, next }: { clock: EventClock; next: number }, at: number): void {
  clock.latest = at
  clock.runs.push({ position: next, at })
  if (clock.runs.length > MOST_STEPS_BACK) clock.runs.shift()
}
