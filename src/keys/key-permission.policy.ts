// Decides which keys a person or key may make or change, given that they may manage keys at all. Pure.
import type { KeyId, PersonId } from '../platform/ids.ts'
import type { KeyChange } from './key-change.policy.ts'
import type { KeyScope } from './key.schema.ts'
import type { KeyRecord } from './keys.store.ts'

/** The limits of a key beside its scopes; null for no limit of its own. */
type Bounds = Pick<KeyRecord, 'requestsPerMinute' | 'requestsPerDay' | 'expiresAt'>
export type KeyBound = keyof Bounds

/** `reach`: all keys, or those that the person made. `isFresh`: the person signed in a moment ago. */
export type KeyManager =
  | { kind: 'person'; id: PersonId; reach: 'all' | 'own'; isFresh: boolean }
  | ({ kind: 'key'; id: KeyId; scopes: readonly KeyScope[] } & Bounds)

export type KeyForbidden =
  /** The person was removed or has another role since the request was checked. */
  | { why: 'right_lost' }
  | { why: 'of_another_maker' }
  | { why: 'manage_needs_role' }
  | { why: 'manage_needs_person' }
  | { why: 'not_fresh' }
  | { why: 'scope_missing'; scope: KeyScope }
  /** `most`: the limits of the key that makes the request. */
  | { why: 'beyond_own'; bound: KeyBound; most: number }

type Made = Pick<KeyRecord, 'scopes'> & Bounds
type Judged = Made & Pick<KeyRecord, 'createdBy'>

/** A key can only make keys with no more scopes, calls or time than its own. It cannot make keys with `manage`. */
export function findMakingFault(manager: KeyManager, made: Made): KeyForbidden | null {
  if (made.scopes.includes('manage')) return findManageFault(manager)
  if (manager.kind === 'person') return null
  const scope = made.scopes.find((wanted) => !manager.scopes.includes(wanted))
  return scope === undefined ? findBeyond(manager, made) : { why: 'scope_missing', scope }
}

/** Revoking needs less than changing, so that nobody must sign in again before revoking a leaked key. */
export function findEndingFault(
  manager: KeyManager,
  key: Pick<KeyRecord, 'scopes' | 'createdBy'>,
): KeyForbidden | null {
  if (manager.kind === 'key') return key.scopes.includes('manage') ? { why: 'manage_needs_person' } : null
  return manager.reach === 'own' && key.createdBy !== manager.id ? { why: 'of_another_maker' } : null
}

/** A key may keep or lower the limits it has, whatever limits the requesting key has. */
export function findChangingFault(manager: KeyManager, key: Judged, change: KeyChange): KeyForbidden | null {
  const fault = findEndingFault(manager, key)
  if (fault !== null) return fault
  if (key.scopes.includes('manage')) return findManageFault(manager)
  return manager.kind === 'key' ? findBeyond(manager, change, key) : null
}

/** Rotating reveals the secret of the new key to the requester. */
export function findRotatingFault(manager: KeyManager, key: Judged): KeyForbidden | null {
  return findEndingFault(manager, key) ?? findMakingFault(manager, key)
}

function findManageFault(manager: KeyManager): KeyForbidden | null {
  if (manager.kind === 'key') return { why: 'manage_needs_person' }
  if (manager.reach === 'own') return { why: 'manage_needs_role' }
  return manager.isFresh ? null : { why: 'not_fresh' }
}

const BOUNDS: readonly KeyBound[] = ['requestsPerMinute', 'requestsPerDay', 'expiresAt']

/** @param before limits that may stay in any case */
function findBeyond(own: Bounds, wanted: Partial<Bounds>, before?: Bounds): KeyForbidden | null {
  for (const bound of BOUNDS) {
    const most = own[bound]
    const value = wanted[bound]
    if (most === null || value === undefined) continue
    const kept = before === undefined ? most : (before[bound] ?? Infinity)
    if ((value ?? Infinity) > Math.max(most, kept)) return { why: 'beyond_own', bound, most }
  }
  return null
}
