// A chat completion request as callers write it: OpenAI's fields, those that are translated or passed on. A member that
// is null counts as absent, as at OpenAI.
import { z } from '@hono/zod-openapi'
import { orNull } from '../../platform/nullable.schema.ts'
import { FUNCTION_NAME, messageSchema } from './chat-message.schema.ts'

const MAX_MESSAGES = 2_048
const MAX_TOOLS = 128

const schemaOfJson = z.record(z.string(), z.unknown()).openapi('JsonSchema', { description: 'A JSON Schema.' })

const toolSchema = z
  .strictObject({
    type: z.literal('function'),
    function: z
      .strictObject({
        name: z.string().regex(FUNCTION_NAME),
        description: z.string().nullish(),
        parameters: orNull(schemaOfJson).optional(),
        strict: z.boolean().nullish(),
      })
      .openapi('ToolFunction'),
  })
  .openapi('ChatTool')

const namedToolChoiceSchema = z
  .strictObject({
    type: z.literal('function'),
    function: z.strictObject({ name: z.string().regex(FUNCTION_NAME) }).openapi('NamedFunction'),
  })
  .openapi('NamedToolChoice')

const responseFormatSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('text') }).openapi('TextFormat'),
    z.strictObject({ type: z.literal('json_object') }).openapi('JsonObjectFormat'),
    z
      .strictObject({
        type: z.literal('json_schema'),
        json_schema: z
          .strictObject({
            name: z.string().regex(FUNCTION_NAME),
            description: z.string().nullish(),
            schema: schemaOfJson,
            strict: z.boolean().nullish(),
          })
          .openapi('NamedJsonSchema'),
      })
      .openapi('JsonSchemaFormat'),
  ])
  .openapi('ResponseFormat')

const penalty = z.number().min(-2).max(2).nullish()
const limit = z.int().min(1).nullish()

const logitBiasSchema = z
  .record(z.string(), z.number().min(-100).max(100))
  .refine((biases) => Object.keys(biases).every((token) => /^\d{1,7}$/.test(token)), 'token ids only')

/** The standard's parameters that only some models have; those that have them get them as they are. */
export const EXTRA_PARAMETERS = [
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'verbosity',
] as const

const extraParameters = {
  frequency_penalty: penalty,
  presence_penalty: penalty,
  logit_bias: logitBiasSchema.nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  verbosity: orNull(z.enum(['low', 'medium', 'high'])).optional(),
} satisfies Record<(typeof EXTRA_PARAMETERS)[number], z.ZodType>

export const chatRequestSchema = z
  .strictObject({
    model: z.string().min(1).openapi({ description: 'An id of GET /v1/models.', example: 'gpt-4.1-mini' }),
    messages: z.array(messageSchema).min(1).max(MAX_MESSAGES),
    temperature: z.number().min(0).max(2).nullish(),
    top_p: z.number().min(0).max(1).nullish(),
    max_tokens: limit.openapi({ description: 'The older name of max_completion_tokens; one of the two at most.' }),
    max_completion_tokens: limit,
    stream: z.boolean().nullish(),
    stream_options: z.strictObject({ include_usage: z.boolean().nullish() }).nullish(),
    stop: z.union([z.string().min(1), z.array(z.string().min(1)).max(16)]).nullish(),
    n: z.int().min(1).max(8).nullish(),
    seed: z.int().nullish(),
    user: z.string().min(1).max(256).nullish(),
    tools: z.array(toolSchema).min(1).max(MAX_TOOLS).nullish(),
    tool_choice: orNull(z.union([z.enum(['none', 'auto', 'required']), namedToolChoiceSchema])).optional(),
    parallel_tool_calls: z.boolean().nullish(),
    response_format: orNull(responseFormatSchema).optional(),
    reasoning_effort: orNull(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])).optional(),
    store: z
      .boolean()
      .refine((isStored) => !isStored, 'false')
      .nullish()
      .openapi({ description: 'False, or absent: nothing sent through here is stored at a provider.' }),
    ...extraParameters,
  })
  .openapi('ChatCompletionRequest')

export type WireRequest = z.infer<typeof chatRequestSchema>
