// Refuses calls to an organisation that was sealed for erasure, by an error, because that ends every call alike. Callers
// recognise it by its message, the only part of an error that surely reaches another object or Worker.
import type { TakeTurn } from '../stores.ts'
import type { ErasureStateStore } from './erasure-state.store.ts'

/** `running`: the organisation is still being erased. */
export type Sealed = 'running' | 'completed'

const MESSAGES: Readonly<Record<Sealed, string>> = {
  running: 'the organisation is being erased',
  completed: 'the organisation was erased',
}

/** Wraps turns so that they throw and do nothing if the organisation is sealed. `sealedBy` recognises the error. */
export function turnsUntilSealed(takeTurn: TakeTurn, state: ErasureStateStore): TakeTurn {
  return (work) =>
    takeTurn(() => {
      const erasure = state.read()
      if (erasure?.isSealed !== true) return work()
      throw new Error(MESSAGES[erasure.state === 'completed' ? 'completed' : 'running'])
    })
}

/** Returns why an organisation's object refused the call that threw this; null if it failed for another reason. */
export function sealedBy(thrown: unknown): Sealed | null {
  if (!(thrown instanceof Error)) return null
  return (['running', 'completed'] as const).find((sealed) => thrown.message === MESSAGES[sealed]) ?? null
}

/** Returns the object's response; null if the organisation is sealed. Passes on all other rejections. */
export async function unlessSealed<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (thrown) {
    if (sealedBy(thrown) === null) throw thrown
    return null
  }
}
