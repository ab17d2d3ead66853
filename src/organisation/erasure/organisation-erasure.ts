// The erasure of an organisation as its object knows it: asked for, cancelled until it begins, and then done in the object's
// alarm.
import { appendAct, type Act } from '../acts.ts'
import type { Stores } from '../stores.ts'
import type { ErasureRequest, ErasureStateStore, OwnErasure } from './erasure-state.store.ts'

/** `isImmediate`: it is due at once. */
export type ErasureOrder = { request: ErasureRequest; isImmediate: boolean }

/** `erasure`: the one there is now; null where the one that was asked for was cancelled. `isNew`: whoever is to know is told. */
export type ErasureScheduled = { erasure: OwnErasure; isNew: boolean } | { erasure: null; isNew: false }

export type ErasureCancelled =
  | { outcome: 'cancelled'; erasure: OwnErasure }
  | { outcome: 'too_late' }
  | { outcome: 'none' }

type ErasureStores = Pick<Stores, 'erasure' | 'journal'>

/** Asked for again, the first request holds; it may be brought forward, and never put off. Belongs inside a turn. */
export function scheduleErasure(
  { erasure: state, journal }: ErasureStores,
  order: ErasureOrder,
  act: Act,
  now: number,
): ErasureScheduled {
  const { request, isImmediate } = order
  const before = state.read()
  const isOpen = before === null || (before.state === 'scheduled' && isImmediate && before.dueAt > now)
  if (!isOpen) return { erasure: before, isNew: false }
  if (before === null && state.wasCancelled(request.id)) return { erasure: null, isNew: false }
  if (before === null) state.schedule({ ...request, ...(isImmediate && { dueAt: now }) })
  else state.dueFrom(now)
  const erasure = read(state)
  const dueAt = new Date(erasure.dueAt).toISOString()
  appendAct(journal, { ...act, content: { erasure_id: erasure.id, due_at: dueAt } }, now)
  return { erasure, isNew: true }
}

/** Belongs inside a turn. */
export function cancelErasure({ erasure: state, journal }: ErasureStores, act: Act, now: number): ErasureCancelled {
  const erasure = state.read()
  if (erasure === null) return { outcome: 'none' }
  if (erasure.state !== 'scheduled' || erasure.dueAt <= now) return { outcome: 'too_late' }
  state.cancel()
  appendAct(journal, { ...act, content: { erasure_id: erasure.id } }, now)
  return { outcome: 'cancelled', erasure }
}

/**
 * Does again what was completed before a database was taken back. One that runs goes on. Belongs inside a turn.
 * @param record the one that was signed then
 */
export function repeatErasure(state: ErasureStateStore, request: ErasureRequest, record: string | null): void {
  const erasure = state.read()
  const signed = record ?? (erasure?.id === request.id ? erasure.record : null)
  if (erasure?.state !== 'running') state.begin(request, signed)
  else if (erasure.id === request.id && signed !== null) state.writeRecord(signed)
}

/** Whether an erasure runs at this time. What is due begins. */
export function beginIfDue(state: ErasureStateStore, now: number): boolean {
  const erasure = state.read()
  if (erasure?.state === 'scheduled' && erasure.dueAt <= now) state.begin(erasure, null)
  return state.read()?.state === 'running'
}

function read(state: ErasureStateStore): OwnErasure {
  const erasure = state.read()
  if (erasure === null) throw new Error('the erasure that was just written is not there')
  return erasure
}
