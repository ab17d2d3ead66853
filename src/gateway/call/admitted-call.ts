// A chat call that the organisation has admitted and written down: what every later step needs of it. It waits as long as
// the provider takes, so the request itself is not in it.
import type { AttestationRecord } from '../../evidence/records/record.ts'
import type { ParsedKey } from '../../keys/key-format.ts'
import type { EurRate } from '../../providers/cost.ts'
import type { ReleasedClaim } from '../../organisation/admit/repeated-chat.ts'
import type { AnswerRecorder } from '../replay/answer-recorder.ts'
import type { CallContent } from '../content/call-content.ts'
import type { AnswerMemory } from '../memory/answer-memory.ts'
import { describeTrace, type Aqta } from './trace.ts'
import type { Bill } from './bill.ts'
import type { AnswerForm, CallOutline } from './answer-form.ts'

export type AdmittedCall = {
  readonly key: ParsedKey
  readonly outline: CallOutline
  readonly form: AnswerForm
  /** The most output tokens for each choice. */
  readonly maxTokens: number
  /** True if the organisation wants long instructions cached by the provider. */
  readonly cacheInstructions: boolean
  readonly mostOutputTokens: number
  readonly traceId: string
  readonly attestation: AttestationRecord
  /** The position of the decision in the organisation's ledger. */
  readonly position: number
  readonly eurRate: EurRate
  readonly startedAt: number
  /** The memory of its answer. The answer releases it. */
  readonly memory: AnswerMemory
  /** The claim of its idempotency key; null without one. */
  readonly claim: ReleasedClaim | null
  /** Null where its answer is not kept. */
  readonly recorder: AnswerRecorder | null
  /** The copy for the organisation's people; null if none is kept. */
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
