// The Response object: what stands around the output, whole or in a stream.
import type { FinishReason } from '../../providers/answer.ts'
import type { JsonObject } from '../../platform/json-object.ts'
import type { AnsweredCall } from '../call/answer-form.ts'
import type { StandardUsage } from '../stream/event-writer.ts'

/** What of the request is repeated: numbers and words of the format's own. What a caller wrote is not kept that long. */
export type Echo = {
  readonly maxOutputTokens: number | null
  readonly temperature: number
  readonly topP: number
  readonly parallelToolCalls: boolean
  readonly toolChoice: 'none' | 'auto' | 'required'
  readonly format: 'text' | 'json_object' | 'json_schema'
  readonly verbosity: string | null
  readonly effort: string | null
  readonly summary: string | null
  /** Whether it is to be told how much of an earlier prompt was kept, which nobody knows here. */
  readonly comparesCaches: boolean
}

type State = {
  readonly model: string | null
  readonly output: readonly JsonObject[]
  /** null while it is being written. */
  readonly finishReason: FinishReason | null
  readonly usage: JsonObject | null
}

export const responseId = ({ traceId }: AnsweredCall): string => `resp_${traceId.slice('tr_'.length)}`

/** Unix seconds. */
export const createdAtOf = ({ startedAt }: AnsweredCall): number => Math.floor(startedAt / 1000)

export function responseObject(call: AnsweredCall, echo: Echo, state: State): JsonObject {
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
const presentFormat = ({ format, verbosity }: Echo): JsonObject =>
  format === 'json_schema' ? {} : { text: { format: { type: format }, ...(verbosity === null ? {} : { verbosity }) } }

export function incompleteReason(finishReason: FinishReason | null): 'max_output_tokens' | 'content_filter' | null {
  if (finishReason === 'length') return 'max_output_tokens'
  return finishReason === 'content_filter' ? 'content_filter' : null
}

/** The counts of a chat completion, by their names here. */
export const responseUsage = (usage: StandardUsage): JsonObject => ({
  input_tokens: usage.prompt_tokens,
  input_tokens_details: usage.prompt_tokens_details,
  output_tokens: usage.completion_tokens,
  output_tokens_details: usage.completion_tokens_details,
  total_tokens: usage.total_tokens,
})
