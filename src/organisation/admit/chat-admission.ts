// The types of what admit-chat.ts answers the Worker about a chat completion: admitted, repeated, refused, or to be scanned first.
import type { RateState } from '../../keys/rate-limits.policy.ts'
import type { VersionedPolicy } from '../../policies/document/policy-document.ts'
import type { PolicyRefusal } from '../../policies/document/rule.ts'
import type { Tier } from '../../policies/tier.policy.ts'
import type { CallRefusal } from './check-call.ts'
import type { RefusedApproval } from '../approvals/ask-approval.ts'
import type { ContentPlace } from '../content/content-object.ts'
import type { RepeatedChat, AnswerHandling } from './stored-answers.ts'
import type { Recorded } from './record-chat.ts'

/**
 * `policy_needed`: nothing is decided or written. The policy needs a scan of the text, and there was none under this policy. The
 * Worker scans and asks again. A refusal with a `position` was recorded. Sent to the provider: `maxTokens`, the most that the
 * model may write for each choice, and `cacheInstructions`, true to cache long instructions.
 */
export type ChatAdmission =
  | ({ outcome: 'admitted'; rate: RateState; organisationId: string; tier: Tier } & ProviderOptions &
      AnswerHandling &
      ContentStorage &
      Recorded)
  | CallRefusal
  | RepeatedChat
  | ({ outcome: 'model_not_allowed'; rate: RateState; reason: 'tier' | 'provider'; tier: Tier } & Recorded)
  | ({ outcome: 'policy_blocked'; rate: RateState } & PolicyRefusal & Recorded)
  | ({ outcome: 'loop_detected'; rate: RateState; retryAfterSeconds: number } & Recorded)
  | ({ outcome: 'approval_required'; rate: RateState } & RefusedApproval & Recorded)
  | { outcome: 'policy_needed'; rate: RateState; policy: VersionedPolicy }
  /** Counted as a request that cannot be run. */
  | { outcome: 'cohort_not_declared'; rate: RateState }
  /** The model does not take all parameters, and the settings refuse to drop any. Counted likewise. */
  | { outcome: 'unsupported'; rate: RateState }

/** `contentPlace`: where request and answer are to be stored for the organisation's people; null if they are not. */
type ContentStorage = { contentPlace: ContentPlace | null }

type ProviderOptions = { maxTokens: number; cacheInstructions: boolean }
