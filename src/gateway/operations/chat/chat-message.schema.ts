// Schemas of the messages in a chat request. Each member is checked here. providers/model-support.policy.ts checks how messages follow
// each other, for every provider.
import * as z from 'zod'
import { once, type Infer } from '../../../platform/once.ts'
import { orNull } from '../../../platform/names.schema.ts'

/** The limit of one text; the whole body is limited in bytes. */
const MAX_TEXT_CHARACTERS = 1_000_000
const MAX_PARTS = 1_000

export const TextSchema = once(() => z.string().max(MAX_TEXT_CHARACTERS))

/** A member that clients send back and that means nothing to a model. */
export const ignored = once(() =>
  z.unknown().optional().meta({ description: 'Taken and ignored: it tells a model nothing.' }),
)

/** Marks the end of the part of a prompt that Anthropic's models should cache. */
export const cacheControl = once(() =>
  orNull(
    z
      .strictObject({ type: z.literal('ephemeral'), ttl: orNull(z.enum(['5m', '1h'])).optional() })
      .meta({ id: 'CacheControl' }),
  )
    .optional()
    .meta({
      description:
        'Up to here the prompt is to be kept for five minutes, or for an hour. Models that keep prompts by themselves have no use for it.',
    }),
)

const TextPartSchema = once(() =>
  z
    .strictObject({ type: z.literal('text'), text: TextSchema(), cache_control: cacheControl() })
    .meta({ id: 'TextPart' }),
)

const ImagePartSchema = once(() =>
  z
    .strictObject({
      type: z.literal('image_url'),
      image_url: z
        .strictObject({
          url: z.string().meta({ description: 'An https address or a base64 data URL. Nothing is fetched here.' }),
          detail: orNull(z.enum(['auto', 'low', 'high'])).optional(),
          format: ignored(),
        })
        .meta({ id: 'ImageUrl' }),
      cache_control: cacheControl(),
    })
    .meta({ id: 'ImagePart' }),
)

const NO_STORED_FILES = 'no file is kept here; send file_data, a base64 data URL, in its place'

const FilePartSchema = once(() =>
  z
    .strictObject({
      type: z.literal('file'),
      file: z
        .strictObject({
          file_id: z.null(NO_STORED_FILES).optional().meta({ description: 'Null: no file is kept here.' }),
          file_data: z.string().meta({ description: 'A base64 data URL: `data:application/pdf;base64,…`.' }),
          filename: z.string().max(256).nullish(),
        })
        .meta({ id: 'FileData' }),
      cache_control: cacheControl(),
    })
    .meta({ id: 'FilePart' }),
)

const NO_AUDIO = 'no model here takes audio; expected one of text, image_url, file'

/** Returns a more exact rule for a part of an unsupported type, if there is one. */
function explainPart({ input }: z.core.$ZodRawIssue): string | undefined {
  const type = typeof input === 'object' && input !== null && 'type' in input ? input.type : undefined
  return type === 'input_audio' ? NO_AUDIO : undefined
}

const partsOf = <T extends z.ZodType>(part: T) => z.array(part).min(1).max(MAX_PARTS)

const TextContentSchema = once(() => z.union([TextSchema(), partsOf(TextPartSchema())]))

/** The content of users and tools. */
const MixedContentSchema = once(() =>
  z.union([
    TextSchema(),
    partsOf(
      z.discriminatedUnion('type', [TextPartSchema(), ImagePartSchema(), FilePartSchema()], { error: explainPart }),
    ),
  ]),
)

export type WireContent = Infer<typeof MixedContentSchema>
export type CacheControl = Infer<typeof cacheControl>

const MAX_TOOL_CALLS = 128
/** The most thinking blocks of one message, in every format. */
export const MAX_THINKING_BLOCKS = 1_000

export const FunctionNameSchema = once(() =>
  z.string().regex(/^[\w-]{1,64}$/, 'expected 1 to 64 of the letters A to Z and a to z, digits, _ and -'),
)

const onlyNull = (rule: string) => z.null(rule).optional().meta({ description: 'Null, if it is there.' })

/** Members that clients add or send back: display texts, parsed answers and stream counters. */
const LEFTOVERS = once(() => ({
  parsed: ignored(),
  parsed_arguments: ignored(),
  index: ignored(),
  annotations: ignored(),
  reasoning: ignored(),
  reasoning_content: ignored(),
  reasoning_details: ignored(),
  reasoning_text: ignored(),
  reasoning_opaque: ignored(),
  images: onlyNull('an assistant message has no pictures here; expected null'),
  reasoning_items: onlyNull('expected null'),
  audio: onlyNull('no model here answers in audio; expected null'),
}))

const blockIndex = once(() => z.int().nullish())

const ThinkingBlockSchema = once(() =>
  z.discriminatedUnion('type', [
    z
      .strictObject({
        type: z.literal('thinking'),
        thinking: TextSchema().nullish(),
        signature: z.string(),
        index: blockIndex(),
      })
      .meta({ id: 'ThinkingBlock' }),
    z
      .strictObject({ type: z.literal('redacted_thinking'), data: z.string(), index: blockIndex() })
      .meta({ id: 'RedactedThinkingBlock' }),
  ]),
)

const ThinkingBlocksSchema = once(() => z.array(ThinkingBlockSchema()).max(MAX_THINKING_BLOCKS).nullish())

const ThoughtSignatureSchema = once(() =>
  z.strictObject({ thought_signature: z.string() }).meta({ id: 'ThoughtSignature' }),
)

const MessageExtraSchema = once(() =>
  orNull(
    z
      .strictObject({
        anthropic: orNull(
          z.strictObject({ thinking_blocks: ThinkingBlocksSchema() }).meta({ id: 'ThinkingBlocks' }),
        ).optional(),
        google: orNull(ThoughtSignatureSchema()).optional(),
      })
      .meta({ id: 'MessageExtraContent' }),
  )
    .optional()
    .meta({
      description:
        'What a model thought, as it came with its answer: its provider wants it back. Others do not get it.',
    }),
)

const CallExtraSchema = once(() =>
  orNull(z.strictObject({ google: ThoughtSignatureSchema() }).meta({ id: 'ExtraContent' }))
    .optional()
    .meta({ description: 'As it came with the call; Gemini wants it back. Other providers have no use for it.' }),
)

/** litellm puts unknown members of an answer here. */
const ProviderFieldsSchema = once(() =>
  z.looseObject({ extra_content: MessageExtraSchema() }).nullish().meta({
    description: 'Ignored, but for extra_content.',
  }),
)

const ArgumentsSchema = once(() =>
  TextSchema().nullish().meta({
    description: 'A JSON object as text. None, or an empty one, is an object without members.',
  }),
)

const CalledFunctionSchema = once(() =>
  z
    .strictObject({ name: FunctionNameSchema(), arguments: ArgumentsSchema(), parsed_arguments: ignored() })
    .meta({ id: 'CalledFunction' }),
)

const ToolCallSchema = once(() =>
  z
    .strictObject({
      id: z.string().min(1).max(256),
      type: z.literal('function'),
      function: CalledFunctionSchema(),
      extra_content: CallExtraSchema(),
      cache_control: cacheControl(),
      index: ignored(),
      parsed_arguments: ignored(),
      provider_specific_fields: ignored(),
    })
    .meta({ id: 'ToolCall' }),
)

/** OpenAI's Agents SDK also puts the members of a message into its parts. */
const partLeftovers = once(() => ({
  ...LEFTOVERS(),
  role: ignored(),
  tool_calls: ignored(),
  function_call: ignored(),
  provider_specific_fields: ProviderFieldsSchema(),
  extra_content: MessageExtraSchema(),
  cache_control: cacheControl(),
}))

const AssistantPartSchema = once(() =>
  z.discriminatedUnion('type', [
    z
      .strictObject({
        type: z.literal('text'),
        text: TextSchema(),
        refusal: onlyNull('a refusal is a part of its own, or a member of the message'),
        ...partLeftovers(),
      })
      .meta({ id: 'AssistantTextPart' }),
    z
      .strictObject({
        type: z.literal('refusal'),
        refusal: TextSchema(),
        content: onlyNull('a text is a part of its own, or the content of the message'),
        ...partLeftovers(),
      })
      .meta({ id: 'RefusalPart' }),
  ]),
)

const AssistantContentSchema = once(() =>
  orNull(z.union([TextSchema(), z.array(AssistantPartSchema()).max(MAX_PARTS)])),
)

export const AssistantSchema = once(() =>
  z
    .strictObject({
      role: z.literal('assistant'),
      content: AssistantContentSchema().optional(),
      refusal: TextSchema().nullish(),
      tool_calls: z.array(ToolCallSchema()).max(MAX_TOOL_CALLS).nullish(),
      name: z.string().min(1).max(64).nullish(),
      extra_content: MessageExtraSchema(),
      cache_control: cacheControl(),
      function_call: orNull(
        z
          .strictObject({ name: FunctionNameSchema(), arguments: ArgumentsSchema() })
          .meta({ id: 'CalledLegacyFunction' }),
      ).optional(),
      thinking_blocks: ThinkingBlocksSchema().meta({ description: 'Where litellm has those of extra_content.' }),
      provider_specific_fields: ProviderFieldsSchema(),
      ...LEFTOVERS(),
    })
    .meta({ id: 'AssistantMessage' }),
)

export type WireAssistantMessage = Infer<typeof AssistantSchema>

const NameSchema = once(() => z.string().min(1).max(64).nullish())

/** `cache_control` of a message marks its end. */
const shared = once(() => ({ name: NameSchema(), cache_control: cacheControl() }))

export const MessageSchema = once(() =>
  z
    .discriminatedUnion('role', [
      z
        .strictObject({ role: z.literal('system'), content: TextContentSchema(), ...shared() })
        .meta({ id: 'SystemMessage' }),
      z
        .strictObject({ role: z.literal('developer'), content: TextContentSchema(), ...shared() })
        .meta({ id: 'DeveloperMessage' }),
      z
        .strictObject({ role: z.literal('user'), content: MixedContentSchema(), ...shared() })
        .meta({ id: 'UserMessage' }),
      AssistantSchema(),
      z
        .strictObject({
          role: z.literal('tool'),
          content: MixedContentSchema(),
          tool_call_id: z.string().min(1).max(256),
          name: ignored(),
          cache_control: cacheControl(),
        })
        .meta({ id: 'ToolMessage' }),
      z
        .strictObject({ role: z.literal('function'), content: TextSchema().nullable(), name: FunctionNameSchema() })
        .meta({ id: 'FunctionMessage' }),
    ])
    .meta({ id: 'ChatMessage' }),
)

export type WireMessage = Infer<typeof MessageSchema>
