// Sends a JSON schema to an endpoint that takes none: as the input of the only tool, which the model must call. That input is then
// the text of the answer. The request and its route decide this and not a tool's name, so a caller's own tool is never read so.
import type { JsonObject } from '../../platform/json.ts'
import type { StreamDecoder, RoutedModel } from '../provider.ts'
import type { Answer, FinishReason, StreamEvent } from '../chat-answer.ts'
import type { ChatRequest } from '../chat-request.ts'
import { unsupported, type Unsupported } from '../failure.ts'

const NAME = 'answer'

export const sendsSchemaAsTool = ({ responseFormat }: ChatRequest, { wire }: RoutedModel): boolean =>
  wire.schemaAs === 'forced_tool' && responseFormat?.type === 'json_schema'

/** Returns what such a request cannot have beside its schema, or null. */
export function findFaultBesideSchema({ tools = [], reasoningEffort = 'none' }: ChatRequest): Unsupported | null {
  if (tools.length > 0) {
    return unsupported(
      'tools',
      'By this route, the model takes no tools together with a schema. Leave out one of them.',
    )
  }
  return reasoningEffort === 'none'
    ? null
    : unsupported(
        'reasoning_effort',
        'By this route, the model cannot reason before an answer that follows a schema. Send none, or leave it out.',
      )
}

/** @param schema in Anthropic's form; its root is an object */
export function encodeSchemaTool(schema: JsonObject): JsonObject {
  const description = 'Takes your whole answer as its input.'
  return {
    tools: [{ name: NAME, description, input_schema: schema }],
    tool_choice: { type: 'tool', name: NAME },
  }
}

/** Text beside the call would break the caller's JSON, so it is dropped. */
export function readSchemaTool(answer: Answer): Answer {
  const choices = answer.choices.map((choice) => {
    const call = choice.toolCalls.find(({ name }) => name === NAME)
    const finishReason = toFinishReason(choice.finishReason, call !== undefined)
    return { ...choice, text: call?.arguments ?? '', toolCalls: [], finishReason }
  })
  return { ...answer, choices }
}

export function readSchemaToolStream(decoder: StreamDecoder): StreamDecoder {
  let answerIndex: number | null = null

  function read(event: StreamEvent): StreamEvent[] {
    if (event.type === 'text') return []
    if (event.type === 'tool_call') {
      if (event.name === NAME) answerIndex ??= event.index
      return []
    }
    if (event.type === 'tool_arguments') {
      return event.index === answerIndex ? [{ type: 'text', choice: event.choice, text: event.fragment }] : []
    }
    return [event.type === 'finish' ? { ...event, reason: toFinishReason(event.reason, answerIndex !== null) } : event]
  }

  return {
    push(raw, closed) {
      const { data, events } = decoder.push(raw, closed)
      return { raw, data, events: events.flatMap(read) }
    },
    close: () => decoder.close().flatMap(read),
  }
}

/** An answer without the call has nothing of what was asked for, so it is never reported as whole. */
function toFinishReason(reason: FinishReason, isCalled: boolean): FinishReason {
  if (reason !== 'stop' && reason !== 'tool_calls') return reason
  return isCalled ? 'stop' : 'content_filter'
}
