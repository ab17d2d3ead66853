// Reads a saved list of keys from /v1/attestation/keys, and decides whether one of its keys vouches for a signed document.
// SECURITY: this list decides which records verify. So an ambiguous list is refused, and nothing in it is guessed.
import { isPublicKey, keyIdOf } from './ed25519.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { findNameFault } from './member-names.ts'
import { isPlainTime, parseRfc3339 } from './rfc3339.ts'

/** Times in whole seconds since the epoch. */
export type ListedKey = {
  readonly publicKey: string
  readonly isRevoked: boolean
  readonly validFrom: number
  /** Null until the key is retired or revoked. */
  readonly validUntil: number | null
  /** Somebody else may have had the key from this time on; null if the list does not say. */
  readonly suspectedSince: number | null
}

/** By public key, in base64url. */
export type KeyList = ReadonlyMap<string, ListedKey>

export const KEY_LIST_FAULTS = {
  not_a_list: 'It is not a list of keys: `keys` is not an array with at least one key.',
  unknown_member: 'It has a member that lists of keys do not have.',
  missing_member: 'A key in it has a member missing.',
  public_key_malformed: 'A public_key in it is not base64url, without padding, of 32 bytes.',
  key_id_mismatch: 'A key_id in it is not that of its public_key.',
  unknown_algorithm: 'A key in it is not Ed25519 in the format base64url-raw.',
  unknown_status: 'A status in it is none of active, retired and revoked.',
  time_malformed: 'A time in it is not a real day and time of the form YYYY-MM-DDTHH:MM:SSZ.',
  end_missing: 'A key in it is retired or revoked and does not say until when it was valid.',
  ends_before_it_begins: 'A key in it ends before it begins.',
  revocation_contradictory:
    'A key in it is suspected after it was revoked, or has times of a revocation and is not revoked.',
  key_twice: 'It names a key twice.',
} as const

export type KeyListFault = keyof typeof KEY_LIST_FAULTS

export type ReadKeyList = { ok: true; keys: KeyList } | { ok: false; fault: KeyListFault }

const MEMBERS = ['public_key', 'key_id', 'algorithm', 'format', 'status', 'valid_from', 'valid_until']

/** @see docs/rotate-signing-keys.md#keys */
export function readKeyList(list: JsonObject): ReadKeyList {
  const { keys: listed } = list
  if (!Array.isArray(listed) || listed.length === 0) return refuse('not_a_list')
  if (Object.keys(list).some((name) => name !== 'keys' && name !== 'note')) return refuse('unknown_member')
  const keys = new Map<string, ListedKey>()
  for (const each of listed as readonly unknown[]) {
    if (!isJsonObject(each)) return refuse('not_a_list')
    const key = readKey(each)
    if (typeof key === 'string') return refuse(key)
    if (keys.has(key.publicKey)) return refuse('key_twice')
    keys.set(key.publicKey, key)
  }
  return { ok: true, keys }
}

function readKey(key: JsonObject): ListedKey | KeyListFault {
  const fault = findNameFault(key, MEMBERS, ['revoked_at', 'suspected_since'])
  if (fault !== null) return fault
  const { public_key: publicKey, key_id: keyId, algorithm, format, status } = key
  if (!isPublicKey(publicKey)) return 'public_key_malformed'
  if (keyId !== keyIdOf(publicKey)) return 'key_id_mismatch'
  if (algorithm !== 'Ed25519' || format !== 'base64url-raw') return 'unknown_algorithm'
  if (status !== 'active' && status !== 'retired' && status !== 'revoked') return 'unknown_status'
  const times = readTimes(key)
  if (times === null) return 'time_malformed'
  const { validFrom, validUntil, revokedAt, suspectedSince } = times
  if (validUntil === null && status !== 'active') return 'end_missing'
  if (validUntil !== null && validUntil < validFrom) return 'ends_before_it_begins'
  const isRevoked = status === 'revoked'
  if (!isRevoked && (revokedAt ?? suspectedSince) !== null) return 'revocation_contradictory'
  if (revokedAt !== null && suspectedSince !== null && suspectedSince > revokedAt) return 'revocation_contradictory'
  return { publicKey, isRevoked, validFrom, validUntil, suspectedSince }
}

function readTimes(key: JsonObject) {
  const validFrom = timeIn(key, 'valid_from')
  const [validUntil, revokedAt, suspectedSince] = ['valid_until', 'revoked_at', 'suspected_since'].map((name) =>
    (key[name] ?? null) === null ? null : (timeIn(key, name) ?? undefined),
  )
  if (validFrom === null || validUntil === undefined || revokedAt === undefined || suspectedSince === undefined) {
    return null
  }
  return { validFrom, validUntil, revokedAt, suspectedSince }
}

/** Returns null also for a day that its month does not have: such a time prints differently. */
function timeIn(key: JsonObject, name: string): number | null {
  const text = key[name]
  const seconds = isPlainTime(text) ? parseRfc3339(text) : null
  const isReal = seconds !== null && new Date(seconds * 1000).toISOString().replace('.000Z', 'Z') === text
  return isReal ? seconds : null
}

const refuse = (fault: KeyListFault): ReadKeyList => ({ ok: false, fault })

export const KEY_FAULTS = {
  outside_key_period: 'It is dated outside the time for which its key is valid.',
  key_revoked: 'Its key is revoked.',
} as const

export type KeyFault = keyof typeof KEY_FAULTS

/** The clocks that dated key and document can differ, so a key may sign this much early or late. */
const CLOCKS_APART_SECONDS = 60

/**
 * Returns why a key does not vouch for a document that it signed, or null.
 *
 * @param at the signed time, in whole seconds since the epoch. Null for heads of organisations' logs, which have none:
 * then only a revocation counts.
 * @param isIncluded true if the document is proven to be in a log whose head an unrevoked key signed. Then nobody made
 * it later with a stolen key, and it counts if it is older than the suspicion.
 */
export function findKeyFault(key: ListedKey, at: number | null, isIncluded: boolean): KeyFault | null {
  if (key.isRevoked) {
    const isBeforeSuspicion = at !== null && key.suspectedSince !== null && at < key.suspectedSince
    if (!isIncluded || !isBeforeSuspicion) return 'key_revoked'
  }
  if (at === null) return null
  const isEarly = at < key.validFrom - CLOCKS_APART_SECONDS
  const isLate = key.validUntil !== null && at > key.validUntil + CLOCKS_APART_SECONDS
  return isEarly || isLate ? 'outside_key_period' : null
}
