// Which keys of an organisation somebody may make or change. Pure. That they may do anything at all with keys is known
// before.
import type { KeyId, PersonId } from '../platform/ids.ts'
import type { KeyScope } from './key.schema.ts'
import type { KeyRecord } from './keys.store.ts'

/** `reach`: all keys, or those that the person made. `isFresh`: the person signed in a moment ago. */
export type KeyManager =
  | { kind: 'person'; id: PersonId; reach: 'all' | 'own'; isFresh: boolean }
  | { kind: 'key'; id: KeyId; scopes: readonly KeyScope[] }

export type KeyForbidden =
  | { why: 'of_another_maker' }
  | { why: 'manage_needs_role' }
  | { why: 'manage_needs_person' }
  | { why: 'not_fresh' }
  | { why: 'scope_missing'; scope: KeyScope }

type Judged = Pick<KeyRecord, 'scopes' | 'createdBy'>

/** A key makes none that may do more than it may itself, and none that makes keys. */
export function findMakingFault(manager: KeyManager, scopes: readonly KeyScope[]): KeyForbidden | null {
  if (scopes.includes('manage')) return findManageFault(manager)
  if (manager.kind === 'person') return null
  const scope = scopes.find((wanted) => !manager.scopes.includes(wanted))
  return scope === undefined ? null : { why: 'scope_missing', scope }
}

/** Ending a key asks for less than changing one: whoever has seen it leak is not to sign in again first. */
export function findEndingFault(manager: KeyManager, key: Judged): KeyForbidden | null {
  if (manager.kind === 'key') return key.scopes.includes('manage') ? { why: 'manage_needs_person' } : null
  return manager.reach === 'own' && key.createdBy !== manager.id ? { why: 'of_another_maker' } : null
}

export function findChangingFault(manager: KeyManager, key: Judged): KeyForbidden | null {
  const fault = findEndingFault(manager, key)
  if (fault !== null) return fault
  return key.scopes.includes('manage') ? findManageFault(manager) : null
}

/** The one that takes a key's place has a secret that whoever asks will know. */
export function findRotatingFault(manager: KeyManager, key: Judged): KeyForbidden | null {
  return findEndingFault(manager, key) ?? findMakingFault(manager, key.scopes)
}

function findManageFault(manager: KeyManager): KeyForbidden | null {
  if (manager.kind === 'key') return { why: 'manage_needs_person' }
  if (manager.reach === 'own') return { why: 'manage_needs_role' }
  return manager.isFresh ? null : { why: 'not_fresh' }
}
