// Encodes our request for Perplexity's Agent API, which has the form of OpenAI's Responses and refuses unknown fields. System text
// replaces the preset's own. Only documented members are sent: those of the reference, and the Sonar guide's `temperature` and
// `top_p`. The reference (https://docs.perplexity.ai/api-reference/agent-post) has no `tool_choice` and no `parallel_tool_calls`.
import type { EncodedRequest, RoutedModel } from '../provider.ts'
import { ONE_JSON_OBJECT } from '../adapt-request.policy.ts'
import { outputLimit } from '../estimate-tokens.ts'
import { unsupported, type Unsupported } from '../failure.ts'
import { encodeResponseFormat } from '../openai/encode.ts'
import type { JsonObject } from '../../platform/json.ts'
import { isInstruction, joinText, type ChatRequest, type Message, type ToolCall } from '../chat-request.ts'

/** @see https://docs.perplexity.ai/api-reference/agent-post */
export function encodePerplexityAgent(request: ChatRequest, model: RoutedModel): EncodedRequest {
  const fault = toolFault(request) ?? stopFault(request) ?? webSearchFault(request)
  if (fault !== null) return { ok: false, unsupported: fault }
  const calls = new Map<string, ToolCall>()
  for (const message of request.messages) {
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) calls.set(call.id, call)
  }
  const { responseFormat } = request
  const instructions = request.messages
    .filter(isInstruction)
    .map(({ content }) => joinText(content))
    .concat(responseFormat?.type === 'json_object' ? ONE_JSON_OBJECT : [])
  return {
    ok: true,
    path: '/v1/agent',
    headers: {},
    body: {
      model: model.wire.model,
      preset: model.wire.preset,
      instructions: instructions.length === 0 ? undefined : instructions.join('\n\n'),
      input: request.messages.flatMap((message) => encodeMessage(message, calls)),
      max_output_tokens: outputLimit(request, model),
      max_steps: model.search?.steps,
      temperature: request.temperature,
      top_p: request.topP,
      reasoning: request.reasoningEffort && { effort: request.reasoningEffort },
      response_format: responseFormat?.type === 'json_schema' ? encodeResponseFormat(responseFormat) : undefined,
      ...encodeTools(request),
      store: false,
      stream: request.stream === true ? true : undefined,
    },
  }
}

function toolFault({ tools = [], toolChoice = 'auto' }: ChatRequest): Unsupported | null {
  if (toolChoice !== 'auto' && toolChoice !== 'none') {
    return unsupported('tool_choice', 'Perplexity cannot be forced to call a tool. Send auto or none, or leave it out.')
  }
  const at = tools.findIndex(({ name }) => OWN_TOOL_NAMES.has(name))
  if (at === -1) return null
  return unsupported(`tools[${at}].function.name`, 'Perplexity reserves this name for its own tool. Use another name.')
}

/** The length is limited because each piece of a stream is compared with each beginning of a sequence. */
const MAX_STOP_CHARACTERS = 256

function stopFault({ stop = [], tools = [] }: ChatRequest): Unsupported | null {
  if (stop.length > 0 && tools.length > 0) {
    return unsupported('stop', 'This model cannot have stop sequences beside tools. Leave out one of them.')
  }
  if (stop.every(({ length }) => length <= MAX_STOP_CHARACTERS)) return null
  return unsupported('stop', `With this model, a stop sequence has at most ${MAX_STOP_CHARACTERS} characters.`)
}

/** A listed tool replaces only the preset's tool of its kind. A tool that must not be called is not listed. */
function encodeTools(request: ChatRequest): JsonObject {
  const listed = request.toolChoice === 'none' ? [] : (request.tools ?? [])
  const functions = listed.map(({ name, description, parameters, strict }) => ({
    type: 'function',
    name,
    description,
    parameters,
    strict,
  }))
  const webSearch = encodeWebSearch(request)
  const tools = [...functions, ...(webSearch === null ? [] : [{ type: 'web_search', ...webSearch }])]
  return { tools: tools.length === 0 ? undefined : tools }
}

function encodeMessage(message: Message, made: ReadonlyMap<string, ToolCall>): JsonObject[] {
  if (isInstruction(message)) return []
  if (message.role === 'user') return [{ type: 'message', role: 'user', content: encodeContent(message.content) }]
  const text = joinText(message.content)
  if (message.role === 'tool') {
    const { toolCallId } = message
    const { name, signature } = made.get(toolCallId) ?? {}
    const output = { call_id: toolCallId, name, output: text, thought_signature: signature }
    return [{ type: 'function_call_output', ...output }]
  }
  const calls = (message.toolCalls ?? []).map((call) => ({
    type: 'function_call',
    call_id: call.id,
    name: call.name,
    arguments: call.arguments,
    thought_signature: call.signature,
  }))
  return [...(text === '' ? [] : [{ type: 'message', role: 'assistant', content: text }]), ...calls]
}

function encodeContent(parts: Message['content']): unknown {
  const [first] = parts
  if (parts.length === 1 && first?.type === 'text') return first.text
  return parts.map((part) =>
    part.type === 'text' ? { type: 'input_text', text: part.text } : { type: 'input_image', image_url: part.url },
  )
}

function webSearchFault({ webSearch }: ChatRequest): Unsupported | null {
  if (webSearch?.location?.timezone === undefined) return null
  return unsupported(
    'web_search_options.user_location.approximate.timezone',
    'Perplexity does not support a time zone. Send country, region or city, or leave it out.',
  )
}

/** Returns null if nothing is set, so that Perplexity's defaults apply. */
function encodeWebSearch({ webSearch }: ChatRequest): JsonObject | null {
  const { contextSize, location } = webSearch ?? {}
  const { country, region, city } = location ?? {}
  const isPlaced = (country ?? region ?? city) !== undefined
  if (contextSize === undefined && !isPlaced) return null
  return { search_context_size: contextSize, user_location: isPlaced ? { country, region, city } : undefined }
}

/** Perplexity reserves these names for its own tools. */
export const OWN_TOOL_NAMES: ReadonlySet<string> = new Set([
  'web_search',
  'search_web',
  'people_search',
  'search_people',
  'fetch_url',
  'finance_search',
  'sandbox',
])
