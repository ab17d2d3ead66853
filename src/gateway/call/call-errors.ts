// The errors of a chat call as tables: fixed texts, and texts by the cause of a provider's failure. decision-errors.ts has the
// errors of a decision. SECURITY: a provider's own words are never repeated: they can contain parts of keys and URLs.
import { stopReason } from '../../evidence/records/answer-scan.ts'
import { ANSWERS_RULE } from '../../policies/rules/pii-scan.rule.ts'
import { AppError, type ErrorCode } from '../../platform/errors.ts'
import type { FailureCause, Failure, UpstreamFailure } from '../../providers/failure.ts'
import { findGoneModel, nearestModel } from '../../providers/model-catalogue.ts'
import type { RejectionReason } from '../../providers/rejection.ts'
import type { AnswerFormat } from './answer-format.ts'
import { toErrorAqta, type Aqta } from './trace.ts'

type Details = AppError['details']

type ErrorRow = readonly [code: ErrorCode, message: string, details?: Details]

/** OpenAI's SDKs retry 429 and 503 unless this header forbids it. */
const NEVER_RETRY: Details = { headers: { 'x-should-retry': 'false' } }

/** About the duration of an answer. */
const BUSY: Details = { retryAfterSeconds: 5 }

const REPEATED: Details = { param: 'idempotency-key' }

const MODEL: Details = { param: 'model' }

const ERRORS = {
  body_too_large: ['payload_too_large', 'The body is over 4 MiB. Send fewer or smaller images.'],
  body_too_slow: [
    'invalid_request',
    'The body took too long to arrive. Send smaller images, or use a faster connection.',
  ],
  no_room_for_body: [
    'service_unavailable',
    'Too many large requests are running. Try again in a few seconds, or send smaller images.',
    BUSY,
  ],
  no_room_for_answer: [
    'service_unavailable',
    'Too many answers are open. Read the answers that have started, then try again in a few seconds.',
    BUSY,
  ],
  too_much_text: [
    'payload_too_large',
    'The body is over 1 MiB, not counting pictures and files. Send fewer or shorter texts.',
    { special: 'prompt_too_long' },
  ],
  not_canonical: [
    'invalid_request',
    'A text contains half of a surrogate pair, or a number is too large. Check how the body is encoded.',
  ],
  unknown_model: [
    'model_not_found',
    'There is no model with this name here. GET /v1/models lists the models that your key can use.',
    MODEL,
  ],
  model_not_in_tier: [
    'model_not_allowed',
    'Your organisation’s tier does not include this model. GET /v1/models lists the models that it includes.',
    MODEL,
  ],
  provider_not_enabled: [
    'model_not_allowed',
    'Your organisation has not enabled this model’s provider (setting: enabled_providers). GET /v1/models lists the enabled models.',
    MODEL,
  ],
  provider_not_configured: [
    'service_unavailable',
    'This model’s provider is not set up at this address. Choose another model, or tell the operator.',
    NEVER_RETRY,
  ],
  policy_changing: [
    'service_unavailable',
    'Your organisation’s policy changed several times while this request was checked. Send it again in a moment.',
  ],
  scans_used_up: [
    'service_unavailable',
    'Your organisation sent more text in a minute than the service can scan. Wait as long as retry-after says, or send shorter texts.',
  ],
  scans_waiting: [
    'service_unavailable',
    'Too many texts are waiting for a scan. Try again in a few seconds, or send fewer at once.',
    BUSY,
  ],
  /** Nobody reads this error: it only ends the work. */
  caller_left: ['service_unavailable', 'The connection was closed before the request was checked.'],
  loop: [
    'loop_detected',
    'This key repeated the same request, or cycle of requests, too often. Stop for a minute and fix the loop.',
  ],
  other_request: [
    'idempotency_conflict',
    'This idempotency-key was used for a different request, so this one did not run. Use a new key for each request.',
    REPEATED,
  ],
  first_is_running: [
    'conflict',
    'The first request with this idempotency-key is still running, so this one did not run. Wait, then send it again.',
    { ...REPEATED, retryAfterSeconds: 2 },
  ],
  answer_not_stored: [
    'conflict',
    'This request ran before with this idempotency-key, and its answer is not stored. Check your ledger, then send a new key to run it again.',
    REPEATED,
  ],
  answer_not_read: [
    'service_unavailable',
    'The stored answer for this idempotency-key cannot be read right now. Send the request again in a few seconds.',
    BUSY,
  ],
  crashed: [
    'internal_error',
    'The service failed after the call was recorded, and the provider may have done the work. Repeat the call only if that is safe.',
    NEVER_RETRY,
  ],
} satisfies Record<string, ErrorRow>

export function callError(name: keyof typeof ERRORS, more: Details = {}): AppError {
  const [code, message, details]: ErrorRow = ERRORS[name]
  return new AppError(code, message, { ...details, ...more })
}

/** Returns the error for a model that the gateway does not offer. It names the replacement of one that is gone, or a close name. */
export function modelNotFound(name: string, param = 'model'): AppError {
  const gone = findGoneModel(name)
  const nearest = nearestModel(name)
  if (gone === null && nearest === null) return callError('unknown_model', { param })
  const message =
    gone === null
      ? `There is no model with this name here. Did you mean ${nearest}?`
      : `${gone.id} was replaced by ${gone.replacement} on ${gone.since}. Send ${gone.replacement} instead.`
  return new AppError('model_not_found', message, { param })
}

export const modelNotAllowed = (reason: 'tier' | 'provider', more?: Details): AppError =>
  callError(reason === 'tier' ? 'model_not_in_tier' : 'provider_not_enabled', more)

/** Puts `aqta` next to the error and inside it: OpenAI's SDKs pass on only the inner one. */
export function withAqta(full: Aqta) {
  const aqta = toErrorAqta(full)
  return { members: { aqta }, beside: { aqta } }
}

/** Returns the error for a fault of our own after the decision was recorded. */
export const crashError = (aqta: Aqta): AppError => callError('crashed', withAqta(aqta))

/** `retry`: when SDKs may retry; never if absent. `as_told`: only if the provider's failure is retryable. */
type ProviderRow = readonly [code: ErrorCode, message: string, retry?: 'later' | 'as_told']

const OVERLOADED: ProviderRow = [
  'service_unavailable',
  'The provider is overloaded and has not done anything. Wait as long as retry_after says, or use a model of another provider.',
  'as_told',
]
const TIMED_OUT: ProviderRow = [
  'provider_timeout',
  'The provider did not answer in time and may have done the work. Repeat the call only if that is safe.',
]
const FAILED: ProviderRow = [
  'provider_error',
  'The provider could not complete the call and may have done part of the work. Repeat the call only if that is safe.',
]

const PROVIDER_ERRORS: Readonly<
  Record<Exclude<FailureCause, 'refused'> | 'unreached' | 'late' | 'turned_away' | 'stopped', ProviderRow>
> = {
  access: [
    'provider_error',
    'The provider rejected this service’s own key, account or model name, and nothing is charged. Tell the operator the request id, or use a model of another provider.',
  ],
  rate: [
    'rate_limit_exceeded',
    'This service has reached its rate limit at the provider (not your own limit), and nothing is charged. Wait as long as retry_after says, or use a model of another provider.',
    'as_told',
  ],
  overloaded: OVERLOADED,
  unreachable: OVERLOADED,
  no_room: [
    'service_unavailable',
    'The service has no memory for an answer this large, and the provider has done the work. Repeat the call only if that is safe.',
  ],
  caller: [
    'service_unavailable',
    'Your program did not read the answer, so the service stopped. Read the answer as it arrives.',
  ],
  withheld: [
    'answer_blocked',
    'The model’s answer has a value that your organisation’s policy does not let out, so it ends here and is charged. Change the request, or ask an administrator about the policy.',
  ],
  no_headers: TIMED_OUT,
  silence: TIMED_OUT,
  deadline: TIMED_OUT,
  status: FAILED,
  error_event: FAILED,
  cut: FAILED,
  malformed: FAILED,
  too_large: FAILED,
  unreached: [
    'provider_error',
    'The provider could not be reached, so nothing was sent. Send the call again in a moment.',
    'later',
  ],
  late: [
    'provider_timeout',
    'The deadline passed before the provider accepted the call, so nothing was done. Send a higher x-aqta-deadline-ms.',
  ],
  turned_away: [
    'provider_error',
    'The provider refused the call without a reason, and nothing is charged. Tell the operator the request id, or use a model of another provider.',
  ],
  stopped: [
    'provider_error',
    'The provider stopped its answer because of its own content rules, and the work so far is charged. Change the request, or use a model of another provider.',
  ],
}

/** @param format the wire format whose member names the error uses */
export function upstreamError(failure: Failure, aqta: Aqta, format: Pick<AnswerFormat, 'memberName'>): AppError {
  if (failure.kind === 'unsupported') {
    const param = format.memberName(failure.param)
    return new AppError('invalid_request', failure.message, { ...NEVER_RETRY, ...withAqta(aqta), param })
  }
  const variant = variantOf(failure)
  if (variant === 'refused') return refusedError(failure, aqta, format)
  const [code, message, retry] = PROVIDER_ERRORS[variant]
  const { members, beside } = withAqta(aqta)
  const ruled = failure.stoppedFor && { policy: ANSWERS_RULE, reason: stopReason(failure.stoppedFor) }
  const special = code === 'service_unavailable' && retry !== undefined ? ({ special: 'overloaded' } as const) : {}
  const details = { ...retryDetails(failure, retry), ...special, members: { ...members, ...ruled }, beside }
  return new AppError(code, message, details)
}

function variantOf({ cause, billed, isReached, rejection }: UpstreamFailure): keyof typeof PROVIDER_ERRORS | 'refused' {
  if (cause === 'deadline') return billed === 'no' || !isReached ? 'late' : cause
  if (!isReached) return 'unreached'
  if (cause === 'status' && billed === 'no') return 'turned_away'
  return cause === 'error_event' && rejection?.reason === 'content' ? 'stopped' : cause
}

/** Cuts a longer delay that a provider asks for: its hourly limit has reset by then. */
const MOST_RETRY_AFTER_SECONDS = 3_600

function retryDetails({ retryAfterMs, retryable }: UpstreamFailure, retry: ProviderRow[2]): Details {
  if (retry === undefined) return NEVER_RETRY
  const seconds = Math.max(1, Math.ceil((retryAfterMs ?? 0) / 1000))
  const retryAfterSeconds = Math.min(MOST_RETRY_AFTER_SECONDS, seconds)
  return retry === 'later'
    ? { retryAfterSeconds }
    : { retryAfterSeconds, headers: { 'x-should-retry': String(retryable) } }
}

function refusedError({ rejection }: UpstreamFailure, aqta: Aqta, format: Pick<AnswerFormat, 'memberName'>): AppError {
  const { reason, member } = rejection ?? { reason: 'unknown' as const, member: null }
  const [problem, remedy] = REFUSED[reason]
  const param = member === null ? null : format.memberName(member)
  const message = `${param === null ? '' : `${param}: `}${problem}, and nothing is charged. ${remedy}`
  return new AppError('invalid_request', message, {
    ...(param === null ? {} : { param, fields: [{ path: param, rule: problem }] }),
    ...(reason === 'too_long' && { special: 'prompt_too_long' }),
    ...NEVER_RETRY,
    ...withAqta(aqta),
  })
}

/** The first sentence without its full stop, because the charge follows it. Then the second sentence. */
const REFUSED: Readonly<Record<RejectionReason, readonly [problem: string, remedy: string]>> = {
  too_long: [
    'The request and its answer are longer than the model allows',
    'Shorten the request, ask for fewer tokens, or use a model that allows more.',
  ],
  beyond_rate: [
    'The request alone has more tokens than this service can use at the provider in a minute',
    'Shorten it, ask for fewer tokens, or use another model.',
  ],
  too_large: ['The request is larger than the model’s provider allows', 'Send smaller or fewer pictures and files.'],
  media: [
    'The model’s provider cannot read a picture or a file',
    'Check that it is complete, small enough, of the declared type, and that its address can be reached.',
  ],
  schema: [
    'The model’s provider cannot use this JSON schema',
    'Use fewer keywords, levels and choices, or use another model.',
  ],
  content: ['The provider’s own rules refuse this content', 'Change the content, or use a model of another provider.'],
  member: [
    'The model’s provider did not accept this member or its value',
    'Change it, leave it out, or use another model.',
  ],
  unknown: ['The model’s provider did not accept the request', 'Change it, or use another model.'],
}
