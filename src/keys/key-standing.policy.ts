// Whether a key that names itself is in force, and why not. Pure.
import { timingSafeEqual } from 'node:crypto'
import type { KeyStatus } from './key.schema.ts'
import type { KeyRecord } from './keys.store.ts'

/** `unknown`: there is no such key here, or this is not its secret. */
export type BadKey = 'unknown' | 'revoked' | 'expired'

export type InvalidKey = { outcome: 'invalid_api_key'; why: BadKey }

/** What became of a key is told only to whoever holds its secret. */
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

/** A key is active until the very millisecond of its end. */
export function statusOf({ revokedAt, expiresAt }: Pick<KeyRecord, 'revokedAt' | 'expiresAt'>, now: number): KeyStatus {
  if (revokedAt !== null) return 'revoked'
  return expiresAt === null || expiresAt > now ? 'active' : 'expired'
}

export const invalidKey = (why: BadKey): InvalidKey => ({ outcome: 'invalid_api_key', why })

export const isWorkingAt =
  (now: number) =>
  (key: Pick<KeyRecord, 'expiresAt' | 'revokedAt'>): boolean =>
    statusOf(key, now) === 'active'
