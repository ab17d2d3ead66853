// Schema of what Anthropic's Messages are made of. Blocks are open: a provider of this format is sent what they have beside, and the
// scans read it (unread-members.ts). What is named here is translated for every provider.
import * as z from 'zod'
import { orNull } from '../../../platform/names.schema.ts'
import { once, type Infer } from '../../../platform/once.ts'
import { TextSchema } from '../chat/chat-message.schema.ts'

const MAX_BLOCKS = 1_000

export const cacheMark = once(() =>
  orNull(
    z
      .looseObject({ type: z.literal('ephemeral'), ttl: orNull(z.enum(['5m', '1h'])).optional() })
      .meta({ id: 'MessageCacheControl' }),
  )
    .optional()
    .meta({ description: 'Up to here Anthropic’s models keep the prompt, for five minutes or an hour.' }),
)

export type WireMark = Infer<typeof cacheMark>

const TextBlockSchema = once(() =>
  z.looseObject({ type: z.literal('text'), text: TextSchema(), cache_control: cacheMark() }).meta({ id: 'TextBlock' }),
)

const MediaTypeSchema = once(() => z.string().regex(/^[a-z]{1,20}\/[a-z0-9.+-]{1,80}$/i))

const dataSource = once(() =>
  z
    .looseObject({ type: z.literal('base64'), media_type: MediaTypeSchema(), data: z.string() })
    .meta({ id: 'Base64Source' }),
)

const urlSource = once(() => z.looseObject({ type: z.literal('url'), url: z.string() }).meta({ id: 'UrlSource' }))

const textSource = once(() =>
  z
    .looseObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: TextSchema() })
    .meta({ id: 'TextSource' }),
)

const ImageBlockSchema = once(() =>
  z
    .looseObject({
      type: z.literal('image'),
      source: z.discriminatedUnion('type', [dataSource(), urlSource()]),
      cache_control: cacheMark(),
    })
    .meta({ id: 'ImageBlock' }),
)

const DocumentBlockSchema = once(() =>
  z
    .looseObject({
      type: z.literal('document'),
      source: z.discriminatedUnion('type', [dataSource(), textSource(), urlSource()]),
      title: z.string().max(256).nullish(),
      cache_control: cacheMark(),
    })
    .meta({ id: 'DocumentBlock' }),
)

const searchResult = once(() => z.looseObject({ type: z.literal('search_result') }).meta({ id: 'SearchResultBlock' }))

const contentOf = <T extends z.ZodType>(blocks: T) => z.union([TextSchema(), z.array(blocks).max(MAX_BLOCKS)])

const ResultBlockSchema = once(() =>
  z.discriminatedUnion('type', [TextBlockSchema(), ImageBlockSchema(), DocumentBlockSchema(), searchResult()]),
)

const CallIdSchema = once(() => z.string().min(1).max(256))

const ToolResultSchema = once(() =>
  z
    .looseObject({
      type: z.literal('tool_result'),
      tool_use_id: CallIdSchema(),
      content: orNull(contentOf(ResultBlockSchema())).optional(),
      is_error: z.boolean().nullish(),
      cache_control: cacheMark(),
    })
    .meta({ id: 'ToolResultBlock' }),
)

const UserBlockSchema = once(() =>
  z.discriminatedUnion('type', [
    TextBlockSchema(),
    ImageBlockSchema(),
    DocumentBlockSchema(),
    searchResult(),
    ToolResultSchema(),
  ]),
)

export type WireUserBlock = Infer<typeof UserBlockSchema>
export type WireResultBlock = Infer<typeof ResultBlockSchema>

const AssistantBlockSchema = once(() =>
  z.discriminatedUnion('type', [
    TextBlockSchema(),
    z
      .looseObject({
        type: z.literal('tool_use'),
        id: CallIdSchema(),
        name: z.string().min(1).max(128),
        input: z.record(z.string(), z.unknown()),
        cache_control: cacheMark(),
      })
      .meta({ id: 'ToolUseBlock' }),
    z
      .looseObject({ type: z.literal('thinking'), thinking: TextSchema(), signature: z.string() })
      .meta({ id: 'ThinkingMessageBlock' }),
    z
      .looseObject({ type: z.literal('redacted_thinking'), data: z.string() })
      .meta({ id: 'RedactedThinkingMessageBlock' }),
  ]),
)

export type WireAssistantBlock = Infer<typeof AssistantBlockSchema>

export const InstructionsSchema = once(() => contentOf(TextBlockSchema()))

export type WireInstructions = Infer<typeof InstructionsSchema>

export const MessageParamSchema = once(() =>
  z.discriminatedUnion('role', [
    z.looseObject({ role: z.literal('user'), content: contentOf(UserBlockSchema()) }).meta({ id: 'UserTurn' }),
    z
      .looseObject({ role: z.literal('assistant'), content: contentOf(AssistantBlockSchema()) })
      .meta({ id: 'AssistantTurn' }),
    z.looseObject({ role: z.literal('system'), content: InstructionsSchema() }).meta({
      id: 'SystemTurn',
      description: 'Instructions within the conversation, as Claude’s own clients send them.',
    }),
  ]),
)

export type WireTurn = Infer<typeof MessageParamSchema>
