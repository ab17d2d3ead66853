// Anthropic's typed events into ours. Usage comes in two halves, input first, output at the end, each cumulative and
// sometimes corrected: the last value present of each count holds.
import { z } from 'zod'
import type { StreamDecoder } from '../adapter.ts'
import type { StreamEvent } from '../answer.ts'
import { createTypedStreamDecoder, type Reading } from '../stream-decoder.ts'
import { readStopReason, readUsage, usageSchema, type AnthropicUsage } from './answer.ts'

const indexSchema = z.int().min(0)

const eventSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message_start'),
    message: z.object({ id: z.string(), model: z.string(), usage: usageSchema.nullish() }),
  }),
  z.object({
    type: z.literal('content_block_start'),
    index: indexSchema,
    content_block: z.object({
      type: z.string(),
      text: z.string().nullish(),
      id: z.string().nullish(),
      name: z.string().nullish(),
    }),
  }),
  z.object({
    type: z.literal('content_block_delta'),
    index: indexSchema,
    delta: z.object({ type: z.string(), text: z.string().nullish(), partial_json: z.string().nullish() }),
  }),
  z.object({ type: z.literal('content_block_stop'), index: indexSchema }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish() }),
    usage: usageSchema.nullish(),
  }),
  z.object({ type: z.literal('message_stop') }),
  z.object({ type: z.literal('error') }),
])

export function createAnthropicDecoder(): StreamDecoder {
  /** Tool calls by their block's index, numbered in the order they came. */
  const calls = new Map<number, { index: number; hasArguments: boolean }>()
  let usage: AnthropicUsage = {}

  function readUsageUpdate(update: AnthropicUsage | null | undefined): StreamEvent[] {
    if (!update) return []
    const present = Object.entries(update).filter(([, value]) => value !== null && value !== undefined)
    usage = { ...usage, ...Object.fromEntries(present) }
    return [{ type: 'usage', usage: readUsage(usage) }]
  }

  function readArguments(block: number, fragment: string): StreamEvent[] {
    const call = calls.get(block)
    if (call === undefined || fragment === '') return []
    call.hasArguments = true
    return [{ type: 'tool_arguments', choice: 0, index: call.index, fragment }]
  }

  function read(event: z.infer<typeof eventSchema>): Reading {
    switch (event.type) {
      case 'message_start': {
        const { id, model } = event.message
        return [{ type: 'start', id, model }, ...readUsageUpdate(event.message.usage)]
      }
      case 'content_block_start': {
        const { type, id, name, text } = event.content_block
        if (type === 'text' && text) return [{ type: 'text', choice: 0, text }]
        if (type !== 'tool_use' || !id || !name) return []
        const index = calls.size
        calls.set(event.index, { index, hasArguments: false })
        return [{ type: 'tool_call', choice: 0, index, id, name }]
      }
      case 'content_block_delta': {
        const { type, text, partial_json: fragment } = event.delta
        if (type === 'text_delta' && text) return [{ type: 'text', choice: 0, text }]
        return type === 'input_json_delta' ? readArguments(event.index, fragment ?? '') : []
      }
      case 'content_block_stop': // a call without arguments sends none, and the standard wants an object
        return calls.get(event.index)?.hasArguments === false ? readArguments(event.index, '{}') : []
      case 'message_delta': {
        const finish: StreamEvent[] = event.delta.stop_reason
          ? [{ type: 'finish', choice: 0, reason: readStopReason(event.delta.stop_reason) }]
          : []
        return [...finish, ...readUsageUpdate(event.usage)]
      }
      case 'message_stop':
        return [{ type: 'end' }]
      case 'error':
        break
    }
    return 'error_event'
  }

  return createTypedStreamDecoder(eventSchema, read)
}
