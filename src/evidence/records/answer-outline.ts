// Hashes an answer to a call with a salt: the caller's text, calls, finish reasons and model. A stream and a whole answer
// of the same text have one hash. docs/hashes.md describes the format.
import { hexToBytes } from '@noble/hashes/utils.js'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { AnswerHasher, objectsIn, type AnswerOutline } from './answer-hasher.ts'
import { portableHash, saltHash, type HashBytes } from './facts-commitment.ts'
import type { HashFunctions } from './hash-functions.ts'
import { MessageHasher } from './message-hasher.ts'

export const ANSWER_FORM = 'answer-2'

/** The form of before, which does not commit to the salt. The hash is made in the same way. */
export const ANSWER_WITHOUT_SALT = 'answer-1'

/** What commits to an answer. `salt`: 32 hex digits, new for each answer. `sha256`: the salted hash, 64 hex digits. */
export type AnswerCommitment = { salt: string; sha256: string }

const encoder = new TextEncoder()

/** Separates these hashes from all others. */
const CONTEXT = encoder.encode('countersign-answer-1\0')

const SALT_BYTES = 16

/** UTF-8 has at most three bytes for each UTF-16 code unit. */
const BYTES_A_UNIT = 3

/** Returns a settlement's `answer`: the hash, and that of its salt. No entry has the salt itself. */
export const answerMember = ({ salt, sha256 }: AnswerCommitment, hash?: HashBytes) => ({
  v: ANSWER_FORM,
  sha256,
  salt_sha256: saltHash(salt, hash),
})

/** Returns the salted hash of the outline, 64 hex digits. @param salt 32 hex digits */
export function answerHash(salt: string, outline: AnswerOutline, hash: HashBytes = portableHash): string {
  // Members of an outline are in canonical order and its texts are well-formed, so this JSON is canonical.
  const text = JSON.stringify(outline)
  const textAt = CONTEXT.length + SALT_BYTES
  const bytes = new Uint8Array(textAt + text.length * BYTES_A_UNIT)
  bytes.set(CONTEXT)
  bytes.set(hexToBytes(salt), CONTEXT.length)
  const { written } = encoder.encodeInto(text, bytes.subarray(textAt))
  return hash(bytes.subarray(0, textAt + written))
}

/** Returns the outline of a whole chat completion, response or message; null if there is no answer in it. */
export function outlineOf(body: JsonObject, functions?: HashFunctions): AnswerOutline | null {
  const hasher = new AnswerHasher(functions)
  if (Array.isArray(body['choices'])) hasher.add(body)
  else if (body['type'] === 'message') new MessageHasher(hasher).addMessage(body)
  else if (body['object'] === 'response') addResponse(hasher, body)
  return hasher.outline()
}

/** Returns the outline of a stream's events, parsed, in order; null if there is no answer in them. */
export function outlineOfEvents(events: readonly JsonObject[], functions?: HashFunctions): AnswerOutline | null {
  const hasher = new AnswerHasher(functions)
  if (events.some(({ type }) => typeof type === 'string' && type.startsWith('response.'))) {
    addResponseEvents(hasher, events)
  } else if (events.some(({ type }) => type === 'message_start')) {
    const message = new MessageHasher(hasher)
    for (const event of events) message.addEvent(event)
    message.end()
  } else for (const event of events) hasher.add(event)
  return hasher.outline()
}

function addResponse(hasher: AnswerHasher, response: JsonObject): void {
  const { model, status, incomplete_details: details, output } = response
  const reason = isJsonObject(details) ? details['reason'] : null
  hasher.addModel(model)
  hasher.addFinish(0, typeof reason === 'string' ? reason : status)
  for (const [index, item] of objectsIn(output).entries()) {
    if (item['type'] === 'message') addMessage(hasher, item)
    if (!isCall(item)) continue
    hasher.addCall(0, index, { id: item['call_id'], name: hashedName(item) })
    hasher.addArguments(0, index, item['arguments'] ?? item['input'])
  }
}

/** Returns the name of a called tool, after that of its namespace if it has one. */
export const hashedName = ({ namespace, name }: { readonly namespace?: unknown; readonly name?: unknown }): unknown =>
  typeof namespace === 'string' && typeof name === 'string' ? `${namespace}__${name}` : name

const isCall = ({ type }: JsonObject): boolean => type === 'function_call' || type === 'custom_tool_call'

function addMessage(hasher: AnswerHasher, { content }: JsonObject): void {
  for (const part of objectsIn(content)) {
    if (part['type'] === 'output_text') hasher.addText(0, 'content', part['text'])
    if (part['type'] === 'refusal') hasher.addText(0, 'refusal', part['refusal'])
  }
}

/** Adds the last event's response, which is whole. A stream that was cut has none: then its pieces count. */
function addResponseEvents(hasher: AnswerHasher, events: readonly JsonObject[]): void {
  const last = events.findLast(({ type }) => type === 'response.completed' || type === 'response.incomplete')
  if (isJsonObject(last?.['response'])) return addResponse(hasher, last['response'])
  const created = events.find(({ type }) => type === 'response.created')?.['response']
  if (isJsonObject(created)) hasher.addModel(created['model'])
  for (const event of events.toSorted((first, second) => placeOf(first) - placeOf(second))) {
    addPiece(hasher, placeOf(event), event)
  }
}

const placeOf = ({ output_index: index }: JsonObject): number => (typeof index === 'number' ? index : 0)

function addPiece(hasher: AnswerHasher, place: number, { type, delta, item }: JsonObject): void {
  if (type === 'response.output_text.delta') hasher.addText(0, 'content', delta)
  if (type === 'response.refusal.delta') hasher.addText(0, 'refusal', delta)
  if (type === 'response.function_call_arguments.delta') hasher.addArguments(0, place, delta)
  if (type === 'response.custom_tool_call_input.delta') hasher.addArguments(0, place, delta)
  if (type !== 'response.output_item.added' || !isJsonObject(item) || !isCall(item)) return
  hasher.addCall(0, place, { id: item['call_id'], name: hashedName(item) })
}
