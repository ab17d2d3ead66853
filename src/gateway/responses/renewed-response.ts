// A response that is given a second time: the same answer, as one of the call that asks now.
import { isJsonObject, readJson, type JsonObject } from '../../platform/json-object.ts'
import type { AnsweredCall } from '../call/answer-form.ts'
import type { Aqta } from '../call/aqta.schema.ts'
import { namedEvent } from '../stream/event-writer.ts'
import { eventsOf } from '../stream/stream-events.ts'
import { createdAtOf } from './response-object.ts'

/** @param first the trace of the call that it answered first: all of its ids have the digits of that */
export function renewResponse(call: AnsweredCall, first: string, body: Uint8Array, aqta: Aqta): Uint8Array[] {
  const response = readRenamed(call, first, new TextDecoder().decode(body))
  if (response === null) throw new TypeError('a response is a JSON object')
  return [new TextEncoder().encode(JSON.stringify(renew(call, response, aqta)))]
}

export function renewEvents(call: AnsweredCall, first: string, body: Uint8Array, aqta: Aqta): Uint8Array[] {
  return eventsOf(body).map(({ event, data, raw }) => {
    const told = readRenamed(call, first, data ?? '')
    if (told === null || event === null) return raw
    const { response } = told
    return namedEvent(event, isJsonObject(response) ? { ...told, response: renew(call, response, aqta) } : told)
  })
}

/** No text of the model's can hold these digits: they are drawn by chance for each call, and no model is told them. */
const readRenamed = (call: AnsweredCall, first: string, text: string): JsonObject | null => {
  const json = readJson(text.replaceAll(digitsOf(first), digitsOf(call.traceId)))
  return isJsonObject(json) ? json : null
}

const digitsOf = (traceId: string): string => traceId.slice('tr_'.length)

const renew = (call: AnsweredCall, response: JsonObject, aqta: Aqta): JsonObject => ({
  ...response,
  created_at: createdAtOf(call),
  ...('aqta' in response && { aqta }),
})
