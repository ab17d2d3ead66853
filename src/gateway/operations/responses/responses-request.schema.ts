// Schema of a Responses request: members that are translated, and members without effect because nothing is stored here. A null
// member counts as absent, as at OpenAI.
import * as z from 'zod'
import { once, type Infer } from '../../../platform/once.ts'
import { orNull } from '../../../platform/names.schema.ts'
import { FunctionNameSchema, ignored, TextSchema } from '../chat/chat-message.schema.ts'
import {
  CacheKeySchema,
  MetadataSchema,
  OutputLimitSchema,
  paddingMember,
  ParallelToolCallsSchema,
  SafetyIdentifierSchema,
  schemaOfJson,
  StreamSchema,
  TemperatureSchema,
  TopPSchema,
  UserSchema,
  OtherModelsSchema,
} from '../chat/chat-request.schema.ts'
import { InputSchema } from './input-item.schema.ts'
import { MAX_TOOLS, ToolChoiceSchema, ToolSchema } from './tool.schema.ts'

const MAX_INCLUDED = 64

const FormatSchema = once(() =>
  z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text') }).meta({ id: 'PlainTextFormat' }),
      z.strictObject({ type: z.literal('json_object') }).meta({ id: 'AnyJsonFormat' }),
      z
        .strictObject({
          type: z.literal('json_schema'),
          name: FunctionNameSchema(),
          description: z.string().nullish(),
          schema: schemaOfJson(),
          strict: z.boolean().nullish(),
        })
        .meta({ id: 'SchemaFormat' }),
    ])
    .meta({ id: 'ResponsesTextFormat' }),
)

const SummarySchema = once(() => orNull(z.enum(['auto', 'concise', 'detailed'])).optional())

/** The accepted values of `include`. All but the first concern tools that do not exist here, or repeat the request. */
const INCLUDABLE = [
  'reasoning.encrypted_content',
  'code_interpreter_call.outputs',
  'computer_call_output.output.image_url',
  'file_search_call.results',
  'message.input_image.image_url',
  'web_search_call.action.sources',
  'web_search_call.results',
] as const

export const ResponsesRequestSchema = once(() =>
  z
    .strictObject({
      model: z.string().min(1).meta({
        description: 'An id of GET /v1/models, also dated or with its owner before it.',
        example: 'gpt-4.1-mini',
      }),
      models: OtherModelsSchema(),
      input: InputSchema().meta({
        description: 'A text of the user, or the conversation as items, oldest first.',
        example: 'Name three colours.',
      }),
      instructions: TextSchema().nullish().meta({ description: 'The system message, before the input.' }),
      max_output_tokens: OutputLimitSchema().meta({
        description: 'The most output tokens. Without it, the organisation’s setting holds (`default_max_tokens`).',
      }),
      temperature: TemperatureSchema(),
      top_p: TopPSchema(),
      stream: StreamSchema(),
      stream_options: z
        .strictObject({ include_obfuscation: paddingMember() })
        .nullish()
        .meta({ description: 'What a stream has beside the answer.' }),
      tools: z
        .array(ToolSchema())
        .max(MAX_TOOLS)
        .nullish()
        .meta({ description: 'Tools that the model may call and you run, and at most one web search.' }),
      tool_choice: orNull(ToolChoiceSchema())
        .optional()
        .meta({ description: 'Whether the model may, must or must not call a tool. With a web search, only `auto`.' }),
      parallel_tool_calls: ParallelToolCallsSchema(),
      max_tool_calls: z
        .int()
        .min(1)
        .nullish()
        .meta({ description: 'About tools that a provider runs. Without one it means nothing.' }),
      text: z
        .strictObject({
          format: orNull(FormatSchema()).optional(),
          verbosity: orNull(z.enum(['low', 'medium', 'high'])).optional(),
        })
        .nullish()
        .meta({
          description: 'The format of the answer, and how long it is. A model refuses what it does not support.',
        }),
      reasoning: z
        .strictObject({
          effort: orNull(z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])).optional(),
          summary: SummarySchema().meta({ description: 'Given where the provider tells what the model thought.' }),
          context: orNull(z.enum(['auto', 'all_turns']))
            .optional()
            .meta({ description: 'All reasoning that is sent back goes to its model.' }),
          mode: orNull(z.literal('standard')).optional(),
          generate_summary: SummarySchema().meta({ description: 'The older name of summary.' }),
        })
        .nullish()
        .meta({ description: 'How much the model reasons before it answers, and what the answer has of it.' }),
      include: z
        .array(z.enum(INCLUDABLE))
        .max(MAX_INCLUDED)
        .nullish()
        .meta({ description: 'Only `reasoning.encrypted_content` changes the answer. The others are accepted.' }),
      user: UserSchema(),
      safety_identifier: SafetyIdentifierSchema(),
      prompt_cache_key: CacheKeySchema(),
      store: orNull(z.literal(false))
        .optional()
        .meta({ description: 'Absent means false here: nothing sent through here is stored anywhere.' }),
      background: orNull(z.literal(false))
        .optional()
        .meta({ description: 'False, or absent: nothing runs in the background.' }),
      truncation: orNull(z.literal('disabled'))
        .optional()
        .meta({ description: 'Only `disabled`: nothing is left out of the input.' }),
      prompt_cache_options: z
        .strictObject({
          comparison_response_id: z.string().max(256).nullish(),
          mode: orNull(z.literal('implicit')).optional(),
          ttl: orNull(z.literal('30m')).optional(),
        })
        .nullish()
        .meta({ description: 'As providers do by themselves. A comparison is answered as unavailable.' }),
      service_tier: orNull(z.enum(['auto', 'default']))
        .optional()
        .meta({ description: 'Only the provider’s usual service.' }),
      top_logprobs: orNull(z.literal(0))
        .optional()
        .meta({ description: 'Only 0: an answer has no log probabilities here.' }),
      metadata: MetadataSchema(),
      client_metadata: ignored(),
    })
    .meta({ id: 'ResponsesRequest' }),
)

export type WireResponsesRequest = Infer<typeof ResponsesRequestSchema>
