// Checks the key of a request that runs no chat call and no reading: a read of models, of the log or of waiting lists, or a
// request that is refused anyway. A bad key or a used-up limit outranks any other fault.
import { readBearerKey } from '../../keys/bearer-key.ts'
import type { Pepper } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { refusalError } from '../refusal-errors.ts'
import type { ChatGate } from './chat-gate.ts'
import type { AdmissionWithoutModel } from './check-call.ts'
import { assertAdmitted, type ReferralGate } from './referral-gate.ts'

/** Throws the error of a refused request. */
export type RequireKey = (c: AppContext) => Promise<void>

/** Checks the key for a chat call, which is counted as one that cannot be run. */
export const requireKeyForCall = (gate: ChatGate, peppers: readonly Pepper[]): RequireKey =>
  requireAdmission(async (c) => gate.admitInvalid(c, readBearerKey(c, 'gateway', peppers)))

/** Checks the key for the list of models and for the log. */
export const requireKeyToRead = (gate: ChatGate, peppers: readonly Pepper[]): RequireKey =>
  requireAdmission(async (c) => gate.describe(c, readBearerKey(c, 'gateway', peppers)))

function requireAdmission(check: (c: AppContext) => Promise<AdmissionWithoutModel>): RequireKey {
  return async (c) => {
    const call = await check(c)
    if (call.outcome !== 'admitted') throw refusalError(call)
  }
}

export const requireReferralKey =
  (gate: ReferralGate, peppers: readonly Pepper[], scope: 'waiting-lists:read' | 'referral:read'): RequireKey =>
  async (c) => {
    const key = readBearerKey(c, 'referral', peppers)
    assertAdmitted(await gate.admit(c, key, { scope, entry: null }))
  }
