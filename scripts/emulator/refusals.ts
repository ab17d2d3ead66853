// The emulator's refusals, in each provider's form: of a wrong key, of an unknown model, or because a behaviour asks for one.

import type { EmulatorPlan } from './answer-plan.ts'
import { problem } from './wire-format.ts'
import type { WireFormat, WireProblem } from './wire-format.ts'

const KEY_PREFIX = 'emulator-'

/** OpenAI repeats part of the key in its message; so does this, with an invented one. */
export const WRONG_KEY = `incorrect key sk-not-a-real-key****abcd: keys here begin with ${KEY_PREFIX}`

/** Returns the refusal of a key, or null. Only keys that begin with `emulator-` pass, because no real key must be sent here. */
export function keyProblem({ refusals }: WireFormat, key: string | null): WireProblem | null {
  if (key?.startsWith(KEY_PREFIX)) return null
  return refusals.key?.(key) ?? problem(401, WRONG_KEY, { code: 'invalid_api_key' })
}

export function unknownModel({ refusals }: WireFormat, model: string): WireProblem {
  const status = refusals.unknownModelStatus ?? 404
  return problem(status, `no model ${JSON.stringify(model)} here`, { code: 'model_not_found' })
}

/** Returns the failure or refusal that the plan asks for, or null. */
export function requestedProblem({ refusals }: WireFormat, { failure, refusal }: EmulatorPlan): WireProblem | null {
  if (failure !== null) {
    const { status, retryAfterSeconds, asArray } = failure
    return problem(status, `${status} on request`, { retryAfterSeconds, asArray })
  }
  if (refusal === null) return null
  return refusal.kind === 'member' ? refusals.member(refusal.status, refusal.member) : refusals[refusal.kind]
}
