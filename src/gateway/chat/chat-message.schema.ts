// The messages of a chat request as callers write them. What a member may be is checked here; how messages follow each
// other is checked by providers/conversation.policy.ts, the same for every provider.
import { z } from '@hono/zod-openapi'
import { orNull } from '../../platform/nullable.schema.ts'

/** One text; a body as a whole is limited in bytes. */
export const MAX_TEXT_CHARACTERS = 1_000_000
const MAX_PARTS = 1_000
const MAX_TOOL_CALLS = 128

export const FUNCTION_NAME = /^[\w-]{1,64}$/

const textSchema = z.string().max(MAX_TEXT_CHARACTERS)
const nameSchema = z.string().min(1).max(64).nullish()

const textPartSchema = z.strictObject({ type: z.literal('text'), text: textSchema }).openapi('TextPart')

const imagePartSchema = z
  .strictObject({
    type: z.literal('image_url'),
    image_url: z
      .strictObject({
        url: z.string().openapi({ description: 'An https address or a base64 data URL. Nothing is fetched here.' }),
        detail: orNull(z.enum(['auto', 'low', 'high'])).optional(),
      })
      .openapi('ImageUrl'),
  })
  .openapi('ImagePart')

const textContentSchema = z.union([textSchema, z.array(textPartSchema).min(1).max(MAX_PARTS)])

const userContentSchema = z.union([
  textSchema,
  z
    .array(z.discriminatedUnion('type', [textPartSchema, imagePartSchema]))
    .min(1)
    .max(MAX_PARTS),
])

const toolCallSchema = z
  .strictObject({
    id: z.string().min(1).max(256),
    type: z.literal('function'),
    function: z
      .strictObject({
        name: z.string().regex(FUNCTION_NAME),
        arguments: textSchema.openapi({ description: 'A JSON object as text.' }),
      })
      .openapi('CalledFunction'),
    extra_content: orNull(
      z
        .strictObject({ google: z.strictObject({ thought_signature: z.string() }).openapi('ThoughtSignature') })
        .openapi('ExtraContent'),
    )
      .optional()
      .openapi({ description: 'As it came with the call; Gemini wants it back. Other providers have no use for it.' }),
  })
  .openapi('ToolCall')

const assistantSchema = z
  .strictObject({
    role: z.literal('assistant'),
    content: orNull(textContentSchema).optional(),
    refusal: textSchema.nullish(),
    tool_calls: z.array(toolCallSchema).min(1).max(MAX_TOOL_CALLS).nullish(),
    name: nameSchema,
    // Members that an answer's message has when it is sent back as it came. They say nothing to a model.
    annotations: z.array(z.unknown()).nullish(),
    audio: z.null().optional(),
    function_call: z.null().optional(),
  })
  .openapi('AssistantMessage')

export const messageSchema = z
  .discriminatedUnion('role', [
    z
      .strictObject({ role: z.literal('system'), content: textContentSchema, name: nameSchema })
      .openapi('SystemMessage'),
    z
      .strictObject({ role: z.literal('developer'), content: textContentSchema, name: nameSchema })
      .openapi('DeveloperMessage'),
    z.strictObject({ role: z.literal('user'), content: userContentSchema, name: nameSchema }).openapi('UserMessage'),
    assistantSchema,
    z
      .strictObject({ role: z.literal('tool'), content: textContentSchema, tool_call_id: z.string().min(1).max(256) })
      .openapi('ToolMessage'),
  ])
  .openapi('ChatMessage')

export type WireMessage = z.infer<typeof messageSchema>
