// What a key becomes when it is changed, or when another takes its place. Pure.
import type { KeyId } from '../platform/ids.ts'
import { isOfGateway } from './key-format.ts'
import { statusOf } from './key-standing.policy.ts'
import type { KeyMaker, KeyRecord } from './keys.store.ts'
import type { Limits } from './limits.policy.ts'
import { faultOfNewKey, type NewKeyFault } from './new-key.policy.ts'

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
