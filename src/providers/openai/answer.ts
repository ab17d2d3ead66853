// Decodes a whole chat completion of OpenAI, and of providers whose completions differ only in their leaves. The stream decoder
// shares the readers of usage, errors and finish reasons. Only members that we use are checked.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { DecodedAnswer } from '../provider.ts'
import {
  CountSchema,
  createReportReader,
  withCallId,
  unlessEmpty,
  usageFromTotals,
  usageIn,
  type FinishReason,
  type Usage,
} from '../chat-answer.ts'
import { reportedFailure, upstreamFailure } from '../failure.ts'
import type { ReadRejection } from '../rejection.ts'
import { readOpenAiRejection } from './rejection.ts'

const UsageSchema = once(() =>
  z.object({
    prompt_tokens: CountSchema().nullish(),
    completion_tokens: CountSchema().nullish(),
    prompt_tokens_details: z
      .object({ cached_tokens: CountSchema().nullish(), cache_write_tokens: CountSchema().nullish() })
      .nullish(),
    // Mistral's other names for the cached tokens.
    prompt_token_details: z.object({ cached_tokens: CountSchema().nullish() }).nullish(),
    num_cached_tokens: CountSchema().nullish(),
    completion_tokens_details: z.object({ reasoning_tokens: CountSchema().nullish() }).nullish(),
  }),
)

/** Creates the reader of an answer's usage, which a stream may report in parts. It returns null if no count can be read. */
export function createUsageReader(): (usage: unknown) => Usage | null {
  const readReport = createReportReader(UsageSchema())
  return (usage) => {
    const read = readReport(usage)
    if (read === null) return null
    const { reported, unread } = read
    const cached = [reported.prompt_tokens_details, reported.prompt_token_details].map((parts) => parts?.cached_tokens)
    return unlessEmpty(
      usageFromTotals({
        input: reported.prompt_tokens ?? 0,
        cacheRead: cached.find((count) => typeof count === 'number') ?? reported.num_cached_tokens ?? 0,
        cacheWrite: reported.prompt_tokens_details?.cache_write_tokens ?? 0,
        output: reported.completion_tokens ?? 0,
        reasoning: reported.completion_tokens_details?.reasoning_tokens ?? 0,
        isUnread: {
          input: typeof reported.prompt_tokens !== 'number',
          output: typeof reported.completion_tokens !== 'number' || unread.has('completion_tokens'),
          details: unread.size > 0,
        },
      }),
    )
  }
}

const readUsage = (usage: unknown): Usage | null => createUsageReader()(usage)

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
                    .object({
                      id: z.string().nullish(),
                      function: z.object({ name: z.string(), arguments: callArguments }),
                    })
                    .transform(({ id, function: { name, arguments: text } }) => ({
                      id: id || null,
                      name,
                      arguments: text || '{}',
                    })),
                  z
                    .object({
                      id: z.string().nullish(),
                      custom: z.object({ name: z.string(), input: z.string() }),
                    })
                    .transform(({ id, custom: { name, input } }) => ({
                      id: id || null,
                      name,
                      arguments: input,
                      isCustom: true as const,
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
  const responseId = id ?? crypto.randomUUID()
  return {
    ok: true,
    answer: {
      id: id ?? null,
      model: model ?? null,
      choices: choices.map(({ index, message, finish_reason: reason }) => ({
        index,
        text: message.content ?? '',
        refusal: message.refusal ?? null,
        toolCalls: (message.tool_calls ?? []).map((call, at) => withCallId(call, responseId, index, at)),
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
