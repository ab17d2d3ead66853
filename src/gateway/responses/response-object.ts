// Builds the Response object around the output, for whole answers and streams. Also has its schema, and maps usage, finish reason
// and start time to its members.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import type { JsonObject } from '../../platform/json.ts'
import { orNull } from '../../platform/names.schema.ts'
import type { FinishReason } from '../../providers/chat-answer.ts'
import type { AnsweredCall } from '../call/answer-format.ts'
import { AqtaSchema } from '../call/trace.ts'
import type { StandardUsage } from '../stream/event-writer.ts'

/** The request's numbers and fixed words that the answer repeats. The caller's text is not stored until then. */
export type RequestEcho = {
  readonly maxOutputTokens: number | null
  readonly temperature: number
  readonly topP: number
  readonly parallelToolCalls: boolean
  readonly toolChoice: 'none' | 'auto' | 'required'
  readonly format: 'text' | 'json_object' | 'json_schema'
  readonly verbosity: string | null
  readonly effort: string | null
  readonly summary: string | null
  /** True if the caller asks how much of an earlier prompt was cached, which is not known here. */
  readonly comparesCaches: boolean
}

type State = {
  readonly model: string | null
  readonly output: readonly JsonObject[]
  /** Null while the answer is being written. */
  readonly finishReason: FinishReason | null
  readonly usage: JsonObject | null
}

const responseId = ({ traceId }: AnsweredCall): string => `resp_${traceId.slice('tr_'.length)}`

/** Returns Unix seconds. */
export const createdAtOf = ({ startedAt }: AnsweredCall): number => Math.floor(startedAt / 1000)

/** @see https://platform.openai.com/docs/api-reference/responses */
export function responseObject(call: AnsweredCall, echo: RequestEcho, state: State): JsonObject {
  const reason = incompleteReason(state.finishReason)
  const status = state.finishReason === null ? 'in_progress' : reason === null ? 'completed' : 'incomplete'
  return {
    id: responseId(call),
    object: 'response',
    created_at: createdAtOf(call),
    status,
    background: false,
    error: null,
    incomplete_details: reason === null ? null : { reason },
    instructions: null,
    max_output_tokens: echo.maxOutputTokens,
    max_tool_calls: null,
    metadata: {},
    model: state.model ?? call.outline.model.id,
    output: state.output,
    parallel_tool_calls: echo.parallelToolCalls,
    previous_response_id: null,
    ...(echo.comparesCaches ? { prompt_cache_diagnostics: { type: 'unavailable' } } : {}),
    reasoning: { effort: echo.effort, summary: echo.summary },
    service_tier: 'default',
    store: false,
    temperature: echo.temperature,
    ...presentFormat(echo),
    tool_choice: echo.toolChoice,
    tools: [],
    top_logprobs: 0,
    top_p: echo.topP,
    truncation: 'disabled',
    usage: state.usage,
    user: null,
  }
}

/** A format with a schema would have to repeat the schema, so it is not repeated at all. */
const presentFormat = ({ format, verbosity }: RequestEcho): JsonObject =>
  format === 'json_schema' ? {} : { text: { format: { type: format }, ...(verbosity === null ? {} : { verbosity }) } }

export function incompleteReason(finishReason: FinishReason | null): 'max_output_tokens' | 'content_filter' | null {
  if (finishReason === 'length') return 'max_output_tokens'
  return finishReason === 'content_filter' ? 'content_filter' : null
}

/** Renames the counts of a chat completion. */
export const responseUsage = (usage: StandardUsage): JsonObject => ({
  input_tokens: usage.prompt_tokens,
  input_tokens_details: usage.prompt_tokens_details,
  output_tokens: usage.completion_tokens,
  output_tokens_details: usage.completion_tokens_details,
  total_tokens: usage.total_tokens,
})

const tokens = once(() => z.int().nonnegative())
const status = once(() => z.enum(['completed', 'incomplete']))

const OutputItemSchema = once(() =>
  z.discriminatedUnion('type', [
    z
      .looseObject({
        type: z.literal('message'),
        id: z.string(),
        status: status(),
        role: z.literal('assistant'),
        content: z.array(
          z.discriminatedUnion('type', [
            z
              .looseObject({
                type: z.literal('output_text'),
                text: z.string(),
                annotations: z.array(
                  z
                    .looseObject({
                      type: z.literal('url_citation'),
                      url: z.string(),
                      title: z.string(),
                      start_index: z.int(),
                      end_index: z.int(),
                    })
                    .meta({
                      id: 'UrlCitation',
                      description: 'A page that a searching model used, for its whole text.',
                    }),
                ),
              })
              .meta({ id: 'OutputText' }),
            z.looseObject({ type: z.literal('refusal'), refusal: z.string() }).meta({ id: 'OutputRefusal' }),
          ]),
        ),
      })
      .meta({ id: 'OutputMessage' }),
    z
      .looseObject({
        type: z.literal('function_call'),
        id: z.string(),
        status: status(),
        call_id: z.string(),
        name: z.string(),
        arguments: z.string(),
      })
      .meta({ id: 'OutputFunctionCall' }),
    z
      .looseObject({
        type: z.literal('reasoning'),
        id: z.string(),
        status: status(),
        summary: z.array(z.looseObject({ type: z.literal('summary_text'), text: z.string() })),
        encrypted_content: z.string().optional(),
      })
      .meta({ id: 'OutputReasoning', description: 'To be sent back as it is. There where include asks for it.' }),
  ]),
)

const UsageSchema = once(() =>
  z
    .looseObject({
      input_tokens: tokens(),
      input_tokens_details: z.looseObject({ cached_tokens: tokens(), cache_write_tokens: tokens() }),
      output_tokens: tokens(),
      output_tokens_details: z.looseObject({ reasoning_tokens: tokens() }),
      total_tokens: tokens(),
    })
    .meta({ id: 'ResponseUsage' }),
)

export const ResponseSchema = once(() =>
  z
    .looseObject({
      id: z.string(),
      object: z.literal('response'),
      created_at: z.int().meta({ description: 'Unix seconds.' }),
      status: status(),
      error: z.null(),
      incomplete_details: orNull(
        z.looseObject({ reason: z.enum(['max_output_tokens', 'content_filter']) }).meta({ id: 'IncompleteDetails' }),
      ),
      model: z.string().meta({ description: 'What answered, as its provider names it.' }),
      output: z.array(OutputItemSchema()),
      instructions: z.null().meta({ description: 'What a caller wrote is not repeated.' }),
      tools: z.array(z.unknown()).max(0).meta({ description: 'Not repeated: empty.' }),
      tool_choice: z.enum(['none', 'auto', 'required']),
      parallel_tool_calls: z.boolean(),
      store: z.literal(false),
      usage: UsageSchema(),
      aqta: AqtaSchema(),
    })
    .meta({ id: 'Response' }),
)
