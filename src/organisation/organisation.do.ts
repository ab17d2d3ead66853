// One object per organisation: the unit in which its calls are decided and recorded. Each method is one turn over one
// SQLite database; errors that callers expect are values.
import { DurableObject } from 'cloudflare:workers'
import type { KeyRecord } from '../keys/keys.store.ts'
import { KEYS_SCHEMA, KeysStore } from '../keys/keys.store.ts'
import { LIMITS_SCHEMA, LimitsStore } from '../keys/limits.store.ts'
import { LEDGER_SCHEMA, LedgerStore } from '../ledger/ledger.store.ts'
import type { EntryContent } from '../ledger/entry.ts'
import { DAY_MS } from '../platform/clock.ts'
import { migrateObject } from '../platform/object-migrations.ts'
import { admit, type Admission, type AdmitRequest } from './admit.ts'

/** Applied in order, once each; a step that has been released never changes. */
const MIGRATIONS = [KEYS_SCHEMA, LIMITS_SCHEMA, LEDGER_SCHEMA]

/** Who asked and what for: every use of the operator's routes is in the ledger. */
export type OperatorAct = { act: string; requestId: string; content?: EntryContent }

export class Organisation extends DurableObject {
  readonly #keys: KeysStore
  readonly #limits: LimitsStore
  readonly #ledger: LedgerStore

  constructor(ctx: DurableObjectState, env: Cloudflare.Env) {
    super(ctx, env)
    migrateObject(ctx.storage, MIGRATIONS)
    this.#keys = new KeysStore(ctx.storage.sql)
    this.#limits = new LimitsStore(ctx.storage.sql)
    this.#ledger = new LedgerStore(ctx.storage.sql)
  }

  admit(request: AdmitRequest): Admission {
    const stores = { keys: this.#keys, limits: this.#limits, ledger: this.#ledger }
    return this.ctx.storage.transactionSync(() => admit(stores, request, Date.now()))
  }

  /** Writes an operator's act that changes nothing here, such as founding the organisation or listing its keys. */
  async recordAct(act: OperatorAct): Promise<void> {
    this.ctx.storage.transactionSync(() => this.#append(act))
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + DAY_MS)
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

  /** Daily: details past their retention go. Harmless to run twice. */
  override async alarm(): Promise<void> {
    this.#ledger.deleteExpiredDetails(Date.now())
    await this.ctx.storage.setAlarm(Date.now() + DAY_MS)
  }

  #append({ act, requestId, content }: OperatorAct): void {
    this.#ledger.appendEntry('operator_act', { act, request_id: requestId, ...content }, Date.now())
  }
}
