// Decides who may make, change, rotate or revoke a key, and which keys a change of role leaves to their maker. Pure.
import type { KeyId, PersonId } from '../platform/ids.ts'
import { isWithin, type DataRegion } from '../platform/data-region.ts'
import type { KeyRecord, KeyScope } from './key.schema.ts'

/** The limits of a key besides its scopes; null: no limit of its own. */
type KeyLimits = NumberLimits & Pick<KeyRecord, 'dataRegion'>
export type NumberLimits = Pick<KeyRecord, 'requestsPerMinute' | 'requestsPerDay' | 'expiresAt'>
type NumberLimit = keyof NumberLimits

/** Absent members do not change. Null removes the key's own limit. */
export type KeyChange = Partial<Pick<KeyRecord, 'name'> & KeyLimits>

/** The keys that a member may make and change: all, only their own, or none. */
export type KeysReach = 'all' | 'own' | null

export type KeyManager =
  | { kind: 'person'; id: PersonId; reach: NonNullable<KeysReach> }
  | ({ kind: 'key'; id: KeyId; scopes: readonly KeyScope[] } & KeyLimits)

export type KeyForbidden =
  /** The person was removed, or their role changed, after the request was checked. */
  | { why: 'right_lost' }
  | { why: 'of_another_maker' }
  | { why: 'manage_needs_role' }
  | { why: 'manage_needs_person' }
  | { why: 'evaluation_needs_role' }
  | { why: 'scope_missing'; scope: KeyScope }
  /** `most`: the requesting key's own limit. */
  | { why: 'beyond_own'; limit: NumberLimit; most: number }
  /** `region`: the requesting key's own. */
  | { why: 'region_beyond_own'; region: DataRegion }

type ManagerKind = Omit<Extract<KeyManager, { kind: 'person' }>, 'id'> | { kind: 'key' }
type KeyKind = Pick<KeyRecord, 'scopes' | 'evaluation'>
type NewKey = KeyKind & KeyLimits
type OldKey = NewKey & Pick<KeyRecord, 'createdBy'>

/**
 * A key can only make keys with no more scopes, calls or time and no wider region than its own, and none with `manage` or for
 * evaluation.
 */
export function findMakingFault(manager: KeyManager, made: NewKey): KeyForbidden | null {
  const fault = findKindFault(manager, made)
  if (fault !== null || manager.kind === 'person') return fault
  const scope = made.scopes.find((one) => !manager.scopes.includes(one))
  return scope === undefined ? findHigherLimit(manager, made) : { why: 'scope_missing', scope }
}

/**
 * Returns true if a member with this reach could make the key, after signing in. Only a key with `manage` makes keys, so a key
 * that one of their keys made needs the right to make that one.
 */
export function couldMakeKey(
  { id, reach }: { id: string; reach: KeysReach },
  key: KeyKind & { createdBy: string },
): boolean {
  if (reach === null) return false
  const made: KeyKind = key.createdBy === id ? key : { scopes: ['manage'], evaluation: false }
  return findKindFault({ kind: 'person', reach }, made) === null
}

/** Revoking needs fewer rights than changing, so that nobody must sign in again before revoking a leaked key. */
export function findRevokingFault(
  manager: KeyManager,
  key: Pick<KeyRecord, 'scopes' | 'createdBy'>,
): KeyForbidden | null {
  if (manager.kind === 'key') return key.scopes.includes('manage') ? { why: 'manage_needs_person' } : null
  return manager.reach === 'own' && key.createdBy !== manager.id ? { why: 'of_another_maker' } : null
}

/** A key's limits may stay or become lower, whatever limits the requesting key has. */
export function findChangingFault(manager: KeyManager, key: OldKey, change: KeyChange): KeyForbidden | null {
  const fault = findRevokingFault(manager, key)
  if (fault !== null) return fault
  if (key.scopes.includes('manage')) return findManageFault(manager)
  return manager.kind === 'key' ? findHigherLimit(manager, change, key) : null
}

/** Rotating reveals the new key's secret to the requester, so it needs the right to make such a key. */
export const findRotatingFault = (manager: KeyManager, key: OldKey): KeyForbidden | null =>
  findRevokingFault(manager, key) ?? findMakingFault(manager, key)

/** Checks what only some callers may make: keys with `manage` and keys for evaluation. */
function findKindFault(manager: ManagerKind, { scopes, evaluation }: KeyKind): KeyForbidden | null {
  if (evaluation && !(manager.kind === 'person' && manager.reach === 'all')) return { why: 'evaluation_needs_role' }
  return scopes.includes('manage') ? findManageFault(manager) : null
}

function findManageFault(manager: ManagerKind): KeyForbidden | null {
  if (manager.kind === 'key') return { why: 'manage_needs_person' }
  if (manager.reach === 'own') return { why: 'manage_needs_role' }
  return null
}

const NUMBER_LIMITS: readonly NumberLimit[] = ['requestsPerMinute', 'requestsPerDay', 'expiresAt']

/** @param before limits that are allowed in any case */
function findHigherLimit(maker: KeyLimits, made: Partial<KeyLimits>, before?: KeyLimits): KeyForbidden | null {
  for (const limit of NUMBER_LIMITS) {
    const most = maker[limit]
    const value = made[limit]
    if (most === null || value === undefined) continue
    const allowed = before === undefined ? most : (before[limit] ?? Infinity)
    if ((value ?? Infinity) > Math.max(most, allowed)) return { why: 'beyond_own', limit, most }
  }
  return findWiderRegion(maker.dataRegion, made.dataRegion, before?.dataRegion)
}

/** A key without a region of its own counts as `any`, because the organisation's policy may become wider. */
function findWiderRegion(
  own: DataRegion | null,
  made: DataRegion | null | undefined,
  before: DataRegion | null | undefined,
): KeyForbidden | null {
  if (own === null || made === undefined) return null
  const allowed = before === undefined ? [own] : [own, before ?? 'any']
  return allowed.some((region) => isWithin(made ?? 'any', region)) ? null : { why: 'region_beyond_own', region: own }
}
