// Writes the answer of a chat completion: a provider's chunks in OpenAI's format are passed on, events of other providers are
// translated into it. Callers that sent `functions`, the older form of tools, get a `function_call`. A cached answer gets the id,
// time and `aqta` of its new call.
import { AnswerHasher } from '../../../evidence/records/answer-hasher.ts'
import { isJsonObject, readJson, type JsonObject } from '../../../platform/json.ts'
import { parseJson } from '../../../providers/lossless-json.ts'
import type { AnsweredCall, AnswerFormat } from '../../call/answer-format.ts'
import { hashFunctions } from '../../../platform/sha256.ts'
import { withServedModel, type Aqta } from '../../call/trace.ts'
import { dataEvent, parseEventStream, type EventWriter } from '../../stream/event-writer.ts'
import { completionId, createdAt, presentCompletion } from './chat-completion.ts'
import { createPassThroughWriter } from './pass-through-writer.ts'
import { createChunkWriter } from './chunk-writer.ts'

type Options = {
  /** True if the caller asked for the stream's usage chunk. */
  readonly includeUsage: boolean
  /** True if the caller sent functions, so that the answer has a function_call. */
  readonly hasFunctions?: boolean
  readonly memberName?: AnswerFormat['memberName']
}

export function chatAnswerFormat({ includeUsage, hasFunctions = false, memberName = sameName }: Options): AnswerFormat {
  const createWriter: AnswerFormat['createWriter'] = (call, isPassed): EventWriter => {
    const { model, chat } = call.outline
    const hasher = hasFunctions ? new FunctionCallHasher(hashFunctions) : new AnswerHasher(hashFunctions)
    if (isPassed) return createPassThroughWriter({ includeUsage, choices: chat?.choices ?? 1, hasher })
    const { id, created } = { id: completionId(call), created: createdAt(call) }
    return createChunkWriter({ id, created, model: model.id, includeUsage, hasher })
  }
  const asked = { verb: 'chat', passes: 'chat', errors: 'standard', renew, memberName, repeatedBytes: () => 0 } as const
  if (!hasFunctions) return { ...asked, present: presentCompletion, createWriter }
  return {
    ...asked,
    present: (...answered) => withFunctionCall(presentCompletion(...answered)),
    createWriter: (...call) => createFunctionCallWriter(createWriter(...call)),
  }
}

const renew: AnswerFormat['renew'] = (call, { isStream, body, aqta }) =>
  isStream ? renewChunks(call, body, aqta) : renewCompletion(call, body, aqta)

const sameName = (name: string): string => name

const decoder = new TextDecoder()

/** @param answer a completion, or a chunk of one */
export function withFunctionCall(answer: JsonObject): JsonObject {
  const { choices } = answer
  return Array.isArray(choices) ? { ...answer, choices: choices.map(legacyChoice) } : answer
}

function legacyChoice(choice: JsonObject): JsonObject {
  const { message, delta, finish_reason: reason } = choice
  return {
    ...choice,
    ...(isJsonObject(message) ? { message: legacyMessage(message) } : {}),
    ...(isJsonObject(delta) ? { delta: legacyMessage(delta) } : {}),
    ...(reason === 'tool_calls' ? { finish_reason: 'function_call' } : {}),
  }
}

function legacyMessage({ tool_calls: calls, ...others }: JsonObject): JsonObject {
  const first: unknown = Array.isArray(calls) ? calls[0] : undefined
  const isFirst = isJsonObject(first) && (first['index'] ?? 0) === 0
  return isFirst ? { ...others, function_call: first['function'] } : others
}

/** Hashes chunks as `createFunctionCallWriter` rewrites them. */
export class FunctionCallHasher extends AnswerHasher {
  override add(chunk: JsonObject): void {
    super.add(withFunctionCall(chunk))
  }
}

export const createFunctionCallWriter = (writer: EventWriter): EventWriter => ({
  ...writer,
  push: (item) => writer.push(item).map(legacyEvent),
  finish: (end) => writer.finish(end).map(legacyEvent),
  fail: (error) => writer.fail(error).map(legacyEvent),
})

/** Rewrites one event. Events without a tool call keep their bytes. */
function legacyEvent(bytes: Uint8Array): Uint8Array {
  const text = decoder.decode(bytes)
  if (!text.includes('"tool_calls"')) return bytes
  const data = /^data: ?([^\r\n]*)/m.exec(text)?.[1] ?? ''
  const chunk = parseJson(data)
  return isJsonObject(chunk) ? dataEvent(withFunctionCall(chunk)) : bytes
}

export function renewCompletion(call: AnsweredCall, body: Uint8Array, aqta: Aqta): Uint8Array[] {
  const completion = readJson(new TextDecoder().decode(body))
  if (!isJsonObject(completion)) throw new TypeError('a completion is a JSON object')
  return [new TextEncoder().encode(JSON.stringify(renewed(call, completion, aqta)))]
}

/** Rewrites each chunk; anything else, such as the closing mark, is unchanged. */
export const renewChunks = (call: AnsweredCall, body: Uint8Array, aqta: Aqta): Uint8Array[] =>
  parseEventStream(body).map(({ data, raw }) => {
    const chunk = readJson(data ?? '')
    return isJsonObject(chunk) ? dataEvent(renewed(call, chunk, aqta)) : raw
  })

const renewed = (call: AnsweredCall, answer: JsonObject, aqta: Aqta): JsonObject => ({
  ...answer,
  id: completionId(call),
  created: createdAt(call),
  ...('aqta' in answer && { aqta: withServedModel(aqta, answer['aqta']) }),
})
