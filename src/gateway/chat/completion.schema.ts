// What a chat completion is answered with, for the OpenAPI document. A provider that speaks the standard itself may
// send members beyond these.
import { z } from '@hono/zod-openapi'
import { AqtaSchema } from '../call/aqta.schema.ts'

const tokens = z.int().nonnegative()

const GoogleSchema = z
  .looseObject({ thought_signature: z.string() })
  .openapi({ description: 'Gemini’s thought signature.' })

const ToolCallAnswerSchema = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
  extra_content: z.looseObject({ google: GoogleSchema }).optional().openapi({
    description: 'To be sent back with the call.',
  }),
})

const ThinkingBlockSchema = z.looseObject({
  index: z.int().nonnegative(),
  type: z.enum(['thinking', 'redacted_thinking']),
  thinking: z.string().optional(),
  signature: z.string().optional(),
  data: z.string().optional().openapi({ description: 'Of a `redacted_thinking` block, which has nothing else.' }),
})

const ReasoningSchema = z
  .looseObject({
    anthropic: z.looseObject({ thinking_blocks: z.array(ThinkingBlockSchema) }).optional(),
    google: GoogleSchema.optional(),
  })
  .openapi({
    description:
      'To be sent back with the message, as it is. In a stream it comes in one delta, before the finish reason.',
  })

const UsageSchema = z
  .looseObject({
    prompt_tokens: tokens,
    completion_tokens: tokens,
    total_tokens: tokens,
    prompt_tokens_details: z.looseObject({ cached_tokens: tokens, cache_write_tokens: tokens.optional() }).optional(),
    completion_tokens_details: z.looseObject({ reasoning_tokens: tokens }).optional(),
  })
  .openapi('CompletionUsage')

const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'] as const

export const ChatCompletionSchema = z
  .looseObject({
    id: z.string(),
    object: z.literal('chat.completion'),
    created: z.int().openapi({ description: 'Unix seconds.' }),
    model: z.string().openapi({ description: 'What answered, as its provider names it.' }),
    choices: z
      .array(
        z.looseObject({
          index: z.int().nonnegative(),
          message: z.looseObject({
            role: z.literal('assistant'),
            content: z.string().nullable(),
            refusal: z.string().nullable().optional(),
            tool_calls: z.array(ToolCallAnswerSchema).optional(),
            function_call: z
              .looseObject({ name: z.string(), arguments: z.string() })
              .nullish()
              .openapi({ description: 'In the place of tool_calls where the request has functions.' }),
            extra_content: ReasoningSchema.optional(),
          }),
          finish_reason: z.enum(FINISH_REASONS).openapi({
            description: '`content_filter` also where the provider ended for a reason that has no name here.',
          }),
        }),
      )
      .min(1),
    usage: UsageSchema,
    citations: z.array(z.string()).optional().openapi({ description: 'Pages a searching model used.' }),
    search_results: z.array(z.looseObject({ url: z.string(), title: z.string().nullable() })).optional(),
    aqta: AqtaSchema,
  })
  .openapi('ChatCompletion')
