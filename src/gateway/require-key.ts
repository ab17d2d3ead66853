// Checks the key of a request that calls no model: one that is refused anyway, the list of models, or a read of the log. A bad
// key or a used-up limit outranks any other fault.
import { readBearerKey } from '../keys/bearer-key.ts'
import type { AdmissionWithoutModel } from '../organisation/admit/check-call.ts'
import type { ChatGate } from '../organisation/admit/chat-gate.ts'
import type { Pepper } from '../platform/config.ts'
import type { AppContext } from '../platform/context.ts'
import { refusalError } from '../organisation/refusal-errors.ts'

/** Throws the error of a refused call. */
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
