// Instructions and turns as Gemini's parts. Tool results are matched by function name there, so the name is looked up
// from the call they answer.
import { findStructureFault } from '../../platform/json-structure.ts'
import { unsupported, type Unsupported } from '../failure.ts'
import { MOST_LEVELS, parseJsonObject } from '../json.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import {
  isInstruction,
  joinText,
  parseMediaUrl,
  type MediaPart,
  type Message,
  type TextPart,
  type ToolCall,
} from '../request.ts'

type Turn = { role: 'user' | 'model'; parts: JsonObject[] }

/** Google's documented stand-in where the client could not keep the signature of a call. */
const SKIP_SIGNATURE = 'skip_thought_signature_validator'

/** What a function may answer with beside its JSON. */
const RESULT_TYPES = /^(?:image\/(?:png|jpeg|webp)|application\/pdf|text\/.+)$/

/** The first part of a tool result that Gemini would refuse. */
export function findContentFault(messages: readonly Message[]): Unsupported | null {
  for (const [at, { role, content }] of messages.entries()) {
    const position = role === 'tool' ? content.findIndex((part) => part.type !== 'text' && !isResult(part)) : -1
    if (position >= 0) {
      const member = content[position]?.type === 'image' ? 'image_url' : 'file.file_data'
      return unsupported(
        `messages[${at}].content[${position}].${member}`,
        'With this model a tool answers with texts, PDF, and PNG, JPEG and WebP pictures.',
      )
    }
  }
  return null
}

function isResult(part: MediaPart): boolean {
  const media = parseMediaUrl(part.url)
  return media?.source === 'data' && RESULT_TYPES.test(media.mediaType)
}

/** undefined where there are none. */
export function encodeInstructions(messages: readonly Message[]): { parts: JsonObject[] } | undefined {
  const parts = messages.filter(isInstruction).flatMap(({ content }) => encodeParts(content))
  return parts.length === 0 ? undefined : { parts }
}

export function encodeTurns(messages: readonly Message[]): Turn[] {
  const turns: Turn[] = []
  const names = new Map<string, string>()
  for (const message of messages) {
    if (isInstruction(message)) continue
    if (message.role === 'assistant') for (const call of message.toolCalls ?? []) names.set(call.id, call.name)
    const role = message.role === 'assistant' ? 'model' : 'user'
    const parts = encodeMessage(message, names)
    const last = turns.at(-1)
    if (last?.role === role) last.parts.push(...parts)
    else if (parts.length > 0) turns.push({ role, parts })
  }
  return turns
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

/** null where it is no object, or one that cannot be written again as it was. */
function readResponse(text: string): JsonObject | null {
  return findStructureFault(text, MOST_LEVELS) === null ? parseJsonObject(text) : null
}

/** The signature of an answer is on its last text, which may be empty. */
function signText(parts: readonly JsonObject[], signature: string | undefined): readonly JsonObject[] {
  if (signature === undefined) return parts
  return [...parts.slice(0, -1), { ...(parts.at(-1) ?? { text: '' }), thoughtSignature: signature }]
}

/** Only the first call of a step carries a signature; the others have none to give back. */
function encodeCall(call: ToolCall, position: number): JsonObject {
  return {
    functionCall: { id: call.id, name: call.name, args: parseJsonObject(call.arguments) ?? {} },
    thoughtSignature: call.signature ?? (position === 0 ? SKIP_SIGNATURE : undefined),
  }
}

function encodeParts(parts: readonly (TextPart | MediaPart)[]): JsonObject[] {
  return parts
    .filter((part) => part.type !== 'text' || part.text.trim() !== '')
    .map((part) => (part.type === 'text' ? { text: part.text } : encodeMedia(part.url)))
}

/** A text of any kind is sent as plain text: not all kinds are known there. */
function encodeMedia(url: string): JsonObject {
  const media = parseMediaUrl(url)
  if (media?.source !== 'data') return { fileData: { fileUri: url } }
  const mimeType = media.mediaType.startsWith('text/') ? 'text/plain' : media.mediaType
  return { inlineData: { mimeType, data: media.base64 } }
}
