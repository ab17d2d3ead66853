// A chat completion that is given a second time: the same answer, as one of the call that asks now.
import { readJson, isJsonObject, type JsonObject } from '../../platform/json-object.ts'
import type { AnsweredCall } from '../call/answer-form.ts'
import type { Aqta } from '../call/aqta.schema.ts'
import { dataEvent } from '../stream/event-writer.ts'
import { eventsOf } from '../stream/stream-events.ts'
import { completionId, createdAt } from './completion.ts'

export function renewCompletion(call: AnsweredCall, body: Uint8Array, aqta: Aqta): Uint8Array[] {
  const completion = readJson(new TextDecoder().decode(body))
  if (!isJsonObject(completion)) throw new TypeError('a completion is a JSON object')
  return [new TextEncoder().encode(JSON.stringify(renew(call, completion, aqta)))]
}

/** Chunk by chunk; what is no chunk, such as the closing mark, stays as it is. */
export function renewChunks(call: AnsweredCall, body: Uint8Array, aqta: Aqta): Uint8Array[] {
  return eventsOf(body).map(({ data, raw }) => {
    const chunk = readJson(data ?? '')
    return isJsonObject(chunk) ? dataEvent(renew(call, chunk, aqta)) : raw
  })
}

const renew = (call: AnsweredCall, answer: JsonObject, aqta: Aqta): JsonObject => ({
  ...answer,
  id: completionId(call),
  created: createdAt(call),
  ...('aqta' in answer && { aqta }),
})
