// The messages of a chat request as callers write them. What a member may be is checked here; how messages follow each
// other is checked by providers/conversation.policy.ts, the same for every provider.
import { z } from '@hono/zod-openapi'
import { assistantSchema, functionNameSchema } from './assistant-message.schema.ts'
import { cacheControl, ignored, mixedContentSchema, textContentSchema, textSchema } from './chat-content.schema.ts'

const nameSchema = z.string().min(1).max(64).nullish()

/** `cache_control` of a message marks where it ends. */
const shared = { name: nameSchema, cache_control: cacheControl }

export const messageSchema = z
  .discriminatedUnion('role', [
    z.strictObject({ role: z.literal('system'), content: textContentSchema, ...shared }).openapi('SystemMessage'),
    z.strictObject({ role: z.literal('developer'), content: textContentSchema, ...shared }).openapi('DeveloperMessage'),
    z.strictObject({ role: z.literal('user'), content: mixedContentSchema, ...shared }).openapi('UserMessage'),
    assistantSchema,
    z
      .strictObject({
        role: z.literal('tool'),
        content: mixedContentSchema,
        tool_call_id: z.string().min(1).max(256),
        name: ignored,
        cache_control: cacheControl,
      })
      .openapi('ToolMessage'),
    z
      .strictObject({ role: z.literal('function'), content: textSchema.nullable(), name: functionNameSchema })
      .openapi('FunctionMessage'),
  ])
  .openapi('ChatMessage')

export type WireMessage = z.infer<typeof messageSchema>
