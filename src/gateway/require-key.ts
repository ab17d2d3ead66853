// Checks the key of a request that is refused anyway: a bad key or a used-up limit outranks the fault. The call counts.
import { bearerKey } from '../keys/bearer.ts'
import type { ChatCall } from '../organisation/admit/check-call.ts'
import type { ChatGate } from '../organisation/admit/chat-gate.ts'
import type { Pepper } from '../platform/config.ts'
import type { AppContext } from '../platform/context.ts'
import { refusalError } from '../organisation/errors.ts'

/** Throws the error of a refused call. */
export type RequireKey = (c: AppContext) => Promise<void>

/** Checks the key for a chat call, which is counted as one that cannot be run. */
export const requireKeyForCall = (gate: ChatGate, peppers: readonly Pepper[]): RequireKey =>
  requireBy(async (c) => gate.admitInvalid(c, bearerKey(c, 'gateway', peppers)))

/** Checks the key for the list of models and for the log. */
export const requireKeyToRead = (gate: ChatGate, peppers: readonly Pepper[]): RequireKey =>
  requireBy(async (c) => gate.describe(c, bearerKey(c, 'gateway', peppers)))

function requireBy(check: (c: AppContext) => Promise<ChatCall>): RequireKey {
  return async (c) => {
    const call = await check(c)
    if (call.outcome !== 'admitted') throw refusalError(call)
  }
}
