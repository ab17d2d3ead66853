// Types of the answers that admit-chat.ts gives about a chat completion: admitted, repeated, refused, or to be scanned first.
import type { RateState } from '../../keys/rate-limits.policy.ts'
import type { PolicyRefusal, VersionedPolicy } from '../../policies/document/policy-document.ts'
import type { AnswerRule } from '../../policies/rules/pii-scan.rule.ts'
import type { DataRegion } from '../../platform/data-region.ts'
import type { EndpointId } from '../../providers/provider-registry.ts'
import type { Tier } from '../../policies/tier.policy.ts'
import type { CallRefusal } from './check-call.ts'
import type { RefusedApproval } from '../approvals/chat-approval.ts'
import type { ContentPlace } from '../content/content-object.ts'
import type { RepeatedChat, AnswerHandling } from './answer-reuse.ts'
import type { RecordedDecision } from './record-chat.ts'

/**
 * `scan_needed`: nothing is decided or written, because the policy first needs a scan of the text. The Worker scans and asks
 * again. A refusal with a `position` was recorded. `isLoop`: the request belongs to a loop that its key for evaluation only reports. `dataRegions`: those in which the request would have a route. Two members go to
 * the provider: `maxTokens`, the most that the model may write for each choice, and `cacheInstructions`, true to cache long
 * instructions.
 */
export type ChatAdmission =
  | ({ outcome: 'admitted'; rate: RateState; organisationId: string; tier: Tier; isLoop: boolean } & ProviderOptions &
      AnswerHandling &
      ContentStorage &
      RecordedDecision)
  | CallRefusal
  | RepeatedChat
  | ({ outcome: 'model_not_allowed'; rate: RateState; reason: 'tier' | 'provider'; tier: Tier } & RecordedDecision)
  | ({ outcome: 'policy_blocked'; rate: RateState; dataRegions?: readonly DataRegion[] } & PolicyRefusal &
      RecordedDecision)
  | ({ outcome: 'loop_detected'; rate: RateState; retryAfterSeconds: number } & RecordedDecision)
  | ({ outcome: 'approval_required'; rate: RateState } & RefusedApproval & RecordedDecision)
  | { outcome: 'scan_needed'; rate: RateState; policy: VersionedPolicy }
  /** Counted as a request that cannot be run. */
  | { outcome: 'cohort_not_declared'; rate: RateState }
  /** The header asks for a wider region than the policy or the key allows. Counted in the same way. */
  | { outcome: 'data_region_wider'; rate: RateState }
  /** The routes that the organisation allows do not take the request. `endpoint`: that of the first. Counted in the same way. */
  | { outcome: 'unfit'; rate: RateState; endpoint: EndpointId }
  /** The model does not take all parameters, and the settings refuse to drop any. Counted in the same way. */
  | { outcome: 'unsupported'; rate: RateState }

/** `contentPlace`: where request and answer are to be stored for the organisation's people; null if they are not. */
type ContentStorage = { contentPlace: ContentPlace | null }

export type AllowedEndpoint = { model: string; endpoint: EndpointId }

type ProviderOptions = {
  maxTokens: number
  cacheInstructions: boolean
  /** The routes that the request may be sent by, in this order, and no others. */
  routes: readonly AllowedEndpoint[]
  dataRegion: DataRegion
  /** The part about answers of the policy that decided; null if answers are not searched. */
  answers: AnswerRule | null
}
