// How an organisation's object refuses a call that comes once it is sealed: by an error, since that ends every call alike. The
// caller knows it by its message, the only part of an error that surely reaches another object or Worker.
import type { TakeTurn } from '../stores.ts'
import type { ErasureStateStore } from './erasure-state.store.ts'

/** `running`: the organisation is still being erased. */
export type Sealed = 'running' | 'completed'

const MESSAGES: Readonly<Record<Sealed, string>> = {
  running: 'the organisation is being erased',
  completed: 'the organisation was erased',
}

/** Turns that throw, and do nothing, once the organisation is sealed. What throws is known by `sealedBy`. */
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

/** Returns the object's response; null if the organisation is sealed. Rejects as `asked` does otherwise. */
export async function unlessSealed<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (thrown) {
    if (sealedBy(thrown) === null) throw thrown
    return null
  }
}
