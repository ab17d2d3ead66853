// Decodes OpenAI's chat completion in one piece. Members that we use are checked, the others are not.
import { z } from 'zod'
import type { Decoded } from '../adapter.ts'
import {
  CountSchema,
  FeesSchema,
  readReportedUsage,
  unreadPart,
  usageFromTotals,
  usageIn,
  type Citation,
  type FinishReason,
  type Usage,
} from '../answer.ts'
import { reportedFailure, upstreamFailure } from '../failure.ts'
import type { ToolCall } from '../request.ts'
import { readOpenAiRefusal } from './refusal.ts'

const UsageSchema = z.object({
  prompt_tokens: CountSchema,
  completion_tokens: CountSchema.nullish(),
  prompt_tokens_details: z
    .object({ cached_tokens: CountSchema.nullish(), cache_write_tokens: CountSchema.nullish() })
    .nullish(),
  completion_tokens_details: z.object({ reasoning_tokens: CountSchema.nullish() }).nullish(),
  /** Perplexity: fees per request, in dollars, outside the tokens. */
  cost: z.object({ request_cost: FeesSchema.nullish() }).nullish(),
})

/** Returns null if the input count is missing or cannot be read. */
export function readUsage(usage: unknown): Usage | null {
  const read = readReportedUsage(UsageSchema, usage)
  if (read === null) return null
  const { reported } = read
  const isOutputReported = typeof reported.completion_tokens === 'number'
  return usageFromTotals({
    input: reported.prompt_tokens,
    cacheRead: reported.prompt_tokens_details?.cached_tokens ?? 0,
    cacheWrite: reported.prompt_tokens_details?.cache_write_tokens ?? 0,
    output: reported.completion_tokens ?? 0,
    reasoning: reported.completion_tokens_details?.reasoning_tokens ?? 0,
    feesMicrousd: Math.round((reported.cost?.request_cost ?? 0) * 1_000_000),
    ...(isOutputReported ? unreadPart(read.unread, []) : { unread: 'output' }),
  })
}

export const SearchResultsSchema = z
  .array(z.object({ url: z.string(), title: z.string().nullish() }))
  .transform((results): Citation[] => results.map(({ url, title }) => ({ url, title: title ?? null })))

const AnswerSchema = z.object({
  id: z.string().nullish(),
  model: z.string().nullish(),
  choices: z
    .array(
      z.object({
        index: CountSchema,
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
  search_results: SearchResultsSchema.nullish(),
})

const ErrorSchema = z.object({ error: z.union([z.string().min(1), z.looseObject({})]) })

/**
 * Returns true if a body or a chunk reports an error inside a 200. The schema is used only if there is an `error`, because a
 * failing parse costs more than a passing one.
 */
export const reportsError = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'error' in body && ErrorSchema.safeParse(body).success

/** @param lenient accepts an empty finish reason, as in `readFinishReason` */
export function decodeChatCompletion(body: unknown, { lenient }: { lenient: boolean }): Decoded {
  if (reportsError(body)) return { ok: false, failure: reportedFailure(body, readOpenAiRefusal) }
  const parsed = AnswerSchema.safeParse(body)
  if (!parsed.success) return { ok: false, failure: upstreamFailure('malformed'), usage: usageIn(body, readUsage) }
  const { id, model, choices, usage, search_results: citations } = parsed.data
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
        finishReason: readFinishReason(reason, { hasToolCalls: (message.tool_calls ?? []).length > 0, lenient }),
      })),
      usage: readUsage(usage),
      citations: citations ?? [],
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
 *
 * @param answered.lenient derives an empty reason from the answer: Perplexity's older dialect always sends ""
 */
export function readFinishReason(
  reason: string | null | undefined,
  answered: { hasToolCalls: boolean; lenient: boolean },
): FinishReason {
  if (answered.lenient && !reason) return answered.hasToolCalls ? 'tool_calls' : 'stop'
  return finishReasons.get(reason ?? '') ?? 'content_filter'
}
