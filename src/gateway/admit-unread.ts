// Checks the caller of a call that is refused unread. A bad key or a used-up limit outranks the fault, and the call counts.
import { bearerKey } from '../keys/bearer.ts'
import type { ChatCall } from '../organisation/admit/check-call.ts'
import type { ChatGate } from '../organisation/admit/chat-gate.ts'
import type { Pepper } from '../platform/config.ts'
import type { AppContext } from '../platform/context.ts'
import { refusalError } from '../organisation/errors.ts'

/** Throws what the call is refused with. */
export type Admit = (c: AppContext) => Promise<void>

/** For a chat call, counted as one that cannot be run. */
export const admitChatCall = (gate: ChatGate, peppers: readonly Pepper[]): Admit =>
  admitBy(async (c) => gate.admitInvalid(c, bearerKey(c, 'gateway', peppers)))

/** For the list of models and for the log. */
export const admitLook = (gate: ChatGate, peppers: readonly Pepper[]): Admit =>
  admitBy(async (c) => gate.describe(c, bearerKey(c, 'gateway', peppers)))

function admitBy(ask: (c: AppContext) => Promise<ChatCall>): Admit {
  return async (c) => {
    const call = await ask(c)
    if (call.outcome !== 'admitted') throw refusalError(call)
  }
}
