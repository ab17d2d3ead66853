// What a chat call that was not admitted, or that its provider failed, is answered with.
import type { AttestationRecord } from '../../attestation/record.ts'
import { refuseKey } from '../../keys/bearer.ts'
import type { ChatAdmission, ChatCall } from '../../organisation/admit-chat.ts'
import { AppError } from '../../platform/errors.ts'
import type { Failure, UpstreamFailure } from '../../providers/failure.ts'
import type { Aqta } from './aqta.schema.ts'
import { modelNotAllowed, withAqta } from './model-refusals.ts'
import { describeTrace } from './trace.ts'

type Recorded = Extract<ChatAdmission, { outcome: 'model_not_allowed' | 'loop_detected' }>
type Unrecorded = Exclude<ChatCall, { outcome: 'admitted' }>

/** A refusal by key, limit or scope: no decision about the request, so no trace. */
export function refusalError(refusal: Unrecorded): AppError {
  switch (refusal.outcome) {
    case 'invalid_api_key':
      return refuseKey('gateway', refusal.why)
    case 'rate_limit_exceeded':
      return new AppError('rate_limit_exceeded', OVER[refusal.over], { retryAfterSeconds: refusal.retryAfterSeconds })
    case 'quota_exceeded':
      return new AppError('quota_exceeded', QUOTA[refusal.reason], { retryAfterSeconds: refusal.retryAfterSeconds })
    case 'scope_required':
      return new AppError('scope_required', `This key may not make this call: it needs the scope ${refusal.scope}.`)
  }
}

/** A refusal of the request itself, which is in the ledger and has a trace. */
export function decisionError(refusal: Recorded, attestation: AttestationRecord): AppError {
  switch (refusal.outcome) {
    case 'model_not_allowed':
      return modelNotAllowed(refusal.reason, describeTrace({ attestation, status: 'blocked', provider: null }))
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

const OVER = {
  minute:
    'Your organisation, or this key, has made all the calls it may make in a minute. Wait as long as retry_after says, then send it again.',
  day: 'This key has made all the calls it may make in a day. It may make more from 00:00 UTC.',
}

const QUOTA = {
  requests: 'The monthly quota of your organisation is used up. It begins anew on the first, at 00:00 UTC.',
  budget:
    'What this call could cost is more than is left of your organisation’s budget for the month. Ask for fewer tokens (max_completion_tokens), or raise the budget.',
}

const LOOP =
  'This request, or a cycle of requests, was repeated so often that it looks like a loop. Stop it for a minute.'

/** What the provider said is never repeated: its texts can hold parts of keys and addresses. */
export function upstreamError(failure: Failure, aqta: Aqta): AppError {
  if (failure.kind === 'unsupported') {
    return new AppError('invalid_request', failure.message, { param: failure.param, ...withAqta(aqta) })
  }
  if (!wasReached(failure)) {
    return new AppError('provider_error', UNREACHED, { ...comeBack(failure), ...withAqta(aqta) })
  }
  // Turned away before any work was done: nothing is billed, so it may be repeated, by an SDK too.
  if (failure.retryable) return new AppError('service_unavailable', BUSY, { ...comeBack(failure), ...withAqta(aqta) })
  const headers = { 'x-should-retry': 'false' }
  if (failure.cause === 'no_room') return new AppError('service_unavailable', NO_ROOM, { headers, ...withAqta(aqta) })
  if (failure.kind === 'cancelled') return new AppError('service_unavailable', NOT_READ, { headers, ...withAqta(aqta) })
  return failure.kind === 'timeout'
    ? new AppError('provider_timeout', TIMED_OUT, { headers, ...withAqta(aqta) })
    : new AppError('provider_error', FAILED, { headers, ...withAqta(aqta) })
}

/** What a provider asks for beyond this is not passed on: the limit of an hour is over by then, or nobody waits. */
const MOST_RETRY_AFTER_SECONDS = 3_600

const comeBack = ({ retryAfterMs }: UpstreamFailure): { retryAfterSeconds: number } => ({
  retryAfterSeconds: Math.min(MOST_RETRY_AFTER_SECONDS, Math.max(1, Math.ceil((retryAfterMs ?? 0) / 1000))),
})

const BUSY =
  'The provider is over its rate, or overloaded, and has not done anything. Send the call again once retry_after is over, or use a model of another provider.'
const NO_ROOM =
  'The answer is too large for what there is room for at this moment. The provider has done its work: repeat the call only if doing it twice does no harm.'
/** A fault of our own after the decision was recorded. */
export const crashError = (aqta: Aqta): AppError =>
  new AppError('internal_error', CRASHED, { headers: { 'x-should-retry': 'false' }, ...withAqta(aqta) })

const CRASHED =
  'Something went wrong on our side after the call was recorded. The provider may have done the work: repeat the call only if doing it twice does no harm.'
const UNREACHED = 'The provider could not be reached, and nothing was sent to it. Send the call again in a moment.'
const NOT_READ = 'The answer was not read for so long that it was given up. Read it as it comes.'
const TIMED_OUT =
  'The provider did not answer in time. It may have done the work: repeat the call only if doing it twice does no harm.'
const FAILED =
  'The provider could not complete the call. It may have done part of the work: repeat the call only if doing it twice does no harm.'

/** Whether a request has got as far as the provider. */
export function wasReached(failure: Failure | null): boolean {
  if (failure === null) return true
  if (failure.kind === 'unsupported' || failure.cause === 'unreachable') return false
  return failure.cause !== 'caller' || failure.billed === 'maybe'
}
