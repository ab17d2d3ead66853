// Hashes a request, so that it can be identified without its text: `requestHash` for the record, `loopHash` to find loops. Two
// spellings of one request have the same loop hash, in either wire format.
import { canonicalJson } from '../../evidence/records/canonical-json.ts'
import { readJson, type JsonObject } from '../../platform/json.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import type { Model } from '../../providers/model-catalogue.ts'
import { DEFAULT_SAMPLING, DEFAULT_VERBOSITY, withoutDefaults } from '../../providers/adapt-request.policy.ts'
import type { ChatRequest, Message, Tool } from '../../providers/chat-request.ts'

export type RequestHashes = { requestHash: string; loopHash: string }

/** Returns lower-case hex; null if canonical JSON cannot express the body, such as half of a surrogate pair. */
export function hashRequest(body: JsonObject): string | null {
  try {
    return sha256Hex(canonicalJson(body))
  } catch (thrown) {
    if (thrown instanceof TypeError) return null
    throw thrown
  }
}

/**
 * Hashes everything that can change the answer, without default values. Streaming, the user, cache marks and log probabilities do
 * not count.
 *
 * @param sent the request as its provider receives it
 */
export function hashLoop(sent: ChatRequest, model: Model): string {
  const { messages, tools, toolChoice, parallelToolCalls, responseFormat, extraParameters, ...members } =
    withoutDefaults(sent, model)
  const { maxTokens, temperature, topP, n, stop, seed, reasoningEffort, webSearch, variant } = members
  const hashedMembers = {
    model: model.id,
    messages: messages.map(normalMessage),
    tools: tools?.map(normalTool),
    toolChoice: toolChoice === 'auto' ? undefined : toolChoice,
    parallelToolCalls: parallelToolCalls === false ? false : undefined,
    responseFormat:
      responseFormat?.type === 'json_schema'
        ? { ...responseFormat, strict: responseFormat.strict || undefined }
        : responseFormat,
    extraParameters: normalExtras(extraParameters),
    temperature: temperature === DEFAULT_SAMPLING ? undefined : temperature,
    topP: topP === DEFAULT_SAMPLING ? undefined : topP,
    maxTokens,
    n,
    stop,
    seed,
    reasoningEffort,
    webSearch,
    variant,
  }
  // JSON drops members that are undefined, at any depth.
  return sha256Hex(canonicalJson(readJson(JSON.stringify(hashedMembers))))
}

/** A cache mark does not change the answer. */
const NO_CACHE_MARK = { cache: undefined }

function normalTool(tool: Tool): JsonObject {
  const { description, parameters, strict } = tool
  const isBare = parameters !== undefined && hasNoParameters(parameters)
  return {
    ...tool,
    ...NO_CACHE_MARK,
    description: description === '' ? undefined : description,
    parameters: isBare ? undefined : parameters,
    strict: strict || undefined,
  }
}

/** True if the schema equals that of a tool without a schema. */
const hasNoParameters = ({ type, properties, required, ...others }: JsonObject): boolean =>
  (type === undefined || type === 'object') &&
  isEmpty(properties) &&
  isEmpty(required) &&
  Object.keys(others).length === 0

const isEmpty = (value: unknown): boolean =>
  value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0)

/** Drops defaults. The content is already a list of parts. */
function normalMessage(message: Message): JsonObject {
  const nonEmptyParts = message.content.filter((part) => part.type !== 'text' || part.text !== '')
  const content = nonEmptyParts.map((part) => {
    const isUsual = part.type === 'image' && part.detail === 'auto'
    return Object.assign({}, part, NO_CACHE_MARK, isUsual ? { detail: undefined } : {})
  })
  const calls = message.role === 'assistant' ? message.toolCalls : undefined
  const toolCalls = calls?.map((call) => Object.assign({}, call, NO_CACHE_MARK))
  return { ...message, ...NO_CACHE_MARK, content, toolCalls }
}

/** Returns undefined if nothing remains. */
function normalExtras(extras: JsonObject = {}): JsonObject | undefined {
  const { logprobs: _, top_logprobs: __, verbosity, ...others } = extras
  const rest = { ...others, verbosity: verbosity === DEFAULT_VERBOSITY ? undefined : verbosity }
  return Object.values(rest).every((value) => value === undefined) ? undefined : rest
}
