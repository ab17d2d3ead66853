// An Anthropic message, in one piece.
import { z } from 'zod'
import type { Decoded } from '../adapter.ts'
import type { FinishReason, Usage } from '../answer.ts'
import { upstreamFailure } from '../failure.ts'

const countSchema = z.int().min(0)

export const usageSchema = z.object({
  input_tokens: countSchema.nullish(),
  cache_read_input_tokens: countSchema.nullish(),
  cache_creation_input_tokens: countSchema.nullish(),
  cache_creation: z.object({ ephemeral_1h_input_tokens: countSchema.nullish() }).nullish(),
  output_tokens: countSchema.nullish(),
  output_tokens_details: z.object({ thinking_tokens: countSchema.nullish() }).nullish(),
})

export type AnthropicUsage = z.infer<typeof usageSchema>

/** Anthropic's `input_tokens` leaves cache reads and writes out, so the three stand side by side. */
export function readUsage(usage: AnthropicUsage): Usage {
  const output = usage.output_tokens ?? 0
  const reasoning = Math.min(usage.output_tokens_details?.thinking_tokens ?? 0, output)
  return {
    inputUncached: usage.input_tokens ?? 0,
    cacheRead: usage.cache_read_input_tokens ?? 0,
    ...readCacheWrites(usage),
    outputVisible: output - reasoning,
    reasoning,
    feesMicrousd: 0,
  }
}

/** `cache_creation` takes the sum apart by how long it is kept. */
function readCacheWrites(usage: AnthropicUsage): Pick<Usage, 'cacheWrite' | 'cacheWriteHour'> {
  const written = usage.cache_creation_input_tokens ?? 0
  const cacheWriteHour = Math.min(usage.cache_creation?.ephemeral_1h_input_tokens ?? 0, written)
  return { cacheWrite: written - cacheWriteHour, cacheWriteHour }
}

const finishReasons: ReadonlyMap<string, FinishReason> = new Map([
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
])

/** end_turn, stop_sequence, pause_turn and whatever comes are `stop`. */
export function readStopReason(reason: string | null | undefined): FinishReason {
  return finishReasons.get(reason ?? '') ?? 'stop'
}

const answerSchema = z.object({
  id: z.string(),
  model: z.string(),
  content: z.array(
    z.union([
      z.object({ type: z.literal('text'), text: z.string() }),
      z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.looseObject({}) }),
      z.object({ type: z.string().refine((type) => type !== 'text' && type !== 'tool_use') }),
    ]),
  ),
  stop_reason: z.string().nullish(),
  usage: usageSchema.nullish(),
})

export function decodeAnthropic(body: unknown): Decoded {
  if (z.object({ type: z.literal('error') }).safeParse(body).success) {
    return { ok: false, failure: upstreamFailure('error_event') }
  }
  const parsed = answerSchema.safeParse(body)
  if (!parsed.success) return { ok: false, failure: upstreamFailure('malformed') }
  const { id, model, content, stop_reason: reason, usage } = parsed.data
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
          toolCalls: content.flatMap((block) =>
            'input' in block ? [{ id: block.id, name: block.name, arguments: JSON.stringify(block.input) }] : [],
          ),
          finishReason: readStopReason(reason),
        },
      ],
      usage: usage ? readUsage(usage) : null,
      citations: [],
    },
  }
}
