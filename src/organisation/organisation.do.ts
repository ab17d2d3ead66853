// One object per organisation: the unit in which its calls are decided and recorded. Each method is one turn over one
// SQLite database; errors that callers expect are values.
import { DurableObject } from 'cloudflare:workers'
import type { KeyChange } from '../keys/key-change.policy.ts'
import type { KeyRecord } from '../keys/keys.store.ts'
import { KeysStore, type KeyPage } from '../keys/keys.store.ts'
import { CostsStore } from '../keys/costs.store.ts'
import { LimitsStore } from '../keys/limits.store.ts'
import { Archive, type FoundEntry } from '../ledger/archive.ts'
import { EntriesReader } from '../ledger/entries-reader.ts'
import { LedgerStore } from '../ledger/ledger.store.ts'
import { openPublicLog } from '../ledger/public-log/public-log-stub.ts'
import { ReceiptsStore } from '../ledger/receipts.store.ts'
import { SettlementsStore } from '../ledger/settlements.store.ts'
import { TreeStore } from '../ledger/tree.store.ts'
import { readConfig } from '../platform/config.ts'
import type { KeyId, PersonId } from '../platform/ids.ts'
import { migrateObject } from '../platform/object-migrations.ts'
import type { VersionedSettings, WantedSettings } from '../policies/organisation-settings.ts'
import { admit, type Admission, type AdmitRequest } from './admit.ts'
import {
  admitChat,
  admitInvalid,
  admitManage,
  describeChatKey,
  type ChatAdmission,
  type ChatCall,
  type ChatStores,
  type ManageCall,
} from './admit-chat.ts'
import { correctTimes } from './clock-steps.ts'
import { DataKeysStore } from './data-keys.store.ts'
import { ErasedStore, type Erased } from './erasure/erased.store.ts'
import { ErasureRun } from './erasure/erasure-run.ts'
import { ErasureStateStore, type ErasureRequest, type OwnErasure } from './erasure/erasure-state.store.ts'
import { erasureParts } from './erasure/erasure-parts.ts'
import {
  beginIfDue,
  cancelErasure,
  repeatErasure,
  scheduleErasure,
  type Asked,
  type ErasureCancelled,
  type ErasureScheduled,
} from './erasure/organisation-erasure.ts'
import { turnsUntilSealed } from './erasure/sealed.ts'
import { locate, readEvidence, type EvidenceAnswer } from './evidence.ts'
import { ExportsStore } from './export/exports.store.ts'
import {
  beginExport,
  presentEntries,
  readUsage,
  type ExportBegun,
  type ExportedEntries,
  type Usage,
  type WantedEntries,
} from './export/organisation-export.ts'
import { IdempotencyStore } from './idempotency.store.ts'
import { LoopsStore } from './loops.store.ts'
import {
  endKey,
  makeKey,
  replaceKey,
  revokeKeysOf,
  updateKey,
  type KeyEnded,
  type KeyMade,
  type KeyRequest,
  type KeyRotated,
  type KeyRotation,
  type KeyStores,
  type KeyUpdated,
  type MintedRecord,
} from './managed-keys.ts'
import type { ChatFacts } from './record-chat.ts'
import type { ChatCaller } from './room.ts'
import { settleChat, settleInterruptedChats, type ChatSettled, type ChatSettlement } from './settle-chat.ts'
import { ReceiptPublisher } from './publish-receipts.ts'
import { appendAct, changeSettings, createKey, type Act, type KeyCreated, type SettingsChanged } from './acts.ts'
import { ORGANISATION_MIGRATIONS } from './organisation-migrations.ts'
import { PublicationStore } from './publication.store.ts'
import { SettingsStore } from './settings.store.ts'
import { SpendingStore } from './spending.store.ts'
import {
  proveConsistency,
  proveInclusion,
  readLog,
  readTreeHead,
  type ConsistencyAnswer,
  type InclusionAnswer,
  type LogAnswer,
  type LogHead,
  type WantedSize,
  type WantedSizes,
} from './transparency.ts'
import { createTurns, type TakeTurn } from './turns.ts'
import { Upkeep } from './upkeep.ts'
import { settleInterrupted, settleReading, type Settlement, type SettleRequest } from './settle-reading.ts'

export class Organisation extends DurableObject {
  readonly #keys: KeysStore
  readonly #limits: LimitsStore
  readonly #costs: CostsStore
  readonly #ledger: LedgerStore
  readonly #chat: ChatStores
  readonly #managed: KeyStores
  readonly #log: { tree: TreeStore; receipts: ReceiptsStore; settlements: SettlementsStore }
  readonly #archive: Archive
  readonly #entries: EntriesReader
  readonly #exports: ExportsStore
  readonly #publication: PublicationStore
  readonly #publisher: ReceiptPublisher
  readonly #upkeep: Upkeep
  readonly #erasure: ErasureStateStore
  readonly #erasureRun: ErasureRun
  readonly #turn: TakeTurn
  /** Of whoever manages the organisation or looks at it. */
  readonly #openTurn: TakeTurn

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    migrateObject(ctx.storage, ORGANISATION_MIGRATIONS)
    this.#keys = new KeysStore(ctx.storage.sql)
    this.#limits = new LimitsStore(ctx.storage.sql)
    this.#costs = new CostsStore(ctx.storage.sql)
    this.#ledger = new LedgerStore(ctx.storage.sql)
    this.#log = {
      tree: new TreeStore(ctx.storage.sql),
      receipts: new ReceiptsStore(ctx.storage.sql),
      settlements: new SettlementsStore(ctx.storage.sql),
    }
    this.#erasure = new ErasureStateStore(ctx.storage.sql)
    this.#chat = {
      erasure: this.#erasure,
      keys: this.#keys,
      limits: this.#limits,
      settings: new SettingsStore(ctx.storage.sql),
      spending: new SpendingStore(ctx.storage.sql),
      loops: new LoopsStore(ctx.storage.sql),
      ledger: this.#ledger,
      receipts: this.#log.receipts,
      settlements: this.#log.settlements,
    }
    const { keys, limits, settings, spending, loops } = this.#chat
    this.#managed = { keys, settings, ledger: this.#ledger, claims: new IdempotencyStore(ctx.storage.sql) }
    const remembering = [keys, limits, settings, spending, loops, this.#erasure]
    this.#turn = createTurns(ctx.storage, remembering)
    this.#openTurn = turnsUntilSealed(this.#turn, this.#erasure)
    const dataKeys = new DataKeysStore(ctx.storage.sql)
    const parts = { storage: ctx.storage, bucket: env.FILES, dataKeys, ledger: ctx.id.toString() }
    this.#archive = new Archive(parts)
    this.#entries = new EntriesReader(parts)
    this.#exports = new ExportsStore(ctx.storage.sql)
    this.#publication = new PublicationStore(ctx.storage.sql)
    this.#publisher = new ReceiptPublisher({
      storage: ctx.storage,
      source: ctx.id.toString(),
      openLog: () => openPublicLog(env.PUBLIC_LOG, readConfig(env).jurisdictions),
    })
    this.#upkeep = new Upkeep(ctx.storage, this.#chat.spending, this.#publisher, this.#erasure)
    this.#erasureRun = new ErasureRun(
      erasureParts(env, {
        storage: ctx.storage,
        ledger: ctx.id.toString(),
        state: this.#erasure,
        dataKeys,
        tree: this.#log.tree,
        stores: { ...this.#chat, costs: this.#costs },
        publication: this.#publication,
        publisher: this.#publisher,
        remembering,
        takeTurn: this.#turn,
      }),
    )
  }

  admit(request: AdmitRequest): Admission {
    const { erasure } = this.#chat
    const stores = { erasure, keys: this.#keys, limits: this.#limits, costs: this.#costs, ledger: this.#ledger }
    const now = Date.now()
    const admission = this.#turnAt(now, () => admit(stores, request, now))
    this.#upkeep.ensureAnyAlarm(now)
    return admission
  }

  settleReading(request: SettleRequest): Settlement {
    const stores = { costs: this.#costs, ledger: this.#ledger }
    return this.#turn(() => settleReading(stores, request, Date.now()))
  }

  admitChat(facts: ChatFacts): ChatAdmission {
    const now = Date.now()
    const admission = this.#turnAt(now, () => admitChat(this.#chat, facts, now))
    if ('position' in admission) this.#upkeep.ensureAlarmForReceipt(now)
    else this.#upkeep.ensureAnyAlarm(now)
    return admission
  }

  admitInvalid(caller: ChatCaller): ChatCall {
    const now = Date.now()
    return this.#turnAt(now, () => admitInvalid(this.#chat, caller, now))
  }

  describeChatKey(caller: ChatCaller): ChatCall {
    const now = Date.now()
    return this.#turnAt(now, () => describeChatKey(this.#chat, caller, now))
  }

  admitManage(caller: ChatCaller): ManageCall {
    const now = Date.now()
    return this.#turnAt(now, () => admitManage(this.#chat, caller, now))
  }

  settleChat(settlement: ChatSettlement): ChatSettled {
    return this.#turn(() => settleChat(this.#chat, settlement, Date.now()))
  }

  readTreeHead(caller: ChatCaller): LogAnswer<LogHead> {
    return this.#readLog(caller, () => readTreeHead(this.#log))
  }

  proveInclusion(caller: ChatCaller, attestationId: string, treeSize: WantedSize): LogAnswer<InclusionAnswer> {
    return this.#readLog(caller, () => proveInclusion(this.#log, attestationId, treeSize))
  }

  proveConsistency(caller: ChatCaller, sizes: WantedSizes): LogAnswer<ConsistencyAnswer> {
    return this.#readLog(caller, () => proveConsistency(this.#log, sizes))
  }

  async gatherEvidence(caller: ChatCaller, attestationId: string): Promise<LogAnswer<EvidenceAnswer>> {
    const reply = this.#readLog(caller, () => locate(this.#log, attestationId))
    if (reply.outcome !== 'admitted') return reply
    return { ...reply, answer: await readEvidence(this.#archive, reply.answer, Date.now()) }
  }

  /** From the next call on. Also what founds the organisation. */
  changeSettings(wanted: WantedSettings, act: Act): SettingsChanged {
    const now = Date.now()
    const changed = this.#openTurn(() => changeSettings(this.#chat, wanted, act, now))
    this.#upkeep.setAlarm(now)
    return changed
  }

  /** As they are in force. A look of which nothing is written has no act. */
  readSettings(act: Act | null): VersionedSettings {
    return this.#recordTurn(act, () => this.#chat.settings.read())
  }

  /** Writes an act that changes nothing here, such as listing the organisation's keys. */
  recordAct(act: Act): void {
    this.#recordTurn(act, () => undefined)
    this.#upkeep.setAlarm(Date.now())
  }

  createKey(key: KeyRecord, act: Act): KeyCreated {
    return this.#openTurn(() => createKey(this.#chat, key, act, Date.now()))
  }

  listKeys(page: KeyPage, act: Act): KeyRecord[] {
    return this.#recordTurn(act, () => this.#keys.pageOfKeys(page, Date.now()))
  }

  findKey(id: string, act: Act): KeyRecord | null {
    return this.#recordTurn(act, () => this.#keys.findKey(id))
  }

  /** The key as it is afterwards, or null when there is none. */
  revokeKey(id: string, act: Act): KeyRecord | null {
    return this.#recordTurn(act, () => {
      this.#keys.revokeKey(id, Date.now())
      return this.#keys.findKey(id)
    })
  }

  /** For people and keys of the organisation, whose looks are no entries. */
  readKeys(page: KeyPage): KeyRecord[] {
    return this.#openTurn(() => this.#keys.pageOfKeys(page, Date.now()))
  }

  readKey(id: KeyId): KeyRecord | null {
    return this.#openTurn(() => this.#keys.findKey(id))
  }

  makeKey(minted: MintedRecord, request: KeyRequest): KeyMade {
    return this.#openTurn(() => makeKey(this.#managed, minted, request, Date.now()))
  }

  updateKey(id: KeyId, change: KeyChange, request: KeyRequest): KeyUpdated {
    return this.#openTurn(() => updateKey(this.#managed, { id, change }, request, Date.now()))
  }

  rotateKey(rotation: KeyRotation, request: KeyRequest): KeyRotated {
    return this.#openTurn(() => replaceKey(this.#managed, rotation, request, Date.now()))
  }

  endKey(id: KeyId, request: KeyRequest): KeyEnded {
    return this.#openTurn(() => endKey(this.#managed, id, request, Date.now()))
  }

  /** The keys in force that a person made, such as one who leaves. */
  keysOf(personId: PersonId): KeyRecord[] {
    return this.#openTurn(() => this.#keys.listKeysOf(personId, Date.now()))
  }

  /** Ends them all, in one turn with one entry that lists them as `key_ids`; none where there were none. */
  revokeKeysOf(made: { personId: PersonId; before: number }, act: Act): KeyRecord[] {
    return this.#openTurn(() => revokeKeysOf(this.#managed, made, act, Date.now()))
  }

  /** From this moment on every key is refused. */
  scheduleErasure(asked: Asked, act: Act): ErasureScheduled {
    const now = Date.now()
    const scheduled = this.#turn(() => scheduleErasure(this.#stored, asked, act, now))
    this.#upkeep.setAlarm(now)
    return scheduled
  }

  cancelErasure(act: Act): ErasureCancelled {
    return this.#turn(() => cancelErasure(this.#stored, act, Date.now()))
  }

  /** Null where there is none. */
  readErasure(): OwnErasure | null {
    return this.#erasure.read()
  }

  /** After a database was taken back: does again what was completed. */
  repeatErasure(request: ErasureRequest, record: string | null): void {
    this.#turn(() => repeatErasure(this.#erasure, request, record))
    this.#upkeep.setAlarm(Date.now())
  }

  /** Of the operator's ledger: takes what was erased, once however often it is told. */
  recordErased(erased: Erased): void {
    this.#turn(() => new ErasedStore(this.ctx.storage.sql, this.#ledger).insert(erased, Date.now()))
    this.#upkeep.setAlarm(Date.now())
  }

  /** Of the operator's ledger: newest first, after `cursor` (an id). */
  listErased(limit: number, cursor: string | undefined): Erased[] {
    return new ErasedStore(this.ctx.storage.sql, this.#ledger).list(limit, cursor)
  }

  findErased(id: string): Erased | null {
    return new ErasedStore(this.ctx.storage.sql, this.#ledger).find(id)
  }

  beginExport(act: Act): ExportBegun {
    return this.#openTurn(() => beginExport({ exports: this.#exports, ledger: this.#ledger }, act, Date.now()))
  }

  readUsage(): Usage {
    return readUsage({ spending: this.#chat.spending, costs: this.#costs })
  }

  async readEntries(wanted: WantedEntries): Promise<ExportedEntries> {
    return presentEntries(await this.#entries.readPage(wanted, Date.now()), wanted)
  }

  /** An entry's bytes, wherever they are kept. */
  async findEntry(position: number): Promise<FoundEntry> {
    return this.#archive.findEntry(position, Date.now())
  }

  /**
   * What broke off is said to have, receipts go to the public log, and daily, details are put away or go. Harmless twice. A
   * part that fails keeps none of the others from being done. Of an organisation that is being erased nothing else is done.
   */
  override async alarm(): Promise<void> {
    const now = Date.now()
    if (this.#turn(() => beginIfDue(this.#erasure, now))) {
      await this.#upkeep.wake({ erasure_not_done: () => this.#erasureRun.advance() })
      return
    }
    await this.#upkeep.wake({
      readings_not_settled: () =>
        this.#turn(() => settleInterrupted({ costs: this.#costs, ledger: this.#ledger }, now)),
      chats_not_settled: () => this.#turn(() => settleInterruptedChats(this.#chat, now)),
      details_not_cleaned: () => {
        const { publishedTo } = this.#publication.read()
        const parts = { archive: this.#archive, loops: this.#chat.loops, claims: this.#managed.claims, publishedTo }
        return this.#upkeep.clean(parts, now)
      },
      receipts_not_published: () => this.#publisher.publish(),
    })
  }

  #readLog<T>(caller: ChatCaller, read: () => T): LogAnswer<T> {
    const now = Date.now()
    return this.#turnAt(now, () => readLog(this.#chat, caller, now, read))
  }

  /** A turn of a call that counts. */
  #turnAt<T>(now: number, work: () => T): T {
    const stores = { ...this.#chat, costs: this.#costs, upkeep: this.#upkeep }
    let wasAhead = false
    const outcome = this.#turn(() => {
      wasAhead = correctTimes(stores, now)
      return work()
    })
    // It may be set to a time that was only ever the clock's mistake.
    if (wasAhead) this.#upkeep.setAlarm(now)
    return outcome
  }

  get #stored() {
    return { state: this.#erasure, ledger: this.#ledger }
  }

  /** A turn with the act's entry, if there is one. */
  #recordTurn<T>(act: Act | null, work: () => T): T {
    return this.#openTurn(() => {
      if (act !== null) appendAct(this.#ledger, act, Date.now())
      return work()
    })
  }
}
