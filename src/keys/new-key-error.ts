// The error for a key that cannot be created as requested.
import { AppError } from '../platform/errors.ts'
import type { NewKeyFault } from './new-key.policy.ts'

/** `invalid_request`, with the member and the most that it can be. */
export function newKeyError(reason: NewKeyFault): AppError {
  switch (reason.fault) {
    case 'expired':
      return invalid('expires_at', 'in the future', 'The key would have expired already. Send a time that is to come.')
    case 'limit_too_high': {
      const param = LIMITS[reason.limit]
      const { most } = reason
      return invalid(
        param,
        `at most ${most}`,
        `A key’s own ${param} cannot be above what its plan gives: ${most}. Send a lower one, or none.`,
      )
    }
  }
}

const invalid = (param: string, rule: string, message: string): AppError =>
  new AppError('invalid_request', message, { param, fields: [{ path: param, rule }] })

const LIMITS = { requestsPerMinute: 'requests_per_minute', requestsPerDay: 'requests_per_day' } as const
