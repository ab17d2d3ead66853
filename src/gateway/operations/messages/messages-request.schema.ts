// Schema of a Messages request: members that are translated for every provider, and those that only a provider of this format gets.
// A null member counts as absent.
import * as z from 'zod'
import { orNull } from '../../../platform/names.schema.ts'
import { once, type Infer } from '../../../platform/once.ts'
import { schemaOfJson } from '../chat/chat-request.schema.ts'
import { cacheMark, InstructionsSchema, MessageParamSchema } from './message-block.schema.ts'

const MAX_TURNS = 4_096
const MAX_TOOLS = 256
const MAX_STOPS = 16

/** A word of the format: it is passed on, and can say nothing about a person. */
const WordSchema = once(() => z.string().regex(/^[a-z_]{1,32}$/))

const toolMembers = once(() => ({
  name: z.string().min(1).max(128),
  cache_control: cacheMark(),
  defer_loading: z.boolean().nullish(),
}))

const CustomToolSchema = once(() =>
  z
    .looseObject({
      type: orNull(z.literal('custom')).optional(),
      ...toolMembers(),
      description: z.string().nullish(),
      input_schema: schemaOfJson(),
      strict: z.boolean().nullish(),
    })
    .meta({ id: 'CustomTool' }),
)

/** Tools of Anthropic whose calls the caller runs. */
export const CLIENT_TOOL = /^(?:bash|text_editor|memory|computer)_20\d{6}$/
export const SEARCH_TOOL = /^web_search_20\d{6}$/

const AnthropicToolSchema = once(() =>
  z
    .looseObject({
      type: z.string().regex(new RegExp(`${CLIENT_TOOL.source}|${SEARCH_TOOL.source}`)),
      ...toolMembers(),
    })
    .meta({ id: 'AnthropicTool', description: 'A tool of Anthropic, which only its own models know.' }),
)

const EffortSchema = once(() => z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']))

const FormatSchema = once(() =>
  z.looseObject({ type: z.literal('json_schema'), schema: schemaOfJson() }).meta({ id: 'MessageFormat' }),
)

export const MessagesRequestSchema = once(() =>
  z
    .strictObject({
      model: z.string().min(1).meta({
        description: 'An id of GET /v1/models, of any provider.',
        example: 'claude-haiku-5-5',
      }),
      max_tokens: z.int().min(1).meta({ description: 'The most output tokens.', example: 1024 }),
      messages: z
        .array(MessageParamSchema())
        .min(1)
        .max(MAX_TURNS)
        .meta({
          description: 'The conversation, oldest turn first.',
          example: [{ role: 'user', content: 'Name three colours.' }],
        }),
      system: orNull(InstructionsSchema())
        .optional()
        .meta({ description: 'The instructions before the conversation.' }),
      stream: z.boolean().nullish().meta({ description: 'True: the answer comes as server-sent events.' }),
      tools: z
        .array(z.union([CustomToolSchema(), AnthropicToolSchema()]))
        .max(MAX_TOOLS)
        .nullish()
        .meta({ description: 'Tools that the model may call and you run.' }),
      tool_choice: orNull(
        z
          .looseObject({
            type: z.enum(['auto', 'any', 'tool', 'none']),
            name: z.string().min(1).max(128).nullish(),
            disable_parallel_tool_use: z.boolean().nullish(),
          })
          .meta({ id: 'MessageToolChoice' }),
      )
        .optional()
        .meta({ description: 'Whether the model may, must or must not call a tool, or which one it must call.' }),
      thinking: orNull(
        z
          .looseObject({
            type: z.enum(['enabled', 'disabled', 'adaptive', 'between_tools']),
            budget_tokens: z.int().min(1).nullish(),
            display: orNull(WordSchema()).optional(),
          })
          .meta({ id: 'Thinking' }),
      )
        .optional()
        .meta({ description: 'Whether Anthropic’s models think first. Other models are told an effort.' }),
      output_config: orNull(
        z
          .looseObject({ effort: orNull(EffortSchema()).optional(), format: orNull(FormatSchema()).optional() })
          .meta({ id: 'OutputConfig' }),
      )
        .optional()
        .meta({ description: 'How much the model reasons, and the JSON schema of the answer.' }),
      output_format: orNull(FormatSchema())
        .optional()
        .meta({ description: 'The older place of output_config.format.' }),
      stop_sequences: z.array(z.string().min(1)).max(MAX_STOPS).nullish().meta({
        description: 'The answer ends before the first of these texts.',
      }),
      temperature: z.number().min(0).max(1).nullish().meta({ description: 'Some models do not take it.' }),
      top_p: z.number().min(0).max(1).nullish().meta({ description: 'Some models do not take it.' }),
      top_k: z.int().min(0).nullish().meta({ description: 'Only some models of Anthropic take it.' }),
      metadata: orNull(z.looseObject({ user_id: z.string().max(512).nullish() }))
        .optional()
        .meta({ description: 'Your id of the end user.' }),
      cache_control: cacheMark(),
      context_management: orNull(
        z.looseObject({
          edits: z
            .array(z.looseObject({ type: z.string().regex(/^clear_[a-z_]{1,42}(?:_20\d{6})?$/) }))
            .max(16)
            .nullish(),
        }),
      )
        .optional()
        .meta({ description: 'What Anthropic’s models leave out of the conversation.' }),
      service_tier: orNull(z.enum(['auto', 'standard_only'])).optional(),
    })
    .meta({ id: 'MessagesRequest' }),
)

export const ClientQuerySchema = once(() =>
  z.object({ beta: z.string().optional().meta({ description: 'Ignored: some clients send it.' }) }),
)

export const CountRequestSchema = once(() =>
  MessagesRequestSchema().partial({ max_tokens: true }).meta({ id: 'TokenCountRequest' }),
)

export type WireMessages = Infer<typeof MessagesRequestSchema>
