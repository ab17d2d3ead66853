// Decides whether a key is accepted. Computes changed and rotated keys, and makes the error for limits that a key cannot have. Pure.
import { timingSafeEqual } from 'node:crypto'
import { AppError } from '../platform/errors.ts'
import type { KeyId } from '../platform/ids.ts'
import { DAY_MS, utcDay } from '../platform/time.ts'
import { toSnakeCase } from '../platform/wire.ts'
import { isGatewayPrefix } from './key-format.ts'
import type { KeyChange, NumberLimits } from './key-permission.policy.ts'
import { MOST_EVALUATION_DAYS, statusOf, type KeyMaker, type KeyRecord } from './key.schema.ts'
import type { CallLimits } from './rate-limits.policy.ts'

/** `unknown`: no such key exists here, or the secret is wrong. */
export type BadKey = 'unknown' | 'revoked' | 'expired'

export type InvalidKey = { outcome: 'invalid_api_key'; why: BadKey }

/** Checks a key's secret and status. SECURITY: its status is revealed only to a caller with its secret. */
export function checkKey(
  key: KeyRecord | null,
  secretHash: Uint8Array,
  now: number,
): { outcome: 'good'; key: KeyRecord } | InvalidKey {
  if (key === null || secretHash.byteLength !== key.secretHash.byteLength) return invalidKey('unknown')
  if (!timingSafeEqual(secretHash, key.secretHash)) return invalidKey('unknown')
  const status = statusOf(key, now)
  return status === 'active' ? { outcome: 'good', key } : invalidKey(status)
}

export const invalidKey = (why: BadKey): InvalidKey => ({ outcome: 'invalid_api_key', why })

/** `over`: revoked or expired. `rotated`: another key has replaced it. */
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

/** Changes a key. A rotated key, and one for evaluation, keeps its end or gets an earlier one. */
export function changeKey(key: KeyRecord, change: KeyChange, plan: CallLimits, now: number): ChangedKey {
  const fault = findUnchangeable(key, now)
  if (fault !== null) return fault
  const { replacedBy } = key
  if (replacedBy !== null && lengthens(key, change)) return { outcome: 'rotated', replacedBy }
  if (key.evaluation && lengthens(key, change)) return { outcome: 'invalid', reason: { fault: 'evaluation_extended' } }
  // A limit that the key already has may stay, even if its plan now allows less.
  const limits = { requestsPerMinute: null, requestsPerDay: null, expiresAt: null, ...change, evaluation: false }
  const reason = faultOfNewKey(limits, plan, now)
  return reason === null ? { outcome: 'changed', key: { ...key, ...change } } : { outcome: 'invalid', reason }
}

/** The new key has the old one's scopes, limits and end. The old one works for `overlapMs` more, but never beyond its own end. */
export function rotateKey(
  old: KeyRecord,
  successor: Successor,
  { by, overlapMs }: { by: KeyMaker; overlapMs: number },
  now: number,
): RotatedKey {
  const fault = findUnchangeable(old, now)
  if (fault !== null) return fault
  if (old.replacedBy !== null) return { outcome: 'rotated', replacedBy: old.replacedBy }
  const endsAt = Math.min(old.expiresAt ?? Infinity, now + overlapMs)
  return {
    outcome: 'rotated_now',
    old: { ...old, expiresAt: endsAt, replacedBy: successor.id },
    successor: { ...old, ...successor, createdAt: now, createdBy: by, lastUsedAt: null },
  }
}

function findUnchangeable(key: KeyRecord, now: number): UnchangeableKey | null {
  if (!isGatewayPrefix(key.prefix)) return { outcome: 'issued_by_operator' }
  const status = statusOf(key, now)
  return status === 'active' ? null : { outcome: 'over', status }
}

const lengthens = (key: KeyRecord, { expiresAt }: KeyChange): boolean =>
  expiresAt !== undefined && (expiresAt ?? Infinity) > (key.expiresAt ?? Infinity)

/** Returns true if the change names an end that is not after the key's present one. */
export const endsKey = (key: KeyRecord, change: KeyChange): boolean =>
  typeof change.expiresAt === 'number' && !lengthens(key, change)

/** `most`: the plan's limit. A key's own limit above it would have no effect. */
export type NewKeyFault =
  | { fault: 'expired' }
  /** A key for evaluation has no end, or one that is too far away. */
  | { fault: 'evaluation_end' }
  | { fault: 'evaluation_extended' }
  | { fault: 'limit_too_high'; limit: 'requestsPerMinute' | 'requestsPerDay'; most: number }

/** @param now in milliseconds; an expiry must be later */
export function faultOfNewKey(
  key: NumberLimits & Pick<KeyRecord, 'evaluation'>,
  plan: CallLimits,
  now: number,
): NewKeyFault | null {
  if (key.expiresAt !== null && key.expiresAt <= now) return { fault: 'expired' }
  if (key.evaluation && (key.expiresAt ?? Infinity) > now + MOST_EVALUATION_DAYS * DAY_MS) {
    return { fault: 'evaluation_end' }
  }
  const limits = [
    { limit: 'requestsPerMinute', most: plan.perMinute },
    { limit: 'requestsPerDay', most: plan.perDay },
  ] as const
  const tooHigh = limits.find(({ limit, most }) => (key[limit] ?? 0) > most)
  return tooHigh === undefined ? null : { fault: 'limit_too_high', ...tooHigh }
}

/** Returns `invalid_request` with the member and its maximum. */
export function newKeyError(reason: NewKeyFault): AppError {
  if (reason.fault === 'expired') {
    return invalid('expires_at', 'in the future', 'The key would already have expired. Send a time in the future.')
  }
  if (reason.fault === 'evaluation_end') {
    const rule = `within ${MOST_EVALUATION_DAYS} days`
    return invalid('expires_at', rule, `A key for evaluation must end. Send expires_at, a time ${rule}.`)
  }
  if (reason.fault === 'evaluation_extended') {
    const message = 'The end of a key for evaluation cannot be put off. Make a new key for evaluation.'
    return invalid('expires_at', 'not after the present end', message)
  }
  const { most } = reason
  const param = toSnakeCase(reason.limit)
  const message = `The plan allows at most ${most} for ${param} of a key. Send a lower number, or leave it out.`
  return invalid(param, `at most ${most}`, message)
}

const invalid = (param: string, rule: string, message: string): AppError =>
  new AppError('invalid_request', message, { param, fields: [{ path: param, rule }] })

/** Counts the UTC days of a period, both ends included, on which at least one of the keys worked. */
export function countActiveDays(
  keys: readonly Pick<KeyRecord, 'createdAt' | 'expiresAt' | 'revokedAt'>[],
  { first, last }: { first: number; last: number },
): number {
  const days = new Set<number>()
  for (const { createdAt, expiresAt, revokedAt } of keys) {
    const end = Math.min(expiresAt ?? Infinity, revokedAt ?? Infinity)
    for (let day = Math.max(first, utcDay(createdAt)); day <= last && day * DAY_MS < end; day += 1) days.add(day)
  }
  return days.size
}
