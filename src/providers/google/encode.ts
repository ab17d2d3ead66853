// Encodes a chat request as Gemini's native generateContent request, or names the first part that Gemini would refuse.
import { type JsonObject, findStructureFault } from '../../platform/json.ts'
import type { EncodedRequest, EncodedMembers, RoutedModel } from '../provider.ts'
import { outputLimit } from '../estimate-tokens.ts'
import { unsupported, type Unsupported } from '../failure.ts'
import { translateSchema, type SchemaRules } from '../json-schema/translate-schema.ts'
import { MOST_LEVELS, parseJsonObject } from '../lossless-json.ts'
import {
  isInstruction,
  joinText,
  parseMediaUrl,
  turnsOf,
  type ChatRequest,
  type MediaPart,
  type Message,
  type TextPart,
  type ToolCall,
} from '../chat-request.ts'

/**
 * The caller's `user` is not sent, because Google has no member for it.
 * @see https://ai.google.dev/api/generate-content, and https://ai.google.dev/gemini-api/docs/logs-datasets for `store`
 */
export function encodeGemini(request: ChatRequest, model: RoutedModel): EncodedRequest {
  const name = encodeURIComponent(model.wire.model)
  const method = request.stream === true ? 'streamGenerateContent?alt=sse' : 'generateContent'
  const fault = findContentFault(request.messages)
  if (fault !== null) return { ok: false, unsupported: fault }
  const tools = encodeTools(request)
  if (!tools.ok) return tools
  const format = encodeFormat(request.responseFormat)
  if (!format.ok) return format
  return {
    ok: true,
    path: `/v1beta/models/${name}:${method}`,
    headers: {},
    body: {
      // Google stores requests of newer projects unless a request says otherwise.
      store: false,
      systemInstruction: encodeInstructions(request.messages),
      contents: encodeTurns(request.messages),
      ...tools.members,
      generationConfig: {
        temperature: request.temperature,
        topP: request.topP,
        maxOutputTokens: outputLimit(request, model),
        stopSequences: request.stop,
        candidateCount: request.n === 1 ? undefined : request.n,
        seed: request.seed,
        thinkingConfig: request.reasoningEffort && { thinkingLevel: request.reasoningEffort },
        ...format.members,
      },
    },
  }
}

function encodeFormat(format: ChatRequest['responseFormat']): EncodedMembers {
  if (format === undefined || format.type === 'text') return { ok: true, members: {} }
  const responseMimeType = 'application/json'
  if (format.type === 'json_object') return { ok: true, members: { responseMimeType } }
  const translated = translateSchema(format.schema, geminiSchemaRules)
  if (translated.ok) return { ok: true, members: { responseMimeType, responseJsonSchema: translated.schema } }
  const { path, message } = translated.fault
  return { ok: false, unsupported: unsupported(`response_format.json_schema.schema${path}`, message) }
}

type Turn = { role: 'user' | 'model'; parts: JsonObject[] }

/** Google's documented replacement if the client could not store a call's signature. */
const SKIP_SIGNATURE = 'skip_thought_signature_validator'

/** Media types that a function may return besides its JSON. */
const RESULT_TYPES = /^(?:image\/(?:png|jpeg|webp)|application\/pdf|text\/.+)$/

/** Returns the first part of a tool result that Gemini would refuse. */
function findContentFault(messages: readonly Message[]): Unsupported | null {
  for (const [at, { role, content }] of messages.entries()) {
    const position = role === 'tool' ? content.findIndex((part) => part.type !== 'text' && !isAllowedResult(part)) : -1
    if (position >= 0) {
      const member = content[position]?.type === 'image' ? 'image_url' : 'file.file_data'
      return unsupported(
        `messages[${at}].content[${position}].${member}`,
        'With this model, a tool result can only contain text, PDF, and PNG, JPEG or WebP pictures.',
      )
    }
  }
  return null
}

function isAllowedResult(part: MediaPart): boolean {
  const media = parseMediaUrl(part.url)
  return media?.source === 'data' && RESULT_TYPES.test(media.mediaType)
}

function encodeInstructions(messages: readonly Message[]): { parts: JsonObject[] } | undefined {
  const parts = messages.filter(isInstruction).flatMap(({ content }) => encodeParts(content))
  return parts.length === 0 ? undefined : { parts }
}

function encodeTurns(messages: readonly Message[]): Turn[] {
  const names = new Map<string, string>()
  const turns = turnsOf(messages, (message) => {
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) names.set(call.id, call.name)
    return encodeMessage(message, names)
  })
  return turns.map(({ role, parts }) => ({ role: role === 'assistant' ? 'model' : 'user', parts }))
}

function encodeMessage(message: Message, names: ReadonlyMap<string, string>): JsonObject[] {
  if (message.role === 'tool') return [{ functionResponse: encodeResult(message, names.get(message.toolCallId)) }]
  const parts = encodeParts(message.content)
  if (message.role !== 'assistant') return parts
  return [...signText(parts, message.signature), ...(message.toolCalls ?? []).map(encodeCall)]
}

function encodeResult(
  { toolCallId: id, content }: Extract<Message, { role: 'tool' }>,
  name: string | undefined,
): JsonObject {
  const text = joinText(content)
  const media = content.filter((part) => part.type !== 'text')
  const isOnlyMedia = media.length > 0 && text === ''
  const response = isOnlyMedia ? {} : (readResponse(text) ?? { result: text })
  const parts = media.map(({ url }) => encodeMedia(url))
  return { id, name, response, parts: parts.length === 0 ? undefined : parts }
}

/** Returns null if the text is not an object, cannot be written again unchanged, or has a `$ref`. */
function readResponse(text: string): JsonObject | null {
  const response = findStructureFault(text, MOST_LEVELS) === null ? parseJsonObject(text) : null
  return response === null || hasReference(response) ? null : response
}

/** Gemini reads a `$ref` at any depth as the name of a file beside the result, and refuses each later turn if there is none. */
function hasReference(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '$ref') || Object.values(value).some(hasReference)
}

/** Adds the signature of an answer to its last text, which may be empty. */
function signText(parts: readonly JsonObject[], signature: string | undefined): readonly JsonObject[] {
  if (signature === undefined) return parts
  return [...parts.slice(0, -1), { ...(parts.at(-1) ?? { text: '' }), thoughtSignature: signature }]
}

/** Only the first call of a step has a signature; the others need none. */
function encodeCall(call: ToolCall, position: number): JsonObject {
  return {
    functionCall: { id: call.id, name: call.name, args: parseJsonObject(call.arguments) ?? {} },
    thoughtSignature: call.signature ?? (position === 0 ? SKIP_SIGNATURE : undefined),
  }
}

const encodeParts = (parts: readonly (TextPart | MediaPart)[]): JsonObject[] =>
  parts
    .filter((part) => part.type !== 'text' || part.text.trim() !== '')
    .map((part) => (part.type === 'text' ? { text: part.text } : encodeMedia(part.url)))

/** Every kind of text is sent as plain text, because Google does not know all kinds. */
function encodeMedia(url: string): JsonObject {
  const media = parseMediaUrl(url)
  if (media?.source !== 'data') return { fileData: { fileUri: url } }
  const mimeType = media.mediaType.startsWith('text/') ? 'text/plain' : media.mediaType
  return { inlineData: { mimeType, data: media.base64 } }
}

function encodeTools(request: ChatRequest): EncodedMembers {
  const { tools = [] } = request
  if (tools.length === 0) return { ok: true, members: {} }
  const functionDeclarations: JsonObject[] = []
  for (const [at, { name, description, parameters }] of tools.entries()) {
    if (!/^[a-z_]/i.test(name)) {
      return refuse(`tools[${at}].function.name`, 'With this model, the name of a tool must begin with a letter or _.')
    }
    const translated = parameters === undefined ? null : translateSchema(parameters, geminiSchemaRules)
    if (translated?.ok === false) {
      const { path, message } = translated.fault
      return refuse(`tools[${at}].function.parameters${path}`, message)
    }
    functionDeclarations.push({ name, description, parametersJsonSchema: translated?.schema })
  }
  const toolConfig = { functionCallingConfig: encodeToolChoice(request) }
  return { ok: true, members: { tools: [{ functionDeclarations }], toolConfig } }
}

const refuse = (param: string, message: string): EncodedMembers => ({
  ok: false,
  unsupported: unsupported(param, message),
})

/** In the modes `ANY` and `VALIDATED`, arguments must fit their schemas, for all functions alike. */
function encodeToolChoice({ tools = [], toolChoice = 'auto' }: ChatRequest): JsonObject {
  if (typeof toolChoice === 'object') return { mode: 'ANY', allowedFunctionNames: [toolChoice.name] }
  if (toolChoice === 'auto') return { mode: tools.some(({ strict }) => strict === true) ? 'VALIDATED' : 'AUTO' }
  return { mode: toolChoice === 'none' ? 'NONE' : 'ANY' }
}

const ENFORCED_KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'title',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'propertyOrdering',
])

const FORMATS: ReadonlySet<unknown> = new Set(['date-time', 'date', 'time'])

export const geminiSchemaRules: SchemaRules = {
  enforces: (keyword, value) => ENFORCED_KEYWORDS.has(keyword) || (keyword === 'format' && FORMATS.has(value)),
  closed: false,
  tuples: true,
  recursive: true,
}
