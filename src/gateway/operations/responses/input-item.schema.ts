// Schemas of the items in a Responses request, including outputs of earlier answers that are sent back. Each member is checked
// here. providers/model-support.policy.ts checks how items follow each other, as for every format.
import * as z from 'zod'
import { once, type Infer } from '../../../platform/once.ts'
import { orNull } from '../../../platform/names.schema.ts'
import { FunctionNameSchema, ignored, TextSchema } from '../chat/chat-message.schema.ts'
import { MAX_TOOLS, ToolSchema } from './tool.schema.ts'

export const MAX_PARTS = 1_000
const MAX_ITEMS = 4_096

const IdSchema = once(() => z.string().max(256).nullish())
const status = once(() => orNull(z.enum(['in_progress', 'completed', 'incomplete'])).optional())
const CallIdSchema = once(() => z.string().min(1).max(256))

/** A member of other services' outputs. Only null is accepted, because null means nothing. */
const none = once(() => z.null().optional())

const unmarked = once(() => z.null('no part can be marked here; expected null').optional())

const InputTextSchema = once(() =>
  z
    .strictObject({ type: z.literal('input_text'), text: TextSchema(), prompt_cache_breakpoint: unmarked() })
    .meta({ id: 'InputText' }),
)

const InputImageSchema = once(() =>
  z
    .strictObject({
      type: z.literal('input_image'),
      image_url: z.string().meta({ description: 'An https address or a base64 data URL. Nothing is fetched here.' }),
      detail: orNull(z.enum(['auto', 'low', 'high'])).optional(),
      file_id: none(),
      prompt_cache_breakpoint: unmarked(),
    })
    .meta({ id: 'InputImage' }),
)

const InputFileSchema = once(() =>
  z
    .strictObject({
      type: z.literal('input_file'),
      file_data: z.string().nullish().meta({ description: 'A base64 data URL: data:application/pdf;base64,…' }),
      file_url: z.string().nullish().meta({ description: 'An https address, for models that fetch it themselves.' }),
      filename: z.string().max(256).nullish(),
      detail: orNull(z.literal('auto')).optional(),
      file_id: none(),
      prompt_cache_breakpoint: unmarked(),
    })
    .meta({ id: 'InputFile' }),
)

const InputPartSchema = once(() =>
  z.discriminatedUnion('type', [InputTextSchema(), InputImageSchema(), InputFileSchema()]),
)

const OutputTextSchema = once(() =>
  z
    .strictObject({
      type: z.literal('output_text'),
      text: TextSchema(),
      // Members of an answer that is sent back as it came. They say nothing to a model.
      annotations: z.array(z.unknown()).nullish(),
      logprobs: z.array(z.unknown()).nullish(),
      parsed: z.unknown().optional(),
    })
    .meta({ id: 'OutputTextSentBack' }),
)

const RefusalSchema = once(() =>
  z.strictObject({ type: z.literal('refusal'), refusal: TextSchema() }).meta({ id: 'RefusalSentBack' }),
)

const textOrListOf = <T extends z.ZodType>(part: T) => z.union([TextSchema(), z.array(part).min(1).max(MAX_PARTS)])

/** Codex adds this to items for its own service. */
const codexMembers = once(() => ({ internal_chat_message_metadata_passthrough: ignored() }))

const message = once(() => ({
  type: orNull(z.literal('message')).optional(),
  id: IdSchema(),
  status: status(),
  ...codexMembers(),
}))

const InstructionSchema = <Role extends 'system' | 'developer'>(role: Role) =>
  z.strictObject({ ...message(), role: z.literal(role), content: textOrListOf(InputTextSchema()) })

const MessageSchema = once(() =>
  z.discriminatedUnion('role', [
    z
      .strictObject({ ...message(), role: z.literal('user'), content: textOrListOf(InputPartSchema()) })
      .meta({ id: 'UserInput' }),
    InstructionSchema('system').meta({ id: 'SystemInput' }),
    InstructionSchema('developer').meta({ id: 'DeveloperInput' }),
    z
      .strictObject({
        ...message(),
        role: z.literal('assistant'),
        content: z.union([
          TextSchema(),
          z
            .array(z.discriminatedUnion('type', [OutputTextSchema(), RefusalSchema(), InputTextSchema()]))
            .max(MAX_PARTS),
        ]),
        phase: orNull(z.enum(['commentary', 'final_answer'])).optional(),
      })
      .meta({ id: 'AssistantInput' }),
  ]),
)

const callMembers = once(() => ({
  call_id: CallIdSchema(),
  id: IdSchema(),
  status: status(),
  namespace: orNull(FunctionNameSchema()).optional(),
  /** The caller of a tool here is always the model itself. */
  caller: orNull(z.strictObject({ type: z.literal('direct') }).meta({ id: 'DirectCaller' })).optional(),
  created_by: IdSchema(),
  ...codexMembers(),
}))

const FunctionCallSchema = once(() =>
  z
    .strictObject({
      type: z.literal('function_call'),
      name: FunctionNameSchema(),
      arguments: TextSchema().meta({ description: 'A JSON object as text.' }),
      parsed_arguments: z.unknown().optional(),
      async: orNull(z.literal(false)).optional(),
      ...callMembers(),
    })
    .meta({ id: 'FunctionCallInput' }),
)

const CustomToolCallSchema = once(() =>
  z
    .strictObject({
      type: z.literal('custom_tool_call'),
      name: FunctionNameSchema(),
      input: TextSchema(),
      async: orNull(z.literal(false)).optional(),
      ...callMembers(),
    })
    .meta({ id: 'CustomToolCallInput' }),
)

const callOutput = <Type extends string>(type: Type, id: string) =>
  z
    .strictObject({
      type: z.literal(type),
      output: z
        .union([TextSchema(), z.array(InputPartSchema()).max(MAX_PARTS)])
        .meta({ description: 'An empty list is an empty text.' }),
      name: z.string().max(256).nullish(),
      ...callMembers(),
    })
    .meta({ id })

const ReasoningSchema = once(() =>
  z
    .strictObject({
      type: z.literal('reasoning'),
      encrypted_content: TextSchema().nullish().meta({ description: 'As it came in an answer from here.' }),
      id: IdSchema(),
      status: status(),
      summary: z.array(z.unknown()).nullish(),
      content: z.array(z.unknown()).nullish(),
      ...codexMembers(),
    })
    .meta({ id: 'ReasoningInput' }),
)

const AdditionalToolsSchema = once(() =>
  z
    .strictObject({
      type: z.literal('additional_tools'),
      role: z.literal('developer'),
      tools: z.array(ToolSchema()).max(MAX_TOOLS),
      id: IdSchema(),
      status: status(),
      ...codexMembers(),
    })
    .meta({ id: 'AdditionalTools', description: 'More tools. They replace earlier ones of the same name.' }),
)

const ItemSchema = once(() =>
  z
    .discriminatedUnion('type', [
      MessageSchema(),
      FunctionCallSchema(),
      CustomToolCallSchema(),
      callOutput('function_call_output', 'FunctionCallOutput'),
      callOutput('custom_tool_call_output', 'CustomToolCallOutput'),
      ReasoningSchema(),
      AdditionalToolsSchema(),
    ])
    .meta({ id: 'ResponsesInputItem' }),
)

export const InputSchema = once(() => z.union([TextSchema().min(1), z.array(ItemSchema()).min(1).max(MAX_ITEMS)]))

export type WireItem = Infer<typeof ItemSchema>
export type WireInputPart = Infer<typeof InputPartSchema>
