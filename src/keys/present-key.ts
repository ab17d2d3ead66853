// A key as the API shows it, never with its secret.
import type { z } from '@hono/zod-openapi'
import type { Key, RevokedKeySchema } from './key.schema.ts'
import { statusOf } from './key-status.policy.ts'
import type { KeyRecord } from './keys.store.ts'

export function presentKey(key: KeyRecord, now: number): Key {
  return {
    id: key.id,
    object: 'api_key',
    created_at: new Date(key.createdAt).toISOString(),
    created_by: key.createdBy,
    name: key.name,
    prefix: key.prefix,
    last_four: key.lastFour,
    scopes: [...key.scopes],
    requests_per_minute: key.requestsPerMinute,
    requests_per_day: key.requestsPerDay,
    status: statusOf(key, now),
    last_used_at: presentTime(key.lastUsedAt),
    expires_at: presentTime(key.expiresAt),
    revoked_at: presentTime(key.revokedAt),
    replaced_by: key.replacedBy,
  }
}

/** `alsoRevoked`: the keys that were revoked with it. */
export const presentRevoked = (
  { key, alsoRevoked }: { key: KeyRecord; alsoRevoked: readonly KeyRecord[] },
  now: number,
): z.infer<typeof RevokedKeySchema> => ({
  ...presentKey(key, now),
  also_revoked: alsoRevoked.map((one) => presentKey(one, now)),
})

const presentTime = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
