// The items of a Responses request as callers write them, and as the outputs of earlier answers are sent back. What a
// member may be is checked here; how items follow each other by providers/conversation.policy.ts, as for every format.
import { z } from '@hono/zod-openapi'
import { orNull } from '../../platform/nullable.schema.ts'
import { functionNameSchema } from '../chat/assistant-message.schema.ts'
import { ignored, textSchema } from '../chat/chat-content.schema.ts'

/** Of one item. */
export const MAX_PARTS = 1_000
const MAX_ITEMS = 4_096

const idSchema = z.string().max(256).nullish()
const status = orNull(z.enum(['in_progress', 'completed', 'incomplete'])).optional()
const callIdSchema = z.string().min(1).max(256)

/** Members that the outputs of other services have, and that mean nothing where they are null. */
const none = z.null().optional()

const unmarked = z.null('no part can be marked here; expected null').optional()

/** Who calls a function here: the model itself, and no program of its own. */
const caller = orNull(z.strictObject({ type: z.literal('direct') }).openapi('DirectCaller')).optional()

const inputTextSchema = z
  .strictObject({ type: z.literal('input_text'), text: textSchema, prompt_cache_breakpoint: unmarked })
  .openapi('InputText')

const inputImageSchema = z
  .strictObject({
    type: z.literal('input_image'),
    image_url: z.string().openapi({ description: 'An https address or a base64 data URL. Nothing is fetched here.' }),
    detail: orNull(z.enum(['auto', 'low', 'high'])).optional(),
    file_id: none,
    prompt_cache_breakpoint: unmarked,
  })
  .openapi('InputImage')

const inputFileSchema = z
  .strictObject({
    type: z.literal('input_file'),
    file_data: z.string().nullish().openapi({ description: 'A base64 data URL: data:application/pdf;base64,…' }),
    file_url: z.string().nullish().openapi({ description: 'An https address, for models that fetch it themselves.' }),
    filename: z.string().max(256).nullish(),
    detail: orNull(z.literal('auto')).optional(),
    file_id: none,
    prompt_cache_breakpoint: unmarked,
  })
  .openapi('InputFile')

const inputPartSchema = z.discriminatedUnion('type', [inputTextSchema, inputImageSchema, inputFileSchema])

const outputTextSchema = z
  .strictObject({
    type: z.literal('output_text'),
    text: textSchema,
    // Members of an answer that is sent back as it came. They say nothing to a model.
    annotations: z.array(z.unknown()).nullish(),
    logprobs: z.array(z.unknown()).nullish(),
    parsed: z.unknown().optional(),
  })
  .openapi('OutputTextSentBack')

const refusalSchema = z.strictObject({ type: z.literal('refusal'), refusal: textSchema }).openapi('RefusalSentBack')

const listOf = <T extends z.ZodType>(part: T) => z.union([textSchema, z.array(part).min(1).max(MAX_PARTS)])

/** What Codex notes on items for the service it is made for. */
const noted = { internal_chat_message_metadata_passthrough: ignored }

const message = { type: orNull(z.literal('message')).optional(), id: idSchema, status, ...noted }

const instructionSchema = <Role extends 'system' | 'developer'>(role: Role) =>
  z.strictObject({ ...message, role: z.literal(role), content: listOf(inputTextSchema) })

const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ ...message, role: z.literal('user'), content: listOf(inputPartSchema) }).openapi('UserInput'),
  instructionSchema('system').openapi('SystemInput'),
  instructionSchema('developer').openapi('DeveloperInput'),
  z
    .strictObject({
      ...message,
      role: z.literal('assistant'),
      content: z.union([
        textSchema,
        z.array(z.discriminatedUnion('type', [outputTextSchema, refusalSchema, inputTextSchema])).max(MAX_PARTS),
      ]),
      phase: orNull(z.enum(['commentary', 'final_answer'])).optional(),
    })
    .openapi('AssistantInput'),
])

const functionCallSchema = z
  .strictObject({
    type: z.literal('function_call'),
    call_id: callIdSchema,
    name: functionNameSchema,
    arguments: textSchema.openapi({ description: 'A JSON object as text.' }),
    id: idSchema,
    status,
    parsed_arguments: z.unknown().optional(),
    async: orNull(z.literal(false)).optional(),
    caller,
    created_by: idSchema,
    namespace: none,
    ...noted,
  })
  .openapi('FunctionCallInput')

const functionCallOutputSchema = z
  .strictObject({
    type: z.literal('function_call_output'),
    call_id: callIdSchema,
    output: z
      .union([textSchema, z.array(inputPartSchema).max(MAX_PARTS)])
      .openapi({ description: 'An empty list is an empty text.' }),
    id: idSchema,
    status,
    caller,
    created_by: idSchema,
    name: z.string().max(256).nullish(),
    namespace: none,
    ...noted,
  })
  .openapi('FunctionCallOutput')

const reasoningSchema = z
  .strictObject({
    type: z.literal('reasoning'),
    encrypted_content: textSchema.nullish().openapi({ description: 'As it came in an answer from here.' }),
    id: idSchema,
    status,
    summary: z.array(z.unknown()).nullish(),
    content: z.array(z.unknown()).nullish(),
    ...noted,
  })
  .openapi('ReasoningInput')

const itemSchema = z
  .discriminatedUnion('type', [messageSchema, functionCallSchema, functionCallOutputSchema, reasoningSchema])
  .openapi('ResponsesInputItem')

export const inputSchema = z.union([textSchema.min(1), z.array(itemSchema).min(1).max(MAX_ITEMS)])

export type WireItem = z.infer<typeof itemSchema>
export type WireInputPart = z.infer<typeof inputPartSchema>
