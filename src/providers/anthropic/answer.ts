// Decodes an Anthropic message in one piece. Its readers of usage and stop reason also serve the stream, and it tells which
// refusals are not billed.
import * as z from 'zod'
import { isJsonObject } from '../../platform/json.ts'
import { once, type Infer } from '../../platform/once.ts'
import type { DecodedAnswer } from '../provider.ts'
import {
  CountSchema,
  createReportReader,
  withCallId,
  unlessEmpty,
  unreadParts,
  usageIn,
  type Choice,
  type FinishReason,
  type Usage,
} from '../chat-answer.ts'
import { NO_USAGE } from '../estimate-tokens.ts'
import { reportedFailure, upstreamFailure } from '../failure.ts'
import type { ThinkingBlock } from '../chat-request.ts'
import { createThinkingBlocks } from '../thinking-blocks.ts'
import { readAnthropicRejection } from './rejection.ts'

const UsageSchema = once(() =>
  z.object({
    input_tokens: CountSchema().nullish(),
    cache_read_input_tokens: CountSchema().nullish(),
    cache_creation_input_tokens: CountSchema().nullish(),
    cache_creation: z
      .object({
        ephemeral_5m_input_tokens: CountSchema().nullish(),
        ephemeral_1h_input_tokens: CountSchema().nullish(),
      })
      .nullish(),
    output_tokens: CountSchema().nullish(),
    output_tokens_details: z.object({ thinking_tokens: CountSchema().nullish() }).nullish(),
  }),
)

type AnthropicUsage = Infer<typeof UsageSchema>

/**
 * Creates the reader of an answer's usage, which a stream reports in parts. Anthropic's `input_tokens` excludes cache reads and
 * writes, so the three counts are disjoint. A stream's start has an output count that is only the beginning (`isStart`). It returns
 * null if no count can be read.
 */
export function createUsageReader(): (usage: unknown, isStart?: boolean) => Usage | null {
  const readReport = createReportReader(UsageSchema())
  let isOutputCounted = false
  return (report, isStart = false) => {
    const read = readReport(report)
    if (read === null) return null
    const { reported, unread } = read
    isOutputCounted ||= !isStart && isJsonObject(report) && typeof report['output_tokens'] === 'number'
    const isOutputUnread = !isOutputCounted || unread.has('output_tokens')
    const thought = reported.output_tokens_details?.thinking_tokens ?? 0
    const output = isOutputUnread ? Math.max(reported.output_tokens ?? 0, thought) : (reported.output_tokens ?? 0)
    const reasoning = Math.min(thought, output)
    return unlessEmpty({
      inputUncached: reported.input_tokens ?? 0,
      cacheRead: reported.cache_read_input_tokens ?? 0,
      ...readCacheWrites(reported),
      outputVisible: output - reasoning,
      reasoning,
      feesMicrousd: 0,
      ...unreadParts({ input: isInputUnread(reported, unread), output: isOutputUnread, details: unread.size > 0 }),
    })
  }
}

/** A count of the cache that is missing is zero; one that cannot be read is not. */
function isInputUnread(reported: AnthropicUsage, unread: ReadonlySet<string>): boolean {
  const { input_tokens: input, cache_read_input_tokens: read, cache_creation_input_tokens: written } = reported
  if (typeof input !== 'number' || (unread.has('cache_read_input_tokens') && typeof read !== 'number')) return true
  const isWrittenUnread = unread.has('cache_creation_input_tokens') || unread.has('cache_creation')
  return isWrittenUnread && typeof written !== 'number'
}

/** Splits cache writes by their duration. `cache_creation` also replaces the sum if that is missing. */
function readCacheWrites(usage: AnthropicUsage): Pick<Usage, 'cacheWrite' | 'cacheWriteHour'> {
  const { ephemeral_5m_input_tokens: minutes, ephemeral_1h_input_tokens: hour } = usage.cache_creation ?? {}
  const written = usage.cache_creation_input_tokens ?? (minutes ?? 0) + (hour ?? 0)
  const cacheWriteHour = Math.min(hour ?? 0, written)
  return { cacheWrite: written - cacheWriteHour, cacheWriteHour }
}

export const StopDetailsSchema = once(() =>
  z
    .object({ category: z.string().nullish().catch(null) })
    .nullish()
    .catch(null),
)

export type Stop = {
  readonly stop_reason?: string | null | undefined
  readonly stop_details?: Infer<typeof StopDetailsSchema>
}

/**
 * Categories of refusals before any output that are billed. Others are not, whatever their usage says. See
 * https://platform.claude.com/docs/en/build-with-claude/refusals-and-fallback#how-refusals-are-billed
 */
const BILLED_REFUSALS = new Set(['bio', 'frontier_llm', 'reasoning_extraction'])

/** @param hasOutput whether the answer has any block */
export const isUnbilled = ({ stop_reason: reason, stop_details: details }: Stop, hasOutput: boolean): boolean =>
  reason === 'refusal' && !hasOutput && !BILLED_REFUSALS.has(details?.category ?? '')

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  // Turns that are to be continued: the answer is not whole.
  ['compaction', 'length'],
  ['tool_use', 'tool_calls'],
])

/** Maps `refusal` and unknown reasons to `content_filter`: an answer with an unknown end is never reported as whole. */
export function readStopReason(reason: string | null | undefined, hasToolCalls: boolean): FinishReason {
  const known = finishReasons.get(reason ?? '') ?? 'content_filter'
  return known === 'tool_calls' && !hasToolCalls ? 'content_filter' : known
}

const ThinkingSchema = once(() =>
  z
    .object({ type: z.literal('thinking'), thinking: z.string().nullish(), signature: z.string().nullish() })
    .transform(({ type, thinking, signature }): { block: ThinkingBlock } => ({
      block: { type, thinking: thinking ?? '', signature: signature ?? '' },
    })),
)

const RedactedSchema = once(() =>
  z
    .object({ type: z.literal('redacted_thinking'), data: z.string() })
    .transform((block): { block: ThinkingBlock } => ({ block })),
)

const READ_BLOCKS: ReadonlySet<string> = new Set(['text', 'tool_use', 'thinking', 'redacted_thinking'])

const AnswerSchema = once(() =>
  z.object({
    id: z.string(),
    model: z.string(),
    content: z.array(
      z.union([
        z.object({ type: z.literal('text'), text: z.string() }),
        z
          .object({
            type: z.literal('tool_use'),
            id: z.string().nullish(),
            name: z.string(),
            input: z.looseObject({}).nullish(),
          })
          .transform(({ id, name, input }) => ({
            call: { id: id || null, name, arguments: JSON.stringify(input ?? {}) },
          })),
        ThinkingSchema(),
        RedactedSchema(),
        z.object({ type: z.string().refine((type) => !READ_BLOCKS.has(type)) }),
      ]),
    ),
    stop_reason: z.string().nullish(),
    stop_details: StopDetailsSchema(),
    usage: z.unknown().optional(),
  }),
)

const readUsageOrNone = (usage: unknown): Usage | null =>
  usage === undefined || usage === null ? null : createUsageReader()(usage)

function readThinking(content: Infer<typeof AnswerSchema>['content']): Pick<Choice, 'thinking' | 'thoughts'> {
  const blocks = createThinkingBlocks()
  const firstOutput = content.findIndex((part) => !('block' in part))
  for (const [index, part] of content.entries()) {
    if ('block' in part)
      blocks.add({ index, piece: part.block, isAfterOutput: firstOutput >= 0 && firstOutput < index })
  }
  return { thinking: blocks.blocks(), thoughts: blocks.all() }
}

const ErrorSchema = once(() => z.object({ type: z.literal('error') }))

/** @see https://platform.claude.com/docs/en/api/messages */
export function decodeAnthropic(body: unknown): DecodedAnswer {
  if (ErrorSchema().safeParse(body).success) {
    return { ok: false, failure: reportedFailure(body, readAnthropicRejection) }
  }
  const parsed = AnswerSchema().safeParse(body)
  if (!parsed.success)
    return { ok: false, failure: upstreamFailure('malformed'), usage: usageIn(body, readUsageOrNone) }
  const { id, model, content, stop_reason: reason, usage } = parsed.data
  const toolCalls = content
    .flatMap((block) => ('call' in block ? [block.call] : []))
    .map((call, at) => withCallId(call, id, 0, at))
  return {
    ok: true,
    answer: {
      id,
      model,
      choices: [
        {
          index: 0,
          text: content.map((block) => ('text' in block ? block.text : '')).join(''),
          refusal: null,
          toolCalls,
          ...readThinking(content),
          finishReason: readStopReason(reason, toolCalls.length > 0),
        },
      ],
      usage: isUnbilled(parsed.data, content.length > 0) ? NO_USAGE : readUsageOrNone(usage),
      citations: [],
    },
  }
}
