// Schedules, cancels and repeats the erasure of an organisation, for its people and the operator. An erasure can be cancelled until
// it begins, and then runs in the object's alarm. The operator's object also records and lists completed erasures.
import { appendAct, type Act } from '../append-act.ts'
import { FeatureTarget } from '../feature.target.ts'
import { CompletedErasuresStore } from './completed-erasures.store.ts'
import {
  mayCancel,
  repeat,
  schedule,
  type CompletedErasure,
  type ErasureOrder,
  type OrganisationErasureRequest,
  type ErasureProgress,
} from './erasure.ts'

/** `erasure`: the current one; null if the requested one was cancelled. `isNew`: the owners must be mailed. */
export type ErasureScheduled = { erasure: ErasureProgress; isNew: boolean } | { erasure: null; isNew: false }

export type ErasureCancelled =
  | { outcome: 'cancelled'; erasure: ErasureProgress }
  | { outcome: 'too_late' }
  | { outcome: 'none' }

export class ErasureTarget extends FeatureTarget<'sql' | 'stores' | 'turns'> {
  /** Schedules the erasure. Every key is refused from now on. */
  schedule(order: ErasureOrder, act: Act): ErasureScheduled {
    const { stores, turns } = this.parts
    const now = Date.now()
    const scheduled = turns.take((): ErasureScheduled => {
      const before = stores.erasure.read()
      if (before === null && stores.erasure.wasCancelled(order.request.id)) return { erasure: null, isNew: false }
      const erasure = schedule(before, order, now)
      if (erasure === null) return { erasure: before, isNew: false }
      stores.erasure.write(erasure)
      const content = { erasure_id: erasure.id, due_at: new Date(erasure.dueAt).toISOString() }
      appendAct(stores.journal, { ...act, content }, now)
      return { erasure, isNew: true }
    })
    turns.wake(now)
    return scheduled
  }

  cancel(act: Act): ErasureCancelled {
    const { stores, turns } = this.parts
    return turns.take(() => {
      const now = Date.now()
      const erasure = stores.erasure.read()
      if (erasure === null) return { outcome: 'none' }
      if (!mayCancel(erasure, now)) return { outcome: 'too_late' }
      stores.erasure.cancel()
      appendAct(stores.journal, { ...act, content: { erasure_id: erasure.id } }, now)
      return { outcome: 'cancelled', erasure }
    })
  }

  /** Returns null if there is none. */
  read(): ErasureProgress | null {
    return this.parts.stores.erasure.read()
  }

  /** Repeats a completed erasure after a database was restored to an earlier day. */
  repeat(request: OrganisationErasureRequest, record: string | null): void {
    const { stores, turns } = this.parts
    turns.take(() => {
      const erasure = repeat(stores.erasure.read(), request, record)
      if (erasure !== null) stores.erasure.write(erasure)
    })
    turns.wake(Date.now())
  }

  /** Records an erasure in the operator's log. Safe to repeat. */
  recordErased(erased: CompletedErasure): void {
    const { turns } = this.parts
    turns.take(() => this.#erased.insert(erased, Date.now()))
    turns.wake(Date.now())
  }

  /** Returns erasures from the operator's log, newest first, that are older than `cursor` (an id). */
  listErased(limit: number, cursor: string | undefined): CompletedErasure[] {
    return this.#erased.list(limit, cursor)
  }

  /** Finds an erasure in the operator's log; null if there is none. */
  findErased(id: string): CompletedErasure | null {
    return this.#erased.find(id)
  }

  get #erased(): CompletedErasuresStore {
    const { sql, stores } = this.parts
    return new CompletedErasuresStore(sql, stores.journal)
  }
}
