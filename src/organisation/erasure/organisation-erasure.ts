// The erasure of an organisation as its object knows it: asked for, cancelled until it begins, and then done in the object's
// alarm. Each function belongs inside a turn.
import { appendAct, type Act } from '../acts.ts'
import type { Stores } from '../stores.ts'
import {
  beginIfDue,
  mayCancel,
  repeat,
  schedule,
  type ErasureOrder,
  type OrganisationErasureRequest,
  type OwnErasure,
} from './erasure.ts'
import type { ErasureStateStore } from './erasure-state.store.ts'

/** `erasure`: the one there is now; null where the one that was asked for was cancelled. `isNew`: whoever is to know is told. */
export type ErasureScheduled = { erasure: OwnErasure; isNew: boolean } | { erasure: null; isNew: false }

export type ErasureCancelled =
  | { outcome: 'cancelled'; erasure: OwnErasure }
  | { outcome: 'too_late' }
  | { outcome: 'none' }

type ErasureStores = Pick<Stores, 'erasure' | 'journal'>

export function scheduleErasure(
  { erasure: state, journal }: ErasureStores,
  order: ErasureOrder,
  act: Act,
  now: number,
): ErasureScheduled {
  const before = state.read()
  if (before === null && state.wasCancelled(order.request.id)) return { erasure: null, isNew: false }
  const erasure = schedule(before, order, now)
  if (erasure === null) return { erasure: before, isNew: false }
  state.write(erasure)
  const dueAt = new Date(erasure.dueAt).toISOString()
  appendAct(journal, { ...act, content: { erasure_id: erasure.id, due_at: dueAt } }, now)
  return { erasure, isNew: true }
}

export function cancelErasure({ erasure: state, journal }: ErasureStores, act: Act, now: number): ErasureCancelled {
  const erasure = state.read()
  if (erasure === null) return { outcome: 'none' }
  if (!mayCancel(erasure, now)) return { outcome: 'too_late' }
  state.cancel()
  appendAct(journal, { ...act, content: { erasure_id: erasure.id } }, now)
  return { outcome: 'cancelled', erasure }
}

export function repeatErasure(
  state: ErasureStateStore,
  request: OrganisationErasureRequest,
  record: string | null,
): void {
  const erasure = repeat(state.read(), request, record)
  if (erasure !== null) state.write(erasure)
}

export function beginDueErasure(state: ErasureStateStore, now: number): void {
  const erasure = beginIfDue(state.read(), now)
  if (erasure !== null) state.write(erasure)
}
