// Decodes a whole chat completion of OpenAI, and of providers whose completions differ only in their leaves. The stream decoder
// shares the readers of usage, errors and finish reasons. Only members that we use are checked.
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
import type { ReadRejection } from '../rejection.ts'
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

/** Reads a text. Providers differ in the forms that it may have. */
export type TextSchema = z.ZodType<string | null | undefined>

/** Returns the schema of a completion. The parameters read the content of a message and the arguments of a call. */
export const completionSchema = (content: TextSchema, callArguments: TextSchema) =>
  z.object({
    id: z.string().nullish(),
    model: z.string().nullish(),
    choices: z
      .array(
        z.object({
          index: CountSchema(),
          message: z.object({
            content,
            refusal: z.string().nullish(),
            tool_calls: z
              .array(
                z.union([
                  z
                    .object({ id: z.string(), function: z.object({ name: z.string(), arguments: callArguments }) })
                    .transform(({ id, function: { name, arguments: text } }): ToolCall => ({
                      id,
                      name,
                      arguments: text || '{}',
                    })),
                  z
                    .object({ id: z.string(), custom: z.object({ name: z.string(), input: z.string() }) })
                    .transform(({ id, custom: { name, input } }): ToolCall => ({
                      id,
                      name,
                      arguments: input,
                      isCustom: true,
                    })),
                ]),
              )
              .nullish(),
          }),
          finish_reason: z.string().nullish(),
        }),
      )
      .min(1),
    usage: z.unknown().optional(),
  })

/** Compiled while the Worker starts, because later the runtime takes no new code. Where it takes none at all, zod reads it as it is. */
const AnswerSchema = z.compile(completionSchema(z.string().nullish(), z.string().nullish()))

/** How a provider's completions, or the chunks of its streams, are parsed and its errors read. */
export type ChatReaders<Body> = {
  readonly parse: (body: unknown) => z.ZodSafeParseResult<Body>
  readonly reportsError: (body: unknown) => boolean
  readonly readRejection: ReadRejection
}

const ErrorSchema = once(() => z.object({ error: z.union([z.string().min(1), z.looseObject({})]) }))

/**
 * Returns true if a body or a chunk reports an error inside a 200. The schema is used only if there is an `error`, because a
 * failing parse costs more than a passing one.
 */
export const reportsError = (body: unknown): boolean =>
  typeof body === 'object' && body !== null && 'error' in body && ErrorSchema().safeParse(body).success

/** @see https://platform.openai.com/docs/api-reference/chat */
export const decodeChatCompletion = (body: unknown): DecodedAnswer =>
  decodeCompletion(body, {
    parse: (json) => AnswerSchema.safeParse(json),
    reportsError,
    readRejection: readOpenAiRejection,
  })

export function decodeCompletion(body: unknown, readers: ChatReaders<z.infer<typeof AnswerSchema>>): DecodedAnswer {
  if (readers.reportsError(body)) return { ok: false, failure: reportedFailure(body, readers.readRejection) }
  const parsed = readers.parse(body)
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
  ['model_length', 'length'], // Mistral's
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
