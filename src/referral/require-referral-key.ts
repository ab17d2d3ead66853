// Checks a referral key and its limits before a handler runs: for every GET that needs such a key, and for
// POST /v1/referral/read if its query is refused.
import { readBearerKey } from '../keys/bearer-key.ts'
import { assertAdmitted, type ReferralGate } from '../organisation/admit/referral-gate.ts'
import type { Pepper } from '../platform/config.ts'
import type { AppContext } from '../platform/context.ts'

/** Checks the key of a call. Throws the error if the call is refused. */
export type RequireKey = (c: AppContext) => Promise<void>

export function createRequireReferralKey(
  gate: ReferralGate,
  peppers: readonly Pepper[],
  scope: 'waiting-lists:read' | 'referral:read',
): RequireKey {
  return async (c) => {
    const key = readBearerKey(c, 'referral', peppers)
    assertAdmitted(await gate.admit(c, key, { scope, entry: null }))
  }
}
