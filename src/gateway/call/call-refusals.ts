// The errors for requests whose decision is recorded but which do not run.
import type { AttestationRecord } from '../../evidence/records/record.ts'
import type { ChatAdmission } from '../../organisation/admit/chat-admission.ts'
import { AppError } from '../../platform/errors.ts'
import { approvalRequired } from './approval-refusals.ts'
import { modelNotAllowed, withAqta } from './model-refusals.ts'
import { policyBlocked } from './policy-refusals.ts'
import { describeTrace } from './trace.ts'

type Recorded = Extract<
  ChatAdmission,
  { outcome: 'model_not_allowed' | 'policy_blocked' | 'loop_detected' | 'approval_required' }
>

/** A refusal of the request itself, which is in the ledger and has a trace. */
export function decisionError(refusal: Recorded, attestation: AttestationRecord): AppError {
  switch (refusal.outcome) {
    case 'model_not_allowed':
      return modelNotAllowed(refusal.reason, describeTrace({ attestation, status: 'blocked', provider: null }))
    case 'policy_blocked':
      return policyBlocked(refusal, describeTrace({ attestation, status: 'blocked', provider: null }))
    case 'approval_required':
      return approvalRequired(refusal, describeTrace({ attestation, status: 'blocked', provider: null }))
    case 'loop_detected':
      return new AppError('loop_detected', LOOP, {
        retryAfterSeconds: refusal.retryAfterSeconds,
        ...withAqta(describeTrace({ attestation, status: 'suppressed', provider: null })),
      })
  }
}

const BUSY_SECONDS = 5 // about as long as an answer takes

export const noRoomForAnswer = (): AppError =>
  new AppError(
    'service_unavailable',
    'Too many answers are being waited for or read at this moment. Read those that have begun, and try again in a few seconds.',
    { retryAfterSeconds: BUSY_SECONDS },
  )

const LOOP =
  'This request, or a cycle of requests, was repeated so often that it looks like a loop. Stop it for a minute.'
