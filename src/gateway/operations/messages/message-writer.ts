// Writes a streamed answer of any provider as events of Anthropic's Messages. Blocks come one after another: what comes while a call
// is being written waits, because a block that has ended cannot go on.
import type { AnswerHasher } from '../../../evidence/records/answer-hasher.ts'
import { MessageHasher } from '../../../evidence/records/message-hasher.ts'
import { recordStatusOf } from '../../../evidence/records/call-endings.ts'
import type { JsonObject } from '../../../platform/json.ts'
import type { StreamEvent } from '../../../providers/chat-answer.ts'
import { createJsonCheck } from '../../../providers/json-check.ts'
import type { AnsweredCall } from '../../call/answer-format.ts'
import { namedEvent, type EventWriter } from '../../stream/event-writer.ts'
import { messageObject, messageUsage, stopMembers, type MessageEnd } from './message-object.ts'

export type MessageEvent = JsonObject & { readonly type: string }

export const writeEvent = (event: MessageEvent): Uint8Array => namedEvent(event.type, event)

/** What the first event says of the call. Client libraries keep it: they copy only named members of the last. */
export const startAqta = ({ traceId, attestation }: AnsweredCall) => ({
  trace_id: traceId,
  status: recordStatusOf(attestation.outcome),
  attestation,
})

/** A client adds the counts of the first and the last event. */
export const startUsage = ({ outline }: AnsweredCall) => ({ input_tokens: outline.inputTokens, output_tokens: 0 })

type OpenBlock = { readonly key: string; readonly json: ReturnType<typeof createJsonCheck> | null; isEmpty: boolean }

/** @see https://platform.claude.com/docs/en/build-with-claude/streaming */
export function createMessageWriter(call: AnsweredCall, answerHasher: AnswerHasher): EventWriter {
  const hasher = new MessageHasher(answerHasher)
  let isBegun = false
  let index = -1
  let open: OpenBlock | null = null
  let end: MessageEnd = { reason: 'stop', isRefused: false }
  /** What has come while a call was being written, in order. */
  const waiting: StreamEvent[] = []
  let waitingBytes = 0

  function begin(model: string | null): MessageEvent[] {
    if (isBegun) return []
    isBegun = true
    const message = messageObject(call, model, { usage: startUsage(call), aqta: startAqta(call) })
    return [{ type: 'message_start', message }, { type: 'ping' }]
  }

  function close(): MessageEvent[] {
    if (open === null) return []
    const isWithoutArguments = open.json !== null && open.isEmpty
    open = null
    return [
      ...(isWithoutArguments ? [delta({ type: 'input_json_delta', partial_json: '{}' })] : []),
      { type: 'content_block_stop', index },
    ]
  }

  const delta = (piece: JsonObject): MessageEvent => ({ type: 'content_block_delta', index, delta: piece })

  function openBlock(key: string, block: JsonObject): MessageEvent[] {
    if (open?.key === key) return []
    const before = close()
    index += 1
    open = { key, json: block['type'] === 'tool_use' ? createJsonCheck() : null, isEmpty: true }
    return [...before, { type: 'content_block_start', index, content_block: block }]
  }

  function addArguments(fragment: string): MessageEvent[] {
    if (open === null || fragment === '') return []
    open.json?.push(fragment)
    open.isEmpty = false
    return [delta({ type: 'input_json_delta', partial_json: fragment })]
  }

  const isBusy = (): boolean => open !== null && open.json !== null && !open.json.isWhole()

  const isForOpen = (event: StreamEvent): boolean =>
    event.type === 'tool_arguments' && open?.key === `call ${event.index}`

  function readInTurn(event: StreamEvent): MessageEvent[] {
    if (isBusy() && !isForOpen(event)) {
      waitingBytes += JSON.stringify(event).length
      waiting.push(event)
      return []
    }
    const written = read(event)
    return waiting.length === 0 || isBusy() ? written : [...written, ...release()]
  }

  function release(): MessageEvent[] {
    waitingBytes = 0
    return waiting.splice(0).flatMap(readInTurn)
  }

  function think({ index: at, piece, shown }: Extract<StreamEvent, { type: 'thinking' }>): MessageEvent[] {
    const key = `thought ${at}`
    if (piece.type === 'redacted_thinking') return openBlock(key, { ...piece })
    const { thinking, signature } = piece
    const text = shown ?? thinking
    return [
      ...openBlock(key, { type: 'thinking', thinking: '', signature: '' }),
      ...(text === '' ? [] : [delta({ type: 'thinking_delta', thinking: text })]),
      ...(signature === '' ? [] : [delta({ type: 'signature_delta', signature })]),
    ]
  }

  function read(event: StreamEvent): MessageEvent[] {
    switch (event.type) {
      case 'start':
        return begin(event.model)
      case 'text':
      case 'refusal':
        if (event.text === '') return []
        if (event.type === 'refusal') end = { ...end, isRefused: true }
        return [
          ...begin(null),
          ...openBlock('text', { type: 'text', text: '' }),
          delta({ type: 'text_delta', text: event.text }),
        ]
      case 'thinking':
        return [...begin(null), ...think(event)]
      case 'tool_call':
        return [
          ...begin(null),
          ...openBlock(`call ${event.index}`, { type: 'tool_use', id: event.id, name: event.name, input: {} }),
        ]
      case 'tool_arguments':
        return isForOpen(event) ? addArguments(event.fragment) : []
      case 'finish':
        end = { ...end, reason: event.reason, stopSequence: event.stopSequence }
        return []
      case 'signature':
      case 'model':
      case 'citations':
      case 'usage':
      case 'looked_up':
      case 'end':
      case 'failed':
        return []
    }
  }

  const write = (event: MessageEvent): Uint8Array => {
    hasher.addEvent(event)
    return writeEvent(event)
  }

  return {
    push: ({ events }) => events.flatMap(readInTurn).map(write),
    isComplete: () => false,
    finish({ aqta, usage }) {
      const rest = begin(null)
      while (open !== null || waiting.length > 0) rest.push(...close(), ...release())
      const last = { type: 'message_delta', delta: stopMembers(end), usage: messageUsage(usage), aqta }
      return [...rest, last, { type: 'message_stop' }].map(write)
    },
    close: () => [],
    fail: (error) => [namedEvent('error', error)],
    bufferedBytes: () => hasher.bufferedBytes() + waitingBytes,
    outline() {
      hasher.end()
      return answerHasher.outline()
    },
  }
}
