// Schema of a chat completion request: OpenAI's members that are translated, passed on, or accepted only with their default. A null
// member counts as absent, as at OpenAI.
import * as z from 'zod'
import { once, type Infer } from '../../../platform/once.ts'
import { orNull } from '../../../platform/names.schema.ts'
import { cacheControl, FunctionNameSchema, ignored, MessageSchema } from './chat-message.schema.ts'

const MOST_OTHER_MODELS = 4

export const OtherModelsSchema = once(() =>
  z
    .array(z.string().min(1).max(100))
    .max(MOST_OTHER_MODELS)
    .nullish()
    .meta({
      description:
        'Models that are asked in this order if the model before certainly did nothing: it was not reached, busy, or refused this service’s key. Each must take the request as it is. Models that the organisation may not use are left out.',
      example: ['claude-haiku-5-5'],
    }),
)

const MAX_MESSAGES = 2_048
const MAX_TOOLS = 128

export const schemaOfJson = once(() =>
  z.record(z.string(), z.unknown()).meta({ id: 'JsonSchema', description: 'A JSON Schema.' }),
)

/** Agno's own notes on a function: whether it asks a person first, and who runs it. */
const AGENT_NOTES = once(() => ({
  requires_confirmation: ignored(),
  external_execution: ignored(),
  approval_type: ignored(),
}))

const ToolSchema = once(() =>
  z
    .strictObject({
      type: z.literal('function'),
      function: z
        .strictObject({
          name: FunctionNameSchema(),
          description: z.string().nullish(),
          parameters: orNull(schemaOfJson()).optional(),
          strict: z.boolean().nullish(),
          ...AGENT_NOTES(),
        })
        .meta({ id: 'ToolFunction' }),
      cache_control: cacheControl(),
    })
    .meta({ id: 'ChatTool' }),
)

const NamedToolSchema = once(() =>
  z
    .strictObject({
      type: z.literal('function'),
      function: z.strictObject({ name: FunctionNameSchema() }).meta({ id: 'NamedFunction' }),
    })
    .meta({ id: 'NamedToolChoice' }),
)

const AllowedToolsSchema = once(() =>
  z
    .strictObject({
      type: z.literal('allowed_tools'),
      allowed_tools: z
        .strictObject({ mode: z.enum(['auto', 'required']), tools: z.array(NamedToolSchema()).min(1).max(MAX_TOOLS) })
        .meta({ id: 'AllowedTools' }),
    })
    .meta({ id: 'AllowedToolsChoice' }),
)

const ToolChoiceSchema = once(() =>
  z.union([
    z.enum(['none', 'auto', 'required']),
    z.discriminatedUnion('type', [NamedToolSchema(), AllowedToolsSchema()]),
  ]),
)

const ResponseFormatSchema = once(() =>
  z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text') }).meta({ id: 'TextFormat' }),
      z.strictObject({ type: z.literal('json_object') }).meta({ id: 'JsonObjectFormat' }),
      z
        .strictObject({
          type: z.literal('json_schema'),
          json_schema: z
            .strictObject({
              name: FunctionNameSchema(),
              description: z.string().nullish(),
              schema: schemaOfJson(),
              strict: z.boolean().nullish(),
            })
            .meta({ id: 'NamedJsonSchema' }),
        })
        .meta({ id: 'JsonSchemaFormat' }),
    ])
    .meta({ id: 'ResponseFormat' }),
)

const penalty = once(() => z.number().min(-2).max(2).nullish())

export const TemperatureSchema = once(() =>
  z
    .number()
    .min(0)
    .max(2)
    .nullish()
    .meta({ description: 'A higher number makes the answer less predictable. Some models do not take it.' }),
)

export const TopPSchema = once(() =>
  z.number().min(0).max(1).nullish().meta({
    description:
      'Only the most likely tokens are chosen from, up to this share of probability. Some models do not take it.',
  }),
)

export const OutputLimitSchema = once(() =>
  z.int().min(1).nullish().meta({
    description:
      'The most output tokens of each choice. Without it, the organisation’s setting holds (`default_max_tokens`).',
  }),
)

export const StreamSchema = once(() =>
  z
    .boolean()
    .nullish()
    .meta({ description: 'True: the answer comes as server-sent events while the model writes it.' }),
)

export const paddingMember = once(() =>
  orNull(z.literal(false)).optional().meta({ description: 'False: nothing is padded.' }),
)

export const ParallelToolCallsSchema = once(() =>
  z.boolean().nullish().meta({ description: 'False: the answer has at most one tool call.' }),
)

const LogitBiasSchema = once(() =>
  z
    .record(z.string(), z.number().min(-100).max(100))
    .refine(
      (biases) => Object.keys(biases).every((token) => /^\d{1,7}$/.test(token)),
      'expected ids of tokens as names',
    ),
)

/** Parameters of the standard that only some models have. Those models receive them unchanged. */
export const EXTRA_PARAMETERS = [
  'frequency_penalty',
  'presence_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'verbosity',
] as const

const extraParameters = once(
  () =>
    ({
      frequency_penalty: penalty().meta({
        description:
          'Above 0, a token becomes less likely with each time that it was written. Some models do not take it.',
      }),
      presence_penalty: penalty().meta({
        description: 'Above 0, a token that was written once becomes less likely. Some models do not take it.',
      }),
      logit_bias: LogitBiasSchema().nullish().meta({
        description: 'Makes tokens more or less likely: their ids, each with a number. Most models refuse it.',
      }),
      logprobs: z
        .boolean()
        .nullish()
        .meta({ description: 'True: the answer has the log probability of each token. Some models refuse it.' }),
      top_logprobs: z
        .int()
        .min(0)
        .max(20)
        .nullish()
        .meta({ description: 'How many alternatives each token has. Only together with `logprobs`.' }),
      verbosity: orNull(z.enum(['low', 'medium', 'high']))
        .optional()
        .meta({ description: 'How long the answer is. Some models refuse it.' }),
    }) satisfies Record<(typeof EXTRA_PARAMETERS)[number], z.ZodType>,
)

export const CacheKeySchema = once(() =>
  z.string().max(256).nullish().meta({
    description: 'Keeps prompts together at OpenAI, apart from those of others. Other providers have no use for it.',
  }),
)

export const UserSchema = once(() =>
  z.string().max(256).nullish().meta({
    description: 'Your id of the end user. OpenAI and Anthropic get it. An empty text counts as absent.',
  }),
)

export const SafetyIdentifierSchema = once(() =>
  z.string().max(256).nullish().meta({
    description: 'The newer name of `user`. If both are there, this one is sent.',
  }),
)

const StreamOptionsSchema = once(() =>
  z.strictObject({
    include_usage: z
      .boolean()
      .nullish()
      .meta({ description: 'True: a last chunk has the tokens of the call. Only together with `stream`.' }),
    include_obfuscation: paddingMember(),
  }),
)

const searchPlace = once(() => z.string().min(1).max(100).nullish())

const WebSearchSchema = once(() =>
  z
    .strictObject({
      search_context_size: orNull(z.enum(['low', 'medium', 'high'])).optional(),
      user_location: orNull(
        z
          .strictObject({
            type: z.literal('approximate'),
            approximate: z
              .strictObject({
                country: searchPlace(),
                city: searchPlace(),
                region: searchPlace(),
                timezone: searchPlace(),
              })
              .meta({ id: 'ApproximateLocation' }),
          })
          .meta({ id: 'UserLocation' }),
      ).optional(),
    })
    .meta({
      id: 'WebSearchOptions',
      description: 'For models that search the web: how much they read, and from where. Other models refuse it.',
    }),
)

const MAX_FUNCTIONS = 128

const LegacyFunctionSchema = once(() =>
  z
    .strictObject({
      name: FunctionNameSchema(),
      description: z.string().nullish(),
      parameters: orNull(z.record(z.string(), z.unknown())).optional(),
    })
    .meta({ id: 'LegacyFunction' }),
)

/** The older form of tools. Its answer has a function_call. */
const legacyParameters = once(() => ({
  functions: z
    .array(LegacyFunctionSchema())
    .max(MAX_FUNCTIONS)
    .nullish()
    .meta({ description: 'The older form of `tools`. Send only one of them.' }),
  function_call: orNull(
    z.union([
      z.enum(['none', 'auto']),
      z.strictObject({ name: FunctionNameSchema() }).meta({ id: 'NamedLegacyFunction' }),
    ]),
  )
    .optional()
    .meta({ description: 'The older form of `tool_choice`. Only together with `functions`.' }),
}))

const absent = (rule: string) =>
  z
    .null(rule)
    .optional()
    .meta({ description: `Null, or absent: ${rule}.` })

export const MetadataSchema = once(() =>
  z
    .record(z.string(), z.unknown())
    .nullish()
    .meta({ description: 'Accepted and not sent to the provider, because nothing is stored that it could describe.' }),
)

/** Parameters that are accepted only with their default, because some clients always send them. */
const neutralParameters = once(() => ({
  store: orNull(z.literal(false, 'expected false: nothing sent through here is stored at a provider'))
    .optional()
    .meta({ description: 'False, or absent: nothing sent through here is stored at a provider.' }),
  metadata: MetadataSchema(),
  modalities: z
    .array(z.literal('text', 'expected text: no model here answers in another form'))
    .max(1)
    .nullish()
    .meta({ description: 'Only text.' }),
  service_tier: orNull(z.enum(['auto', 'default']))
    .optional()
    .meta({ description: 'Only the provider’s usual service.' }),
  prediction: absent('no predicted output is taken'),
  audio: absent('no model here answers in audio'),
  prompt_cache_retention: absent('what a provider keeps is marked with cache_control, where it is not its own choice'),
  reasoning: absent('send reasoning_effort in its place'),
  thinking: absent('send reasoning_effort in its place'),
  moderation: absent('nothing is moderated here beyond what a provider does by itself'),
}))

export const ChatRequestSchema = once(() =>
  z
    .strictObject({
      model: z.string().min(1).meta({
        description: 'An id of GET /v1/models, also dated or with its owner before it.',
        example: 'gpt-4.1-mini',
      }),
      models: OtherModelsSchema(),
      messages: z
        .array(MessageSchema())
        .min(1)
        .max(MAX_MESSAGES)
        .meta({
          description: 'The conversation, oldest message first.',
          example: [{ role: 'user', content: 'Name three colours.' }],
        }),
      temperature: TemperatureSchema(),
      top_p: TopPSchema(),
      max_tokens: OutputLimitSchema().meta({
        description: 'The older name of `max_completion_tokens`. If both are there, they must be equal.',
      }),
      max_completion_tokens: OutputLimitSchema(),
      stream: StreamSchema(),
      stream_options: StreamOptionsSchema().nullish().meta({ description: 'What a stream has beside the answer.' }),
      stop: z
        .union([z.string().min(1), z.array(z.string().min(1)).max(16)])
        .nullish()
        .meta({
          description: 'The answer ends before the first of these texts. How many are allowed depends on the model.',
        }),
      n: z
        .int()
        .min(1)
        .max(8)
        .nullish()
        .meta({ description: 'How many choices the answer has. Most models allow only 1.' }),
      seed: z
        .int()
        .nullish()
        .meta({ description: 'The same seed makes the same answer more likely. Some models do not take it.' }),
      user: UserSchema(),
      safety_identifier: SafetyIdentifierSchema(),
      prompt_cache_key: CacheKeySchema(),
      tools: z
        .array(ToolSchema())
        .max(MAX_TOOLS)
        .nullish()
        .meta({ description: 'Functions that the model may call. You run them, and send the results as messages.' }),
      tool_choice: orNull(ToolChoiceSchema())
        .optional()
        .meta({ description: 'Whether the model may, must or must not call a tool, or which ones it may call.' }),
      parallel_tool_calls: ParallelToolCallsSchema(),
      response_format: orNull(ResponseFormatSchema())
        .optional()
        .meta({ description: 'Text, any JSON object, or JSON by a schema. A model refuses what it does not support.' }),
      reasoning_effort: orNull(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']))
        .optional()
        .meta({
          description: 'How much the model reasons before it answers. Which values are allowed depends on the model.',
        }),
      web_search_options: WebSearchSchema().nullish(),
      ...extraParameters(),
      ...legacyParameters(),
      ...neutralParameters(),
    })
    .meta({ id: 'ChatCompletionRequest' }),
)

export type WireChatRequest = Infer<typeof ChatRequestSchema>
