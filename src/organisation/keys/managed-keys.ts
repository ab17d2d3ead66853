// What an organisation's members and keys do with its keys: each in one turn, with its entry in the ledger. A request that is
// refused leaves nothing behind.
import { changeKey, rotateKey, type ChangedKey, type KeyChange, type RotatedKey } from '../../keys/key-change.policy.ts'
import {
  findChangingFault,
  findEndingFault,
  findMakingFault,
  findRotatingFault,
  type KeyForbidden,
  type KeyManager,
} from '../../keys/key-permission.policy.ts'
import { invalidKey, isWorkingAt, statusOf, type InvalidKey } from '../../keys/key-standing.policy.ts'
import type { KeyRecord, KeysStore } from '../../keys/keys.store.ts'
import { faultOfNewKey, type NewKeyFault } from '../../keys/new-key.policy.ts'
import type { EntryContent } from '../../evidence/entry.ts'
import type { KeyId, PersonId } from '../../platform/ids.ts'
import { appendAct, planOfKey, type Act } from '../acts.ts'
import { describeChange, describeKey, describeRotation } from './describe-key.ts'
import type { Journal } from '../journal/journal.ts'
import type { MemberRightsStore } from './member-rights.store.ts'
import type { Claim, IdempotencyStore, Repetition } from '../admit/idempotency.store.ts'

/** The person or key that asks. The turn looks up what they may do: a key may be revoked, or a member removed, since it was let in. */
export type KeyActor =
  | Extract<KeyManager, { kind: 'person' }>
  | Pick<Extract<KeyManager, { kind: 'key' }>, 'kind' | 'id'>

/** `claim`: of the request's `Idempotency-Key`, where it has one. */
export type KeyRequest = { actor: KeyActor; requestId: string; claim: Omit<Claim, 'claimant'> | null }

export type KeyRefusal =
  | Refused
  | { outcome: 'invalid'; reason: NewKeyFault }
  | { outcome: 'not_found' }
  /** `most`: how many may be in force. */
  | { outcome: 'too_many'; most: number }
  | Repetition

/** A new key as it is minted: the rest of its record is known in the turn. */
export type MintedRecord = Omit<KeyRecord, 'createdBy' | 'lastUsedAt' | 'replacedBy' | 'revokedAt'>

export type KeyMade = { outcome: 'made'; key: KeyRecord } | KeyRefusal
export type KeyUpdated = ChangedKey | KeyRefusal
export type KeyRotated = RotatedKey | KeyRefusal
export type KeyEnded = ({ outcome: 'ended' } & RevokedKey) | KeyRefusal

/** `alsoRevoked`: the keys that it made, and that these made. */
export type RevokedKey = { key: KeyRecord; alsoRevoked: KeyRecord[] }

export type KeyRotation = Pick<KeyRecord, 'id'> & {
  successor: Pick<KeyRecord, 'id' | 'secretHash' | 'lastFour'>
  overlapMs: number
}

/** In force, of one organisation: its object lists them in one answer, and ends those of one person in one turn. */
const MOST_KEYS = 1_000
/** Whoever has the most can still rotate each of them. */
const MOST_WITH_ROTATED = 2 * MOST_KEYS

export type KeyStores = { keys: KeysStore; journal: Journal; claims: IdempotencyStore; memberRights: MemberRightsStore }

export function makeKey(stores: KeyStores, minted: MintedRecord, request: KeyRequest, now: number): KeyMade {
  const manager = findManager(stores, request.actor, now)
  if ('outcome' in manager) return manager
  const repetition = findRepetition(stores, request, now)
  if (repetition !== null) return repetition
  const forbidden = findMakingFault(manager, minted)
  if (forbidden !== null) return { outcome: 'forbidden', ...forbidden }
  if (stores.keys.countActive(now) >= MOST_KEYS) return { outcome: 'too_many', most: MOST_KEYS }
  const reason = faultOfNewKey(minted, planOfKey(minted, stores.journal.state.settings), now)
  if (reason !== null) return { outcome: 'invalid', reason }
  const key: KeyRecord = { ...minted, createdBy: manager.id, lastUsedAt: null, replacedBy: null, revokedAt: null }
  stores.keys.insertKey(key)
  claim(stores, request, key.id, now)
  append(stores, request, 'key.create', describeKey(key), now)
  return { outcome: 'made', key }
}

export function updateKey(
  stores: KeyStores,
  { id, change }: { id: KeyId; change: KeyChange },
  request: KeyRequest,
  now: number,
): KeyUpdated {
  const manager = findManager(stores, request.actor, now)
  if ('outcome' in manager) return manager
  const key = stores.keys.findKey(id)
  if (key === null) return { outcome: 'not_found' }
  const forbidden = findChangingFault(manager, key, change)
  if (forbidden !== null) return { outcome: 'forbidden', ...forbidden }
  const changed = changeKey(key, change, planOfKey(key, stores.journal.state.settings), now)
  if (changed.outcome !== 'changed') return changed
  const content = describeChange(key, changed.key)
  if (content === null) return changed
  stores.keys.updateKey(changed.key)
  append(stores, request, 'key.update', content, now)
  return changed
}

/** The new key comes and the old one's end is set in one turn: whatever is cut off, there are both or neither. */
export function replaceKey(
  stores: KeyStores,
  { id, successor, overlapMs }: KeyRotation,
  request: KeyRequest,
  now: number,
): KeyRotated {
  const manager = findManager(stores, request.actor, now)
  if ('outcome' in manager) return manager
  const key = stores.keys.findKey(id)
  if (key === null) return { outcome: 'not_found' }
  const repetition = findRepetition(stores, request, now)
  if (repetition !== null) return repetition
  const forbidden = findRotatingFault(manager, key)
  if (forbidden !== null) return { outcome: 'forbidden', ...forbidden }
  const rotated = rotateKey(key, successor, { by: manager.id, overlapMs }, now)
  if (rotated.outcome !== 'rotated_now') return rotated
  if (stores.keys.countActive(now) >= MOST_WITH_ROTATED) return { outcome: 'too_many', most: MOST_WITH_ROTATED }
  stores.keys.insertKey(rotated.successor)
  stores.keys.updateKey(rotated.old)
  claim(stores, request, successor.id, now)
  append(stores, request, 'key.rotate', describeRotation(rotated.old, rotated.successor), now)
  return rotated
}

/** A second time changes nothing and is no entry. */
export function endKey(stores: KeyStores, id: KeyId, request: KeyRequest, now: number): KeyEnded {
  const manager = findManager(stores, request.actor, now)
  if ('outcome' in manager) return manager
  const key = stores.keys.findKey(id)
  if (key === null) return { outcome: 'not_found' }
  const forbidden = findEndingFault(manager, key)
  if (forbidden !== null) return { outcome: 'forbidden', ...forbidden }
  const revoked = revokeWithMade(stores.keys, key, now)
  if (key.revokedAt === null) append(stores, request, 'key.revoke', describeRevoked(revoked), now)
  return { outcome: 'ended', ...revoked }
}

/** Ends a key and what it made that still works. Safe to repeat: the answer is then the same. */
export function revokeWithMade(keys: KeysStore, key: KeyRecord, now: number): RevokedKey {
  const revokedAt = key.revokedAt ?? now
  if (key.revokedAt === null) {
    const working = keys.listMadeBy(key.id).filter(isWorkingAt(now))
    for (const { id } of [key, ...working]) keys.revokeKey(id, now)
  }
  const alsoRevoked = keys.listMadeBy(key.id).filter((one) => one.revokedAt === revokedAt)
  return { key: { ...key, revokedAt }, alsoRevoked }
}

export const describeRevoked = ({ key, alsoRevoked }: RevokedKey): EntryContent => ({
  key_id: key.id,
  ...(alsoRevoked.length > 0 && { key_ids: alsoRevoked.map(({ id }) => id) }),
})

/** `before`: a time in milliseconds. What a person makes who has come back since is not meant. */
export type MadeBy = { personId: PersonId; before: number }

/** All that this person made, and that those made, and that still work: in one turn and one entry, which lists them. */
export function revokeKeysOf(
  { keys, journal }: Pick<KeyStores, 'keys' | 'journal'>,
  { personId, before }: MadeBy,
  act: Act,
  now: number,
): KeyRecord[] {
  const revoked = keys.listMadeBy(personId, before).filter(isWorkingAt(now))
  if (revoked.length === 0) return []
  for (const { id } of revoked) keys.revokeKey(id, now)
  appendAct(journal, { ...act, content: { ...act.content, key_ids: revoked.map(({ id }) => id) } }, now)
  return revoked.flatMap(({ id }) => keys.findKey(id) ?? [])
}

type Refused = InvalidKey | ({ outcome: 'forbidden' } & KeyForbidden)

function findManager({ keys, memberRights }: KeyStores, actor: KeyActor, now: number): KeyManager | Refused {
  if (actor.kind === 'person') {
    const reach = memberRights.keysReachOf(actor.id, actor.reach)
    return reach === null ? { outcome: 'forbidden', why: 'right_lost' } : { ...actor, reach }
  }
  const key = keys.findKey(actor.id)
  if (key === null) return invalidKey('unknown')
  const status = statusOf(key, now)
  if (status !== 'active') return invalidKey(status)
  const { scopes, requestsPerMinute, requestsPerDay, expiresAt } = key
  return { ...actor, scopes, requestsPerMinute, requestsPerDay, expiresAt }
}

const findRepetition = ({ claims }: KeyStores, { actor, claim: wanted }: KeyRequest, now: number): Repetition | null =>
  wanted === null ? null : claims.findRepetition({ ...wanted, claimant: actor.id }, now)

function claim({ claims }: KeyStores, { actor, claim: wanted }: KeyRequest, made: KeyId, now: number): void {
  if (wanted !== null) claims.insertClaim({ ...wanted, claimant: actor.id }, { made, answer: null }, now)
}

function append({ journal }: KeyStores, request: KeyRequest, act: string, content: EntryContent, now: number): void {
  appendAct(journal, { actor: request.actor.id, act, requestId: request.requestId, content }, now)
}
