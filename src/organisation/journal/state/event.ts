// The events of an organisation, as the fold takes them in. All but calls are entries of its log.
import type { VersionedPolicy } from '../../../policies/document/policy-document.ts'
import type { VersionedSettings } from '../../../policies/organisation-settings.ts'
import type { ApprovalEvent } from './approvals.ts'

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
