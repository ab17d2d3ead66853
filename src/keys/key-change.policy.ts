// The rules for making, changing and rotating a key, and the error for limits that a key cannot have. Pure.
import type { KeyId } from '../platform/ids.ts'
import { isOfGateway } from './key-format.ts'
import { statusOf } from './key-standing.policy.ts'
import type { KeyMaker, KeyRecord } from './keys.store.ts'
import type { Limits } from './limits.policy.ts'
import { AppError } from '../platform/errors.ts'

/** Absent: stays as it is. Null: none of its own. */
export type KeyChange = Partial<Pick<KeyRecord, 'name' | 'expiresAt' | 'requestsPerMinute' | 'requestsPerDay'>>

/** `over`: it was revoked or has expired. `rotated`: another key has replaced it. */
export type UnchangeableKey =
  | { outcome: 'over'; status: 'revoked' | 'expired' }
  | { outcome: 'rotated'; replacedBy: KeyId }
  /** A key of the referral service. */
  | { outcome: 'issued_by_operator' }

export type ChangedKey =
  | { outcome: 'changed'; key: KeyRecord }
  | { outcome: 'invalid'; reason: NewKeyFault }
  | UnchangeableKey

export type RotatedKey = { outcome: 'rotated_now'; old: KeyRecord; successor: KeyRecord } | UnchangeableKey

/** What is new about the key that takes another's place. */
export type Successor = Pick<KeyRecord, 'id' | 'secretHash' | 'lastFour'>

/** A key whose overlap is running ends when that ends, or sooner. */
export function changeKey(key: KeyRecord, change: KeyChange, plan: Limits, now: number): ChangedKey {
  const fault = findFault(key, now)
  if (fault !== null) return fault
  const { replacedBy } = key
  if (replacedBy !== null && lengthens(key, change)) return { outcome: 'rotated', replacedBy }
  // A limit that the key has already may stay, even if its plan gives less by now.
  const wanted = { requestsPerMinute: null, requestsPerDay: null, expiresAt: null, ...change }
  const reason = faultOfNewKey(wanted, plan, now)
  return reason === null ? { outcome: 'changed', key: { ...key, ...change } } : { outcome: 'invalid', reason }
}

/**
 * The new key has the old one's scopes, limits and end; the old one works for `overlapMs` more, and no longer than it would
 * have.
 */
export function rotateKey(
  old: KeyRecord,
  successor: Successor,
  { by, overlapMs }: { by: KeyMaker; overlapMs: number },
  now: number,
): RotatedKey {
  const fault = findFault(old, now)
  if (fault !== null) return fault
  if (old.replacedBy !== null) return { outcome: 'rotated', replacedBy: old.replacedBy }
  const endsAt = Math.min(old.expiresAt ?? Infinity, now + overlapMs)
  return {
    outcome: 'rotated_now',
    old: { ...old, expiresAt: endsAt, replacedBy: successor.id },
    successor: { ...old, ...successor, createdAt: now, createdBy: by, lastUsedAt: null },
  }
}

function findFault(key: KeyRecord, now: number): UnchangeableKey | null {
  if (!isOfGateway(key.prefix)) return { outcome: 'issued_by_operator' }
  const status = statusOf(key, now)
  return status === 'active' ? null : { outcome: 'over', status }
}

const lengthens = (key: KeyRecord, { expiresAt }: KeyChange): boolean =>
  expiresAt !== undefined && (expiresAt ?? Infinity) > (key.expiresAt ?? Infinity)

/** `most`: what the plan gives. A key's own limit above that would have no effect. */
export type NewKeyFault =
  | { fault: 'expired' }
  | { fault: 'limit_too_high'; limit: 'requestsPerMinute' | 'requestsPerDay'; most: number }

type WantedKey = Pick<KeyRecord, 'requestsPerMinute' | 'requestsPerDay' | 'expiresAt'>

/** @param now in milliseconds; an expiry that is not after it is over already */
export function faultOfNewKey(key: WantedKey, plan: Limits, now: number): NewKeyFault | null {
  if (key.expiresAt !== null && key.expiresAt <= now) return { fault: 'expired' }
  const wanted = [
    { limit: 'requestsPerMinute', most: plan.perMinute },
    { limit: 'requestsPerDay', most: plan.perDay },
  ] as const
  const tooHigh = wanted.find(({ limit, most }) => (key[limit] ?? 0) > most)
  return tooHigh === undefined ? null : { fault: 'limit_too_high', ...tooHigh }
}

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
