// The messages of a chat request as callers write them. What a member may be is checked here; how messages follow each
// other is checked by providers/support.policy.ts, the same for every provider.
import { z } from '@hono/zod-openapi'
import { AssistantSchema, FunctionNameSchema } from './assistant-message.schema.ts'
import { cacheControl, ignored, MixedContentSchema, TextContentSchema, TextSchema } from './chat-content.schema.ts'

const NameSchema = z.string().min(1).max(64).nullish()

/** `cache_control` of a message marks where it ends. */
const shared = { name: NameSchema, cache_control: cacheControl }

export const MessageSchema = z
  .discriminatedUnion('role', [
    z.strictObject({ role: z.literal('system'), content: TextContentSchema, ...shared }).openapi('SystemMessage'),
    z.strictObject({ role: z.literal('developer'), content: TextContentSchema, ...shared }).openapi('DeveloperMessage'),
    z.strictObject({ role: z.literal('user'), content: MixedContentSchema, ...shared }).openapi('UserMessage'),
    AssistantSchema,
    z
      .strictObject({
        role: z.literal('tool'),
        content: MixedContentSchema,
        tool_call_id: z.string().min(1).max(256),
        name: ignored,
        cache_control: cacheControl,
      })
      .openapi('ToolMessage'),
    z
      .strictObject({ role: z.literal('function'), content: TextSchema.nullable(), name: FunctionNameSchema })
      .openapi('FunctionMessage'),
  ])
  .openapi('ChatMessage')

export type WireMessage = z.infer<typeof MessageSchema>
