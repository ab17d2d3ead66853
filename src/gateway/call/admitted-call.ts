// A chat call that the organisation has admitted and written down: what every later step needs of it. It waits as long as
// the provider takes, so the request itself is not in it.
import type { AttestationRecord } from '../../evidence/records/record.ts'
import type { ParsedKey } from '../../keys/key-format.ts'
import type { EurRate } from '../../providers/cost.ts'
import type { ReleasedClaim } from '../../organisation/admit/repeated-chat.ts'
import type { AnswerKeeper } from '../replay/answer-keeper.ts'
import type { CallContent } from '../content/call-content.ts'
import type { AnswerPlace } from '../memory/answer-place.ts'
import type { Aqta } from './aqta.schema.ts'
import type { Bill } from './bill.ts'
import type { AnswerForm } from './answer-form.ts'
import type { CallOutline } from './call-outline.ts'
import { describeTrace } from './trace.ts'

export type AdmittedCall = {
  readonly key: ParsedKey
  readonly outline: CallOutline
  readonly form: AnswerForm
  /** What its model may write for each choice, and for all. */
  readonly maxTokens: number
  /** Whether its organisation has long instructions kept. */
  readonly cacheInstructions: boolean
  readonly mostOutputTokens: number
  readonly traceId: string
  readonly attestation: AttestationRecord
  /** Of the decision in the organisation's ledger. */
  readonly position: number
  readonly eurRate: EurRate
  readonly startedAt: number
  /** The place of its answer in memory; the answer releases it. */
  readonly place: AnswerPlace
  /** Of its idempotency key; null where it has none. */
  readonly claim: ReleasedClaim | null
  /** Null where its answer is not kept. */
  readonly keeper: AnswerKeeper | null
  /** What is kept of it for the organisation's people; null where nothing is. */
  readonly content: CallContent | null
}

/** `aqta` of a call that passed, once its cost is known. `reached`: whether its provider was. */
export function describeCall({ attestation, outline }: AdmittedCall, bill: Bill, reached = true): Aqta {
  return describeTrace({
    attestation,
    status: 'passed',
    provider: reached ? outline.model.provider : null,
    costMicroeur: bill.costMicroeur,
    estimated: bill.estimated,
  })
}
