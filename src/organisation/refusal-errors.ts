// Makes the errors for calls that an organisation's object refuses: by key, limit, scope or budget, or because the organisation
// is being erased or was erased.
import { invalidKeyError, type KeyedService } from '../keys/bearer-key.ts'
import { AppError } from '../platform/errors.ts'
import { IDEMPOTENCY_HEADER } from '../platform/read-request.ts'
import type { ReferralAdmission } from './admit/admit-referral.ts'
import type { CallRefusal, QuotaRefusal } from './admit/check-call.ts'
import type { ClosedState } from './erasure/erasure-refusal.ts'

/** Makes the error of a refusal by key, limit or scope. There was no decision about the request, so it has no trace. */
export function refusalError(
  refusal: CallRefusal | Exclude<ReferralAdmission, { outcome: 'admitted' }>,
  service: KeyedService = 'gateway',
): AppError {
  switch (refusal.outcome) {
    case 'invalid_api_key':
      return invalidKeyError(service, refusal.why)
    case 'rate_limit_exceeded':
      return new AppError('rate_limit_exceeded', refusal.over === 'minute' ? MINUTE[service] : OVER[refusal.over], {
        retryAfterSeconds: refusal.retryAfterSeconds,
      })
    case 'quota_exceeded':
      return new AppError('quota_exceeded', quotaMessage(refusal), { retryAfterSeconds: refusal.retryAfterSeconds })
    case 'organisation_closing':
      return closingErrorForKey()
    case 'scope_required':
      return new AppError('scope_required', `This key does not have the scope ${refusal.scope}. Use a key that has it.`)
    case 'outside_region':
      return new AppError(
        'scope_required',
        `The readers are in the region ${refusal.ofReaders}, outside this key’s data_region ${refusal.ofKey}, so nothing was sent. Use a key with a wider one.`,
      )
    case 'repeated':
      return new AppError('conflict', REPEATED_READING, { param: IDEMPOTENCY_HEADER })
  }
}

/** The error for any call with a key of an organisation that is to be erased. */
export const closingErrorForKey = (): AppError =>
  new AppError(
    'organisation_closing',
    'Your organisation is scheduled for erasure, so its keys do not work. Until it begins, an owner can cancel it (DELETE /api/settings/erasure).',
  )

/** The error for a person who changes something in an organisation that is to be erased. */
export const closingErrorForPerson = (): AppError =>
  new AppError(
    'organisation_closing',
    'This organisation is scheduled for erasure, so it cannot be changed. Until it begins, an owner can cancel it (DELETE /api/settings/erasure).',
  )

/** The error if an organisation was erased after access to it had been checked. */
export const organisationGoneError = (): AppError =>
  new AppError('not_found', 'This organisation was erased. GET /api/auth/me lists your organisations.')

/** The error for a call that was admitted just before erasure sealed the object: the error that the next call gets. */
export function sealedError(sealed: ClosedState, who: 'person' | 'key'): AppError {
  if (who === 'key') return sealed === 'running' ? closingErrorForKey() : invalidKeyError('gateway', 'unknown')
  return sealed === 'running' ? closingErrorForPerson() : organisationGoneError()
}

const MINUTE = {
  gateway: 'Your organisation or this key has reached its limit of calls a minute. Wait as long as retry_after says.',
  referral: 'This key has reached its limit of calls a minute. Wait as long as retry_after says.',
}

const OVER = {
  day: 'This key has reached its limit of calls a day. Try again after 00:00 UTC.',
  cost: 'The readings of this key have reached the daily cost limit. Try again after 00:00 UTC; other calls still work.',
}

const REPEATED_READING =
  'This idempotency-key already had a letter read, and no answer is stored: a missing answer is never a yes. If you lost it, send the letter with a new key; it is read and paid for again.'

const REQUESTS_USED_UP = 'Your organisation has used its calls for this month. They reset on the first, at 00:00 UTC.'

function quotaMessage({ reason, period, of }: Pick<QuotaRefusal, 'reason' | 'period' | 'of'>): string {
  if (reason === 'requests') return REQUESTS_USED_UP
  const whose = of === 'key' ? 'this key’s budget' : 'your organisation’s budget'
  return `This call could cost more than the rest of ${whose} for the ${period}. Ask for fewer tokens, or raise the budget.`
}
