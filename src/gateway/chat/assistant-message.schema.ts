// An assistant's message in a conversation, as clients send it back: what the model said, and what their own code and
// other gateways have put beside it. docs/openai-compatibility.md lists what of that is taken and ignored.
import { z } from '@hono/zod-openapi'
import { orNull } from '../../platform/list.schema.ts'
import { cacheControl, ignored, TextSchema } from './chat-content.schema.ts'

const MAX_TOOL_CALLS = 128
const MAX_PARTS = 1_000
/** The most thinking blocks of one message, in every format. */
export const MAX_THINKING_BLOCKS = 1_000

export const FunctionNameSchema = z
  .string()
  .regex(/^[\w-]{1,64}$/, 'expected 1 to 64 of the letters A to Z and a to z, digits, _ and -')

const onlyNull = (rule: string) => z.null(rule).optional().openapi({ description: 'Null, if it is there.' })

/** Texts for people, what a client made of an answer, and counters of its streams. */
const LEFTOVERS = {
  parsed: ignored,
  parsed_arguments: ignored,
  index: ignored,
  annotations: ignored,
  reasoning: ignored,
  reasoning_content: ignored,
  reasoning_details: ignored,
  reasoning_text: ignored,
  reasoning_opaque: ignored,
  images: onlyNull('an assistant message has no pictures here; expected null'),
  reasoning_items: onlyNull('expected null'),
  audio: onlyNull('no model here answers in audio; expected null'),
}

const blockPlace = z.int().nullish()

const ThinkingBlockSchema = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('thinking'),
      thinking: TextSchema.nullish(),
      signature: z.string(),
      index: blockPlace,
    })
    .openapi('ThinkingBlock'),
  z
    .strictObject({ type: z.literal('redacted_thinking'), data: z.string(), index: blockPlace })
    .openapi('RedactedThinkingBlock'),
])

const ThinkingBlocksSchema = z.array(ThinkingBlockSchema).max(MAX_THINKING_BLOCKS).nullish()

const ThoughtSignatureSchema = z.strictObject({ thought_signature: z.string() }).openapi('ThoughtSignature')

const MessageExtraSchema = orNull(
  z
    .strictObject({
      anthropic: orNull(z.strictObject({ thinking_blocks: ThinkingBlocksSchema }).openapi('ThinkingBlocks')).optional(),
      google: orNull(ThoughtSignatureSchema).optional(),
    })
    .openapi('MessageExtraContent'),
)
  .optional()
  .openapi({
    description: 'What a model thought, as it came with its answer: its provider wants it back. Others do not get it.',
  })

const CallExtraSchema = orNull(z.strictObject({ google: ThoughtSignatureSchema }).openapi('ExtraContent'))
  .optional()
  .openapi({ description: 'As it came with the call; Gemini wants it back. Other providers have no use for it.' })

/** Where litellm puts members of an answer that it does not know. */
const ProviderFieldsSchema = z.looseObject({ extra_content: MessageExtraSchema }).nullish().openapi({
  description: 'Ignored, but for extra_content.',
})

const ArgumentsSchema = TextSchema.nullish().openapi({
  description: 'A JSON object as text. None, or an empty one, is an object without members.',
})

const CalledFunctionSchema = z
  .strictObject({ name: FunctionNameSchema, arguments: ArgumentsSchema, parsed_arguments: ignored })
  .openapi('CalledFunction')

const ToolCallSchema = z
  .strictObject({
    id: z.string().min(1).max(256),
    type: z.literal('function'),
    function: CalledFunctionSchema,
    extra_content: CallExtraSchema,
    cache_control: cacheControl,
    index: ignored,
    parsed_arguments: ignored,
    provider_specific_fields: ignored,
  })
  .openapi('ToolCall')

/** OpenAI's Agents SDK puts the members of a message into its parts, too. */
const partLeftovers = {
  ...LEFTOVERS,
  role: ignored,
  tool_calls: ignored,
  function_call: ignored,
  provider_specific_fields: ProviderFieldsSchema,
  extra_content: MessageExtraSchema,
  cache_control: cacheControl,
}

const AssistantPartSchema = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('text'),
      text: TextSchema,
      refusal: onlyNull('a refusal is a part of its own, or a member of the message'),
      ...partLeftovers,
    })
    .openapi('AssistantTextPart'),
  z
    .strictObject({
      type: z.literal('refusal'),
      refusal: TextSchema,
      content: onlyNull('a text is a part of its own, or the content of the message'),
      ...partLeftovers,
    })
    .openapi('RefusalPart'),
])

const AssistantContentSchema = orNull(z.union([TextSchema, z.array(AssistantPartSchema).max(MAX_PARTS)]))

export const AssistantSchema = z
  .strictObject({
    role: z.literal('assistant'),
    content: AssistantContentSchema.optional(),
    refusal: TextSchema.nullish(),
    tool_calls: z.array(ToolCallSchema).max(MAX_TOOL_CALLS).nullish(),
    name: z.string().min(1).max(64).nullish(),
    extra_content: MessageExtraSchema,
    cache_control: cacheControl,
    function_call: orNull(
      z.strictObject({ name: FunctionNameSchema, arguments: ArgumentsSchema }).openapi('CalledLegacyFunction'),
    ).optional(),
    thinking_blocks: ThinkingBlocksSchema.openapi({ description: 'Where litellm has those of extra_content.' }),
    provider_specific_fields: ProviderFieldsSchema,
    ...LEFTOVERS,
  })
  .openapi('AssistantMessage')

export type WireAssistantMessage = z.infer<typeof AssistantSchema>
