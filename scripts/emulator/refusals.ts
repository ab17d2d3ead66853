// The emulator's refusals, in each provider's form: of a wrong key, of an unknown model, of a conversation that the provider does not
// take, or because a behaviour asks for one.

import { KEY_REFUSED } from './formats/google.ts'
import type { RequestedRefusal, EmulatorPlan } from './answer-plan.ts'
import type { JsonObject } from './model-request.ts'
import { isObject } from './sample-json.ts'
import { problem } from './wire-format.ts'
import type { Dialect } from '../../src/providers/provider-registry.ts'
import type { WireProblem } from './wire-format.ts'

const KEY_PREFIX = 'emulator-'

/** Returns the refusal of a key, or null. Only keys that begin with `emulator-` pass, because no real key must be sent here. */
export function keyProblem(format: Dialect, key: string | null): WireProblem | null {
  if (key?.startsWith(KEY_PREFIX)) return null
  // OpenAI repeats part of the key in its message; so does this, with an invented one.
  const message = `incorrect key sk-not-a-real-key****abcd: keys here begin with ${KEY_PREFIX}`
  if (format !== 'gemini-generate') return problem(401, message, { code: 'invalid_api_key' })
  return key === null ? problem(403, 'no key') : problem(401, message, { code: KEY_REFUSED })
}

export function unknownModel(format: Dialect, model: string): WireProblem {
  return problem(format === 'perplexity-agent' ? 400 : 404, `no model ${JSON.stringify(model)} here`, {
    code: 'model_not_found',
  })
}

/** Returns the refusal of a conversation, or null. @param model without its behaviour suffix */
export function conversationProblem(format: Dialect, body: JsonObject, model: string): WireProblem | null {
  if (format === 'anthropic-messages') return claudeProblem(body, model)
  const last = objectsIn(body[format === 'gemini-generate' ? 'contents' : 'messages']).at(-1)
  if (format === 'gemini-generate' && last?.['role'] === 'model') {
    return problem(400, 'the last turn is the model’s, and must be the user’s')
  }
  const isOpenAnswer = last?.['role'] === 'assistant' && last['prefix'] !== true
  return format === 'mistral-chat' && isOpenAnswer
    ? problem(400, 'the last role is assistant, and must be user or tool, or have a true prefix')
    : null
}

const objectsIn = (list: unknown): JsonObject[] => (Array.isArray(list) ? list.filter(isObject) : [])

const GOES_ON_WITH_NOTHING = /claude-(?:opus|sonnet|haiku)-5/

function claudeProblem({ messages, tools, output_config: output }: JsonObject, model: string): WireProblem | null {
  const said = objectsIn(messages)
  const blocks = said.flatMap(({ content }) => objectsIn(content))
  const isCalled = blocks.some(({ type }) => type === 'tool_use' || type === 'tool_result')
  if (isCalled && objectsIn(tools).length === 0) {
    return problem(400, 'there are `tool_use` or `tool_result` blocks, and no `tools`')
  }
  if (said.at(-1)?.['role'] !== 'assistant') return null
  if (GOES_ON_WITH_NOTHING.test(model)) return problem(400, 'this model goes on with no answer: end with the user')
  return isObject(output) && isObject(output['format'])
    ? problem(400, 'output_config.format: no answer that was begun can follow it')
    : null
}

/** Returns the failure or refusal that the plan asks for, or null. */
export function requestedProblem(format: Dialect, { failure, refusal }: EmulatorPlan): WireProblem | null {
  if (failure !== null) {
    const { status, retryAfterSeconds, asArray } = failure
    return problem(status, `${status} on request`, { retryAfterSeconds, asArray })
  }
  return refusal === null ? null : refused(format, refusal)
}

function refused(format: Dialect, asked: RequestedRefusal): WireProblem {
  if (asked.kind !== 'member') return (asked.kind === 'context' ? CONTEXT : QUOTA)[format]
  const { status, member } = asked
  const rule = 'refused on request'
  const field = googleField(member)
  const problems: Record<Dialect, WireProblem> = {
    'openai-chat': problem(status, `'${member}': ${rule}`, { param: member, code: 'invalid_value' }),
    'anthropic-messages': { ...problem(status, rule), message: `${member}: Countersign emulator: ${rule}` },
    'gemini-generate': problem(status, `'${field}': ${rule}`, { param: field, violation: rule }),
    'perplexity-agent': problem(status, `${member}: ${rule}`),
    'mistral-chat': problem(status, rule, { param: member, code: 'value_error' }),
  }
  return problems[format]
}

/** Spells `generationConfig.stopSequences.0` as Google's errors do: `generation_config.stop_sequences[0]`. */
function googleField(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`).replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')
}

const PROMPT_TOKENS = 250_000
const MOST_TOKENS = 200_000
const TOO_LONG = `${PROMPT_TOKENS} tokens of input, of ${MOST_TOKENS} at most`

const CONTEXT: Record<Dialect, WireProblem> = {
  'openai-chat': problem(400, TOO_LONG, { param: 'messages', code: 'context_length_exceeded' }),
  'anthropic-messages': problem(400, `prompt is too long: ${PROMPT_TOKENS} tokens > ${MOST_TOKENS}`),
  'gemini-generate': problem(400, `the input token count (${PROMPT_TOKENS}) is above ${MOST_TOKENS}`),
  'perplexity-agent': problem(400, TOO_LONG),
  'mistral-chat': problem(400, `${PROMPT_TOKENS} tokens, for a maximum context length of ${MOST_TOKENS}`),
}

const NO_CREDIT = 'the account has no credit left'

/** The refusals of an account without credit. Three of the four statuses have another meaning as well. */
const QUOTA: Record<Dialect, WireProblem> = {
  'openai-chat': problem(429, NO_CREDIT, { type: 'insufficient_quota', code: 'insufficient_quota' }),
  'anthropic-messages': problem(400, `credit balance: ${NO_CREDIT}`),
  'gemini-generate': problem(429, NO_CREDIT, { quotaMetric: 'emulator.invalid/generate_requests' }),
  'perplexity-agent': problem(401, NO_CREDIT, { type: 'insufficient_quota' }),
  'mistral-chat': problem(401, NO_CREDIT),
}
