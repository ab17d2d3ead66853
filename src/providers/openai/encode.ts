// Encodes a chat request for OpenAI's chat completions. Mistral's encoder shares the members up to the messages, and Perplexity's
// the response_format.
import type { EncodedRequest, RoutedModel } from '../provider.ts'
import { outputLimit } from '../estimate-tokens.ts'
import type { JsonObject } from '../../platform/json.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import { effectiveEffort } from '../adapt-request.policy.ts'
import {
  joinText,
  type ChatRequest,
  type CustomFormat,
  type Message,
  type ResponseFormat,
  type Tool,
  type ToolCall,
} from '../chat-request.ts'

/** @see https://platform.openai.com/docs/api-reference/chat */
export function encodeOpenAiChat(request: ChatRequest, model: RoutedModel): EncodedRequest {
  return {
    ok: true,
    path: '/v1/chat/completions',
    headers: {},
    body: {
      ...encodeSharedMembers(request, model),
      max_completion_tokens: outputLimit(request, model),
      reasoning_effort: effectiveEffort(request, model),
      user: request.user,
      seed: request.seed,
      prompt_cache_key: request.cacheGroup,
      n: request.n,
      ...request.extraParameters,
      // Accounts may store chat completions by default; nothing sent through here may be stored.
      store: false,
      // The usage is needed for accounting, even if the caller has not asked for it.
      ...(request.stream === true
        ? { stream: true, stream_options: { include_usage: true, include_obfuscation: request.padding } }
        : {}),
    },
  }
}

/** Encodes the members that OpenAI and Mistral have in common. */
export const encodeSharedMembers = (request: ChatRequest, model: RoutedModel): JsonObject => ({
  model: model.wire.model,
  temperature: request.temperature,
  top_p: request.topP,
  stop: request.stop,
  tools: request.tools?.map(encodeTool),
  tool_choice: encodeToolChoice(request),
  parallel_tool_calls: request.parallelToolCalls,
  response_format: request.responseFormat && encodeResponseFormat(request.responseFormat),
  messages: request.messages.map(encodeMessage),
})

function encodeTool({ name, description, parameters, strict, custom }: Tool): JsonObject {
  if (custom !== undefined)
    return { type: 'custom', custom: { name, description, format: encodeGrammar(custom.format) } }
  return { type: 'function', function: { name, description, parameters: encodeParameters(parameters), strict } }
}

const encodeGrammar = (format: CustomFormat | undefined): JsonObject | undefined =>
  format?.type === 'grammar'
    ? { type: 'grammar', grammar: { syntax: format.syntax, definition: format.definition } }
    : format

function encodeToolChoice({ toolChoice, tools = [] }: ChatRequest): unknown {
  if (typeof toolChoice !== 'object') return toolChoice
  const { name } = toolChoice
  const isCustom = tools.some((tool) => tool.name === name && tool.custom !== undefined)
  return isCustom ? { type: 'custom', custom: { name } } : { type: 'function', function: { name } }
}

const COMPOSITION_KEYWORDS = ['$ref', 'anyOf', 'oneOf', 'allOf'] as const

/** OpenAI requires an object with properties, which tools without arguments often lack. */
function encodeParameters(parameters: JsonObject | undefined): JsonObject | undefined {
  if (parameters === undefined || COMPOSITION_KEYWORDS.some((keyword) => keyword in parameters)) return parameters
  if ('type' in parameters && 'properties' in parameters) return parameters
  return { type: 'object', properties: {}, ...parameters }
}

/** Encodes the standard's response_format. Perplexity's Agent API takes it too. */
export function encodeResponseFormat(format: ResponseFormat): JsonObject {
  if (format.type !== 'json_schema') return { type: format.type }
  const { name, description, schema, strict } = format
  return { type: 'json_schema', json_schema: { name, description, schema, strict } }
}

const MOST_ID_CHARACTERS = 40

/** Shortens an id: OpenAI takes at most 40 characters, and other providers' ids may be longer. */
function callId(id: string): string {
  if (id.length <= MOST_ID_CHARACTERS) return id
  return `call_${sha256Hex(id)}`.slice(0, MOST_ID_CHARACTERS)
}

function encodeMessage(message: Message): JsonObject {
  if (message.role === 'tool') {
    return { role: message.role, tool_call_id: callId(message.toolCallId), content: joinText(message.content) }
  }
  if (message.role === 'assistant') {
    const toolCalls = message.toolCalls ?? []
    return {
      role: message.role,
      name: message.name,
      content: message.content.length === 0 && toolCalls.length > 0 ? null : joinText(message.content),
      tool_calls: toolCalls.length === 0 ? undefined : toolCalls.map(encodeCall),
    }
  }
  return { role: message.role, name: message.name, content: encodeContent(message.content) }
}

function encodeCall({ id, name, arguments: text, isCustom }: ToolCall): JsonObject {
  if (isCustom) return { id: callId(id), type: 'custom', custom: { name, input: text } }
  return { id: callId(id), type: 'function', function: { name, arguments: text } }
}

function encodeContent(parts: Message['content']): unknown {
  const [first] = parts
  if (parts.length === 1 && first?.type === 'text') return first.text
  return parts.map(encodePart)
}

/** OpenAI requires a name for a file in a request. */
const UNNAMED_FILE = 'file.pdf'

function encodePart(part: Message['content'][number]): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text }
    case 'image':
      return { type: 'image_url', image_url: { url: part.url, detail: part.detail } }
    case 'file':
      return { type: 'file', file: { file_data: part.url, filename: part.name ?? UNNAMED_FILE } }
  }
}
