// Instructions and turns as Anthropic's content blocks. What a model thought goes back first and unchanged; results of
// tools hold texts, pictures and documents; blank texts are left out, because the API refuses them.
import type { Model } from '../catalogue.schema.ts'
import { decodeText } from '../data-text.ts'
import { guessTokens } from '../estimate.ts'
import { parseJsonObject } from '../json.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import { isReasoning } from '../reasoning.policy.ts'
import {
  isInstruction,
  joinText,
  markedPlaces,
  parseMediaUrl,
  type CacheMark,
  type ChatRequest,
  type FilePart,
  type ImagePart,
  type MediaPart,
  type Message,
  type TextPart,
} from '../request.ts'
import { cacheControl } from './cache-marks.ts'

type Turn = { role: 'user' | 'assistant'; content: JsonObject[] }

/** Anthropic has no mode that makes any JSON object, so the model is asked for one. */
const ONE_JSON_OBJECT =
  'Whenever you answer in text, the whole answer is one JSON object: nothing before or after it, and no code fence.'

/** undefined where there are none. */
export function encodeInstructions(request: ChatRequest, model: Model): JsonObject[] | undefined {
  const blocks = request.messages
    .filter(isInstruction)
    .flatMap(({ content, cache }) => markEnd(encodeParts(content), cache))
  const kept = markEnd(blocks, isKept(request, model) ? { ttl: '5m' } : undefined)
  const isJson = request.responseFormat?.type === 'json_object'
  const all = isJson ? [...kept, { type: 'text', text: ONE_JSON_OBJECT }] : kept
  return all.length === 0 ? undefined : all
}

/** Whether the instructions are marked though the caller has marked nothing. Shorter ones would not be kept anyway. */
function isKept(request: ChatRequest, { limits: { cacheableTokens } }: Model): boolean {
  if (request.cacheInstructions !== true || cacheableTokens === null || markedPlaces(request).length > 0) return false
  const instructions = request.messages.filter(isInstruction).map(({ content }) => joinText(content))
  // Tools are kept with the instructions that follow them.
  return guessTokens(JSON.stringify(request.tools ?? []) + instructions.join('')) >= cacheableTokens
}

export function encodeTurns(request: ChatRequest, model: Model): Turn[] {
  const isThinking = isReasoning(request, model)
  const turns: Turn[] = []
  for (const message of request.messages) {
    if (isInstruction(message)) continue
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const content = encodeContent(message, isThinking)
    const last = turns.at(-1)
    if (last?.role === role) last.content.push(...content)
    else if (content.length > 0) turns.push({ role, content })
  }
  return endPlainly(turns)
}

/** An answer that is to be gone on with must not end in blanks. */
function endPlainly(turns: Turn[]): Turn[] {
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
  const said = markEnd([...parts, ...calls], message.cache)
  // A turn that holds only thoughts is left out.
  return isThinking && said.length > 0 ? [...(message.thinking ?? []), ...said] : said
}

function encodeResult({ toolCallId, content, cache: ofWhole }: Extract<Message, { role: 'tool' }>): JsonObject {
  const blocks = content.every(({ type }) => type === 'text')
    ? joinText(content)
    : encodeParts(content.map((part) => ({ ...part, cache: undefined })))
  const mark = ofWhole ?? content.findLast(({ cache }) => cache !== undefined)?.cache
  return {
    type: 'tool_result',
    tool_use_id: callId(toolCallId),
    content: blocks,
    cache_control: cacheControl(mark),
  }
}

/** Calls of other providers come with ids that Anthropic does not take. */
function callId(id: string): string {
  return id.replaceAll(/[^\w-]/g, (character) => `_${character.charCodeAt(0)}_`)
}

/** A mark on a blank text, which is left out, goes to what stands before it. */
function encodeParts(parts: readonly (TextPart | MediaPart)[]): JsonObject[] {
  const blocks: JsonObject[] = []
  for (const part of parts) {
    if (part.type !== 'text' || part.text.trim() !== '') blocks.push(encodePart(part))
    else markEnd(blocks, part.cache)
  }
  return blocks
}

/** Marks the last of `blocks` in place. A mark that it has is kept, since what comes first is never kept for less time. */
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

/** A document is a PDF or a text, which is sent as such. */
function encodeSource({ type, url }: ImagePart | FilePart): JsonObject {
  const media = parseMediaUrl(url)
  if (media?.source !== 'data') return { type: 'url', url }
  if (type === 'file' && media.mediaType.startsWith('text/')) {
    return { type: 'text', media_type: 'text/plain', data: decodeText(media.base64) ?? '' }
  }
  return { type: 'base64', media_type: media.mediaType, data: media.base64 }
}
