// Schemas of the items in a Responses request, including outputs of earlier answers that are sent back. Each member is checked
// here. providers/model-support.policy.ts checks how items follow each other, as for every format.
import * as z from '../../platform/zod.ts'
import { orNull } from '../../platform/names.schema.ts'
import { FunctionNameSchema, ignored, TextSchema } from '../chat/chat-message.schema.ts'

/** The most parts of one item. */
export const MAX_PARTS = 1_000
const MAX_ITEMS = 4_096

const IdSchema = z.string().max(256).nullish()
const status = orNull(z.enum(['in_progress', 'completed', 'incomplete'])).optional()
const CallIdSchema = z.string().min(1).max(256)

/** A member of other services' outputs. Only null is accepted, because null means nothing. */
const none = z.null().optional()

const unmarked = z.null('no part can be marked here; expected null').optional()

/** The caller of a function here is always the model itself. */
const caller = orNull(z.strictObject({ type: z.literal('direct') }).meta({ id: 'DirectCaller' })).optional()

const InputTextSchema = z
  .strictObject({ type: z.literal('input_text'), text: TextSchema, prompt_cache_breakpoint: unmarked })
  .meta({ id: 'InputText' })

const InputImageSchema = z
  .strictObject({
    type: z.literal('input_image'),
    image_url: z.string().meta({ description: 'An https address or a base64 data URL. Nothing is fetched here.' }),
    detail: orNull(z.enum(['auto', 'low', 'high'])).optional(),
    file_id: none,
    prompt_cache_breakpoint: unmarked,
  })
  .meta({ id: 'InputImage' })

const InputFileSchema = z
  .strictObject({
    type: z.literal('input_file'),
    file_data: z.string().nullish().meta({ description: 'A base64 data URL: data:application/pdf;base64,…' }),
    file_url: z.string().nullish().meta({ description: 'An https address, for models that fetch it themselves.' }),
    filename: z.string().max(256).nullish(),
    detail: orNull(z.literal('auto')).optional(),
    file_id: none,
    prompt_cache_breakpoint: unmarked,
  })
  .meta({ id: 'InputFile' })

const InputPartSchema = z.discriminatedUnion('type', [InputTextSchema, InputImageSchema, InputFileSchema])

const OutputTextSchema = z
  .strictObject({
    type: z.literal('output_text'),
    text: TextSchema,
    // Members of an answer that is sent back as it came. They say nothing to a model.
    annotations: z.array(z.unknown()).nullish(),
    logprobs: z.array(z.unknown()).nullish(),
    parsed: z.unknown().optional(),
  })
  .meta({ id: 'OutputTextSentBack' })

const RefusalSchema = z
  .strictObject({ type: z.literal('refusal'), refusal: TextSchema })
  .meta({ id: 'RefusalSentBack' })

const textOrListOf = <T extends z.ZodType>(part: T) => z.union([TextSchema, z.array(part).min(1).max(MAX_PARTS)])

/** Codex adds this to items for its own service. */
const codexMembers = { internal_chat_message_metadata_passthrough: ignored }

const message = { type: orNull(z.literal('message')).optional(), id: IdSchema, status, ...codexMembers }

const InstructionSchema = <Role extends 'system' | 'developer'>(role: Role) =>
  z.strictObject({ ...message, role: z.literal(role), content: textOrListOf(InputTextSchema) })

const MessageSchema = z.discriminatedUnion('role', [
  z
    .strictObject({ ...message, role: z.literal('user'), content: textOrListOf(InputPartSchema) })
    .meta({ id: 'UserInput' }),
  InstructionSchema('system').meta({ id: 'SystemInput' }),
  InstructionSchema('developer').meta({ id: 'DeveloperInput' }),
  z
    .strictObject({
      ...message,
      role: z.literal('assistant'),
      content: z.union([
        TextSchema,
        z.array(z.discriminatedUnion('type', [OutputTextSchema, RefusalSchema, InputTextSchema])).max(MAX_PARTS),
      ]),
      phase: orNull(z.enum(['commentary', 'final_answer'])).optional(),
    })
    .meta({ id: 'AssistantInput' }),
])

const FunctionCallSchema = z
  .strictObject({
    type: z.literal('function_call'),
    call_id: CallIdSchema,
    name: FunctionNameSchema,
    arguments: TextSchema.meta({ description: 'A JSON object as text.' }),
    id: IdSchema,
    status,
    parsed_arguments: z.unknown().optional(),
    async: orNull(z.literal(false)).optional(),
    caller,
    created_by: IdSchema,
    namespace: none,
    ...codexMembers,
  })
  .meta({ id: 'FunctionCallInput' })

const FunctionCallOutputSchema = z
  .strictObject({
    type: z.literal('function_call_output'),
    call_id: CallIdSchema,
    output: z
      .union([TextSchema, z.array(InputPartSchema).max(MAX_PARTS)])
      .meta({ description: 'An empty list is an empty text.' }),
    id: IdSchema,
    status,
    caller,
    created_by: IdSchema,
    name: z.string().max(256).nullish(),
    namespace: none,
    ...codexMembers,
  })
  .meta({ id: 'FunctionCallOutput' })

const ReasoningSchema = z
  .strictObject({
    type: z.literal('reasoning'),
    encrypted_content: TextSchema.nullish().meta({ description: 'As it came in an answer from here.' }),
    id: IdSchema,
    status,
    summary: z.array(z.unknown()).nullish(),
    content: z.array(z.unknown()).nullish(),
    ...codexMembers,
  })
  .meta({ id: 'ReasoningInput' })

const ItemSchema = z
  .discriminatedUnion('type', [MessageSchema, FunctionCallSchema, FunctionCallOutputSchema, ReasoningSchema])
  .meta({ id: 'ResponsesInputItem' })

export const InputSchema = z.union([TextSchema.min(1), z.array(ItemSchema).min(1).max(MAX_ITEMS)])

export type WireItem = z.infer<typeof ItemSchema>
export type WireInputPart = z.infer<typeof InputPartSchema>
