// The errors of a chat call as tables: fixed texts, and texts by the cause of a provider's failure. decision-errors.ts has the
// errors of a decision. SECURITY: a provider's own words are never repeated: they can contain parts of keys and URLs.
import { AppError, type ErrorCode } from '../../platform/errors.ts'
import type { FailureCause, Failure, UpstreamFailure } from '../../providers/failure.ts'
import type { RejectionReason } from '../../providers/rejection.ts'
import type { AnswerFormat } from './answer-format.ts'
import type { Aqta } from './trace.ts'

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
    'Too many large requests are being answered at this moment. Try again in a few seconds, or send smaller images.',
    BUSY,
  ],
  no_room_for_answer: [
    'service_unavailable',
    'Too many answers are being waited for or read at this moment. Read those that have begun, and try again in a few seconds.',
    BUSY,
  ],
  too_much_text: [
    'payload_too_large',
    'The body is over 1 MiB without the data of its pictures and files. Send fewer or shorter texts.',
  ],
  not_canonical: [
    'invalid_request',
    'A text holds half of a surrogate pair, or a number is too large. Check how the body was written.',
  ],
  unknown_model: [
    'model_not_found',
    'There is no such model here. GET /v1/models lists those your key may use.',
    MODEL,
  ],
  model_not_in_tier: [
    'model_not_allowed',
    'The tier of your organisation does not include this model. GET /v1/models lists those that it does.',
    MODEL,
  ],
  provider_not_enabled: [
    'model_not_allowed',
    'Your organisation has not enabled this model’s provider (setting: enabled_providers). GET /v1/models lists what is enabled.',
    MODEL,
  ],
  provider_not_configured: [
    'service_unavailable',
    'This model’s provider is not set up at this address. Choose another model, or tell the operator.',
    NEVER_RETRY,
  ],
  policy_changing: [
    'service_unavailable',
    'Your organisation’s policy was changed several times while this request was looked at. Send it again in a moment.',
  ],
  scans_used_up: [
    'service_unavailable',
    'Your organisation has sent more text within a minute than can be scanned here for its policy. Try again when retry-after says so, or send shorter texts.',
  ],
  scans_waiting: [
    'service_unavailable',
    'Too many texts are waiting to be scanned at this moment. Try again in a few seconds, or send fewer at once.',
    BUSY,
  ],
  /** Nobody reads this error: it only ends the work. */
  caller_left: ['service_unavailable', 'The connection was closed before the request was looked through.'],
  loop: [
    'loop_detected',
    'This request, or a cycle of requests, was repeated so often that it looks like a loop. Stop it for a minute.',
  ],
  other_request: [
    'idempotency_conflict',
    'Another request was made with this idempotency-key, and this one was not run. Send a new key with each request that is another.',
    REPEATED,
  ],
  first_is_running: [
    'conflict',
    'The first request with this idempotency-key is still being answered, and this one was not run. Wait for that answer, or send this again later.',
    { ...REPEATED, retryAfterSeconds: 2 },
  ],
  answer_not_stored: [
    'conflict',
    'This request was made before with this idempotency-key and was not run again, and what it was answered is not kept. A new key has it run anew; whether a model was asked the first time is in your ledger.',
    REPEATED,
  ],
  answer_not_read: [
    'service_unavailable',
    'The answer that is kept for this idempotency-key cannot be read at this moment. Send it again in a few seconds.',
    BUSY,
  ],
  crashed: [
    'internal_error',
    'Something went wrong on our side after the call was recorded. The provider may have done the work: repeat the call only if doing it twice does no harm.',
    NEVER_RETRY,
  ],
} satisfies Record<string, ErrorRow>

export function callError(name: keyof typeof ERRORS, more: Details = {}): AppError {
  const [code, message, details]: ErrorRow = ERRORS[name]
  return new AppError(code, message, { ...details, ...more })
}

export const modelNotAllowed = (reason: 'tier' | 'provider', more?: Details): AppError =>
  callError(reason === 'tier' ? 'model_not_in_tier' : 'provider_not_enabled', more)

/** Puts `aqta` next to the error and inside it: OpenAI's SDKs pass on only the inner one. */
export const withAqta = (aqta: Aqta) => ({ members: { aqta }, beside: { aqta } })

/** Returns the error for a fault of our own after the decision was recorded. */
export const crashError = (aqta: Aqta): AppError => callError('crashed', withAqta(aqta))

/** `retry`: when SDKs may retry; never if absent. `as_told`: only if the provider's failure is retryable. */
type ProviderRow = readonly [code: ErrorCode, message: string, retry?: 'later' | 'as_told']

const OVERLOADED: ProviderRow = [
  'service_unavailable',
  'The provider is overloaded and has not done anything. Send the call again once retry_after is over, or use a model of another provider.',
  'as_told',
]
const TIMED_OUT: ProviderRow = [
  'provider_timeout',
  'The provider did not answer in time. It may have done the work: repeat the call only if doing it twice does no harm.',
]
const FAILED: ProviderRow = [
  'provider_error',
  'The provider could not complete the call. It may have done part of the work: repeat the call only if doing it twice does no harm.',
]

/** Errors by cause, then by the variants of a cause. */
const PROVIDER_ERRORS: Readonly<
  Record<Exclude<FailureCause, 'refused'> | 'unreached' | 'late' | 'turned_away' | 'stopped', ProviderRow>
> = {
  access: [
    'provider_error',
    'The model’s provider did not accept this service’s own key, account or name of the model. Your request is not at fault: tell the operator the request id, or use a model of another provider. Nothing was done and nothing is charged.',
  ],
  rate: [
    'rate_limit_exceeded',
    'The model’s provider is over the rate that this service has with it, and has not done anything: this is not your own limit, and nothing is charged. Send the call again once retry_after is over, or use a model of another provider.',
    'as_told',
  ],
  overloaded: OVERLOADED,
  unreachable: OVERLOADED,
  no_room: [
    'service_unavailable',
    'The answer is too large for what there is room for at this moment. The provider has done its work: repeat the call only if doing it twice does no harm.',
  ],
  caller: ['service_unavailable', 'The answer was not read for so long that it was given up. Read it as it comes.'],
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
    'The provider could not be reached, and nothing was sent to it. Send the call again in a moment.',
    'later',
  ],
  late: [
    'provider_timeout',
    'The time that x-aqta-deadline-ms gives was over before the provider took the call, so that nothing was done. Give more.',
  ],
  turned_away: [
    'provider_error',
    'The model’s provider turned the call away and did not say why. Nothing was done and nothing is charged: tell the operator the request id, or use a model of another provider.',
  ],
  stopped: [
    'provider_error',
    'The model’s provider stopped its answer by its own rules on content. Change the request, or use a model of another provider: asked again, it would most likely stop again. What it had done by then is charged.',
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
  return new AppError(code, message, { ...retryDetails(failure, retry), ...withAqta(aqta) })
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

/** Returns true if a request has reached the provider. */
export const wasReached = (failure: Failure | null): boolean =>
  failure === null || (failure.kind !== 'unsupported' && failure.isReached)

function refusedError({ rejection }: UpstreamFailure, aqta: Aqta, format: Pick<AnswerFormat, 'memberName'>): AppError {
  const { reason, member } = rejection ?? { reason: 'unknown' as const, member: null }
  const rule = REFUSED[reason]
  const param = member === null ? null : format.memberName(member)
  const message = `${param === null ? '' : `${param}: `}${rule} Nothing was done and nothing is charged.`
  return new AppError('invalid_request', message, {
    ...(param === null ? {} : { param, fields: [{ path: param, rule }] }),
    ...NEVER_RETRY,
    ...withAqta(aqta),
  })
}

const REFUSED: Readonly<Record<RejectionReason, string>> = {
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
