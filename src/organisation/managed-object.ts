// What whoever manages an organisation asks of its object: its settings, policy, webhook, keys and approvals. Each method is one
// turn. The calls of its keys, and what the object does by itself, are in organisation.do.ts.
import { DurableObject } from 'cloudflare:workers'
import type { KeyChange } from '../keys/key-change.policy.ts'
import { isWorkingAt } from '../keys/key-standing.policy.ts'
import type { KeyPage, KeyRecord } from '../keys/keys.store.ts'
import type { Message } from '../notifications/messages.store.ts'
import { readConfig } from '../platform/config.ts'
import type { KeyId, PersonId } from '../platform/ids.ts'
import type { VersionedSettings, WantedSettings } from '../policies/organisation-settings.ts'
import { appendAct, changeSettings, createKey, type Act, type KeyCreated, type SettingsChanged } from './acts.ts'
import {
  decideApproval,
  type AnyApproval,
  type ApprovalDecided,
  type DecisionRequest,
} from './approvals/decide-approval.ts'
import { listApprovals, type WantedApprovals } from './approvals/read-approvals.ts'
import { changeMember, type MemberChange } from './keys/change-member.ts'
import {
  changePolicy,
  readPolicy,
  type PolicyChanged,
  type PolicyInForce,
  type WantedPolicy,
} from './policy/change-policy.ts'
import {
  endKey,
  makeKey,
  replaceKey,
  describeRevoked,
  revokeWithMade,
  updateKey,
  type KeyEnded,
  type KeyMade,
  type KeyRequest,
  type KeyRotated,
  type KeyRotation,
  type KeyUpdated,
  type MintedRecord,
  type RevokedKey,
} from './keys/managed-keys.ts'
import {
  changeWebhook,
  showWebhook,
  type ShownWebhook,
  type WebhookChange,
  type WebhookChanged,
} from './webhook/own-webhook.ts'
import type { PolicyVersion } from './policy/policy-versions.store.ts'
import { simulatePolicy, type SimulatedDecision, type WantedSimulation } from './policy/simulate-policy.ts'
import { lastUseOf } from './journal/state/calls.ts'
import type { Stores, TakeTurn } from './stores.ts'
import type { Upkeep } from './upkeep.ts'

/** `openTurn`: a turn of whoever manages the organisation or looks at it, which throws once it is sealed. */
export type Managed = { stores: Stores; openTurn: TakeTurn; upkeep: Pick<Upkeep, 'setAlarm'> }

export abstract class ManagedObject extends DurableObject {
  /** Of the instance, as is `recordTurn`: callers reach what is on the prototype alone. */
  protected abstract readonly managed: Managed

  /** From the next call on. Also what founds the organisation. */
  changeSettings(wanted: WantedSettings, act: Act): SettingsChanged {
    return this.#change((stores, now) => changeSettings(stores, wanted, act, now))
  }

  /** As they are in force. A look of which nothing is written has no act. */
  readSettings(act: Act | null): VersionedSettings {
    return this.recordTurn(act, () => this.managed.stores.journal.state.settings)
  }

  /** Writes an act that changes nothing here, such as listing the organisation's keys. */
  recordAct(act: Act): void {
    this.recordTurn(act, () => undefined)
    this.managed.upkeep.setAlarm(Date.now())
  }

  readPolicy(): PolicyInForce {
    return this.managed.openTurn(() => readPolicy(this.managed.stores))
  }

  /** The latest first, of those before a version. */
  listPolicies({ before, limit }: { before: number; limit: number }): PolicyVersion[] {
    return this.managed.openTurn(() => this.managed.stores.policies.list(before, limit))
  }

  /** What the latest calls would have met under another policy. Of several turns. */
  simulatePolicy(wanted: WantedSimulation): Promise<SimulatedDecision[]> {
    const { stores, openTurn } = this.managed
    return simulatePolicy(stores, openTurn, wanted, Date.now())
  }

  /** From the next call on. */
  changePolicy(wanted: WantedPolicy, act: Act): PolicyChanged {
    return this.#change((stores, now) => changePolicy(stores, wanted, act, now))
  }

  /** Null where there is none. Looks are no entries. */
  readWebhook(): ShownWebhook | null {
    return this.managed.openTurn(() => showWebhook(this.managed.stores.outbox, Date.now()))
  }

  changeWebhook(change: WebhookChange, act: Act): WebhookChanged {
    const { signingPepper } = readConfig(this.env)
    return this.managed.openTurn(() => changeWebhook(this.managed.stores, change, signingPepper, act, Date.now()))
  }

  /** Messages that wait, and the latest of those that do not: newest first, after `cursor` (an id). */
  listDeliveries(limit: number, cursor: string | null): Message[] {
    return this.managed.openTurn(() => this.managed.stores.outbox.messages.list(limit, cursor))
  }

  createKey(key: KeyRecord, act: Act): KeyCreated {
    return this.managed.openTurn(() => createKey(this.managed.stores, key, act, Date.now()))
  }

  listKeys(page: KeyPage, act: Act): KeyRecord[] {
    return this.recordTurn(act, () => this.managed.stores.keys.pageOfKeys(page, Date.now()).map(this.#withUse))
  }

  findKey(id: string, act: Act): KeyRecord | null {
    return this.recordTurn(act, () => this.#findKey(id))
  }

  /** The key as it is afterwards and those that went with it, or null when there is none. */
  revokeKey(id: string, act: Act): RevokedKey | null {
    return this.#change((stores, now) => {
      const key = this.#findKey(id)
      const revoked = key && revokeWithMade(stores.keys, key, now)
      appendAct(stores.journal, { ...act, content: { ...act.content, ...(revoked && describeRevoked(revoked)) } }, now)
      return revoked
    })
  }

  /** For people and keys of the organisation, whose looks are no entries. */
  readKeys(page: KeyPage): KeyRecord[] {
    return this.managed.openTurn(() => this.managed.stores.keys.pageOfKeys(page, Date.now()).map(this.#withUse))
  }

  readKey(id: KeyId): KeyRecord | null {
    return this.managed.openTurn(() => this.#findKey(id))
  }

  makeKey(minted: MintedRecord, request: KeyRequest): KeyMade {
    return this.managed.openTurn(() => makeKey(this.managed.stores, minted, request, Date.now()))
  }

  updateKey(id: KeyId, change: KeyChange, request: KeyRequest): KeyUpdated {
    return this.#change((stores, now) => updateKey(stores, { id, change }, request, now))
  }

  rotateKey(rotation: KeyRotation, request: KeyRequest): KeyRotated {
    return this.#change((stores, now) => replaceKey(stores, rotation, request, now))
  }

  endKey(id: KeyId, request: KeyRequest): KeyEnded {
    return this.#change((stores, now) => endKey(stores, id, request, now))
  }

  /** The keys in force that a person made, such as one who leaves, and that those made, all the way down. */
  keysOf(personId: PersonId): KeyRecord[] {
    return this.managed.openTurn(() =>
      this.managed.stores.keys.listMadeBy(personId).filter(isWorkingAt(Date.now())).map(this.#withUse),
    )
  }

  /** Applies a change of members. Returns the keys that it revoked. */
  changeMember(change: MemberChange, act: Act): KeyRecord[] {
    return this.#change((stores, now) => changeMember(stores, change, act, now))
  }

  listApprovals(wanted: WantedApprovals): AnyApproval[] {
    return this.managed.openTurn(() => listApprovals(this.managed.stores, wanted, Date.now()))
  }

  decideApproval(request: DecisionRequest): ApprovalDecided {
    return this.#change((stores, now) => decideApproval(stores, request, now))
  }

  #findKey(id: string): KeyRecord | null {
    const key = this.managed.stores.keys.findKey(id)
    return key && this.#withUse(key)
  }

  readonly #withUse = (key: KeyRecord): KeyRecord => {
    const lastUsedAt = lastUseOf(this.managed.stores.journal.state.calls, key.id) ?? key.lastUsedAt
    return { ...key, lastUsedAt }
  }

  /** A turn with the act's entry, if there is one. */
  protected readonly recordTurn = <T>(act: Act | null, work: () => T): T =>
    this.managed.openTurn(() => {
      if (act !== null) appendAct(this.managed.stores.journal, act, Date.now())
      return work()
    })

  /** A turn after which something may be due that was not: a policy or a key that ends, ends approvals too. */
  #change<T>(work: (stores: Stores, now: number) => T): T {
    const now = Date.now()
    const changed = this.managed.openTurn(() => work(this.managed.stores, now))
    this.managed.upkeep.setAlarm(now)
    return changed
  }
}
