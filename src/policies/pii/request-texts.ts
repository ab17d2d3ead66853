// The texts of a request that its caller wrote and its model reads, each in its place. Names of functions, ids of calls and
// names of members in a schema are none; what pictures and files hold is not looked into.
import type { JsonObject } from '../../platform/json-object.ts'
import { parseJsonObject } from '../../providers/json.ts'
import type { ChatRequest, Message, ResponseFormat, ToolCall } from '../../providers/request.ts'

/** How a text is to be read: words, one JSON value, or a JSON schema. */
export type TextKind = 'words' | 'json' | 'schema'

export type MapText = (text: string, kind: TextKind) => string

/** The request with each of its texts replaced, its messages last: what a conversation grows by comes after all that was there. */
export function mapTexts(request: ChatRequest, map: MapText): ChatRequest {
  const { messages, tools, responseFormat, stop, user, webSearch } = request
  const settled = {
    ...(tools === undefined ? {} : { tools: tools.map((tool) => mapTool(tool, map)) }),
    ...(responseFormat === undefined ? {} : { responseFormat: mapFormat(responseFormat, map) }),
    ...(stop === undefined ? {} : { stop: stop.map((text) => map(text, 'words')) }),
    ...(user === undefined ? {} : { user: map(user, 'words') }),
    ...(webSearch === undefined ? {} : { webSearch: mapWebSearch(webSearch, map) }),
  }
  return { ...request, ...settled, messages: messages.map((message) => mapMessage(message, map)) }
}

/** What a model thought is sealed by its provider, and goes back as it is. */
function mapMessage(message: Message, map: MapText): Message {
  if (message.role === 'tool') return { ...message, content: message.content.map((part) => mapPart(part, map, true)) }
  const name = message.name === undefined ? {} : { name: map(message.name, 'words') }
  if (message.role === 'user') {
    return { ...message, ...name, content: message.content.map((part) => mapPart(part, map)) }
  }
  const content = message.content.map((part) => ({ ...part, text: map(part.text, 'words') }))
  if (message.role !== 'assistant' || message.toolCalls === undefined) return { ...message, ...name, content }
  return { ...message, ...name, content, toolCalls: message.toolCalls.map((call) => mapCall(call, map)) }
}

type Part = Extract<Message, { role: 'user' }>['content'][number]

/** @param mayBeJson whether a text that looks like JSON is to stay JSON */
function mapPart(part: Part, map: MapText, mayBeJson = false): Part {
  if (part.type === 'text') {
    const isJson = mayBeJson && /^\s*[[{]/.test(part.text)
    return { ...part, text: map(part.text, isJson ? 'json' : 'words') }
  }
  return part.type === 'file' && part.name !== undefined ? { ...part, name: map(part.name, 'words') } : part
}

const mapCall = (call: ToolCall, map: MapText): ToolCall => ({ ...call, arguments: map(call.arguments, 'json') })

type Described = { readonly description?: string | undefined }

const mapDescription = ({ description }: Described, map: MapText): Described =>
  description === undefined ? {} : { description: map(description, 'words') }

type Tool = NonNullable<ChatRequest['tools']>[number]

function mapTool(tool: Tool, map: MapText): Tool {
  const described = { ...tool, ...mapDescription(tool, map) }
  return tool.parameters === undefined ? described : { ...described, parameters: mapSchema(tool.parameters, map) }
}

const mapFormat = (format: ResponseFormat, map: MapText): ResponseFormat =>
  format.type === 'json_schema'
    ? { ...format, ...mapDescription(format, map), schema: mapSchema(format.schema, map) }
    : format

function mapSchema(schema: JsonObject, map: MapText): JsonObject {
  const text = JSON.stringify(schema)
  const mapped = map(text, 'schema')
  if (mapped === text) return schema
  const parsed = parseJsonObject(mapped)
  // The schema as it came would hold what was to be taken out.
  if (parsed === null) throw new Error('A schema is no JSON without its values')
  return parsed
}

type WebSearch = NonNullable<ChatRequest['webSearch']>

function mapWebSearch(search: WebSearch, map: MapText): WebSearch {
  if (search.location === undefined) return search
  const { city, region } = search.location
  return {
    ...search,
    location: {
      ...search.location,
      city: city === undefined ? undefined : map(city, 'words'),
      region: region === undefined ? undefined : map(region, 'words'),
    },
  }
}
