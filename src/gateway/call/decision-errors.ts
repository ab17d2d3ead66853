// The errors of a chat call that the organisation's decision refuses, and of a repeated call whose answer is not replayed.
import type { AttestationRecord } from '../../evidence/records/attestation-record.ts'
import type { ChatAdmission } from '../../organisation/admit/admission-outcomes.ts'
import type { RepeatedChat, SealedAnswer } from '../../organisation/admit/answer-reuse.ts'
import type { ApprovalRefusal, RefusedApproval } from '../../organisation/approvals/chat-approval.ts'
import { AppError } from '../../platform/errors.ts'
import { NOT_REDACTABLE } from '../../policies/document/pii-scan.policy.ts'
import type { PolicyId, PolicyRefusal } from '../../policies/document/policy-rule.ts'
import { APPROVAL_HEADER, USE_CASE_HEADER } from './call-headers.ts'
import { callError, modelNotAllowed, withAqta } from './call-errors.ts'
import { buildAqta, type Aqta } from './trace.ts'

type RecordedRefusal = Extract<
  ChatAdmission,
  { outcome: 'model_not_allowed' | 'policy_blocked' | 'loop_detected' | 'approval_required' }
>

/** Returns the error for a refusal that is recorded in the log and has a trace. */
export function decisionError(refusal: RecordedRefusal, attestation: AttestationRecord): AppError {
  const status = refusal.outcome === 'loop_detected' ? 'suppressed' : 'blocked'
  const aqta = buildAqta({ attestation, status, provider: null })
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

/** Programs read `policy` and `reason`, which are in the log entry too. */
function policyBlocked({ policy, reason }: PolicyRefusal, aqta: Aqta): AppError {
  const { members, beside } = withAqta(aqta)
  const details = { param: PARAM_OF_RULE[policy] ?? null, members: { ...members, policy, reason }, beside }
  const message = `${POLICY_SENTENCES[reason.split(':', 1)[0] ?? reason] ?? RULE_SENTENCES[policy] ?? POLICY_REFUSED} No provider saw the request.`
  return new AppError('policy_blocked', `${message} The rule is ${policy}: ${reason}.`, details)
}

const PARAM_OF_RULE: Partial<Record<PolicyId, string>> = { model_allowlist: 'model', use_case_guard: USE_CASE_HEADER }

const POLICY_REFUSED = 'Your organisation’s policy does not let this request be sent.'

const POLICY_SENTENCES: Readonly<Record<string, string>> = {
  [NOT_REDACTABLE]:
    'Your organisation’s policy redacts values of these shapes, and the request has one where a placeholder cannot stand: in an address, in the name of a function, or in a name or number of a schema. Take it out there.',
  use_case_required: `Your organisation’s policy asks every request to declare what it is for: send ${USE_CASE_HEADER}.`,
}

const RULE_SENTENCES: Partial<Record<PolicyId, string>> = {
  model_allowlist: 'Your organisation’s policy does not let this model be asked here. Choose another.',
  content_type_guard: 'Your organisation’s policy does not let a request have this content, or so much of it.',
  use_case_guard: 'Your organisation’s policy does not let requests be sent for this use case.',
  pii_scan:
    'The text of the request holds what your organisation’s policy does not let be sent. Take out what has these shapes.',
  prompt_injection_guard:
    'The text of the request looks like an attempt to give the model other instructions, which your organisation’s policy does not let be sent.',
}

/** Programs read `reason`, which is in the log entry too. */
function approvalRequired({ reason, approval }: RefusedApproval, aqta: Aqta): AppError {
  const { members, beside } = withAqta(aqta)
  const shown = approval && {
    approval_id: approval.id,
    expires_at: new Date(approval.expiresAt).toISOString(),
    location: `/v1/approvals/${approval.id}`,
  }
  return new AppError('approval_required', `${APPROVAL_SENTENCES[reason]} No provider saw the request.`, {
    members: { ...members, policy: 'human_approval', reason, ...shown },
    beside,
  })
}

const ASK_FOR_ANOTHER = `Send the request without ${APPROVAL_HEADER} to ask for another.`

const APPROVAL_SENTENCES: Readonly<Record<ApprovalRefusal, string>> = {
  approval_required: `A person of your organisation must approve this request. Once the approval at location is approved, send the very same request with the header ${APPROVAL_HEADER}.`,
  approvals_full:
    'As many requests wait for a person as may, of this key or of your organisation. Ask again once some are decided.',
  not_found: `There is no such approval. ${ASK_FOR_ANOTHER}`,
  in_use: 'Another call runs with this approval at this moment.',
  used: `This approval was used: a request runs with it once. ${ASK_FOR_ANOTHER}`,
  denied: 'A person of your organisation has decided that this request does not run.',
  expired: `The time of this approval is over. ${ASK_FOR_ANOTHER}`,
  withdrawn: `This approval does not count any more: the policy or the key has changed. ${ASK_FOR_ANOTHER}`,
  key_id_differs: 'This approval is of a request with another key.',
  request_hash_differs: `This approval is of a request with another body. Send the very body that was approved, or: ${ASK_FOR_ANOTHER}`,
  use_case_differs: 'This approval is of a request with another use case (x-aqta-use-case).',
  policy_version_differs: `This approval was asked for under another policy. ${ASK_FOR_ANOTHER}`,
}

/** Returns where the first answer is stored. Throws if it must not be replayed. */
export function storedAnswerOf(repeated: RepeatedChat): SealedAnswer {
  if (repeated.outcome === 'other_request') throw callError('other_request')
  if (repeated.isRunning) throw callError('first_is_running')
  if (repeated.answer === null) throw callError('answer_not_stored')
  return repeated.answer
}
