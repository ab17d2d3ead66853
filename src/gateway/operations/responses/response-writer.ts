// Writes a streamed answer of any provider as events of OpenAI's Responses API. The last events repeat the whole answer, so it
// stays in memory until then.
import * as z from 'zod'
import { once } from '../../../platform/once.ts'
import { hashedName } from '../../../evidence/records/answer-outline.ts'
import { AnswerHasher } from '../../../evidence/records/answer-hasher.ts'
import type { Citation, FinishReason, StreamEvent } from '../../../providers/chat-answer.ts'
import type { JsonObject } from '../../../platform/json.ts'
import type { AnsweredCall } from '../../call/answer-format.ts'
import { hashFunctions } from '../../../platform/sha256.ts'
import { namedEvent, type EventWriter } from '../../stream/event-writer.ts'
import type { ToolName } from './list-tools.ts'
import {
  openCall,
  openMessage,
  openReasoning,
  showsPiece,
  wholeItem,
  type NamedEvent,
  type OpenCall,
  type OpenItem,
  type OpenMessage,
  type OpenReasoning,
  type ReasoningShown,
  type ThinkingEvent,
  encodeReasoning,
  formOf,
  itemId,
  reasoningItem,
  type ItemType,
} from './item-writers.ts'
import { incompleteReason, responseObject, responseUsage } from './response-object.ts'

/** The members of OpenAI's error event. The event also gets the body's `error`, for which OpenAI's SDKs throw. */
const ErrorSchema = once(() =>
  z.object({
    error: z.object({ code: z.string(), message: z.string(), param: z.string().nullable().default(null) }),
  }),
)

/** `echo`: the members of a response that repeat the request. `nameOf`: returns the caller's name of a tool. */
export type Presented = {
  readonly echo: JsonObject
  readonly shown: ReasoningShown
  readonly nameOf: (sent: string) => ToolName
}

/**
 * @see https://platform.openai.com/docs/api-reference/responses
 */
export function createResponseWriter(call: AnsweredCall, { echo, shown, nameOf }: Presented): EventWriter {
  let number = 0
  let model: string | null = null
  let isBegun = false
  let finishReason: FinishReason = 'stop'
  let citations: readonly Citation[] = []
  /** The open message that text is added to; null if the next text begins a new message. */
  let message: OpenMessage | null = null
  let lastMessage: OpenMessage | null = null
  let reasoning: OpenReasoning | null = null
  /** Gemini's thought signature of the text. */
  let signature: string | null = null
  const calls = new Map<number, OpenCall>()
  const hasher = new AnswerHasher(hashFunctions)
  /** The model that the first event names. */
  let createdModel: unknown = null
  /** All items stay open to the end: providers may alternate between calls, and send citations last. */
  const items: OpenItem[] = []
  const output: JsonObject[] = []
  let nextIndex = 0
  /** The index of the item that was being written when the answer was cut short. */
  let lastIndex = -1

  const write = ({ type, ...event }: NamedEvent): Uint8Array =>
    namedEvent(type, { type, sequence_number: number++, ...event })

  const place = (type: ItemType) => {
    const index = nextIndex++
    return { index, id: itemId(call.traceId, type, index) }
  }

  function begin(): NamedEvent[] {
    if (isBegun) return []
    isBegun = true
    const response = responseObject(call, echo, {
      model,
      output: [],
      finishReason: null,
      endedAt: null,
      usage: null,
    })
    createdModel = response['model']
    return [
      { type: 'response.created', response },
      { type: 'response.in_progress', response },
    ]
  }

  function addText(kind: 'text' | 'refusal', piece: string): NamedEvent[] {
    const events: NamedEvent[] = []
    if (message === null) {
      const opened = openMessage(place('message'))
      message = lastMessage = opened.message
      items.push(message)
      lastIndex = message.index
      events.push(...opened.events)
    }
    hasher.addText(0, kind === 'text' ? 'content' : 'refusal', piece)
    return [...events, ...message.add(kind, piece)]
  }

  /** @param called the call that the signature belongs to; else it belongs to the text */
  function carrySignature(given: string, called?: string): NamedEvent[] {
    if (!shown.carriesReasoning) return []
    const { index, id } = place('reasoning')
    const encoded = encodeReasoning({ provider: 'google', signature: given, call: called })
    const item = reasoningItem({ id, status: 'completed' }, { encoded })
    output[index] = item
    return wholeItem(index, reasoningItem({ id, status: 'in_progress' }, {}), item)
  }

  function addThinking(event: ThinkingEvent): NamedEvent[] {
    if (!showsPiece(shown, event.piece)) return []
    const events: NamedEvent[] = []
    if (reasoning === null) {
      const opened = openReasoning(place('reasoning'), shown)
      ;({ reasoning } = opened)
      items.push(reasoning)
      events.push(...opened.events)
    }
    return [...events, ...reasoning.add(event)]
  }

  function beginCall(event: Extract<StreamEvent, { type: 'tool_call' }>): NamedEvent[] {
    const events: NamedEvent[] = []
    message = null
    if (event.signature !== undefined) events.push(...carrySignature(event.signature, event.id))
    const { id, isCustom } = event
    const named = { id, isCustom, ...nameOf(event.name) }
    const opened = openCall(place(formOf(named).type), named)
    calls.set(event.index, opened.call)
    items.push(opened.call)
    lastIndex = opened.call.index
    hasher.addCall(0, opened.call.index, { id, name: hashedName(named) })
    return [...events, ...opened.events]
  }

  function read(event: StreamEvent): NamedEvent[] {
    switch (event.type) {
      case 'start':
        model = event.model
        return begin()
      case 'text':
      case 'refusal':
        return event.text === '' ? [] : [...begin(), ...addText(event.type, event.text)]
      case 'tool_call':
        return [...begin(), ...beginCall(event)]
      case 'tool_arguments': {
        const called = calls.get(event.index)
        if (called === undefined) return []
        hasher.addArguments(0, called.index, event.fragment)
        return [called.add(event.fragment)]
      }
      case 'thinking':
        return [...begin(), ...addThinking(event)]
      case 'signature':
        ;({ signature } = event)
        return []
      case 'model':
        ;({ model } = event)
        return []
      case 'citations':
        ;({ citations } = event)
        return []
      case 'finish':
        finishReason = event.reason
        return []
      case 'usage':
      case 'looked_up':
      case 'end':
      case 'failed':
        return []
    }
  }

  const isCutIn = (index: number): boolean => index === lastIndex && incompleteReason(finishReason) !== null

  /** Closes every item. An empty answer still has one message, without text. */
  function closeAll(): NamedEvent[] {
    const events = lastIndex === -1 ? addText('text', '') : []
    lastMessage?.cite(citations)
    for (const item of items) {
      const closed = item.close(isCutIn(item.index) ? 'incomplete' : 'completed')
      output[item.index] = closed.item
      events.push(...closed.events)
    }
    return signature === null ? events : [...events, ...carrySignature(signature)]
  }

  return {
    push: ({ events }) => events.flatMap(read).map(write),
    isComplete: () => false,
    finish({ aqta, usage, endedAt }) {
      const events = [...begin(), ...closeAll()]
      const shownUsage = usage === null ? null : responseUsage(usage)
      const response = responseObject(call, echo, { model, output, finishReason, endedAt, usage: shownUsage })
      const reason = incompleteReason(finishReason)
      const type = reason === null ? 'response.completed' : 'response.incomplete'
      hasher.addModel(response['model'])
      hasher.addFinish(0, reason ?? 'completed')
      return [...events, { type, response: { ...response, aqta } }].map(write)
    },
    close: () => [],
    fail: (body) => [write({ type: 'error', ...ErrorSchema().parse(body).error, ...body })],
    bufferedBytes: () => items.reduce((sum, item) => sum + item.bufferedBytes(), 0),
    outline() {
      // A whole answer has the model of its last event, which was added before.
      hasher.addModel(createdModel)
      return hasher.outline()
    },
  }
}
