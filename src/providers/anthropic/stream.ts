// Decodes Anthropic's typed events into ours. Usage comes in two halves, input first and output at the end, cumulative and
// sometimes corrected. The last value of each count is used, and so is the last stop reason. The finish event is sent at the end,
// when every call is known to be whole.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import type { StreamDecoder } from '../provider.ts'
import { mintCallId, type StreamEvent } from '../chat-answer.ts'
import { NO_USAGE } from '../estimate-tokens.ts'
import { createJsonCheck, type JsonCheck } from '../json-check.ts'
import type { ThinkingBlock } from '../chat-request.ts'
import { createTypedStreamDecoder, type DecodeResult } from '../stream-decoder.ts'
import { createUsageReader, isUnbilled, readStopReason, StopDetailsSchema, type Stop } from './answer.ts'
import { readAnthropicRejection } from './rejection.ts'

const IndexSchema = once(() => z.int().min(0))
const TextSchema = once(() => z.string().nullish())

const EventSchema = once(() =>
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('message_start'),
      message: z.object({ id: z.string(), model: z.string(), usage: z.unknown().optional() }),
    }),
    z.object({
      type: z.literal('content_block_start'),
      index: IndexSchema(),
      content_block: z.object({
        type: z.string(),
        text: TextSchema(),
        id: TextSchema(),
        name: TextSchema(),
        thinking: TextSchema(),
        signature: TextSchema(),
        data: TextSchema(),
        input: z.looseObject({}).nullish(),
      }),
    }),
    z.object({
      type: z.literal('content_block_delta'),
      index: IndexSchema(),
      delta: z.object({
        type: z.string(),
        text: TextSchema(),
        partial_json: TextSchema(),
        thinking: TextSchema(),
        signature: TextSchema(),
      }),
    }),
    z.object({ type: z.literal('content_block_stop'), index: IndexSchema() }),
    z.object({
      type: z.literal('message_delta'),
      delta: z.object({ stop_reason: z.string().nullish(), stop_details: StopDetailsSchema() }),
      usage: z.unknown().optional(),
    }),
    z.object({ type: z.literal('message_stop') }),
    z.object({ type: z.literal('error') }),
  ]),
)

type Event = Infer<typeof EventSchema>
type EventOfType<Type extends Event['type']> = Extract<Event, { type: Type }>

/** A block by its kind; `index` counts the blocks of that kind. `other` is ignored. */
type Block =
  | { kind: 'text' | 'other'; isOpen: boolean }
  | { kind: 'thinking'; isOpen: boolean; index: number }
  /** `input`: the arguments that came with the start, until others come. */
  | { kind: 'call'; isOpen: boolean; index: number; json: JsonCheck; input: string | null }

/** @see https://platform.claude.com/docs/en/build-with-claude/streaming */
export function createAnthropicDecoder(): StreamDecoder {
  const blocks = new Map<number, Block>()
  const readUsage = createUsageReader()
  let isStarted = false
  let messageId = ''
  let stop: Stop = {}

  const countBlocks = (kind: Block['kind']): number =>
    [...blocks.values()].filter((block) => block.kind === kind).length

  const isUnbilledSoFar = (): boolean => isUnbilled(stop, blocks.size > 0)

  function readUsageUpdate(update: unknown, isStart = false): StreamEvent[] {
    if (update === null || update === undefined) return []
    const usage = readUsage(update, isStart)
    return [{ type: 'usage', usage: isUnbilledSoFar() ? NO_USAGE : usage }]
  }

  /** After a refusal that is not billed, any further output makes it billed. */
  function readAnyStart(event: EventOfType<'content_block_start'>): DecodeResult {
    const wasUnbilled = isUnbilledSoFar()
    const reading = readStart(event)
    return typeof reading === 'string' || !wasUnbilled ? reading : [...reading, ...readUsageUpdate({})]
  }

  function readStart({ index: at, content_block: block }: EventOfType<'content_block_start'>): DecodeResult {
    if (blocks.has(at)) return 'malformed'
    const { type, id, name, text, input } = block
    if (type === 'text') {
      blocks.set(at, { kind: 'text', isOpen: true })
      return text ? [{ type: 'text', choice: 0, text }] : []
    }
    if (type === 'thinking' || type === 'redacted_thinking') {
      const index = countBlocks('thinking')
      const isAfterOutput = [...blocks].some(([place, { kind }]) => place < at && kind !== 'thinking')
      blocks.set(at, { kind: 'thinking', isOpen: true, index })
      const { thinking, signature, data } = block
      const piece: ThinkingBlock =
        type === 'thinking' ? thinkingPiece({ thinking, signature }) : { type, data: data ?? '' }
      return [{ type: 'thinking', choice: 0, index, piece, isAfterOutput }]
    }
    if (type !== 'tool_use') {
      blocks.set(at, { kind: 'other', isOpen: true })
      return []
    }
    if (!name) return 'malformed'
    const index = countBlocks('call')
    blocks.set(at, { kind: 'call', isOpen: true, index, json: createJsonCheck(), input: JSON.stringify(input ?? {}) })
    return [{ type: 'tool_call', choice: 0, index, id: id || mintCallId(messageId, 0, index), name }]
  }

  function readDelta({ index: at, delta }: EventOfType<'content_block_delta'>): DecodeResult {
    const block = blocks.get(at)
    if (block === undefined || !block.isOpen) return 'malformed'
    const { type, text, partial_json: fragment } = delta
    if (block.kind === 'text' && type === 'text_delta' && text) return [{ type: 'text', choice: 0, text }]
    if (block.kind === 'call' && type === 'input_json_delta') return readArguments(block, fragment ?? '')
    if (block.kind === 'thinking' && (type === 'thinking_delta' || type === 'signature_delta')) {
      return [{ type: 'thinking', choice: 0, index: block.index, piece: thinkingPiece(delta) }]
    }
    return []
  }

  function readArguments(block: Extract<Block, { kind: 'call' }>, fragment: string): StreamEvent[] {
    if (fragment === '') return []
    block.input = null
    block.json.push(fragment)
    return [{ type: 'tool_arguments', choice: 0, index: block.index, fragment }]
  }

  function readStop({ index: at }: EventOfType<'content_block_stop'>): DecodeResult {
    const block = blocks.get(at)
    if (block === undefined || !block.isOpen) return 'malformed'
    block.isOpen = false
    // A call without pieces has all its arguments at its start, mostly none; the standard requires an object.
    return block.kind === 'call' && block.input !== null ? readArguments(block, block.input) : []
  }

  /** Concludes the stream. Only an answer that reports that it broke off may end in the middle of a call. */
  function conclude(): DecodeResult {
    if (!stop.stop_reason) return 'malformed'
    const calls = [...blocks.values()].filter((block) => block.kind === 'call')
    const reason = readStopReason(stop.stop_reason, calls.length > 0)
    const isWhole = calls.every(({ isOpen, json }) => !isOpen && json.isWhole())
    if (!isWhole && (reason === 'stop' || reason === 'tool_calls')) return 'malformed'
    return [{ type: 'finish', choice: 0, reason }, { type: 'end' }]
  }

  function read(event: Event): DecodeResult {
    if (event.type === 'error') return 'error_event'
    if (isStarted === (event.type === 'message_start')) return 'malformed'
    switch (event.type) {
      case 'message_start': {
        isStarted = true
        const { id, model } = event.message
        messageId = id
        return [{ type: 'start', id, model }, ...readUsageUpdate(event.message.usage, true)]
      }
      case 'content_block_start':
        return readAnyStart(event)
      case 'content_block_delta':
        return readDelta(event)
      case 'content_block_stop':
        return readStop(event)
      case 'message_delta': {
        const { stop_reason, stop_details } = event.delta
        stop = { stop_reason: stop_reason ?? stop.stop_reason, stop_details: stop_details ?? stop.stop_details }
        return readUsageUpdate(event.usage ?? (isUnbilledSoFar() ? {} : null))
      }
      case 'message_stop':
        return conclude()
    }
  }

  return createTypedStreamDecoder(EventSchema(), { read, readRejection: readAnthropicRejection })
}

type ThinkingTexts = Partial<Record<'thinking' | 'signature', string | null | undefined>>

const thinkingPiece = ({ thinking, signature }: ThinkingTexts): ThinkingBlock => ({
  type: 'thinking',
  thinking: thinking ?? '',
  signature: signature ?? '',
})
