// A good key within its limits: the first step of every keyed GET of this service, and of whatever is refused unread.
import { bearerKey } from '../keys/bearer.ts'
import { assertAdmitted, type Gate } from '../organisation/admit/gate.ts'
import type { Pepper } from '../platform/config.ts'
import type { AppContext } from '../platform/context.ts'

/** Throws what the call is refused with. */
export type RequireKey = (c: AppContext) => Promise<void>

export function createRequireKey(
  gate: Gate,
  peppers: readonly Pepper[],
  scope: 'waiting-lists:read' | 'referral:read',
): RequireKey {
  return async (c) => {
    const key = bearerKey(c, 'referral', peppers)
    assertAdmitted(await gate.admit(c, key, { scope, entry: null }))
  }
}
