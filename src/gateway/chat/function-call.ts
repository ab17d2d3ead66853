// Answers to functions, the older form of tools: the one call stands in function_call and has no id.
import { parseJson } from '../../providers/text.ts'
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts'
import { dataEvent, type EventWriter } from '../stream/event-writer.ts'

const decoder = new TextDecoder()

/** @param answer a completion, or a chunk of one */
export function withFunctionCall(answer: JsonObject): JsonObject {
  const { choices } = answer
  return Array.isArray(choices) ? { ...answer, choices: choices.map(olderChoice) } : answer
}

function olderChoice(choice: JsonObject): JsonObject {
  const { message, delta, finish_reason: reason } = choice
  return {
    ...choice,
    ...(isJsonObject(message) ? { message: olderMessage(message) } : {}),
    ...(isJsonObject(delta) ? { delta: olderMessage(delta) } : {}),
    ...(reason === 'tool_calls' ? { finish_reason: 'function_call' } : {}),
  }
}

function olderMessage({ tool_calls: calls, ...others }: JsonObject): JsonObject {
  const first: unknown = Array.isArray(calls) ? calls[0] : undefined
  const isFirst = isJsonObject(first) && (first['index'] ?? 0) === 0
  return isFirst ? { ...others, function_call: first['function'] } : others
}

/** The events of `writer` in that form. */
export function createFunctionCallWriter(writer: EventWriter): EventWriter {
  return {
    ...writer,
    push: (item) => writer.push(item).map(olderEvent),
    finish: (end) => writer.finish(end).map(olderEvent),
    fail: (error) => writer.fail(error).map(olderEvent),
  }
}

/** Events without a call keep their bytes. */
function olderEvent(bytes: Uint8Array): Uint8Array {
  const text = decoder.decode(bytes)
  if (!text.includes('"tool_calls"')) return bytes
  const data = /^data: ?([^\r\n]*)/m.exec(text)?.[1] ?? ''
  const chunk = parseJson(data)
  return isJsonObject(chunk) ? dataEvent(withFunctionCall(chunk)) : bytes
}
