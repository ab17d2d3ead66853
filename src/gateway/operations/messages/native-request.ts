// Makes what a provider of Anthropic's format is sent of a request, and writes replaced texts back into its body.
import { isJsonObject, readJsonObject, type JsonObject } from '../../../platform/json.ts'
import {
  decodeText,
  textDataOf,
  type ChatRequest,
  type MediaPart,
  type NativeRequest,
  type TextPart,
} from '../../../providers/chat-request.ts'
import { NOTHING, WHOLE, type Origin } from './translate-messages.ts'

type Places = { readonly origins: readonly Origin[]; readonly tools: readonly number[] }

/** A body of our own, which nobody else has. */
type Draft = { [name: string]: unknown }

/** Returns the request with a body that has its texts. */
export function withBody(request: ChatRequest, native: NativeRequest, places: Places): ChatRequest {
  const body: Draft = structuredClone(native.body)
  writeMessages(body, request, places)
  writeTools(body, request, places)
  const { responseFormat, stop, user } = request
  if (stop !== undefined) body['stop_sequences'] = stop
  if (user !== undefined) draftAt(body['metadata'])['user_id'] = user
  if (responseFormat?.type === 'json_schema') {
    const format = draftAt(body['output_config'])['format'] ?? body['output_format']
    draftAt(format)['schema'] = responseFormat.schema
  }
  return { ...request, native: { ...native, body, bytes: undefined } }
}

function writeMessages(body: Draft, { messages }: ChatRequest, { origins }: Places): void {
  for (const [at, message] of messages.entries()) {
    const origin = origins[at]
    if (origin === undefined) continue
    const turn = origin.turn === null ? body : draftAt(listAt(body['messages'])[origin.turn])
    const member = origin.turn === null ? 'system' : 'content'
    const holder = origin.result === null ? turn : draftAt(listAt(turn['content'])[origin.result])
    const list = origin.result === null ? member : 'content'
    if (message.role === 'tool') holder['tool_use_id'] = message.toolCallId
    for (const [index, part] of message.content.entries()) {
      const place = origin.parts[index] ?? WHOLE
      if (place >= 0) writePart(draftAt(listAt(holder[list])[place]), part)
      else if (place === WHOLE && part.type === 'text') holder[list] = part.text
    }
    if (message.role !== 'assistant') continue
    for (const [index, call] of (message.toolCalls ?? []).entries()) {
      const block = draftAt(listAt(turn['content'])[origin.calls[index] ?? WHOLE])
      Object.assign(block, { id: call.id, input: readJsonObject(call.arguments) })
    }
    if (message.thinking === undefined && Array.isArray(turn['content'])) {
      const said = listAt(turn['content']).filter((block) => !isThought(block))
      turn['content'] = said.length > 0 ? said : [NOTHING]
    }
  }
}

const THOUGHTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking'])

const isThought = (block: unknown): boolean => isJsonObject(block) && THOUGHTS.has(block['type'])

function writePart(block: Draft, part: TextPart | MediaPart): void {
  if (part.type === 'text') block['text'] = part.text
  if (part.type !== 'file') return
  if (part.name !== undefined) block['title'] = part.name
  const source = draftAt(block['source'])
  const data = textDataOf(part.url)
  if (data !== null) source['data'] = source['type'] === 'text' ? decodeText(data) : data
}

function writeTools(body: Draft, { tools = [] }: ChatRequest, places: Places): void {
  for (const [at, { description, parameters }] of tools.entries()) {
    const tool = draftAt(listAt(body['tools'])[places.tools[at] ?? WHOLE])
    if (description !== undefined) tool['description'] = description
    if (parameters !== undefined) tool['input_schema'] = parameters
  }
}

/** Throws where the body is not as it was read: nothing may leave with the texts that were to be replaced. */
function draftAt(value: unknown): Draft {
  const found: JsonObject | null = isJsonObject(value) ? value : null
  if (found === null) throw new TypeError('a body without a part that was read from it')
  return found
}

function listAt(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('a body without a list that was read from it')
  return value
}
