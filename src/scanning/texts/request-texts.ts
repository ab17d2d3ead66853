// Lists the texts of a chat request, each with its place (message, tool, schema, …), and replaces them for redaction.
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
} from '../../providers/request.ts'
import { parseJsonObject } from '../../providers/json-text.ts'

export type Role = Message['role']

export type RequestText = {
  readonly place: TextPlace
  /** How to read it: words, one JSON value, or a JSON schema. */
  readonly form: 'words' | 'json' | 'schema'
  readonly text: string
  /** The role of its message. Definitions of tools and of the response format count as words of tools. */
  readonly role: Role
}

type MapText = (text: RequestText) => string

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
 * Messages come last, so that what a conversation adds comes after everything before.
 */
export function mapTexts(request: ChatRequest, map: MapText): ChatRequest {
  const { messages, tools, responseFormat, stop, user, webSearch } = request
  const say = sayAs('user', map)
  const settled = {
    ...(tools === undefined ? {} : { tools: tools.map((tool) => mapTool(tool, map)) }),
    ...(responseFormat === undefined ? {} : { responseFormat: mapFormat(responseFormat, map) }),
    ...(stop === undefined ? {} : { stop: stop.map((text) => say('stop_sequence', text)) }),
    ...(user === undefined ? {} : { user: say('user', user) }),
    ...(webSearch === undefined ? {} : { webSearch: mapWebSearch(webSearch, say) }),
  }
  return { ...request, ...settled, messages: messages.map((message) => mapMessage(message, map)) }
}

type Say = (place: TextPlace, text: string, form?: RequestText['form']) => string

const sayAs =
  (role: Role, map: MapText): Say =>
  (place, text, form = 'words') => {
    const mapped = map({ place, text, form, role })
    return TEXT_PLACES[place].redaction === 'refuse' ? text : mapped
  }

function mapMessage(message: Message, map: MapText): Message {
  const say = sayAs(message.role, map)
  if (message.role === 'tool') {
    const toolCallId = say('call_id', message.toolCallId)
    return { ...message, toolCallId, content: message.content.map((part) => mapPart(part, say, true)) }
  }
  const name = message.name === undefined ? {} : { name: say('participant_name', message.name) }
  if (message.role === 'user') {
    return { ...message, ...name, content: message.content.map((part) => mapPart(part, say)) }
  }
  if (message.role !== 'assistant') return { ...message, ...name, content: mapSaid(message.content, say) }
  return {
    ...message,
    ...name,
    ...(message.thinking === undefined ? {} : { thinking: mapThoughts(message.thinking, say) }),
    content: mapSaid(message.content, say),
    ...(message.toolCalls === undefined ? {} : { toolCalls: message.toolCalls.map((call) => mapCall(call, say)) }),
  }
}

const mapSaid = (content: Extract<Message, { role: 'system' }>['content'], say: Say): typeof content =>
  content.map((part) => ({ ...part, text: say('message_text', part.text) }))

/** Maps thoughts; signatures and sealed thoughts are no text. Returns undefined, for no thoughts, if one of them would change. */
function mapThoughts(blocks: readonly ThinkingBlock[], say: Say): readonly ThinkingBlock[] | undefined {
  const said = blocks.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : []))
  const mapped = said.map((thinking) => say('thought', thinking))
  return mapped.every((thinking, at) => thinking === said[at]) ? blocks : undefined
}

type Part = Extract<Message, { role: 'user' }>['content'][number]

/** @param mayBeJson whether text that looks like JSON must stay JSON */
function mapPart(part: Part, say: Say, mayBeJson = false): Part {
  if (part.type === 'text')
    return { ...part, text: say('message_text', part.text, mayBeJson ? formOf(part.text) : 'words') }
  if (part.type === 'image') {
    say('image_address', addressOf(part.url))
    return part
  }
  say('file_address', addressOf(part.url))
  const name = part.name === undefined ? {} : { name: say('file_name', part.name) }
  return { ...part, ...name, url: mapFileText(part.url, say) }
}

const formOf = (text: string): RequestText['form'] => (/^\s*[[{]/.test(text) ? 'json' : 'words')

/** Returns the URL without the data that it contains. */
function addressOf(url: string): string {
  const media = parseMediaUrl(url)
  return media?.source === 'data' ? url.slice(0, url.length - media.base64.length) : url
}

function mapFileText(url: string, say: Say): string {
  const data = textDataOf(url)
  const text = data === null ? null : decodeText(data)
  if (text === null) return url
  const mapped = say('file_text', text, formOf(text))
  return mapped === text ? url : addressOf(url) + new TextEncoder().encode(mapped).toBase64()
}

const mapCall = (call: ToolCall, say: Say): ToolCall => ({
  ...call,
  id: say('call_id', call.id),
  name: say('call_name', call.name),
  arguments: say('call_arguments', call.arguments, 'json'),
})

type Described = { readonly description?: string | undefined }

const mapDescription = ({ description }: Described, place: TextPlace, say: Say): Described =>
  description === undefined ? {} : { description: say(place, description) }

type Tool = NonNullable<ChatRequest['tools']>[number]

function mapTool(tool: Tool, map: MapText): Tool {
  const say = sayAs('tool', map)
  const described = { ...tool, name: say('tool_name', tool.name), ...mapDescription(tool, 'tool_description', say) }
  if (tool.parameters === undefined) return described
  return { ...described, parameters: mapSchema(tool.parameters, 'tool_schema', say) }
}

function mapFormat(format: ResponseFormat, map: MapText): ResponseFormat {
  if (format.type !== 'json_schema') return format
  const say = sayAs('tool', map)
  return {
    ...format,
    name: say('format_name', format.name),
    ...mapDescription(format, 'format_description', say),
    schema: mapSchema(format.schema, 'format_schema', say),
  }
}

function mapSchema(schema: JsonObject, place: TextPlace, say: Say): JsonObject {
  const text = JSON.stringify(schema)
  const mapped = say(place, text, 'schema')
  if (mapped === text) return schema
  const parsed = parseJsonObject(mapped)
  // The original schema contains what was to be redacted.
  if (parsed === null) throw new Error('A schema is no JSON without its values')
  return parsed
}

type WebSearch = NonNullable<ChatRequest['webSearch']>

function mapWebSearch(search: WebSearch, say: Say): WebSearch {
  if (search.location === undefined) return search
  const { country, city, region, timezone } = search.location
  const sayPlace = (text: string | undefined) => (text === undefined ? undefined : say('search_place', text))
  const location = { country: sayPlace(country), city: sayPlace(city), region: sayPlace(region) }
  return { ...search, location: { ...location, timezone: sayPlace(timezone) } }
}

type PlaceOfText = {
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
  format_name: { redaction: 'refuse', injection: 'definition', counted: true },
  format_description: { redaction: 'replace', injection: 'definition', counted: true },
  format_schema: { redaction: 'replace', injection: 'definition', counted: true },
  search_place: { redaction: 'replace', injection: 'said', counted: true },
  // Stop sequences often contain marks of chat templates, for good reasons.
  stop_sequence: { redaction: 'replace', injection: null, counted: false },
  user: { redaction: 'replace', injection: null, counted: false },
} as const satisfies Readonly<Record<string, PlaceOfText>>

export type TextPlace = keyof typeof TEXT_PLACES
