// The first step of every keyed GET of this service: a good key within its limits, before anything is looked up.
import { bearerKey } from '../keys/bearer.ts'
import { assertAdmitted, type Gate } from '../organisation/gate.ts'
import type { Pepper } from '../platform/config.ts'
import type { AppContext } from '../platform/context.ts'

/** Throws what the call is refused with. */
export type RequireKey = (c: AppContext) => Promise<void>

export function createRequireKey(gate: Gate, peppers: readonly Pepper[]): RequireKey {
  return async (c) => {
    const key = bearerKey(c, 'referral', peppers)
    assertAdmitted(await gate.admit(c, key, { scope: 'waiting-lists:read', entry: null }), 'referral')
  }
}
