// Decodes the events of Perplexity's Agent API into ours. A stream ends with response.completed, incomplete, failed or cancelled,
// or with a bare error event. The last response has the whole answer, so missing texts and the answering model's name are taken
// from that response. A message without deltas gives its text itself.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import type { StreamDecoder } from '../provider.ts'
import { mintCallId, type Searches, type SentCall, type StreamEvent } from '../chat-answer.ts'
import { upstreamFailure } from '../failure.ts'
import { createTypedStreamDecoder, type DecodeResult } from '../stream-decoder.ts'
import {
  isOwnTool,
  ItemSchema,
  readCalls,
  readCitations,
  readSearches,
  readMessages,
  readStatus,
  readUsage,
  ResponseSchema,
  type AgentResponse,
} from './answer.ts'
import { readPerplexityRejection } from './rejection.ts'

const EventSchema = once(() =>
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('response.created'),
      response: z.object({ id: z.string(), model: z.string().nullish() }),
    }),
    z.object({ type: z.literal('response.output_text.delta'), item_id: z.string().nullish(), delta: z.string() }),
    z.object({ type: z.literal('response.output_item.done'), item: ItemSchema() }),
    z.object({ type: z.literal('response.completed'), response: ResponseSchema() }),
    z.object({ type: z.literal('response.incomplete'), response: ResponseSchema() }),
    z.object({
      type: z.enum(['response.failed', 'response.cancelled']),
      response: z.object({ usage: z.unknown().optional() }).nullish().catch(null),
    }),
    z.object({ type: z.literal('error') }),
  ]),
)

/** @see https://docs.perplexity.ai/api-reference/agent-post */
export function createPerplexityDecoder(): StreamDecoder {
  const calls = new Set<string>()
  /** Ids of messages whose text has come; null for text without an id. */
  const told = new Set<string | null>()
  /** Ids of deltas for which no message has come yet. */
  const unclaimed = new Set<string | null>()
  let responseId = ''
  let model: string | null = null
  let lookedUp: Searches = { times: 0, bytes: 0 }

  function readCall({ arguments: fragment, ...call }: SentCall): StreamEvent[] {
    const index = calls.size
    const id = call.id ?? mintCallId(responseId, 0, index)
    if (calls.has(id) || isOwnTool(call)) return []
    calls.add(id)
    return [
      { type: 'tool_call', choice: 0, index, ...call, id },
      { type: 'tool_arguments', choice: 0, index, fragment },
    ]
  }

  function readDelta(id: string | null, text: string): StreamEvent[] {
    if (text === '') return []
    if (id === null || !told.has(id)) unclaimed.add(id)
    told.add(id)
    return [{ type: 'text', choice: 0, text }]
  }

  /** Returns true if deltas brought the text of a finished message. If their id differs, the first unclaimed deltas count. */
  function claim(id: string | null): boolean {
    if (unclaimed.has(null)) return true
    const [first] = unclaimed
    const isTold = id !== null && told.has(id)
    const claimed = isTold ? id : first
    return claimed === undefined ? false : unclaimed.delete(claimed) || isTold
  }

  function readMessage({ id, text }: TextMessage): StreamEvent[] {
    if (text === '' || claim(id)) return []
    told.add(id)
    return [{ type: 'text', choice: 0, text }]
  }

  /** Returns the texts of messages without deltas. None if a delta has an unknown id: ids are then unreliable. */
  function readTextsWithoutDeltas(messages: readonly TextMessage[]): StreamEvent[] {
    const ids = new Set(messages.map(({ id }) => id))
    if ([...told].some((id) => !ids.has(id))) return []
    return messages.flatMap(({ id, text }) => (text === '' || told.has(id) ? [] : [{ type: 'text', choice: 0, text }]))
  }

  function readItem(item: Infer<typeof ItemSchema>): StreamEvent[] {
    if ('call' in item) return readCall(item.call)
    if ('lookedUp' in item) {
      lookedUp = { times: lookedUp.times + 1, bytes: lookedUp.bytes + item.lookedUp }
      return [{ type: 'looked_up', lookedUp }]
    }
    return 'message' in item ? readMessage(item.message) : []
  }

  function conclude(response: AgentResponse): DecodeResult {
    const events = [
      ...readTextsWithoutDeltas(readMessages(response)),
      ...readCalls({ ...response, id: responseId }).flatMap(readCall),
    ]
    const reason = readStatus(response, calls.size > 0)
    if (reason === null) return fail(response)
    if (response.model && response.model !== model) events.push({ type: 'model', model: response.model })
    const citations = readCitations(response)
    if (citations.length > 0) events.push({ type: 'citations', citations })
    events.push({ type: 'looked_up', lookedUp: readSearches(response) })
    return [...events, { type: 'finish', choice: 0, reason }, ...readUsageOf(response), { type: 'end' }]
  }

  function read(event: Infer<typeof EventSchema>): DecodeResult {
    switch (event.type) {
      case 'response.created': {
        responseId = event.response.id
        model = answeringModel(event.response.model)
        return [
          { type: 'start', id: responseId, model },
          { type: 'looked_up', lookedUp },
        ]
      }
      case 'response.output_text.delta':
        return readDelta(event.item_id ?? null, event.delta)
      case 'response.output_item.done':
        return readItem(event.item)
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

  return createTypedStreamDecoder(EventSchema(), { read, readRejection: readPerplexityRejection })
}

type WithUsage = { readonly usage?: unknown }

type TextMessage = ReturnType<typeof readMessages>[number]

/** The first name may be the preset; the model, as `vendor/name`, may come only at the end. */
const answeringModel = (name: string | null | undefined): string | null => (name?.includes('/') === true ? name : null)

const readUsageOf = ({ usage }: WithUsage): StreamEvent[] => (usage ? [{ type: 'usage', usage: readUsage(usage) }] : [])

const fail = (response: WithUsage): DecodeResult => [
  ...readUsageOf(response),
  { type: 'failed', failure: upstreamFailure('error_event') },
]
