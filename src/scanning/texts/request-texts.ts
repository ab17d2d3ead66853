// Lists, counts and replaces the texts of a chat request, each with its place (message, tool, schema, …). TEXT_PLACES, at the
// end, has each place's rules for redaction, injections and the count.
import type { JsonObject } from '../../platform/json.ts'
import {
  decodeText,
  parseMediaUrl,
  textDataOf,
  type ChatRequest,
  type Message,
  type ResponseFormat,
  type ThinkingBlock,
  type ToolCall,
} from '../../providers/chat-request.ts'
import { parseJsonObject } from '../../providers/lossless-json.ts'

export type Role = Message['role']

export type RequestText = {
  readonly place: TextPlace
  /** How to read it: words, one JSON value, or a JSON schema. */
  readonly form: 'words' | 'json' | 'schema'
  readonly text: string
  /** The role of its message. Definitions of tools and of the response format count as words of tools. */
  readonly role: Role
}

type MapRequestText = (text: RequestText) => string

export function textsOf(request: ChatRequest): RequestText[] {
  const texts: RequestText[] = []
  mapTexts(request, (text) => {
    texts.push(text)
    return text.text
  })
  return texts
}

/** Returns the count in UTF-16 code units, as JavaScript counts them. */
export function countCharacters(request: ChatRequest): number {
  let characters = 0
  mapTexts(request, ({ place, text }) => {
    if (TEXT_PLACES[place].counted) characters += text.length
    return text
  })
  return characters
}

/**
 * Returns the request with its texts replaced, in the order of `textsOf`. Texts whose place refuses redaction do not change.
 * Messages come last, so that a later turn of the conversation adds its texts at the end.
 */
export function mapTexts(request: ChatRequest, map: MapRequestText): ChatRequest {
  const { messages, tools, responseFormat, stop, user, webSearch, native } = request
  if (native !== undefined && native.unread !== '') mapTextAs('user', map)('unread', native.unread, 'json')
  // Stop sequences, the user's name and the search place count as words of the user.
  const mapText = mapTextAs('user', map)
  const otherFields = {
    ...(tools === undefined ? {} : { tools: tools.map((tool) => mapTool(tool, map)) }),
    ...(responseFormat === undefined ? {} : { responseFormat: mapFormat(responseFormat, map) }),
    ...(stop === undefined ? {} : { stop: stop.map((text) => mapText('stop_sequence', text)) }),
    ...(user === undefined ? {} : { user: mapText('user', user) }),
    ...(webSearch === undefined ? {} : { webSearch: mapWebSearch(webSearch, mapText) }),
  }
  return { ...request, ...otherFields, messages: messages.map((message) => mapMessage(message, map)) }
}

type MapText = (place: TextPlace, text: string, form?: RequestText['form']) => string

const mapTextAs =
  (role: Role, map: MapRequestText): MapText =>
  (place, text, form = 'words') => {
    const mapped = map({ place, text, form, role })
    return TEXT_PLACES[place].redaction === 'refuse' ? text : mapped
  }

function mapMessage(message: Message, map: MapRequestText): Message {
  const mapText = mapTextAs(message.role, map)
  if (message.role === 'tool') {
    const toolCallId = mapText('call_id', message.toolCallId)
    return { ...message, toolCallId, content: message.content.map((part) => mapPart(part, mapText, true)) }
  }
  const name = message.name === undefined ? {} : { name: mapText('participant_name', message.name) }
  if (message.role === 'user') {
    return { ...message, ...name, content: message.content.map((part) => mapPart(part, mapText)) }
  }
  if (message.role !== 'assistant') return { ...message, ...name, content: mapMessageTexts(message.content, mapText) }
  return {
    ...message,
    ...name,
    ...(message.thinking === undefined ? {} : { thinking: mapThoughts(message.thinking, mapText) }),
    content: mapMessageTexts(message.content, mapText),
    ...(message.toolCalls === undefined ? {} : { toolCalls: message.toolCalls.map((call) => mapCall(call, mapText)) }),
  }
}

const mapMessageTexts = (content: Extract<Message, { role: 'system' }>['content'], mapText: MapText): typeof content =>
  content.map((part) => ({ ...part, text: mapText('message_text', part.text) }))

/** Maps thoughts; signatures and sealed thoughts are no text. Returns undefined, for no thoughts, if one of them would change. */
function mapThoughts(blocks: readonly ThinkingBlock[], mapText: MapText): readonly ThinkingBlock[] | undefined {
  const thoughts = blocks.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []))
  const mapped = thoughts.map((thinking) => mapText('thought', thinking))
  return mapped.every((thinking, at) => thinking === thoughts[at]) ? blocks : undefined
}

type Part = Extract<Message, { role: 'user' }>['content'][number]

/** @param mayBeJson whether text that looks like JSON must stay JSON */
function mapPart(part: Part, mapText: MapText, mayBeJson = false): Part {
  if (part.type === 'text')
    return { ...part, text: mapText('message_text', part.text, mayBeJson ? formOf(part.text) : 'words') }
  if (part.type === 'image') {
    // The result is not used: an address is never replaced.
    mapText('image_address', addressOf(part.url))
    return part
  }
  mapText('file_address', addressOf(part.url))
  const name = part.name === undefined ? {} : { name: mapText('file_name', part.name) }
  return { ...part, ...name, url: mapFileText(part.url, mapText) }
}

const formOf = (text: string): RequestText['form'] => (/^\s*[[{]/.test(text) ? 'json' : 'words')

/** Returns the URL without the data that it contains. */
function addressOf(url: string): string {
  const media = parseMediaUrl(url)
  return media?.source === 'data' ? url.slice(0, url.length - media.base64.length) : url
}

function mapFileText(url: string, mapText: MapText): string {
  const data = textDataOf(url)
  const text = data === null ? null : decodeText(data)
  if (text === null) return url
  const mapped = mapText('file_text', text, formOf(text))
  return mapped === text ? url : addressOf(url) + new TextEncoder().encode(mapped).toBase64()
}

const mapCall = (call: ToolCall, mapText: MapText): ToolCall => ({
  ...call,
  id: mapText('call_id', call.id),
  name: mapText('call_name', call.name),
  arguments: mapText('call_arguments', call.arguments, call.isCustom ? 'words' : 'json'),
})

type Described = { readonly description?: string | undefined }

const mapDescription = ({ description }: Described, place: TextPlace, mapText: MapText): Described =>
  description === undefined ? {} : { description: mapText(place, description) }

type Tool = NonNullable<ChatRequest['tools']>[number]

function mapTool(tool: Tool, map: MapRequestText): Tool {
  const mapText = mapTextAs('tool', map)
  const described = {
    ...tool,
    name: mapText('tool_name', tool.name),
    ...mapDescription(tool, 'tool_description', mapText),
  }
  if (tool.custom?.format?.type === 'grammar') {
    const { format } = tool.custom
    return { ...described, custom: { format: { ...format, definition: mapText('tool_grammar', format.definition) } } }
  }
  if (tool.parameters === undefined) return described
  return { ...described, parameters: mapSchema(tool.parameters, 'tool_schema', mapText) }
}

function mapFormat(format: ResponseFormat, map: MapRequestText): ResponseFormat {
  if (format.type !== 'json_schema') return format
  const mapText = mapTextAs('tool', map)
  return {
    ...format,
    name: mapText('format_name', format.name),
    ...mapDescription(format, 'format_description', mapText),
    schema: mapSchema(format.schema, 'format_schema', mapText),
  }
}

function mapSchema(schema: JsonObject, place: TextPlace, mapText: MapText): JsonObject {
  const text = JSON.stringify(schema)
  const mapped = mapText(place, text, 'schema')
  if (mapped === text) return schema
  const parsed = parseJsonObject(mapped)
  // The original schema contains what was to be redacted.
  if (parsed === null) throw new Error('A schema is no JSON without its values')
  return parsed
}

type WebSearch = NonNullable<ChatRequest['webSearch']>

function mapWebSearch(search: WebSearch, mapText: MapText): WebSearch {
  if (search.location === undefined) return search
  const { country, city, region, timezone } = search.location
  const mapPlace = (text: string | undefined) => (text === undefined ? undefined : mapText('search_place', text))
  const location = { country: mapPlace(country), city: mapPlace(city), region: mapPlace(region) }
  return { ...search, location: { ...location, timezone: mapPlace(timezone) } }
}

type PlaceRules = {
  /**
   * How pii_scan redacts a value here. It replaces the value, or sends the request without the whole text. It refuses the request
   * if the text would be useless with a placeholder.
   */
  readonly redaction: 'replace' | 'leave_out' | 'refuse'
  /** How prompt_injection_guard reads it; null if no model reads it. A definition may tell a model what to do. */
  readonly injection: 'said' | 'definition' | null
  /** True if max_text_characters counts it. */
  readonly counted: boolean
}

export const TEXT_PLACES = {
  message_text: { redaction: 'replace', injection: 'said', counted: true },
  participant_name: { redaction: 'replace', injection: 'said', counted: true },
  // The bytes of pictures and PDFs are no text. Nothing is fetched or recognised here.
  image_address: { redaction: 'refuse', injection: 'said', counted: false },
  file_address: { redaction: 'refuse', injection: 'said', counted: false },
  file_name: { redaction: 'replace', injection: 'said', counted: true },
  file_text: { redaction: 'replace', injection: 'said', counted: true },
  // A provider refuses a changed thought of its model, and accepts a turn without thoughts.
  thought: { redaction: 'leave_out', injection: 'said', counted: true },
  call_id: { redaction: 'replace', injection: 'said', counted: false },
  call_name: { redaction: 'refuse', injection: 'said', counted: true },
  call_arguments: { redaction: 'replace', injection: 'said', counted: true },
  tool_name: { redaction: 'refuse', injection: 'definition', counted: true },
  tool_description: { redaction: 'replace', injection: 'definition', counted: true },
  tool_schema: { redaction: 'replace', injection: 'definition', counted: true },
  // A placeholder would change the texts that a grammar allows.
  tool_grammar: { redaction: 'refuse', injection: 'definition', counted: true },
  format_name: { redaction: 'refuse', injection: 'definition', counted: true },
  format_description: { redaction: 'replace', injection: 'definition', counted: true },
  format_schema: { redaction: 'replace', injection: 'definition', counted: true },
  search_place: { redaction: 'replace', injection: 'said', counted: true },
  // Stop sequences often contain marks of chat templates, for good reasons.
  stop_sequence: { redaction: 'replace', injection: null, counted: false },
  user: { redaction: 'replace', injection: null, counted: false },
  // Members that are passed on as they came: nobody here knows what a placeholder would mean there.
  unread: { redaction: 'refuse', injection: 'said', counted: true },
} as const satisfies Readonly<Record<string, PlaceRules>>

export type TextPlace = keyof typeof TEXT_PLACES
