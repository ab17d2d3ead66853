// The members of bodies and chunks in the standard's form, for a search of answers: which of them the search reads, and chunks that are
// written again with other text.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import type { StreamEvent } from '../../providers/chat-answer.ts'
import { parseJson } from '../../providers/lossless-json.ts'
import type { StreamItem } from '../../providers/sse.ts'
import { dataEvent } from '../stream/event-writer.ts'

/** Returns the item of a stream with other events. A chunk of the standard keeps its other members, but log probabilities repeat the text. */
export function rewriteItem({ json = null, data }: StreamItem, events: readonly StreamEvent[]): StreamItem {
  const chunk = json ?? parseJson(data ?? '')
  if (!isJsonObject(chunk) || !Array.isArray(chunk['choices'])) return { raw: new Uint8Array(0), data: null, events }
  const choices = chunk['choices'].map((choice: JsonObject, at) => {
    const index = typeof choice['index'] === 'number' ? choice['index'] : at
    const own = events.filter((event) => 'choice' in event && event.choice === index)
    return { ...choice, delta: rewrittenDelta(choice['delta'], own), ...('logprobs' in choice && { logprobs: null }) }
  })
  const written = { ...chunk, choices }
  return { raw: dataEvent(written), data: JSON.stringify(written), json: written, events }
}

function rewrittenDelta(delta: unknown, events: readonly StreamEvent[]): JsonObject {
  const written: Record<string, unknown> = { ...(isJsonObject(delta) ? delta : {}) }
  const calls: unknown = written['tool_calls']
  for (const event of events) {
    if (event.type === 'text') written['content'] = event.text
    if (event.type === 'refusal') written['refusal'] = event.text
    if (event.type === 'tool_arguments' && Array.isArray(calls))
      written['tool_calls'] = calls.map((call: JsonObject) =>
        call['index'] === event.index ? withArguments(call, event.fragment) : call,
      )
  }
  return written
}

const withArguments = (call: JsonObject, fragment: string): JsonObject =>
  isJsonObject(call['custom'])
    ? { ...call, custom: { ...call['custom'], input: fragment } }
    : { ...call, function: { ...(isJsonObject(call['function']) ? call['function'] : {}), arguments: fragment } }

/** Members of the standard that are read, or that hold no words of a model. */
const READ_MEMBERS = {
  body: new Set('id object created model choices usage system_fingerprint service_tier obfuscation'.split(' ')),
  chunk: new Set(['index', 'delta', 'finish_reason', 'logprobs']),
  choice: new Set(['index', 'message', 'finish_reason', 'logprobs']),
  message: new Set(['role', 'content', 'refusal', 'tool_calls']),
  call: new Set(['index', 'id', 'type', 'function']),
  customCall: new Set(['index', 'id', 'type', 'custom']),
  function: new Set(['name', 'arguments']),
  custom: new Set(['name', 'input']),
} as const

/** True if a body or chunk of the standard has words where only one provider has them. */
export function hasOtherMembers(body: unknown): boolean {
  if (!isJsonObject(body) || !Array.isArray(body['choices'])) return false
  const isChunk = body['object'] === 'chat.completion.chunk'
  const hasOthersInMessage = (message: JsonObject): boolean =>
    hasOthers(message, 'message') ||
    typeof (message['content'] ?? '') !== 'string' ||
    objectsOf(message['tool_calls']).some((call) =>
      isJsonObject(call['custom'])
        ? hasOthers(call, 'customCall') || hasOthers(call['custom'], 'custom')
        : hasOthers(call, 'call') || (isJsonObject(call['function']) && hasOthers(call['function'], 'function')),
    )
  return (
    hasOthers(body, 'body') ||
    objectsOf(body['choices']).some(
      (choice) =>
        hasOthers(choice, isChunk ? 'chunk' : 'choice') ||
        objectsOf([choice[isChunk ? 'delta' : 'message']]).some(hasOthersInMessage),
    )
  )
}

/** True if a chunk repeats its text as log probabilities. */
export function hasLogProbabilities({ json, data }: StreamItem): boolean {
  const chunk = json ?? parseJson(data ?? '')
  return isJsonObject(chunk) && objectsOf(chunk['choices']).some(({ logprobs }) => isJsonObject(logprobs))
}

const objectsOf = (list: unknown): JsonObject[] => (Array.isArray(list) ? list.filter(isJsonObject) : [])

const hasOthers = (object: JsonObject, place: keyof typeof READ_MEMBERS): boolean =>
  Object.entries(object).some(([name, value]) => !READ_MEMBERS[place].has(name) && hasWords(value))

const hasWords = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number'
    ? value !== ''
    : Array.isArray(value)
      ? value.some(hasWords)
      : isJsonObject(value) && Object.values(value).some(hasWords)
