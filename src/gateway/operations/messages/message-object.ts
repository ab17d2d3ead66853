// Builds a message of Anthropic's format in one piece, and has its schema.
import * as z from 'zod'
import { once } from '../../../platform/once.ts'
import { orNull } from '../../../platform/names.schema.ts'
import type { JsonObject } from '../../../platform/json.ts'
import { standardUsage, type Choice, type FinishReason } from '../../../providers/chat-answer.ts'
import { parseJsonObject } from '../../../providers/lossless-json.ts'
import type { StandardUsage } from '../../stream/event-writer.ts'
import type { AnsweredCall, CompletedAnswer } from '../../call/answer-format.ts'
import type { AnswerEnd } from '../../call/trace.ts'
import type { Bill } from '../../call/bill.ts'
import { AqtaSchema } from '../../call/trace.ts'

export const messageId = ({ traceId }: Pick<AnsweredCall, 'traceId'>): string => `msg_${traceId.slice('tr_'.length)}`

/** Why a message ends. `stopSequence`: the text that ended it, if one did. */
export type MessageEnd = {
  readonly reason: FinishReason
  readonly stopSequence?: string | undefined
  readonly isRefused: boolean
}

const STOP_REASONS: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

const REFUSAL = { type: 'refusal', category: null, explanation: null }

export function stopMembers({ reason, stopSequence, isRefused }: MessageEnd): JsonObject {
  const isStopped = reason === 'stop' && stopSequence !== undefined
  const stopReason = isRefused && reason === 'stop' ? 'refusal' : isStopped ? 'stop_sequence' : STOP_REASONS[reason]
  return {
    stop_reason: stopReason,
    stop_sequence: isStopped ? stopSequence : null,
    stop_details: stopReason === 'refusal' ? REFUSAL : null,
  }
}

export function messageObject(call: AnsweredCall, model: string | null, rest: JsonObject): JsonObject {
  return {
    id: messageId(call),
    type: 'message',
    role: 'assistant',
    model: model ?? call.outline.model.id,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    ...rest,
  }
}

/**
 * @param passedBody the body of a provider that speaks this format, which is passed on whole; else null
 * @see https://platform.claude.com/docs/en/api/messages
 */
export function presentMessage(
  call: AnsweredCall,
  { answer, passedBody }: CompletedAnswer,
  { bill, aqta }: AnswerEnd & { bill: Bill },
): JsonObject {
  const usage = { usage: messageUsage(bill.usage && standardUsage(bill.usage)) }
  if (passedBody !== null) return { ...passedBody, role: 'assistant', ...(bill.estimated && usage), aqta }
  const [choice] = answer.choices
  const end = {
    reason: choice?.finishReason ?? 'stop',
    stopSequence: choice?.stopSequence,
    isRefused: Boolean(choice?.refusal),
  }
  return messageObject(call, answer.model, {
    content: choice === undefined ? [] : contentOf(choice),
    ...stopMembers(end),
    ...usage,
    aqta,
  })
}

const contentOf = ({ thinking = [], text, refusal, toolCalls }: Choice): JsonObject[] => [
  ...thinking.map((block) => ({ ...block })),
  ...[text, refusal ?? ''].flatMap((said) => (said === '' ? [] : [{ type: 'text', text: said }])),
  ...toolCalls.map((call) => ({
    type: 'tool_use',
    id: call.id,
    name: call.name,
    input: parseJsonObject(call.arguments) ?? {},
  })),
]

/** All counts are cumulative: a client takes the last. */
export function messageUsage(usage: StandardUsage | null): JsonObject {
  if (usage === null) return { input_tokens: 0, output_tokens: 0 }
  const { cached_tokens: read, cache_write_tokens: written } = usage.prompt_tokens_details
  return {
    input_tokens: usage.prompt_tokens - read - written,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: usage.completion_tokens,
    output_tokens_details: { thinking_tokens: usage.completion_tokens_details.reasoning_tokens },
  }
}

const tokens = once(() => z.int().nonnegative())

export const MessageSchema = once(() =>
  z
    .looseObject({
      id: z.string(),
      type: z.literal('message'),
      role: z.literal('assistant'),
      model: z.string().meta({ description: 'What answered, as its provider names it.' }),
      content: z.array(z.looseObject({ type: z.string() })).meta({
        description: 'Thoughts, text and calls of tools, in order.',
      }),
      stop_reason: orNull(z.string()).meta({
        description: 'end_turn, max_tokens, stop_sequence, tool_use or refusal.',
      }),
      stop_sequence: orNull(z.string()),
      usage: z.looseObject({ input_tokens: tokens(), output_tokens: tokens() }),
      aqta: AqtaSchema(),
    })
    .meta({ id: 'Message' }),
)
