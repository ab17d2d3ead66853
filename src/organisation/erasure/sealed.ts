// How an organisation's object refuses a call that comes once it is sealed: by an error, since that ends every call alike. The
// caller knows it by its message, the only part of an error that surely reaches another object or Worker.
import type { TakeTurn } from '../stores.ts'
import type { ErasureStateStore } from './erasure-state.store.ts'

/** Whether the organisation is being erased still. */
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

/** What the call of an organisation's object that threw this was refused for; null where it failed otherwise. */
export function sealedBy(thrown: unknown): Sealed | null {
  if (!(thrown instanceof Error)) return null
  return (['running', 'completed'] as const).find((sealed) => thrown.message === MESSAGES[sealed]) ?? null
}

/** What was asked of an organisation's object; null where it is sealed. */
export async function unlessSealed<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked
  } catch (thrown) {
    if (sealedBy(thrown) === null) throw thrown
    return null
  }
}
