// Checks a presented key: its secret, and whether it is revoked or expired. Pure.
import { timingSafeEqual } from 'node:crypto'
import type { KeyStatus } from './key.schema.ts'
import type { KeyRecord } from './keys.store.ts'

/** `unknown`: no such key exists here, or the secret is wrong. */
export type BadKey = 'unknown' | 'revoked' | 'expired'

export type InvalidKey = { outcome: 'invalid_api_key'; why: BadKey }

/** The status of a key is revealed only to a caller with its secret. */
export function judgeKey(
  key: KeyRecord | null,
  secretHash: Uint8Array,
  now: number,
): { outcome: 'good'; key: KeyRecord } | InvalidKey {
  if (key === null || secretHash.byteLength !== key.secretHash.byteLength) return invalidKey('unknown')
  if (!timingSafeEqual(secretHash, key.secretHash)) return invalidKey('unknown')
  const status = statusOf(key, now)
  return status === 'active' ? { outcome: 'good', key } : invalidKey(status)
}

/** A key is active until the millisecond of its end. */
export function statusOf({ revokedAt, expiresAt }: Pick<KeyRecord, 'revokedAt' | 'expiresAt'>, now: number): KeyStatus {
  if (revokedAt !== null) return 'revoked'
  return expiresAt === null || expiresAt > now ? 'active' : 'expired'
}

export const invalidKey = (why: BadKey): InvalidKey => ({ outcome: 'invalid_api_key', why })

export const isWorkingAt =
  (now: number) =>
  (key: Pick<KeyRecord, 'expiresAt' | 'revokedAt'>): boolean =>
    statusOf(key, now) === 'active'
