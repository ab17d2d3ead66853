// Translates a chat completion request into the form that providers’ verbs take. Every member is translated; none is dropped.
import type {
  ChatRequest,
  Message,
  ResponseFormat,
  TextPart,
  ThinkingBlock,
  Tool,
  ToolCall,
  WebSearch,
} from '../../../providers/chat-request.ts'
import type { CacheControl, WireAssistantMessage, WireContent, WireMessage } from './chat-message.schema.ts'
import { EXTRA_PARAMETERS, type WireChatRequest } from './chat-request.schema.ts'

export const toChatRequest = (wire: WireChatRequest): ChatRequest => ({
  messages: toMessages(wire.messages),
  stream: wire.stream ?? undefined,
  ...(usesFunctions(wire) ? toFunctions(wire) : toTools(wire)),
  responseFormat: toResponseFormat(wire.response_format),
  temperature: wire.temperature ?? undefined,
  topP: wire.top_p ?? undefined,
  maxTokens: wire.max_completion_tokens ?? wire.max_tokens ?? undefined,
  stop: typeof wire.stop === 'string' ? [wire.stop] : (wire.stop ?? undefined),
  n: wire.n ?? undefined,
  seed: wire.seed ?? undefined,
  user: wire.safety_identifier || wire.user || undefined,
  cacheKey: wire.prompt_cache_key || undefined,
  reasoningEffort: wire.reasoning_effort ?? undefined,
  webSearch: wire.web_search_options ? toWebSearch(wire.web_search_options) : undefined,
  padding: wire.stream_options?.include_obfuscation ?? undefined,
  extraParameters: toExtraParameters(wire),
})

/** Returns true if the request uses `functions`, the older form of tools. The answer then has one `function_call`. */
export const usesFunctions = ({ functions }: WireChatRequest): boolean => (functions ?? []).length > 0

type Tools = Pick<ChatRequest, 'tools' | 'toolChoice' | 'parallelToolCalls'>

function toTools(wire: WireChatRequest): Tools {
  const { tools, tool_choice: choice, parallel_tool_calls: parallel } = wire
  return {
    tools: tools
      ?.filter((tool) => isAllowed(wire, tool))
      .map(({ function: tool, cache_control: mark }) => Object.assign(toTool(tool), { cache: toMark(mark) })),
    toolChoice: toToolChoice(choice),
    parallelToolCalls: parallel ?? undefined,
  }
}

type WireTool = NonNullable<WireChatRequest['tools']>[number]

/** Returns true if the model gets the tool: a choice of allowed tools drops the others. */
export function isAllowed({ tool_choice: choice }: WireChatRequest, { function: { name } }: WireTool): boolean {
  if (typeof choice !== 'object' || choice?.type !== 'allowed_tools') return true
  return choice.allowed_tools.tools.some((allowed) => allowed.function.name === name)
}

function toToolChoice(choice: WireChatRequest['tool_choice']): ChatRequest['toolChoice'] {
  if (typeof choice !== 'object' || choice === null) return choice ?? undefined
  return choice.type === 'function' ? choice.function : choice.allowed_tools.mode
}

const toFunctions = ({ functions, function_call: choice }: WireChatRequest): Tools => ({
  tools: functions?.map(toTool),
  toolChoice: choice ?? undefined,
  parallelToolCalls: false,
})

type WireFunction = Pick<WireTool['function'], 'name' | 'description' | 'parameters' | 'strict'>

export const toTool = ({ name, description, parameters, strict }: WireFunction): Tool => ({
  name,
  description: description ?? undefined,
  parameters: parameters ?? undefined,
  strict: strict ?? undefined,
})

type WireFormat = NonNullable<WireChatRequest['response_format']>
type WireSchema = Extract<WireFormat, { type: 'json_schema' }>['json_schema']

function toResponseFormat(format: WireFormat | null | undefined): ResponseFormat | undefined {
  if (!format) return undefined
  return format.type === 'json_schema' ? toSchemaFormat(format.json_schema) : format
}

export const toSchemaFormat = ({ name, schema, description, strict }: WireSchema): ResponseFormat => ({
  type: 'json_schema',
  name,
  schema,
  description: description ?? undefined,
  strict: strict ?? undefined,
})

type WireSearch = NonNullable<WireChatRequest['web_search_options']>
type WirePlace = NonNullable<WireSearch['user_location']>['approximate']

const toWebSearch = ({ search_context_size: size, user_location: location }: WireSearch): WebSearch =>
  makeWebSearch(size, location?.approximate)

export const makeWebSearch = (
  size: WireSearch['search_context_size'],
  place: WirePlace | null | undefined,
): WebSearch => ({
  contextSize: size ?? undefined,
  location: place
    ? {
        country: place.country ?? undefined,
        city: place.city ?? undefined,
        region: place.region ?? undefined,
        timezone: place.timezone ?? undefined,
      }
    : undefined,
})

function toExtraParameters(wire: WireChatRequest): ChatRequest['extraParameters'] {
  const given = EXTRA_PARAMETERS.filter((name) => !isNeutral(wire[name]))
  return given.length === 0 ? undefined : Object.fromEntries(given.map((name) => [name, wire[name]]))
}

/** Returns true for a value without effect, which counts as absent: some clients always send their defaults. */
const isNeutral = (value: unknown): boolean => !value || (typeof value === 'object' && Object.keys(value).length === 0)

function toMessages(messages: readonly WireMessage[]): Message[] {
  let called: { id: string; name: string } | null = null
  return messages.map((message, at) => {
    if (message.role === 'assistant' && message.function_call) {
      called = { id: legacyCallId(at), name: message.function_call.name }
    }
    if (message.role !== 'function') return toMessage(message, at)
    const toolCallId = called?.name === message.name ? called.id : ''
    return { role: 'tool', toolCallId, content: [{ type: 'text', text: message.content ?? '' }] }
  })
}

/** Makes an id, because a function's call has none of its own. */
const legacyCallId = (at: number): string => `function_call_${at}`

function toMessage(message: Exclude<WireMessage, { role: 'function' }>, at: number): Message {
  switch (message.role) {
    case 'system':
    case 'developer': {
      const content = toTexts(message.content)
      return { role: message.role, content, name: message.name ?? undefined, cache: endMark(message, content) }
    }
    case 'user': {
      const content = toParts(message.content)
      return { role: 'user', content, name: message.name ?? undefined, cache: endMark(message, content) }
    }
    case 'assistant':
      return toAssistantMessage(message, at)
    case 'tool': {
      const content = toParts(message.content)
      return { role: 'tool', toolCallId: message.tool_call_id, content, cache: endMark(message, content) }
    }
  }
}

type AssistantMessage = Extract<Message, { role: 'assistant' }>

function toAssistantMessage(message: WireAssistantMessage, at: number): AssistantMessage {
  const content = toAssistantTexts(message)
  const calls = toCalls(message, at)
  const extra = findExtra(message)
  const signed = placeSignature(calls, content, extra?.google?.thought_signature)
  return {
    role: 'assistant',
    content,
    ...signed,
    thinking: toThinking(extra?.anthropic?.thinking_blocks ?? message.thinking_blocks),
    name: message.name ?? undefined,
    cache: endMark(message, calls.length === 0 ? content : calls),
  }
}

/** Some clients store a call's signature on the message. If the message has no text, the first call gets the signature. */
function placeSignature(
  calls: readonly ToolCall[],
  content: readonly TextPart[],
  signature: string | undefined,
): Pick<AssistantMessage, 'toolCalls' | 'signature'> {
  const [first, ...others] = calls
  if (first === undefined) return { signature }
  const isOfFirst = first.signature === undefined && content.every(({ text }) => text === '')
  if (isOfFirst && signature !== undefined) return { toolCalls: [{ ...first, signature }, ...others] }
  return { toolCalls: calls, signature: calls.some((call) => call.signature === signature) ? undefined : signature }
}

/** A refusal counts as text of the message. */
function toAssistantTexts({ content, refusal }: WireAssistantMessage): readonly TextPart[] {
  const said =
    typeof content === 'string'
      ? toText(content)
      : (content ?? []).map((part): TextPart => ({
          type: 'text',
          text: part.type === 'text' ? part.text : part.refusal,
          cache: toMark(part.cache_control),
        }))
  return refusal ? [...said, { type: 'text', text: refusal }] : said
}

function findExtra(message: WireAssistantMessage): WireAssistantMessage['extra_content'] {
  const places = [message, ...(Array.isArray(message.content) ? message.content : [])]
  for (const { extra_content: extra, provider_specific_fields: fields } of places) {
    const found = extra ?? fields?.extra_content
    if (found) return found
  }
  return null
}

function toCalls({ tool_calls: calls, function_call: called }: WireAssistantMessage, at: number): ToolCall[] {
  if (called) return [{ id: legacyCallId(at), name: called.name, arguments: toArguments(called.arguments) }]
  return (calls ?? []).map(
    ({ id, function: { name, arguments: text }, extra_content: extra, cache_control: mark }) => ({
      id,
      name,
      arguments: toArguments(text),
      signature: extra?.google.thought_signature,
      cache: toMark(mark),
    }),
  )
}

/** Some models write an empty text if there are no arguments. */
const toArguments = (text: string | null | undefined): string => (text?.trim() ? text : '{}')

function toThinking(blocks: WireAssistantMessage['thinking_blocks']): AssistantMessage['thinking'] {
  if (!blocks || blocks.length === 0) return undefined
  return blocks
    .toSorted((first, second) => (first.index ?? 0) - (second.index ?? 0))
    .map((block): ThinkingBlock =>
      block.type === 'thinking'
        ? { type: 'thinking', thinking: block.thinking ?? '', signature: block.signature }
        : { type: 'redacted_thinking', data: block.data },
    )
}

const toText = (text: string): TextPart[] => [{ type: 'text', text }]

const toTexts = (content: Extract<WireMessage, { role: 'system' }>['content']): readonly TextPart[] =>
  typeof content === 'string'
    ? toText(content)
    : content.map(({ text, cache_control: mark }) => ({ type: 'text', text, cache: toMark(mark) }))

function toParts(content: WireContent): Extract<Message, { role: 'user' }>['content'] {
  if (typeof content === 'string') return toText(content)
  return content.map((part) => {
    const cache = toMark(part.cache_control)
    switch (part.type) {
      case 'text':
        return { type: 'text', text: part.text, cache }
      case 'image_url':
        return { type: 'image', url: part.image_url.url, detail: part.image_url.detail ?? undefined, cache }
      case 'file':
        return { type: 'file', url: part.file.file_data, name: part.file.filename ?? undefined, cache }
    }
  })
}

const toMark = (control: CacheControl): TextPart['cache'] => (control ? { ttl: control.ttl ?? '5m' } : undefined)

/** Returns the cache mark at the end of a message, unless its last part has one of its own. */
const endMark = (
  message: { cache_control?: CacheControl },
  ending: readonly Pick<TextPart, 'cache'>[],
): TextPart['cache'] => (ending.at(-1)?.cache === undefined ? toMark(message.cache_control) : undefined)
