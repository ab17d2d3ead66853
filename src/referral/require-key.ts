// Checks the key and limits for every GET with a referral key, and for requests that are refused unread.
import { bearerKey } from '../keys/bearer.ts'
import { assertAdmitted, type ReferralGate } from '../organisation/admit/referral-gate.ts'
import type { Pepper } from '../platform/config.ts'
import type { AppContext } from '../platform/context.ts'

/** Throws the error of a refused call. */
export type RequireKey = (c: AppContext) => Promise<void>

export function createRequireKey(
  gate: ReferralGate,
  peppers: readonly Pepper[],
  scope: 'waiting-lists:read' | 'referral:read',
): RequireKey {
  return async (c) => {
    const key = bearerKey(c, 'referral', peppers)
    assertAdmitted(await gate.admit(c, key, { scope, entry: null }))
  }
}
