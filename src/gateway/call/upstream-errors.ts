// What an admitted call is answered with where its provider failed it, or where we did. What the provider said is never
// repeated: its texts can hold parts of keys and addresses.
import { AppError } from '../../platform/errors.ts'
import type { Failure, UpstreamFailure } from '../../providers/failure.ts'
import type { RefusalReason } from '../../providers/refusal.ts'
import type { AnswerForm } from './answer-form.ts'
import type { Aqta } from './aqta.schema.ts'
import { withAqta } from './model-refusals.ts'

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

/** Whether a request has got as far as the provider. */
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

/** What a provider asks for beyond this is not passed on: the limit of an hour is over by then, or nobody waits. */
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
