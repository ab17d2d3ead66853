// Schemas of the tools in a Responses request: functions, tools that take free text, a web search, and namespaces of them.
import * as z from 'zod'
import { once, type Infer } from '../../../platform/once.ts'
import { orNull } from '../../../platform/names.schema.ts'
import { FunctionNameSchema } from '../chat/chat-message.schema.ts'
import { schemaOfJson } from '../chat/chat-request.schema.ts'

export const MAX_TOOLS = 128

/** Values that are true for every tool here. The model calls it, knows it from the start and waits for its result. */
const usual = once(() => ({
  allowed_callers: z.array(z.literal('direct')).min(1).max(2).nullish(),
  async: orNull(z.literal(false)).optional(),
  defer_loading: orNull(z.literal(false)).optional(),
}))

const FunctionToolSchema = once(() =>
  z
    .strictObject({
      type: z.literal('function'),
      name: FunctionNameSchema(),
      description: z.string().nullish(),
      parameters: orNull(schemaOfJson()).optional(),
      strict: z.boolean().nullish(),
      ...usual(),
      output_schema: z.null().optional(),
    })
    .meta({ id: 'FunctionTool' }),
)

const CustomToolSchema = once(() =>
  z
    .strictObject({
      type: z.literal('custom'),
      name: FunctionNameSchema(),
      description: z.string().nullish(),
      format: orNull(
        z.discriminatedUnion('type', [
          z.strictObject({ type: z.literal('text') }).meta({ id: 'FreeText' }),
          z
            .strictObject({ type: z.literal('grammar'), syntax: z.enum(['lark', 'regex']), definition: z.string() })
            .meta({ id: 'Grammar' }),
        ]),
      ).optional(),
      ...usual(),
    })
    .meta({ id: 'CustomTool', description: 'A tool that takes free text, for models that have such tools.' }),
)

const NamespaceToolSchema = once(() =>
  z
    .strictObject({
      type: z.literal('namespace'),
      name: FunctionNameSchema(),
      description: z.string().nullish(),
      tools: z.array(z.discriminatedUnion('type', [FunctionToolSchema(), CustomToolSchema()])).max(MAX_TOOLS),
    })
    .meta({
      id: 'NamespaceTool',
      description: 'Tools under one name. Each is sent as `namespace__name`, and named back.',
    }),
)

const place = once(() => z.string().min(1).max(100).nullish())

/** The names of one tool: OpenAI's current one, a dated version, and two older ones. */
export const WEB_SEARCH_TYPES = [
  'web_search',
  'web_search_2025_08_26',
  'web_search_preview',
  'web_search_preview_2025_03_11',
] as const

const WebSearchToolSchema = once(() =>
  z
    .strictObject({
      type: z.enum(WEB_SEARCH_TYPES),
      search_context_size: orNull(z.enum(['low', 'medium', 'high'])).optional(),
      user_location: orNull(
        z
          .strictObject({
            type: z.literal('approximate'),
            country: place(),
            city: place(),
            region: place(),
            timezone: place(),
          })
          .meta({ id: 'SearchLocation' }),
      ).optional(),
      filters: z.null('where is searched cannot be chosen: leave it out').optional(),
      external_web_access: orNull(
        z.literal(true, 'only the web as it is can be searched: leave the tool out, or send true'),
      ).optional(),
      search_content_types: z.array(z.literal('text')).max(2).nullish(),
    })
    .meta({ id: 'WebSearchTool', description: 'For models that search.' }),
)

export const ToolSchema = once(() =>
  z.discriminatedUnion('type', [
    FunctionToolSchema(),
    CustomToolSchema(),
    NamespaceToolSchema(),
    WebSearchToolSchema(),
  ]),
)

const NamedToolSchema = once(() =>
  z.strictObject({ type: z.enum(['function', 'custom']), name: FunctionNameSchema() }).meta({ id: 'NamedTool' }),
)

export const ToolChoiceSchema = once(() =>
  z.union([
    z.enum(['none', 'auto', 'required']),
    z.discriminatedUnion('type', [
      NamedToolSchema(),
      z
        .strictObject({
          type: z.literal('allowed_tools'),
          mode: z.enum(['auto', 'required']),
          tools: z.array(NamedToolSchema()).min(1).max(MAX_TOOLS),
        })
        .meta({ id: 'AllowedToolNames' }),
    ]),
  ]),
)

export type WireTool = Infer<typeof ToolSchema>
