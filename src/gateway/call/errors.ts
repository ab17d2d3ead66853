// The errors of a chat call: refused by a decision, by a policy or by the idempotency key, or failed at its provider. A provider's own
// words are never repeated: they can hold parts of keys and addresses.
import type { AttestationRecord } from '../../evidence/records/record.ts'
import type { ChatAdmission } from '../../organisation/admit/chat-admission.ts'
import type { KeptPlace, RepeatedChat } from '../../organisation/admit/repeated-chat.ts'
import type { ApprovalRefusal, RefusedApproval } from '../../organisation/approvals/ask-approval.ts'
import { AppError } from '../../platform/errors.ts'
import { IDEMPOTENCY_HEADER } from '../../platform/form.ts'
import { NOT_REDACTABLE } from '../../policies/document/pii-scan.policy.ts'
import type { PolicyId, PolicyRefusal } from '../../policies/document/rule.ts'
import type { Failure, UpstreamFailure } from '../../providers/failure.ts'
import type { RefusalReason } from '../../providers/refusal.ts'
import type { AnswerForm } from './answer-form.ts'
import { APPROVAL_HEADER, USE_CASE_HEADER } from './call-headers.ts'
import { describeTrace, type Aqta } from './trace.ts'

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

export const providerNotConfigured = (): AppError =>
  new AppError(
    'service_unavailable',
    'This model’s provider is not set up at this address. Choose another model, or tell the operator.',
    { headers: { 'x-should-retry': 'false' } },
  )

const LOOP =
  'This request, or a cycle of requests, was repeated so often that it looks like a loop. Stop it for a minute.'

/** @param aqta where a decision about it is recorded */
export const modelNotAllowed = (reason: 'tier' | 'provider', aqta?: Aqta): AppError =>
  new AppError('model_not_allowed', NOT_ALLOWED[reason], { param: 'model', ...(aqta && withAqta(aqta)) })

const NOT_ALLOWED = {
  tier: 'The tier of your organisation does not include this model. GET /v1/models lists those that it does.',
  provider:
    'Your organisation has not enabled this model’s provider (setting: enabled_providers). GET /v1/models lists what is enabled.',
}

/** Puts `aqta` beside the error, as on every answer, and within it: OpenAI's SDKs pass on only the inside. */
const withAqta = (aqta: Aqta) => ({ members: { aqta }, beside: { aqta } })

/** The program goes by `policy` and `reason`, which are in the record's entry too. */
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

/** The program goes by `reason`, which is in the record's entry too. */
function approvalRequired({ reason, approval }: RefusedApproval, aqta: Aqta): AppError {
  const { members, beside } = withAqta(aqta)
  const told = approval && {
    approval_id: approval.id,
    expires_at: new Date(approval.expiresAt).toISOString(),
    location: `/v1/approvals/${approval.id}`,
  }
  return new AppError('approval_required', `${APPROVAL_SENTENCES[reason]} No provider saw the request.`, {
    members: { ...members, policy: 'human_approval', reason, ...told },
    beside,
  })
}

const ANEW = `Send the request without ${APPROVAL_HEADER} to ask for another.`

const APPROVAL_SENTENCES: Readonly<Record<ApprovalRefusal, string>> = {
  approval_required: `A person of your organisation must approve this request. Once the approval at location is approved, send the very same request with the header ${APPROVAL_HEADER}.`,
  approvals_full:
    'As many requests wait for a person as may, of this key or of your organisation. Ask again once some are decided.',
  not_found: `There is no such approval. ${ANEW}`,
  in_use: 'Another call runs with this approval at this moment.',
  used: `This approval was used: a request runs with it once. ${ANEW}`,
  denied: 'A person of your organisation has decided that this request does not run.',
  expired: `The time of this approval is over. ${ANEW}`,
  withdrawn: `This approval does not count any more: the policy or the key has changed. ${ANEW}`,
  key_id_differs: 'This approval is of a request with another key.',
  request_hash_differs: `This approval is of a request with another body. Send the very body that was approved, or: ${ANEW}`,
  use_case_differs: 'This approval is of a request with another use case (x-aqta-use-case).',
  policy_version_differs: `This approval was asked for under another policy. ${ANEW}`,
}

const RUNNING_SECONDS = 2
const UNREAD_SECONDS = 5

/** The place of the stored first answer. Throws if it must not be replayed. */
export function keptAnswerOf(repeated: RepeatedChat): KeptPlace {
  if (repeated.outcome === 'other_request') {
    throw new AppError('idempotency_conflict', OTHER_REQUEST, { param: IDEMPOTENCY_HEADER })
  }
  if (repeated.isRunning) {
    throw new AppError('conflict', FIRST_IS_RUNNING, { param: IDEMPOTENCY_HEADER, retryAfterSeconds: RUNNING_SECONDS })
  }
  if (repeated.answer === null) throw answerNotKept()
  return repeated.answer
}

export const answerNotKept = (): AppError => new AppError('conflict', STORED_NOT_KEPT, { param: IDEMPOTENCY_HEADER })

export const answerNotRead = (): AppError =>
  new AppError('service_unavailable', STORED_NOT_READ, { retryAfterSeconds: UNREAD_SECONDS })

const OTHER_REQUEST =
  'Another request was made with this idempotency-key, and this one was not run. Send a new key with each request that is another.'
const FIRST_IS_RUNNING =
  'The first request with this idempotency-key is still being answered, and this one was not run. Wait for that answer, or send this again later.'
const STORED_NOT_KEPT =
  'This request was made before with this idempotency-key and was not run again, and what it was answered is not kept. A new key has it run anew; whether a model was asked the first time is in your ledger.'
const STORED_NOT_READ =
  'The answer that is kept for this idempotency-key cannot be read at this moment. Send it again in a few seconds.'

/** @param form whose names the caller's members have */
export function upstreamError(failure: Failure, aqta: Aqta, form: Pick<AnswerForm, 'memberName'>): AppError {
  const final = { headers: NEVER, ...withAqta(aqta) }
  if (failure.kind === 'unsupported') {
    return new AppError('invalid_request', failure.message, { ...final, param: form.memberName(failure.param) })
  }
  const isLate = failure.cause === 'deadline' && failure.billed === 'no'
  if (isLate || !wasReached(failure)) return unreachedError(failure, aqta)
  const again = { ...comeBack(failure), headers: said(failure), ...withAqta(aqta) }
  switch (failure.cause) {
    case 'refused':
      return refusedError(failure, aqta, form)
    case 'access':
      return new AppError('provider_error', NO_ACCESS, final)
    case 'rate':
      return new AppError('rate_limit_exceeded', RATE, again)
    case 'overloaded':
    case 'unreachable':
      return new AppError('service_unavailable', BUSY, again)
    case 'no_room':
      return new AppError('service_unavailable', NO_ROOM, final)
    case 'caller':
      return new AppError('service_unavailable', NOT_READ, final)
    case 'no_headers':
    case 'silence':
    case 'deadline':
      return new AppError('provider_timeout', TIMED_OUT, final)
    case 'status':
      return new AppError('provider_error', failure.billed === 'no' ? TURNED_AWAY : FAILED, final)
    case 'error_event':
      return new AppError('provider_error', failure.refusal?.reason === 'content' ? STOPPED : FAILED, final)
    case 'cut':
    case 'malformed':
    case 'too_large':
      return new AppError('provider_error', FAILED, final)
  }
}

/** A fault of our own after the decision was recorded. */
export const crashError = (aqta: Aqta): AppError =>
  new AppError('internal_error', CRASHED, { headers: NEVER, ...withAqta(aqta) })

/** True if a request has reached the provider. */
export const wasReached = (failure: Failure | null): boolean =>
  failure === null || (failure.kind !== 'unsupported' && failure.isReached)

const NEVER = { 'x-should-retry': 'false' }

/** OpenAI's SDKs repeat 429 and 503 by themselves, unless they are told not to. */
const said = ({ retryable }: UpstreamFailure) => ({ 'x-should-retry': String(retryable) })

function unreachedError(failure: UpstreamFailure, aqta: Aqta): AppError {
  if (failure.cause === 'deadline') return new AppError('provider_timeout', LATE, { headers: NEVER, ...withAqta(aqta) })
  return new AppError('provider_error', UNREACHED, { ...comeBack(failure), ...withAqta(aqta) })
}

function refusedError({ refusal }: UpstreamFailure, aqta: Aqta, form: Pick<AnswerForm, 'memberName'>): AppError {
  const { reason, member } = refusal ?? { reason: 'unknown' as const, member: null }
  const rule = REFUSED[reason]
  const param = member === null ? null : form.memberName(member)
  const message = `${param === null ? '' : `${param}: `}${rule} Nothing was done and nothing is charged.`
  return new AppError('invalid_request', message, {
    ...(param === null ? {} : { param, fields: [{ path: param, rule }] }),
    headers: NEVER,
    ...withAqta(aqta),
  })
}

/** A longer delay that a provider asks for is cut to this: its limit of an hour is over by then. */
const MOST_RETRY_AFTER_SECONDS = 3_600

const comeBack = ({ retryAfterMs }: UpstreamFailure): { retryAfterSeconds: number } => ({
  retryAfterSeconds: Math.min(MOST_RETRY_AFTER_SECONDS, Math.max(1, Math.ceil((retryAfterMs ?? 0) / 1000))),
})

const REFUSED: Readonly<Record<RefusalReason, string>> = {
  too_long:
    'The request is longer than the model takes, the room for its answer included. Shorten it, ask for fewer tokens, or use a model that takes more.',
  beyond_rate:
    'The request alone is of more tokens, the room for its answer included, than this service may use with the model’s provider in a minute. Shorten it, ask for fewer tokens, or use another model.',
  too_large: 'The request is larger than the model’s provider takes. Send smaller or fewer pictures and files.',
  media:
    'The model’s provider cannot read a picture or a file. See that it is whole, of the type that it is said to be, and not too large, and that its address can be reached.',
  schema:
    'The model’s provider cannot use this JSON schema. Make it simpler (fewer keywords, levels and choices), or use another model.',
  content:
    'The model’s provider turns this content away by its own rules. Change it, or use a model of another provider.',
  member:
    'The model’s provider did not accept this member, or its value. Change it, leave it out, or use another model.',
  unknown: 'The model’s provider did not accept the request. Change it, or use another model.',
}

const NO_ACCESS =
  'The model’s provider did not accept this service’s own key, account or name of the model. Your request is not at fault: tell the operator the request id, or use a model of another provider. Nothing was done and nothing is charged.'
const RATE =
  'The model’s provider is over the rate that this service has with it, and has not done anything: this is not your own limit, and nothing is charged. Send the call again once retry_after is over, or use a model of another provider.'
const BUSY =
  'The provider is overloaded and has not done anything. Send the call again once retry_after is over, or use a model of another provider.'
const NO_ROOM =
  'The answer is too large for what there is room for at this moment. The provider has done its work: repeat the call only if doing it twice does no harm.'
const CRASHED =
  'Something went wrong on our side after the call was recorded. The provider may have done the work: repeat the call only if doing it twice does no harm.'
const UNREACHED = 'The provider could not be reached, and nothing was sent to it. Send the call again in a moment.'
const LATE =
  'The time that x-aqta-deadline-ms gives was over before the provider took the call, so that nothing was done. Give more.'
const NOT_READ = 'The answer was not read for so long that it was given up. Read it as it comes.'
const TIMED_OUT =
  'The provider did not answer in time. It may have done the work: repeat the call only if doing it twice does no harm.'
const TURNED_AWAY =
  'The model’s provider turned the call away and did not say why. Nothing was done and nothing is charged: tell the operator the request id, or use a model of another provider.'
const STOPPED =
  'The model’s provider stopped its answer by its own rules on content. Change the request, or use a model of another provider: asked again, it would most likely stop again. What it had done by then is charged.'
const FAILED =
  'The provider could not complete the call. It may have done part of the work: repeat the call only if doing it twice does no harm.'
