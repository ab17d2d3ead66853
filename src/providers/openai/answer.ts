// Decodes a whole chat completion of OpenAI. The stream decoder shares the readers of usage, errors and finish reasons. Only
// members that we use are checked.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { DecodedAnswer } from '../adapter.ts'
import {
  CountSchema,
  readReportedUsage,
  unreadPart,
  usageFromTotals,
  usageIn,
  type FinishReason,
  type Usage,
} from '../chat-answer.ts'
import { reportedFailure, upstreamFailure } from '../failure.ts'
import type { ToolCall } from '../chat-request.ts'
import { readOpenAiRejection } from './rejection.ts'

const UsageSchema = once(() =>
  z.object({
    prompt_tokens: CountSchema(),
    completion_tokens: CountSchema().nullish(),
    prompt_tokens_details: z
      .object({ cached_tokens: CountSchema().nullish(), cache_write_tokens: CountSchema().nullish() })
      .nullish(),
    completion_tokens_details: z.object({ reasoning_tokens: CountSchema().nullish() }).nullish(),
  }),
)

/** Returns null if the input count is missing or cannot be read. */
export function readUsage(usage: unknown): Usage | null {
  const read = readReportedUsage(UsageSchema(), usage)
  if (read === null) return null
  const { reported } = read
  const isOutputReported = typeof reported.completion_tokens === 'number'
  return usageFromTotals({
    input: reported.prompt_tokens,
    cacheRead: reported.prompt_tokens_details?.cached_tokens ?? 0,
    cacheWrite: reported.prompt_tokens_details?.cache_write_tokens ?? 0,
    output: reported.completion_tokens ?? 0,
    reasoning: reported.completion_tokens_details?.reasoning_tokens ?? 0,
    ...(isOutputReported ? unreadPart(read.unread, []) : { unread: 'output' }),
  })
}

/** Compiled while the Worker starts, because later the runtime takes no new code. Where it takes none at all, zod reads it as it is. */
const AnswerSchema = z.compile(
  z.object({
    id: z.string().nullish(),
    model: z.string().nullish(),
    choices: z
      .array(
        z.object({
          index: CountSchema(),
          message: z.object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            tool_calls: z
              .array(
                z
                  .object({ id: z.string(), function: z.object({ name: z.string(), arguments: z.string().nullish() }) })
                  .transform(({ id, function: { name, arguments: text } }): ToolCall => ({
                    id,
                    name,
                    arguments: text || '{}',
                  })),
              )
              .nullish(),
          }),
          finish_reason: z.string().nullish(),
        }),
      )
      .min(1),
    usage: z.unknown().optional(),
  }),
)

const ErrorSchema = once(() => z.object({ error: z.union([z.string().min(1), z.looseObject({})]) }))

/**
 * Returns true if a body or a chunk reports an error inside a 200. The schema is used only if there is an `error`, because a
 * failing parse costs more than a passing one.
 */
export const reportsError = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'error' in body && ErrorSchema().safeParse(body).success

/** @see https://platform.openai.com/docs/api-reference/chat */
export function decodeChatCompletion(body: unknown): DecodedAnswer {
  if (reportsError(body)) return { ok: false, failure: reportedFailure(body, readOpenAiRejection) }
  const parsed = AnswerSchema.safeParse(body)
  if (!parsed.success) return { ok: false, failure: upstreamFailure('malformed'), usage: usageIn(body, readUsage) }
  const { id, model, choices, usage } = parsed.data
  return {
    ok: true,
    answer: {
      id: id ?? null,
      model: model ?? null,
      choices: choices.map(({ index, message, finish_reason: reason }) => ({
        index,
        text: message.content ?? '',
        refusal: message.refusal ?? null,
        toolCalls: message.tool_calls ?? [],
        finishReason: readFinishReason(reason),
      })),
      usage: readUsage(usage),
      citations: [],
    },
  }
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['content_filter', 'content_filter'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
])

/**
 * Returns one of the standard's reasons. An unknown or missing one is `content_filter`, so that an answer with an unknown end is
 * never reported as whole.
 */
export const readFinishReason = (reason: string | null | undefined): FinishReason =>
  finishReasons.get(reason ?? '') ?? 'content_filter'
