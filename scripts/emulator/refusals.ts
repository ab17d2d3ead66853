// The refusals that a key or a plan causes, in each provider's words.

import { KEY_REFUSED } from './formats/google.ts'
import type { AskedRefusal, Plan } from './plan.ts'
import type { ProviderId } from './turn.ts'
import { problem } from './wire-format.ts'
import type { WireProblem } from './wire-format.ts'

const KEY_PREFIX = 'emulator-'

/** Accepts only keys that begin with `emulator-`, because a real key must not be sent here. */
export function keyProblem(provider: ProviderId, key: string | null): WireProblem | null {
  if (key?.startsWith(KEY_PREFIX)) return null
  // OpenAI repeats part of the key in its message; so does this, with an invented one.
  const message = `incorrect key sk-not-a-real-key****abcd: keys here begin with ${KEY_PREFIX}`
  if (provider !== 'google') return problem(401, message, { code: 'invalid_api_key' })
  return key === null ? problem(403, 'no key') : problem(401, message, { code: KEY_REFUSED })
}

export function unknownModel(provider: ProviderId, model: string): WireProblem {
  return problem(provider === 'perplexity' ? 400 : 404, `no model ${JSON.stringify(model)} here`, {
    code: 'model_not_found',
  })
}

/** Returns the failure or refusal of a plan, or null. */
export function askedProblem(provider: ProviderId, { failure, refusal }: Plan): WireProblem | null {
  if (failure !== null) {
    const { status, retryAfterSeconds, asArray } = failure
    return problem(status, `${status} on request`, { retryAfterSeconds, asArray })
  }
  return refusal === null ? null : refused(provider, refusal)
}

function refused(provider: ProviderId, asked: AskedRefusal): WireProblem {
  if (asked.kind !== 'member') return (asked.kind === 'context' ? CONTEXT : QUOTA)[provider]
  const { status, member } = asked
  const rule = 'refused on request'
  const field = googleField(member)
  const told: Record<ProviderId, WireProblem> = {
    openai: problem(status, `'${member}': ${rule}`, { param: member, code: 'invalid_value' }),
    anthropic: { ...problem(status, rule), message: `${member}: Countersign emulator: ${rule}` },
    google: problem(status, `'${field}': ${rule}`, { param: field, violation: rule }),
    perplexity: problem(status, `${member}: ${rule}`),
  }
  return told[provider]
}

/** Spells `generationConfig.stopSequences.0` as Google's errors do: `generation_config.stop_sequences[0]`. */
function googleField(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')
}

const ASKED = 250_000
const MOST = 200_000
const LONG = `${ASKED} tokens of input, of ${MOST} at most`

const CONTEXT: Record<ProviderId, WireProblem> = {
  openai: problem(400, LONG, { param: 'messages', code: 'context_length_exceeded' }),
  anthropic: problem(400, `prompt is too long: ${ASKED} tokens > ${MOST}`),
  google: problem(400, `the input token count (${ASKED}) is above ${MOST}`),
  perplexity: problem(400, LONG),
}

const NO_CREDIT = 'the account has no credit left'

/** The refusals of an account without credit. Three of the four statuses have another meaning as well. */
const QUOTA: Record<ProviderId, WireProblem> = {
  openai: problem(429, NO_CREDIT, { type: 'insufficient_quota', code: 'insufficient_quota' }),
  anthropic: problem(400, `credit balance: ${NO_CREDIT}`),
  google: problem(429, NO_CREDIT, { quotaMetric: 'emulator.invalid/generate_requests' }),
  perplexity: problem(401, NO_CREDIT, { type: 'insufficient_quota' }),
}
