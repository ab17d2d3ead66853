// What a call that was not admitted is answered with.
import type { AttestationRecord } from '../../attestation/record.ts'
import { refuseKey } from '../../keys/bearer.ts'
import type { ChatAdmission, ChatCall } from '../../organisation/admit-chat.ts'
import { AppError } from '../../platform/errors.ts'
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
