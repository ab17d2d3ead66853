// One object per organisation: the unit in which its calls are decided and recorded. Each method is one turn over one
// SQLite database; errors that callers expect are values.
import { DurableObject } from 'cloudflare:workers'
import type { KeyRecord } from '../keys/keys.store.ts'
import { KEYS_SCHEMA, KeysStore } from '../keys/keys.store.ts'
import { COSTS_SCHEMA, CostsStore } from '../keys/costs.store.ts'
import { LIMITS_SCHEMA, LimitsStore } from '../keys/limits.store.ts'
import { LEDGER_SCHEMA, LedgerStore, RECEIPT_FACTS_SCHEMA } from '../ledger/ledger.store.ts'
import type { EntryContent } from '../ledger/entry.ts'
import { RECEIPTS_SCHEMA, ReceiptsStore } from '../ledger/receipts.store.ts'
import { growTree, TREE_SCHEMA, TreeStore } from '../ledger/tree.store.ts'
import { migrateObject } from '../platform/object-migrations.ts'
import type { OrganisationSettings } from '../policies/organisation-settings.ts'
import { admit, type Admission, type AdmitRequest } from './admit.ts'
import {
  admitChat,
  admitInvalid,
  describeChatKey,
  type ChatAdmission,
  type ChatCall,
  type ChatStores,
} from './admit-chat.ts'
import { LOOPS_SCHEMA, LoopsStore } from './loops.store.ts'
import type { ChatFacts } from './record-chat.ts'
import type { ChatCaller } from './room.ts'
import { settleChat, settleInterruptedChats, type ChatSettled, type ChatSettlement } from './settle-chat.ts'
import { SETTINGS_SCHEMA, SettingsStore } from './settings.store.ts'
import { SPENDING_SCHEMA, SpendingStore } from './spending.store.ts'
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
import { Upkeep, UPKEEP_SCHEMA } from './upkeep.ts'
import { settleInterrupted, settleReading, type Settlement, type SettleRequest } from './settle-reading.ts'

/** Applied in order, once each; a step that has been released never changes. */
const MIGRATIONS = [
  KEYS_SCHEMA,
  LIMITS_SCHEMA,
  LEDGER_SCHEMA,
  COSTS_SCHEMA,
  SETTINGS_SCHEMA,
  SPENDING_SCHEMA,
  LOOPS_SCHEMA,
  UPKEEP_SCHEMA,
  TREE_SCHEMA,
  growTree,
  RECEIPTS_SCHEMA,
  RECEIPT_FACTS_SCHEMA,
]

/** Who asked and what for: every use of the operator's routes is in the ledger. */
export type OperatorAct = { act: string; requestId: string; content?: EntryContent }

export class Organisation extends DurableObject {
  readonly #keys: KeysStore
  readonly #limits: LimitsStore
  readonly #costs: CostsStore
  readonly #ledger: LedgerStore
  readonly #chat: ChatStores
  readonly #log: { tree: TreeStore; receipts: ReceiptsStore }
  readonly #upkeep: Upkeep

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    migrateObject(ctx.storage, MIGRATIONS)
    this.#keys = new KeysStore(ctx.storage.sql)
    this.#limits = new LimitsStore(ctx.storage.sql)
    this.#costs = new CostsStore(ctx.storage.sql)
    this.#ledger = new LedgerStore(ctx.storage.sql)
    this.#log = { tree: new TreeStore(ctx.storage.sql), receipts: new ReceiptsStore(ctx.storage.sql) }
    this.#chat = {
      keys: this.#keys,
      limits: this.#limits,
      settings: new SettingsStore(ctx.storage.sql),
      spending: new SpendingStore(ctx.storage.sql),
      loops: new LoopsStore(ctx.storage.sql),
      ledger: this.#ledger,
      receipts: this.#log.receipts,
    }
    this.#upkeep = new Upkeep(ctx.storage, this.#chat.spending)
  }

  admit(request: AdmitRequest): Admission {
    const stores = { keys: this.#keys, limits: this.#limits, costs: this.#costs, ledger: this.#ledger }
    return this.ctx.storage.transactionSync(() => admit(stores, request, Date.now()))
  }

  settleReading(request: SettleRequest): Settlement {
    const stores = { costs: this.#costs, ledger: this.#ledger }
    return this.ctx.storage.transactionSync(() => settleReading(stores, request, Date.now()))
  }

  admitChat(facts: ChatFacts): ChatAdmission {
    const now = Date.now()
    const admission = this.ctx.storage.transactionSync(() => admitChat(this.#chat, facts, now))
    if (admission.outcome === 'admitted') this.#upkeep.ensureAlarm(now)
    return admission
  }

  admitInvalid(caller: ChatCaller): ChatCall {
    return this.ctx.storage.transactionSync(() => admitInvalid(this.#chat, caller, Date.now()))
  }

  describeChatKey(caller: ChatCaller): ChatCall {
    return this.ctx.storage.transactionSync(() => describeChatKey(this.#chat, caller, Date.now()))
  }

  settleChat(settlement: ChatSettlement): ChatSettled {
    return this.ctx.storage.transactionSync(() => settleChat(this.#chat, settlement, Date.now()))
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

  /** From the next call on. Also what founds the organisation. */
  applySettings(settings: OrganisationSettings, act: OperatorAct): void {
    this.ctx.storage.transactionSync(() => {
      this.#chat.settings.write(settings)
      this.#append(act)
    })
    this.#upkeep.setAlarm(Date.now())
  }

  /** Writes an operator's act that changes nothing here, such as listing the organisation's keys. */
  recordAct(act: OperatorAct): void {
    this.ctx.storage.transactionSync(() => this.#append(act))
    this.#upkeep.setAlarm(Date.now())
  }

  createKey(key: KeyRecord, act: OperatorAct): void {
    this.ctx.storage.transactionSync(() => {
      this.#keys.insertKey(key)
      this.#append(act)
    })
  }

  listKeys(act: OperatorAct): KeyRecord[] {
    return this.ctx.storage.transactionSync(() => {
      this.#append(act)
      return this.#keys.listKeys()
    })
  }

  findKey(id: string, act: OperatorAct): KeyRecord | null {
    return this.ctx.storage.transactionSync(() => {
      this.#append(act)
      return this.#keys.findKey(id)
    })
  }

  /** The key as it is afterwards, or null when there is none. */
  revokeKey(id: string, act: OperatorAct): KeyRecord | null {
    return this.ctx.storage.transactionSync(() => {
      this.#append(act)
      this.#keys.revokeKey(id, Date.now())
      return this.#keys.findKey(id)
    })
  }

  /** What broke off is said to have, and daily, details past their retention go. Harmless to run twice. */
  override alarm(): void {
    const now = Date.now()
    this.ctx.storage.transactionSync(() => {
      settleInterrupted({ costs: this.#costs, ledger: this.#ledger }, now)
      settleInterruptedChats(this.#chat, now)
      this.#upkeep.clean(this.#chat, now)
    })
    this.#upkeep.setAlarm(now)
  }

  #readLog<T>(caller: ChatCaller, read: () => T): LogAnswer<T> {
    return this.ctx.storage.transactionSync(() => readLog(this.#chat, caller, Date.now(), read))
  }

  #append({ act, requestId, content }: OperatorAct): void {
    this.#ledger.appendEntry('operator_act', { act, request_id: requestId, ...content }, Date.now())
  }
}
