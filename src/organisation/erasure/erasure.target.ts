// The erasure of an organisation, as its people and the operator order it. The operator's ledger also lists what was erased.
import { RpcTarget } from 'cloudflare:workers'
import type { Act } from '../acts.ts'
import type { ObjectParts } from '../object-parts.ts'
import { ErasedStore } from './erased.store.ts'
import type { Erased, ErasureOrder, OrganisationErasureRequest, OwnErasure } from './erasure.ts'
import {
  cancelErasure,
  repeatErasure,
  scheduleErasure,
  type ErasureCancelled,
  type ErasureScheduled,
} from './organisation-erasure.ts'

type Parts = Pick<ObjectParts, 'sql' | 'stores' | 'turns'>

export class ErasureTarget extends RpcTarget {
  readonly #parts: Parts

  constructor(parts: Parts) {
    super()
    this.#parts = parts
  }

  /** Every key is refused from this moment on. */
  schedule(order: ErasureOrder, act: Act): ErasureScheduled {
    const { stores, turns } = this.#parts
    const now = Date.now()
    const scheduled = turns.take(() => scheduleErasure(stores, order, act, now))
    turns.wake(now)
    return scheduled
  }

  cancel(act: Act): ErasureCancelled {
    const { stores, turns } = this.#parts
    return turns.take(() => cancelErasure(stores, act, Date.now()))
  }

  /** Null if there is none. */
  read(): OwnErasure | null {
    return this.#parts.stores.erasure.read()
  }

  /** Repeats a completed erasure after a database was restored to an earlier day. */
  repeat(request: OrganisationErasureRequest, record: string | null): void {
    const { stores, turns } = this.#parts
    turns.take(() => repeatErasure(stores.erasure, request, record))
    turns.wake(Date.now())
  }

  /** Records an erasure in the operator's ledger. Safe to repeat. */
  recordErased(erased: Erased): void {
    const { turns } = this.#parts
    turns.take(() => this.#erased.insert(erased, Date.now()))
    turns.wake(Date.now())
  }

  /** Lists erasures from the operator's ledger: newest first, after `cursor` (an id). */
  listErased(limit: number, cursor: string | undefined): Erased[] {
    return this.#erased.list(limit, cursor)
  }

  /** Finds an erasure in the operator's ledger. */
  findErased(id: string): Erased | null {
    return this.#erased.find(id)
  }

  get #erased(): ErasedStore {
    const { sql, stores } = this.#parts
    return new ErasedStore(sql, stores.journal)
  }
}
