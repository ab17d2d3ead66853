// Encodes our request as an Anthropic message. System text moves to the top, tool results become part of the user's turn, and
// arguments become objects.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import type { EncodedRequest, EncodedMembers, RoutedModel } from '../provider.ts'
import {
  decodeText,
  instructionsAsUser,
  isInstruction,
  joinText,
  listCacheMarks,
  parseMediaUrl,
  toolsCalled,
  turnsOf,
  type CacheMark,
  type ChatRequest,
  type FilePart,
  type ImagePart,
  type MediaPart,
  type Message,
  type TextPart,
} from '../chat-request.ts'
import { guessTokens, outputLimit } from '../estimate-tokens.ts'
import { unsupported, type Unsupported } from '../failure.ts'
import { translateSchema, type SchemaRules } from '../json-schema/translate-schema.ts'
import { subschemas } from '../json-schema/schema-references.ts'
import { parseJsonObject } from '../lossless-json.ts'
import { isReasoning, ONE_JSON_OBJECT } from '../adapt-request.policy.ts'
import { encodeNative, nativeOf } from './native.ts'
import { encodeSchemaTool, findFaultBesideSchema, sendsSchemaAsTool } from './schema-tool.ts'

/** @see https://platform.claude.com/docs/en/api/messages */
export function encodeAnthropic(sent: ChatRequest, model: RoutedModel): EncodedRequest {
  const native = nativeOf(sent, model)
  if (native !== null) return encodeNative(native, sent, model)
  const asked = sent.instructionsStay ? { ...sent, messages: instructionsAsUser(sent.messages) } : sent
  const fault = findFault(asked, model)
  if (fault !== null) return { ok: false, unsupported: fault }
  const hasSchemaTool = sendsSchemaAsTool(asked, model)
  // Some models refuse a forced tool while they think, and most think by default.
  const request: ChatRequest = hasSchemaTool ? { ...asked, reasoningEffort: 'none' } : asked
  const tools = encodeTools(request)
  if (!tools.ok) return tools
  const format = encodeFormat(request.responseFormat, hasSchemaTool)
  if (!format.ok) return format
  return {
    ok: true,
    path: '/v1/messages',
    headers: { 'anthropic-version': '2023-06-01' },
    body: {
      model: model.wire.model,
      max_tokens: outputLimit(request, model),
      system: encodeInstructions(request, model),
      messages: encodeTurns(request, model),
      temperature: request.temperature,
      top_p: request.topP,
      top_k: request.extraParameters?.['top_k'],
      stop_sequences: request.stop,
      metadata: request.user === undefined ? undefined : { user_id: request.user },
      ...tools.members,
      ...format.members,
      ...encodeReasoning(request, format.schema),
      stream: request.stream === true ? true : undefined,
    },
  }
}

/** Models that think do so by default. The effort sets how much; `none` is not an effort but a switch. */
function encodeReasoning({ reasoningEffort }: ChatRequest, schema: JsonObject | null): JsonObject {
  const effort = reasoningEffort === 'none' ? undefined : reasoningEffort
  const format = schema === null ? undefined : { type: 'json_schema', schema }
  return {
    thinking: reasoningEffort === 'none' ? { type: 'disabled' } : undefined,
    output_config: effort === undefined && format === undefined ? undefined : { effort, format },
  }
}

/** `schema`: for `output_config`. `members`: the tool that has the schema instead. */
type Format =
  | { readonly ok: true; readonly schema: JsonObject | null; readonly members?: JsonObject }
  | { readonly ok: false; readonly unsupported: Unsupported }

function encodeFormat(format: ChatRequest['responseFormat'], isTool: boolean): Format {
  if (format?.type !== 'json_schema') return { ok: true, schema: null }
  const translated = translateSchema(format.schema, anthropicSchemaRules)
  const checked = isTool && translated.ok ? checkInput(translated.schema) : translated
  if (checked.ok && isTool) return { ok: true, schema: null, members: encodeSchemaTool(checked.schema) }
  if (checked.ok) return checked
  const { path, message } = checked.fault
  return { ok: false, unsupported: unsupported(`response_format.json_schema.schema${path}`, message) }
}

function findFault(request: ChatRequest, model: RoutedModel): Unsupported | null {
  const { messages, stop = [] } = request
  const first = messages.findIndex((message) => !isInstruction(message))
  if (messages[first]?.role === 'assistant') {
    return unsupported(
      `messages[${first}].role`,
      'A conversation with this model begins with the user. Add a user message before this one.',
    )
  }
  if (stop.some((sequence) => sequence.trim() === '')) {
    return unsupported('stop', 'With this model, a stop sequence cannot be blank. Leave it out.')
  }
  const besideSchema = sendsSchemaAsTool(request, model) ? findFaultBesideSchema(request) : null
  return besideSchema ?? findCacheMarkFault(request)
}

type Turn = { role: 'user' | 'assistant'; content: JsonObject[] }

function encodeInstructions(request: ChatRequest, model: RoutedModel): JsonObject[] | undefined {
  const blocks = request.messages
    .filter(isInstruction)
    .flatMap(({ content, cache }) => markEnd(encodeParts(content), cache))
  const kept = markEnd(blocks, cachesInstructions(request, model) ? { ttl: '5m' } : undefined)
  const isJson = request.responseFormat?.type === 'json_object'
  const all = isJson ? [...kept, { type: 'text', text: ONE_JSON_OBJECT }] : kept
  return all.length === 0 ? undefined : all
}

/** Returns true if long instructions are marked for caching because the caller has marked nothing. */
function cachesInstructions(request: ChatRequest, { limits: { cacheableTokens } }: RoutedModel): boolean {
  if (request.cacheInstructions !== true || cacheableTokens === null || listCacheMarks(request).length > 0) return false
  const instructions = request.messages.filter(isInstruction).map(({ content }) => joinText(content))
  // Tools are cached together with the instructions that follow them.
  return guessTokens(JSON.stringify(request.tools ?? []) + instructions.join('')) >= cacheableTokens
}

function encodeTurns(request: ChatRequest, model: RoutedModel): Turn[] {
  const isThinking = isReasoning(request, model)
  const turns = turnsOf(request.messages, (message) => encodeContent(message, isThinking))
  return trimPrefill(turns.map(({ role, parts }) => ({ role, content: parts })))
}

/** An answer that the model is to continue must not end in blanks. */
function trimPrefill(turns: Turn[]): Turn[] {
  const last = turns.at(-1)
  const block = last?.content.at(-1)
  if (last?.role !== 'assistant' || typeof block?.['text'] !== 'string') return turns
  const content = [...last.content.slice(0, -1), { ...block, text: block['text'].trimEnd() }]
  return [...turns.slice(0, -1), { role: 'assistant', content }]
}

function encodeContent(message: Message, isThinking: boolean): JsonObject[] {
  if (message.role === 'tool') return [encodeResult(message)]
  const parts = encodeParts(message.content)
  if (message.role !== 'assistant') return markEnd(parts, message.cache)
  const calls = (message.toolCalls ?? []).map((call) => ({
    type: 'tool_use',
    id: callId(call.id),
    name: call.name,
    input: parseJsonObject(call.arguments) ?? {},
    cache_control: cacheControl(call.cache),
  }))
  const contentBlocks = markEnd([...parts, ...calls], message.cache)
  // A turn with only thoughts is dropped.
  return isThinking && contentBlocks.length > 0 ? [...(message.thinking ?? []), ...contentBlocks] : contentBlocks
}

function encodeResult({ toolCallId, content, cache: messageMark }: Extract<Message, { role: 'tool' }>): JsonObject {
  const blocks = content.every(({ type }) => type === 'text')
    ? joinText(content)
    : encodeParts(content.map((part) => ({ ...part, cache: undefined })))
  const mark = messageMark ?? content.findLast(({ cache }) => cache !== undefined)?.cache
  return {
    type: 'tool_result',
    tool_use_id: callId(toolCallId),
    content: blocks,
    cache_control: cacheControl(mark),
  }
}

/** Replaces characters that Anthropic does not accept in ids of other providers' calls. */
const callId = (id: string): string => id.replaceAll(/[^\w-]/g, (character) => `_${character.charCodeAt(0)}_`)

/** Blank texts are dropped; a cache mark on one moves to the block before it. */
function encodeParts(parts: readonly (TextPart | MediaPart)[]): JsonObject[] {
  const blocks: JsonObject[] = []
  for (const part of parts) {
    if (part.type !== 'text' || part.text.trim() !== '') blocks.push(encodePart(part))
    else markEnd(blocks, part.cache)
  }
  return blocks
}

/** Marks the last of `blocks` in place. An existing mark stays: it is earlier, and an earlier mark never has a shorter time. */
function markEnd(blocks: JsonObject[], mark: CacheMark | undefined): JsonObject[] {
  const last = blocks.pop()
  if (last !== undefined) blocks.push({ ...last, cache_control: last['cache_control'] ?? cacheControl(mark) })
  return blocks
}

function encodePart(part: TextPart | MediaPart): JsonObject {
  const cache_control = cacheControl(part.cache)
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text, cache_control }
    case 'image':
      return { type: 'image', source: encodeSource(part), cache_control }
    case 'file':
      return { type: 'document', source: encodeSource(part), title: part.name, cache_control }
  }
}

/** Encodes the source of a picture or a document. A document is a PDF, or a text, which is sent as text. */
function encodeSource({ type, url }: ImagePart | FilePart): JsonObject {
  const media = parseMediaUrl(url)
  if (media?.source !== 'data') return { type: 'url', url }
  if (type === 'file' && media.mediaType.startsWith('text/')) {
    return { type: 'text', media_type: 'text/plain', data: decodeText(media.base64) ?? '' }
  }
  return { type: 'base64', media_type: media.mediaType, data: media.base64 }
}

/** Anthropic refuses calls and results without tools, so tools that were called are declared, and cannot be called again. */
function encodeTools(asked: ChatRequest): EncodedMembers {
  const hasTools = (asked.tools ?? []).length > 0
  const request: ChatRequest = hasTools ? asked : { ...asked, tools: toolsCalled(asked), toolChoice: 'none' }
  const { tools = [] } = request
  if (tools.length === 0) return { ok: true, members: {} }
  const encoded: JsonObject[] = []
  for (const [at, { name, description, parameters, strict, cache }] of tools.entries()) {
    const input = encodeParameters(parameters, strict === true)
    if (!input.ok) {
      const { path, message } = input.fault
      return { ok: false, unsupported: unsupported(`tools[${at}].function.parameters${path}`, message) }
    }
    // Amazon Bedrock refuses an empty description.
    encoded.push({
      name,
      description: description?.trim() === '' ? undefined : description,
      input_schema: input.schema,
      strict,
      cache_control: cacheControl(cache),
    })
  }
  return { ok: true, members: { tools: encoded, tool_choice: encodeToolChoice(request) } }
}

/** A model does not think if a tool is forced, so thinking need not be switched off. */
function encodeToolChoice({ toolChoice = 'auto', parallelToolCalls }: ChatRequest): JsonObject {
  const choice =
    typeof toolChoice === 'object'
      ? { type: 'tool', name: toolChoice.name }
      : { type: toolChoice === 'required' ? 'any' : toolChoice }
  return parallelToolCalls === false && toolChoice !== 'none' ? { ...choice, disable_parallel_tool_use: true } : choice
}

type Parameters = ReturnType<typeof translateSchema>

const COMBINING_KEYWORDS = ['anyOf', 'oneOf', 'allOf'] as const

function encodeParameters(parameters: JsonObject | undefined, strict: boolean): Parameters {
  const schema = { type: 'object', ...(parameters ?? { properties: {} }) }
  if (schema.type !== 'object') return refuse('.type', 'With this model, the parameters of a tool must be an object.')
  const translated: Parameters = strict ? translateSchema(schema, anthropicSchemaRules) : { ok: true, schema }
  if (!translated.ok) return translated
  const choice = COMBINING_KEYWORDS.find((keyword) => keyword in translated.schema)
  if (choice !== undefined) {
    return refuse(
      '',
      `This model does not support ${choice} at the top of a tool's parameters. Put it into a property.`,
    )
  }
  return checkPropertyNames(translated.schema)
}

/** Checks a translated schema that is sent as the input of a tool. */
function checkInput(schema: JsonObject): Parameters {
  if (schema['type'] !== 'object' || 'anyOf' in schema) {
    return refuse('', 'By this route, a schema must be an object at its top, without anyOf. Put it into a property.')
  }
  return checkPropertyNames(schema)
}

function checkPropertyNames(schema: JsonObject): Parameters {
  if (hasPlainProperties(schema)) return { ok: true, schema }
  return refuse(
    '',
    'A property name is not supported by this model. Use up to 64 letters, digits, dots, hyphens and underscores.',
  )
}

const refuse = (path: string, message: string): Parameters => ({ ok: false, fault: { path, message } })

const PROPERTY = /^[\w.-]{1,64}$/

function hasPlainProperties(schema: JsonObject): boolean {
  const { properties } = schema
  const names = isJsonObject(properties) ? Object.keys(properties) : []
  return names.every((name) => PROPERTY.test(name)) && subschemas(schema).every(hasPlainProperties)
}

const MOST_MARKS = 4

/** Returns the first mark that Anthropic would refuse, or null. */
function findCacheMarkFault(request: ChatRequest): Unsupported | null {
  const places = listCacheMarks(request)
  const extra = places[MOST_MARKS]
  if (extra !== undefined) {
    return unsupported(
      extra.path,
      `This model allows at most ${MOST_MARKS} cache marks. Leave out the least important ones.`,
    )
  }
  const minutes = places.findIndex(({ mark }) => mark.ttl === '5m')
  const late = places.find(({ mark }, at) => mark.ttl === '1h' && minutes >= 0 && at > minutes)
  return late === undefined
    ? null
    : unsupported(
        late.path,
        'A cache mark for 1h must come before marks for 5m. The order is tools, instructions, messages.',
      )
}

/** Five minutes are Anthropic's default, so they are not sent. */
function cacheControl(mark: CacheMark | undefined) {
  if (mark === undefined) return undefined
  return mark.ttl === '5m' ? { type: 'ephemeral' } : { type: 'ephemeral', ttl: mark.ttl }
}

const ENFORCED: ReadonlySet<string> = new Set(['type', 'enum', 'const', 'title', 'default'])

const FORMATS: ReadonlySet<unknown> = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])

export const anthropicSchemaRules: SchemaRules = {
  enforces: (keyword, value) =>
    ENFORCED.has(keyword) ||
    (keyword === 'format' && FORMATS.has(value)) ||
    (keyword === 'minItems' && (value === 0 || value === 1)),
  closed: true,
  tuples: false,
  recursive: false,
}
