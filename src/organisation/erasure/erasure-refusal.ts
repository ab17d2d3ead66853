// Refuses calls to an organisation that was sealed for erasure. The refusal is an error, because an error ends every call alike.
// Callers recognise it by its message, the only part of an error that surely reaches another object or Worker.
import type { TakeTurn } from '../organisation-stores.ts'
import type { ErasureStateStore } from './erasure-state.store.ts'

/** `running`: the organisation is still being erased. */
export type ClosedState = 'running' | 'completed'

const MESSAGES: Readonly<Record<ClosedState, string>> = {
  running: 'the organisation is being erased',
  completed: 'the organisation was erased',
}

/** Wraps turns so that they throw and do nothing if the organisation is sealed. `sealedStateOf` recognises the error. */
export function turnsUntilClosed(takeTurn: TakeTurn, state: ErasureStateStore): TakeTurn {
  return (work) =>
    takeTurn(() => {
      const erasure = state.read()
      if (erasure?.isSealed !== true) return work()
      throw new Error(MESSAGES[erasure.state === 'completed' ? 'completed' : 'running'])
    })
}

/** Returns why an organisation's object refused the call that threw this; null if it failed for another reason. */
export function closedStateOf(thrown: unknown): ClosedState | null {
  if (!(thrown instanceof Error)) return null
  return (['running', 'completed'] as const).find((sealed) => thrown.message === MESSAGES[sealed]) ?? null
}

/** Returns the object's response; null if the organisation is sealed. Passes on all other rejections. */
export async function nullIfClosedForErasure<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (thrown) {
    if (closedStateOf(thrown) === null) throw thrown
    return null
  }
}
