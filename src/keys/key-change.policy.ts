// The rules for making, changing and rotating a key, and the error for limits that a key cannot have. Pure.
import type { KeyId } from '../platform/ids.ts'
import { isOfGateway } from './key-format.ts'
import { statusOf } from './key-status.policy.ts'
import type { KeyMaker, KeyRecord } from './keys.store.ts'
import type { Limits } from './rate-limits.policy.ts'
import { AppError } from '../platform/errors.ts'

/** An absent member stays as it is. Null removes the key's own limit. */
export type KeyChange = Partial<Pick<KeyRecord, 'name' | 'expiresAt' | 'requestsPerMinute' | 'requestsPerDay'>>

/** `over`: it was revoked or has expired. `rotated`: another key has replaced it. */
export type UnchangeableKey =
  | { outcome: 'over'; status: 'revoked' | 'expired' }
  | { outcome: 'rotated'; replacedBy: KeyId }
  /** The key belongs to the referral service. */
  | { outcome: 'issued_by_operator' }

export type ChangedKey =
  | { outcome: 'changed'; key: KeyRecord }
  | { outcome: 'invalid'; reason: NewKeyFault }
  | UnchangeableKey

export type RotatedKey = { outcome: 'rotated_now'; old: KeyRecord; successor: KeyRecord } | UnchangeableKey

/** The members in which a rotated key differs from its predecessor. */
export type Successor = Pick<KeyRecord, 'id' | 'secretHash' | 'lastFour'>

/** A key in its overlap keeps its end, or gets an earlier one. */
export function changeKey(key: KeyRecord, change: KeyChange, plan: Limits, now: number): ChangedKey {
  const fault = findFault(key, now)
  if (fault !== null) return fault
  const { replacedBy } = key
  if (replacedBy !== null && lengthens(key, change)) return { outcome: 'rotated', replacedBy }
  // A limit that the key already has may stay, even if its plan now gives less.
  const wanted = { requestsPerMinute: null, requestsPerDay: null, expiresAt: null, ...change }
  const reason = faultOfNewKey(wanted, plan, now)
  return reason === null ? { outcome: 'changed', key: { ...key, ...change } } : { outcome: 'invalid', reason }
}

/** The new key has the old one's scopes, limits and end. The old one works for `overlapMs` more, but never beyond its own end. */
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

/** `most`: the plan's limit. A key's own limit above it would have no effect. */
export type NewKeyFault =
  | { fault: 'expired' }
  | { fault: 'limit_too_high'; limit: 'requestsPerMinute' | 'requestsPerDay'; most: number }

type WantedKey = Pick<KeyRecord, 'requestsPerMinute' | 'requestsPerDay' | 'expiresAt'>

/** @param now in milliseconds; an expiry must be later */
export function faultOfNewKey(key: WantedKey, plan: Limits, now: number): NewKeyFault | null {
  if (key.expiresAt !== null && key.expiresAt <= now) return { fault: 'expired' }
  const wanted = [
    { limit: 'requestsPerMinute', most: plan.perMinute },
    { limit: 'requestsPerDay', most: plan.perDay },
  ] as const
  const tooHigh = wanted.find(({ limit, most }) => (key[limit] ?? 0) > most)
  return tooHigh === undefined ? null : { fault: 'limit_too_high', ...tooHigh }
}

/** Returns `invalid_request`, with the member and its maximum. */
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
