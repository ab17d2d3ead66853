// The errors of a chat call that the organisation's decision refuses, and of a repeated call whose answer is not replayed.
import type { AttestationRecord } from '../../evidence/records/attestation-record.ts'
import type { ChatAdmission } from '../../organisation/admit/admission-outcomes.ts'
import type { RepeatedChat, SealedAnswer } from '../../organisation/admit/answer-reuse.ts'
import type { ApprovalRefusal, RefusedApproval } from '../../organisation/approvals/chat-approval.ts'
import { AppError } from '../../platform/errors.ts'
import { ruleOf } from '../../policies/rules/index.ts'
import { APPROVAL_HEADER } from './call-headers.ts'
import { callError, modelNotAllowed, withAqta } from './call-errors.ts'
import { buildAqta, type Aqta } from './trace.ts'

type RecordedRefusal = Extract<
  ChatAdmission,
  { outcome: 'model_not_allowed' | 'policy_blocked' | 'loop_detected' | 'approval_required' }
>

export function decisionError(refusal: RecordedRefusal, attestation: AttestationRecord): AppError {
  const aqta = buildAqta({ attestation, provider: null })
  switch (refusal.outcome) {
    case 'model_not_allowed':
      return modelNotAllowed(refusal.reason, withAqta(aqta))
    case 'policy_blocked':
      return policyBlocked(refusal, aqta)
    case 'approval_required':
      return approvalRequired(refusal, aqta)
    case 'loop_detected':
      return callError('loop', { retryAfterSeconds: refusal.retryAfterSeconds, ...withAqta(aqta) })
  }
}

type BlockedByPolicy = Extract<ChatAdmission, { outcome: 'policy_blocked' }>

/** Programs read `policy` and `reason`, which are in the log entry too. */
function policyBlocked({ policy, reason, dataRegions }: BlockedByPolicy, aqta: Aqta): AppError {
  const { members, beside } = withAqta(aqta)
  const regions = dataRegions === undefined ? {} : { data_regions: dataRegions }
  const { param = null, byReason = {}, ...text } = ruleOf(policy).refusal ?? REFUSED
  const { problem, remedy } = byReason[reason.split(':', 1)[0] ?? reason] ?? text
  const details = {
    param,
    members: { ...members, policy, reason, ...regions },
    beside,
    headers: { 'x-should-retry': 'false' },
  }
  return new AppError('policy_blocked', `${problem} (${policy}: ${reason}). ${remedy}`, details)
}

const REFUSED: NonNullable<ReturnType<typeof ruleOf>['refusal']> = {
  problem: 'Your organisation’s policy blocked this request before a provider saw it',
  remedy: 'Ask an owner or admin about the policy.',
}

/** Programs read `reason`, which is in the log entry too. */
function approvalRequired({ reason, approval }: RefusedApproval, aqta: Aqta): AppError {
  const { members, beside } = withAqta(aqta)
  const shown = approval && {
    approval_id: approval.id,
    expires_at: new Date(approval.expiresAt).toISOString(),
    location: `/v1/approvals/${approval.id}`,
  }
  return new AppError('approval_required', APPROVAL_TEXTS[reason], {
    members: { ...members, policy: 'human_approval', reason, ...shown },
    beside,
  })
}

const ASK_FOR_ANOTHER = `Send the request without ${APPROVAL_HEADER} to ask for another approval.`

const APPROVAL_TEXTS: Readonly<Record<ApprovalRefusal, string>> = {
  approval_required: `A person must approve this request before a provider sees it. Wait until the approval at location is approved, then send the same request with ${APPROVAL_HEADER}.`,
  approvals_full:
    'This key or your organisation has too many requests that wait for approval. Try again when some are decided.',
  not_found: `There is no approval with this id for this request. ${ASK_FOR_ANOTHER}`,
  in_use: 'Another call is running with this approval. Wait until it ends, then send this again.',
  used: `This approval was already used for one request. ${ASK_FOR_ANOTHER}`,
  denied: 'A person of your organisation denied this request. Change the request, or ask that person why.',
  expired: `This approval has expired. ${ASK_FOR_ANOTHER}`,
  withdrawn: `The policy or the key changed, so this approval is no longer valid. ${ASK_FOR_ANOTHER}`,
  key_id_differs: 'This approval is for a request with another key. Send the request with that key.',
  request_hash_differs: `This approval is for another body. Send exactly the approved body, or leave out ${APPROVAL_HEADER} to ask for another approval.`,
  use_case_differs: 'This approval is for another use case. Send the approved one in x-aqta-use-case.',
  data_region_differs: `This approval is for a narrower data region than this request. Send the region that it was asked for, or leave out ${APPROVAL_HEADER} to ask for another approval.`,
  policy_version_differs: `The policy changed after this approval was asked for. ${ASK_FOR_ANOTHER}`,
}

/** Returns where the first answer is stored. Throws if it must not be replayed. */
export function storedAnswerOf(repeated: RepeatedChat): SealedAnswer {
  if (repeated.outcome === 'other_request') throw callError('other_request')
  if (repeated.isRunning) throw callError('first_is_running')
  if (repeated.answer === null) throw callError('answer_not_stored')
  return repeated.answer
}
