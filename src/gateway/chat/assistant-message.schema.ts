// An assistant's message in a conversation, as clients send it back: what the model said, and what their own code and
// other gateways have put beside it. docs/openai-compatibility.md lists what of that is taken and ignored.
import { z } from '@hono/zod-openapi'
import { orNull } from '../../platform/nullable.schema.ts'
import { cacheControl, ignored, textSchema } from './chat-content.schema.ts'

const MAX_TOOL_CALLS = 128
const MAX_PARTS = 1_000
/** The most thinking blocks of one message, in every format. */
export const MAX_THINKING_BLOCKS = 1_000

export const functionNameSchema = z
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

const thinkingBlockSchema = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('thinking'),
      thinking: textSchema.nullish(),
      signature: z.string(),
      index: blockPlace,
    })
    .openapi('ThinkingBlock'),
  z
    .strictObject({ type: z.literal('redacted_thinking'), data: z.string(), index: blockPlace })
    .openapi('RedactedThinkingBlock'),
])

const thinkingBlocksSchema = z.array(thinkingBlockSchema).max(MAX_THINKING_BLOCKS).nullish()

const thoughtSignatureSchema = z.strictObject({ thought_signature: z.string() }).openapi('ThoughtSignature')

const messageExtraSchema = orNull(
  z
    .strictObject({
      anthropic: orNull(z.strictObject({ thinking_blocks: thinkingBlocksSchema }).openapi('ThinkingBlocks')).optional(),
      google: orNull(thoughtSignatureSchema).optional(),
    })
    .openapi('MessageExtraContent'),
)
  .optional()
  .openapi({
    description: 'What a model thought, as it came with its answer: its provider wants it back. Others do not get it.',
  })

const callExtraSchema = orNull(z.strictObject({ google: thoughtSignatureSchema }).openapi('ExtraContent'))
  .optional()
  .openapi({ description: 'As it came with the call; Gemini wants it back. Other providers have no use for it.' })

/** Where litellm puts members of an answer that it does not know. */
const providerFieldsSchema = z.looseObject({ extra_content: messageExtraSchema }).nullish().openapi({
  description: 'Ignored, but for extra_content.',
})

const argumentsSchema = textSchema
  .nullish()
  .openapi({ description: 'A JSON object as text. None, or an empty one, is an object without members.' })

const calledFunctionSchema = z
  .strictObject({ name: functionNameSchema, arguments: argumentsSchema, parsed_arguments: ignored })
  .openapi('CalledFunction')

const toolCallSchema = z
  .strictObject({
    id: z.string().min(1).max(256),
    type: z.literal('function'),
    function: calledFunctionSchema,
    extra_content: callExtraSchema,
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
  provider_specific_fields: providerFieldsSchema,
  extra_content: messageExtraSchema,
  cache_control: cacheControl,
}

const assistantPartSchema = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('text'),
      text: textSchema,
      refusal: onlyNull('a refusal is a part of its own, or a member of the message'),
      ...partLeftovers,
    })
    .openapi('AssistantTextPart'),
  z
    .strictObject({
      type: z.literal('refusal'),
      refusal: textSchema,
      content: onlyNull('a text is a part of its own, or the content of the message'),
      ...partLeftovers,
    })
    .openapi('RefusalPart'),
])

const assistantContentSchema = orNull(z.union([textSchema, z.array(assistantPartSchema).max(MAX_PARTS)]))

export const assistantSchema = z
  .strictObject({
    role: z.literal('assistant'),
    content: assistantContentSchema.optional(),
    refusal: textSchema.nullish(),
    tool_calls: z.array(toolCallSchema).max(MAX_TOOL_CALLS).nullish(),
    name: z.string().min(1).max(64).nullish(),
    extra_content: messageExtraSchema,
    cache_control: cacheControl,
    function_call: orNull(
      z.strictObject({ name: functionNameSchema, arguments: argumentsSchema }).openapi('CalledLegacyFunction'),
    ).optional(),
    thinking_blocks: thinkingBlocksSchema.openapi({ description: 'Where litellm has those of extra_content.' }),
    provider_specific_fields: providerFieldsSchema,
    ...LEFTOVERS,
  })
  .openapi('AssistantMessage')

export type WireAssistantMessage = z.infer<typeof assistantSchema>
