// Builds the Response object around the output, for whole answers and streams. Also has its schema, and maps usage, finish reason
// and times to its members.
import * as z from 'zod'
import { once } from '../../../platform/once.ts'
import type { JsonObject } from '../../../platform/json.ts'
import { orNull } from '../../../platform/names.schema.ts'
import type { FinishReason } from '../../../providers/chat-answer.ts'
import type { AnsweredCall } from '../../call/answer-format.ts'
import { AqtaSchema } from '../../call/trace.ts'
import type { StandardUsage } from '../../stream/event-writer.ts'
import { echoMembers } from './request-echo.ts'

type State = {
  readonly model: string | null
  readonly output: readonly JsonObject[]
  /** Null while the answer is being written. */
  readonly finishReason: FinishReason | null
  /** Unix milliseconds. */
  readonly endedAt: number | null
  readonly usage: JsonObject | null
}

const responseId = ({ traceId }: AnsweredCall): string => `resp_${traceId.slice('tr_'.length)}`

/** Converts Unix milliseconds to Unix seconds. */
export const toSeconds = (milliseconds: number): number => Math.floor(milliseconds / 1000)

/**
 * @param echo the members that repeat the request
 * @see https://platform.openai.com/docs/api-reference/responses, and https://www.openresponses.org/specification
 */
export function responseObject(call: AnsweredCall, echo: JsonObject, state: State): JsonObject {
  const reason = incompleteReason(state.finishReason)
  const status = state.finishReason === null ? 'in_progress' : reason === null ? 'completed' : 'incomplete'
  return {
    id: responseId(call),
    object: 'response',
    created_at: toSeconds(call.startedAt),
    completed_at: status === 'completed' && state.endedAt !== null ? toSeconds(state.endedAt) : null,
    status,
    background: false,
    error: null,
    frequency_penalty: 0,
    incomplete_details: reason === null ? null : { reason },
    model: state.model ?? call.outline.model.id,
    output: state.output,
    presence_penalty: 0,
    previous_response_id: null,
    service_tier: 'default',
    store: false,
    top_logprobs: 0,
    truncation: 'disabled',
    ...echo,
    usage: state.usage,
  }
}

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

/** @param member has the text of the call */
const callItem = <Type extends string>(type: Type, member: string, id: string) =>
  z
    .looseObject({
      type: z.literal(type),
      id: z.string(),
      status: status(),
      call_id: z.string(),
      name: z.string(),
      namespace: z.string().optional(),
      [member]: z.string(),
    })
    .meta({ id })

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
    callItem('function_call', 'arguments', 'OutputFunctionCall'),
    callItem('custom_tool_call', 'input', 'OutputCustomToolCall'),
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
      completed_at: orNull(z.int()).meta({ description: 'Unix seconds. Null if the answer is incomplete.' }),
      status: status(),
      error: z.null(),
      incomplete_details: orNull(
        z.looseObject({ reason: z.enum(['max_output_tokens', 'content_filter']) }).meta({ id: 'IncompleteDetails' }),
      ),
      model: z.string().meta({ description: 'What answered, as its provider names it.' }),
      output: z.array(OutputItemSchema()),
      ...echoMembers(),
      frequency_penalty: z.literal(0),
      presence_penalty: z.literal(0),
      store: z.literal(false),
      usage: UsageSchema(),
      aqta: AqtaSchema(),
    })
    .meta({ id: 'Response' }),
)
