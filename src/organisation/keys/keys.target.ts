// Manages an organisation's API keys, for the operator, its members and its own keys. Each change is one turn with its log entry.
// A refused change leaves nothing behind.
import {
  couldMakeKey,
  findChangingFault,
  findRevokingFault,
  findMakingFault,
  findRotatingFault,
  type KeyChange,
  type KeyForbidden,
  type KeyManager,
} from '../../keys/key-permission.policy.ts'
import {
  changeKey,
  endsKey,
  faultOfNewKey,
  invalidKey,
  rotateKey,
  type ChangedKey,
  type InvalidKey,
  type NewKeyFault,
  type RotatedKey,
} from '../../keys/key-rules.policy.ts'
import {
  isActiveAt,
  KeySchema,
  statusOf,
  type KeyRecord,
  type KeyWithMade,
  type RevokedKey,
} from '../../keys/key.schema.ts'
import type { KeyPage } from '../../keys/keys.store.ts'
import { REFERRAL_LIMITS, type CallLimits } from '../../keys/rate-limits.policy.ts'
import type { EntryContent } from '../../evidence/entry.ts'
import type { KeyId, PersonId } from '../../platform/ids.ts'
import { MINUTE_MS } from '../../platform/time.ts'
import { toWire } from '../../platform/wire.ts'
import { MOST_ACTIVE_KEYS } from '../../policies/organisation-limits.policy.ts'
import { planOf } from '../../policies/tier.policy.ts'
import type { EventData } from '../../notifications/webhook-events.ts'
import type { MessageId } from '../../notifications/webhook-messages.store.ts'
import { notify } from '../../notifications/notify.ts'
import { appendAct, causeOf, type Act } from '../append-act.ts'
import type { Claim, Repetition } from '../admit/idempotency.store.ts'
import { endDueApprovals } from '../approvals/approval-steps.ts'
import { lastUseOf } from '../journal/state/calls.ts'
import { FeatureTarget } from '../feature.target.ts'
import type { RightsChange } from './member-rights.store.ts'
import { once } from '../../platform/once.ts'

/** The person or key that makes the request. The turn checks their rights again, because they may have been revoked since. */
export type KeyActor =
  | Extract<KeyManager, { kind: 'person' }>
  | Pick<Extract<KeyManager, { kind: 'key' }>, 'kind' | 'id'>

/** `claim`: from the request's `Idempotency-Key`; null if it has none. */
export type KeyRequest = { actor: KeyActor; requestId: string; claim: Omit<Claim, 'claimant'> | null }

export type KeyRefusal =
  | Refused
  | { outcome: 'invalid'; reason: NewKeyFault }
  | { outcome: 'not_found' }
  /** The change was to revoke the keys that the key made, but it does not end the key. */
  | { outcome: 'nothing_ends' }
  /** `most`: how many keys may be in force. */
  | { outcome: 'too_many'; most: number }
  | Repetition

type Refused = InvalidKey | ({ outcome: 'forbidden' } & KeyForbidden)

/** A newly minted key. The turn adds the rest of its record. */
export type MintedRecord = Omit<KeyRecord, 'createdBy' | 'lastUsedAt' | 'replacedBy' | 'revokedAt'>

export type KeyCreated = { outcome: 'created' } | { outcome: 'refused'; reason: NewKeyFault }
export type KeyMade = { outcome: 'made'; key: KeyRecord } | KeyRefusal
export type KeyUpdated = WithMade<ChangedKey, 'changed'> | KeyRefusal
export type KeyRotated = WithMade<RotatedKey, 'rotated_now'> | KeyRefusal
export type KeyEnded = ({ outcome: 'ended' } & RevokedKey) | KeyRefusal

type WithMade<Result extends { outcome: string }, Done extends string> =
  | (Extract<Result, { outcome: Done }> & Pick<KeyWithMade, 'made'>)
  | Exclude<Result, { outcome: Done }>

/** `revokeMade`: also revoke the working keys that the key made, and those that these made. */
type MadeChoice = { revokeMade?: boolean }

export type KeyRotation = Pick<KeyRecord, 'id'> &
  MadeChoice & {
    successor: Pick<KeyRecord, 'id' | 'secretHash' | 'lastFour'>
    overlapMs: number
  }

/** `revokeKeys`: revoke all keys of the member, whatever the new rights are. `messageId`: the same in each delivery of the change, and in no other organisation. */
export type MemberChange = RightsChange & {
  revokeKeys?: boolean
  facts: Pick<EventData['member.changed'], 'change' | 'role' | 'previous_role'>
  messageId: MessageId
}

/** A request that was checked just before the change may make a key for so long. Later keys are of a member who came back. */
const REQUEST_MS = MINUTE_MS

/** A higher limit for rotation, so that an organisation with the most keys can still rotate each of them. */
const MOST_WITH_ROTATED = 2 * MOST_ACTIVE_KEYS

export class KeysTarget extends FeatureTarget<'stores' | 'turns'> {
  /** Returns a page of keys. Writes `act` to the log unless it is null: only the operator's reads are logged. */
  list(page: KeyPage, act: Act | null): KeyRecord[] {
    return this.parts.turns.record(act, () =>
      this.parts.stores.keys.pageOfKeys(page, Date.now()).map((key) => this.#withLastUse(key)),
    )
  }

  /** Returns null if there is no such key. Writes the act to the log if there is one. */
  find(id: string, act: Act | null): KeyRecord | null {
    return this.parts.turns.record(act, () => this.#find(id))
  }

  /** Returns null if there is no such key. */
  findWithMade(id: KeyId): KeyWithMade | null {
    return this.parts.turns.takeUntilClosed(() => {
      const key = this.#find(id)
      return key && { key, made: this.#listMadeBy(id, Date.now()) }
    })
  }

  /** Returns the working keys that a person made, and the working keys made by those, at any depth. */
  listMadeBy(personId: PersonId): KeyRecord[] {
    return this.parts.turns.takeUntilClosed(() => this.#listMadeBy(personId, Date.now()))
  }

  issue(key: KeyRecord, act: Act): KeyCreated {
    return this.parts.turns.takeUntilClosed(() => {
      const now = Date.now()
      const reason = faultOfNewKey(key, this.#limitsOf(key), now)
      if (reason !== null) return { outcome: 'refused', reason }
      this.parts.stores.keys.insertKey(key)
      appendAct(this.parts.stores.journal, { ...act, content: describeKey(key) }, now)
      this.#notifyOfKey(key, act, now)
      return { outcome: 'created' }
    })
  }

  /** Revokes a key, and the keys that it made, for the operator. Returns them, or null if there is no such key. */
  revoke(id: string, act: Act): RevokedKey | null {
    return this.parts.turns.change(({ journal }, now) => {
      const key = this.#find(id)
      const revoked = key && this.#revokeWithMade(key, now)
      appendAct(journal, { ...act, content: { ...act.content, ...(revoked && describeRevoked(revoked)) } }, now)
      return revoked
    })
  }

  make(minted: MintedRecord, request: KeyRequest): KeyMade {
    return this.parts.turns.takeUntilClosed(() => {
      const now = Date.now()
      const { keys } = this.parts.stores
      const manager = this.#findManager(request.actor, now)
      if ('outcome' in manager) return manager
      const repetition = this.#findRepetition(request, now)
      if (repetition !== null) return repetition
      const forbidden = findMakingFault(manager, minted)
      if (forbidden !== null) return { outcome: 'forbidden', ...forbidden }
      if (keys.countActive(now) >= MOST_ACTIVE_KEYS) return { outcome: 'too_many', most: MOST_ACTIVE_KEYS }
      const reason = faultOfNewKey(minted, this.#limitsOf(minted), now)
      if (reason !== null) return { outcome: 'invalid', reason }
      const key: KeyRecord = { ...minted, createdBy: manager.id, lastUsedAt: null, replacedBy: null, revokedAt: null }
      keys.insertKey(key)
      this.#claim(request, key.id, now)
      this.#append(request, 'key.create', describeKey(key), now)
      this.#notifyOfKey(key, actOf(request), now)
      return { outcome: 'made', key }
    })
  }

  update(id: KeyId, { revokeMade, ...change }: KeyChange & MadeChoice, request: KeyRequest): KeyUpdated {
    return this.parts.turns.change(({ keys }, now) => {
      const manager = this.#findManager(request.actor, now)
      if ('outcome' in manager) return manager
      const key = keys.findKey(id)
      if (key === null) return { outcome: 'not_found' }
      const forbidden = findChangingFault(manager, key, change)
      if (forbidden !== null) return { outcome: 'forbidden', ...forbidden }
      const changed = changeKey(key, change, this.#limitsOf(key), now)
      if (changed.outcome !== 'changed') return changed
      if (revokeMade && !endsKey(key, change)) return { outcome: 'nothing_ends' }
      const content = describeChange(key, changed.key)
      if (content !== null) {
        keys.updateKey(changed.key)
        this.#append(request, 'key.update', content, now)
      }
      return { ...changed, made: this.#madeBy(id, revokeMade, request, now) }
    })
  }

  /** Makes the new key and ends the old one in one turn, so that a crash leaves both or neither. */
  rotate({ id, successor, overlapMs, revokeMade }: KeyRotation, request: KeyRequest): KeyRotated {
    return this.parts.turns.change(({ keys }, now) => {
      const manager = this.#findManager(request.actor, now)
      if ('outcome' in manager) return manager
      const key = keys.findKey(id)
      if (key === null) return { outcome: 'not_found' }
      const repetition = this.#findRepetition(request, now)
      if (repetition !== null) return repetition
      const forbidden = findRotatingFault(manager, key)
      if (forbidden !== null) return { outcome: 'forbidden', ...forbidden }
      const rotated = rotateKey(key, successor, { by: manager.id, overlapMs }, now)
      if (rotated.outcome !== 'rotated_now') return rotated
      if (keys.countActive(now) >= MOST_WITH_ROTATED) return { outcome: 'too_many', most: MOST_WITH_ROTATED }
      keys.insertKey(rotated.successor)
      keys.updateKey(rotated.old)
      this.#claim(request, successor.id, now)
      this.#append(request, 'key.rotate', { key_id: id, ...toWire(LoggedEnd(), rotated.old) }, now)
      this.#notifyOfKey(rotated.successor, actOf(request), now)
      return { ...rotated, made: this.#madeBy(id, revokeMade, request, now) }
    })
  }

  /** Revokes a key for a member or a key of the organisation. Repeating it changes nothing and writes no entry. */
  end(id: KeyId, request: KeyRequest): KeyEnded {
    return this.parts.turns.change(({ keys }, now) => {
      const manager = this.#findManager(request.actor, now)
      if ('outcome' in manager) return manager
      const key = keys.findKey(id)
      if (key === null) return { outcome: 'not_found' }
      const forbidden = findRevokingFault(manager, key)
      if (forbidden !== null) return { outcome: 'forbidden', ...forbidden }
      const revoked = this.#revokeWithMade(key, now)
      if (key.revokedAt === null) this.#append(request, 'key.revoke', describeRevoked(revoked), now)
      return { outcome: 'ended', ...revoked }
    })
  }

  /**
   * Applies a change of a member to keys and approvals, in one turn with its entry. After the response, no key works and no
   * approval counts that the member's new rights do not allow. Returns the keys of theirs that worked. Safe to repeat.
   */
  changeMember({ revokeKeys, facts, messageId, ...change }: MemberChange, act: Act): KeyRecord[] {
    return this.parts.turns.change((stores, now) => {
      const { personId: id, keysReach, changedAt } = change
      // Keys that were made under the rights of a later change are not this one's.
      const until = stores.memberRights.isChangedAfter(id, changedAt) ? changedAt : changedAt + REQUEST_MS
      const made = stores.keys.listMadeBy(id, until).filter(isActiveAt(now))
      const ending = made.filter((key) => revokeKeys || !couldMakeKey({ id, reach: keysReach }, key))
      this.#revokeAll(ending, act, now)
      appendAct(stores.journal, act, now)
      const data = { ...causeOf(act), member_id: id, ...facts, keys_revoked: ending.length }
      notify(stores.outbox, { type: 'member.changed', data }, now, messageId)
      // Another role may see less: the member chooses anew.
      if (facts.change === 'role' || facts.change === 'removed') stores.outbox.members.deleteChoice(id)
      stores.memberRights.write(change)
      endDueApprovals(stores, now)
      return made.flatMap((key) => this.#find(key.id) ?? [])
    })
  }

  /** Returns the working keys that a key made, and the working keys made by those. Revokes them if asked to. */
  #madeBy(id: KeyId, revokeMade = false, request: KeyRequest, now: number): KeyRecord[] {
    if (!revokeMade) return this.#listMadeBy(id, now)
    const made = this.#listMadeBy(id, now)
    this.#revokeAll(made, { ...actOf(request), act: 'key.revoke' }, now)
    return made.flatMap((key) => this.#find(key.id) ?? [])
  }

  #listMadeBy(maker: PersonId | KeyId, now: number): KeyRecord[] {
    return this.parts.stores.keys
      .listMadeBy(maker)
      .filter(isActiveAt(now))
      .map((key) => this.#withLastUse(key))
  }

  /** Revokes keys that work. One entry lists them. */
  #revokeAll(working: readonly KeyRecord[], act: Act, now: number): void {
    const { keys, journal } = this.parts.stores
    if (working.length === 0) return
    for (const { id } of working) keys.revokeKey(id, now)
    const content = { ...act.content, key_ids: working.map(({ id }) => id) }
    appendAct(journal, { ...act, act: 'key.revoke', content }, now)
  }

  /** Revokes a key and all working keys that it made. Safe to repeat: the result is then the same. */
  #revokeWithMade(key: KeyRecord, now: number): RevokedKey {
    const { keys } = this.parts.stores
    const revokedAt = key.revokedAt ?? now
    if (key.revokedAt === null) {
      const working = keys.listMadeBy(key.id).filter(isActiveAt(now))
      for (const { id } of [key, ...working]) keys.revokeKey(id, now)
    }
    const alsoRevoked = keys.listMadeBy(key.id).filter((one) => one.revokedAt === revokedAt)
    return { key: { ...key, revokedAt }, alsoRevoked }
  }

  #findManager(actor: KeyActor, now: number): KeyManager | Refused {
    const { keys, memberRights } = this.parts.stores
    if (actor.kind === 'person') {
      const reach = memberRights.keysReachOf(actor.id, actor.reach)
      return reach === null ? { outcome: 'forbidden', why: 'right_lost' } : { ...actor, reach }
    }
    const key = keys.findKey(actor.id)
    if (key === null) return invalidKey('unknown')
    const status = statusOf(key, now)
    if (status !== 'active') return invalidKey(status)
    const { scopes, requestsPerMinute, requestsPerDay, dataRegion, expiresAt } = key
    return { ...actor, scopes, requestsPerMinute, requestsPerDay, dataRegion, expiresAt }
  }

  /** The daily limit of a gateway key is at most its organisation's monthly limit. */
  #limitsOf({ prefix }: Pick<KeyRecord, 'prefix'>): CallLimits {
    if (prefix === 'vk_test_' || prefix === 'vk_live_') return REFERRAL_LIMITS[prefix]
    const { requestsPerMinute: perMinute, requestsPerMonth: perDay } = planOf(this.parts.stores.journal.state.settings)
    return { perMinute, perDay }
  }

  #findRepetition({ actor, claim }: KeyRequest, now: number): Repetition | null {
    return claim && this.parts.stores.claims.findRepetition({ ...claim, claimant: actor.id }, now)
  }

  #claim({ actor, claim }: KeyRequest, made: KeyId, now: number): void {
    if (claim !== null)
      this.parts.stores.claims.insertClaim({ ...claim, claimant: actor.id }, { made, answer: null }, now)
  }

  #append(request: KeyRequest, act: string, content: EntryContent, now: number): void {
    appendAct(this.parts.stores.journal, { ...actOf(request), act, content }, now)
  }

  #notifyOfKey(key: KeyRecord, act: Pick<Act, 'actor' | 'requestId'>, now: number): void {
    const data = { ...causeOf(act), key_id: key.id, ...toWire(NotifiedKey(), key) }
    notify(this.parts.stores.outbox, { type: 'key.created', data }, now)
  }

  #find(id: string): KeyRecord | null {
    const key = this.parts.stores.keys.findKey(id)
    return key && this.#withLastUse(key)
  }

  #withLastUse(key: KeyRecord): KeyRecord {
    return { ...key, lastUsedAt: lastUseOf(this.parts.stores.journal.state.calls, key.id) ?? key.lastUsedAt }
  }
}

/** The fields of a key in its log entries. SECURITY: never its name, and never a secret. */
const LoggedLimits = once(() =>
  KeySchema().pick({ expires_at: true, requests_per_minute: true, requests_per_day: true, data_region: true }),
)
const LoggedKey = once(() =>
  LoggedLimits().extend(KeySchema().pick({ prefix: true, scopes: true, evaluation: true }).shape),
)
const LoggedEnd = once(() => KeySchema().pick({ replaced_by: true, expires_at: true }))
/** The fields of a key in a message. SECURITY: the same holds. */
const NotifiedKey = once(() =>
  KeySchema().pick({ prefix: true, scopes: true, evaluation: true, expires_at: true, created_by: true }),
)

const actOf = ({ actor, requestId }: KeyRequest) => ({ actor: actor.id, requestId })

const describeKey = (key: KeyRecord): EntryContent => ({ key_id: key.id, ...toWire(LoggedKey(), key) })

/** Returns null if nothing changed. */
function describeChange(before: KeyRecord, after: KeyRecord): EntryContent | null {
  const limits: EntryContent = toWire(LoggedLimits(), before)
  const changed = Object.entries(toWire(LoggedLimits(), after)).filter(([name, value]) => value !== limits[name])
  if (changed.length === 0 && after.name === before.name) return null
  return { key_id: before.id, ...(after.name !== before.name && { renamed: true }), ...Object.fromEntries(changed) }
}

const describeRevoked = ({ key, alsoRevoked }: RevokedKey): EntryContent => ({
  key_id: key.id,
  ...(alsoRevoked.length > 0 && { key_ids: alsoRevoked.map(({ id }) => id) }),
})
