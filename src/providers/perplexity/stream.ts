// Events of Perplexity's Agent API into ours. It ends in one of response.completed, incomplete, failed or cancelled, or
// in a bare error event; the last response holds the whole answer, so text that never came as deltas is taken from it, and
// the name of the model that has answered.
import { z } from 'zod'
import type { StreamDecoder } from '../adapter.ts'
import type { StreamEvent } from '../answer.ts'
import { upstreamFailure } from '../failure.ts'
import type { ToolCall } from '../request.ts'
import { createTypedStreamDecoder, type Reading } from '../stream-decoder.ts'
import {
  itemSchema,
  readCalls,
  readCitations,
  readStatus,
  readText,
  readUsage,
  responseSchema,
  usageSchema,
  type AgentResponse,
} from './answer.ts'

const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('response.created'),
    response: z.object({ id: z.string(), model: z.string().nullish() }),
  }),
  z.object({ type: z.literal('response.output_text.delta'), delta: z.string() }),
  z.object({ type: z.literal('response.output_item.done'), item: itemSchema }),
  z.object({ type: z.literal('response.completed'), response: responseSchema }),
  z.object({ type: z.literal('response.incomplete'), response: responseSchema }),
  z.object({
    type: z.enum(['response.failed', 'response.cancelled']),
    response: z.object({ usage: usageSchema.nullish() }).nullish().catch(null),
  }),
  z.object({ type: z.literal('error') }),
])

export function createPerplexityDecoder(): StreamDecoder {
  const calls = new Set<string>()
  let textSeen = false
  let model: string | null = null

  /** A call is told whole, once its arguments are complete. */
  function readCall({ arguments: fragment, ...call }: ToolCall): StreamEvent[] {
    if (calls.has(call.id)) return []
    const index = calls.size
    calls.add(call.id)
    return [
      { type: 'tool_call', choice: 0, index, ...call },
      { type: 'tool_arguments', choice: 0, index, fragment },
    ]
  }

  function conclude(response: AgentResponse): Reading {
    const events = readCalls(response).flatMap(readCall)
    const reason = readStatus(response, calls.size > 0)
    if (reason === null) return fail(response)
    const text = readText(response)
    if (!textSeen && text !== '') events.push({ type: 'text', choice: 0, text })
    if (response.model && response.model !== model) events.push({ type: 'model', model: response.model })
    const citations = readCitations(response)
    if (citations.length > 0) events.push({ type: 'citations', citations })
    return [...events, { type: 'finish', choice: 0, reason }, ...readUsageOf(response), { type: 'end' }]
  }

  function read(event: z.infer<typeof eventSchema>): Reading {
    switch (event.type) {
      case 'response.created': {
        model = event.response.model ?? null
        return [{ type: 'start', id: event.response.id, model }]
      }
      case 'response.output_text.delta':
        textSeen ||= event.delta !== ''
        return event.delta === '' ? [] : [{ type: 'text', choice: 0, text: event.delta }]
      case 'response.output_item.done':
        return 'call' in event.item ? readCall(event.item.call) : []
      case 'response.completed':
      case 'response.incomplete':
        return conclude(event.response)
      case 'response.failed':
      case 'response.cancelled':
        return fail(event.response ?? {})
      case 'error':
        return 'error_event'
    }
  }

  return createTypedStreamDecoder(eventSchema, read)
}

const readUsageOf = ({ usage }: Pick<AgentResponse, 'usage'>): StreamEvent[] =>
  usage ? [{ type: 'usage', usage: readUsage(usage) }] : []

/** What has been used all the same is told first. */
const fail = (response: Pick<AgentResponse, 'usage'>): Reading => [
  ...readUsageOf(response),
  { type: 'failed', failure: upstreamFailure('error_event') },
]
