// Describes a key for the ledger: never its name, and never a secret.
import type { KeyRecord } from '../../keys/keys.store.ts'
import type { EntryContent } from '../../evidence/entry.ts'

/** `alsoRevoked`: the keys that it made, and that these made. */
export type RevokedKey = { key: KeyRecord; alsoRevoked: KeyRecord[] }

export const describeKey = ({
  id,
  prefix,
  scopes,
  expiresAt,
  requestsPerMinute,
  requestsPerDay,
}: KeyRecord): EntryContent => ({
  key_id: id,
  prefix,
  scopes,
  expires_at: presentTime(expiresAt),
  requests_per_minute: requestsPerMinute,
  requests_per_day: requestsPerDay,
})

/** Null if nothing changed. */
export function describeChange(before: KeyRecord, after: KeyRecord): EntryContent | null {
  const content = {
    ...(after.name !== before.name && { renamed: true }),
    ...(after.expiresAt !== before.expiresAt && { expires_at: presentTime(after.expiresAt) }),
    ...(after.requestsPerMinute !== before.requestsPerMinute && { requests_per_minute: after.requestsPerMinute }),
    ...(after.requestsPerDay !== before.requestsPerDay && { requests_per_day: after.requestsPerDay }),
  }
  return Object.keys(content).length === 0 ? null : { key_id: before.id, ...content }
}

/** `old` as it is once `successor` has taken its place. */
export const describeRotation = (old: KeyRecord, successor: KeyRecord): EntryContent => ({
  key_id: old.id,
  replaced_by: successor.id,
  expires_at: presentTime(old.expiresAt),
})

export const describeRevoked = ({ key, alsoRevoked }: RevokedKey): EntryContent => ({
  key_id: key.id,
  ...(alsoRevoked.length > 0 && { key_ids: alsoRevoked.map(({ id }) => id) }),
})

const presentTime = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())
