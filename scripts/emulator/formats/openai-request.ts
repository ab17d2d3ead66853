// Reads an OpenAI chat completion request: its shape here, what else it refuses in the rules beside it.

import { z } from 'zod'
import { checkBody } from '../check-body.ts'
import type { BodyFault } from '../check-body.ts'
import { countsCacheWrites } from '../models.ts'
import { wholePromptPoints } from '../prompt-cache.ts'
import type { Message, ToolChoice, Turn } from '../turn.ts'
import { problem, refuse } from '../wire-format.ts'
import type { ReadTurn, WireCall, WireProblem } from '../wire-format.ts'
import { openAiFault } from './openai-rules.ts'

const LEAST_CACHED_TOKENS = 1024
const ignored = z.unknown().optional()
const breakpoint = { prompt_cache_breakpoint: ignored }
const text = z.strictObject({ type: z.literal('text'), text: z.string(), ...breakpoint })
const image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() }),
  ...breakpoint,
})
const file = z.strictObject({
  type: z.literal('file'),
  file: z.strictObject({
    file_data: z.string().optional(),
    file_id: z.string().optional(),
    filename: z.string().optional(),
  }),
  ...breakpoint,
})
const refusal = z.strictObject({ type: z.literal('refusal'), refusal: z.string() })
const content = z.union([z.string(), z.array(text).min(1)])
const name = z.string().optional()
const callId = z.string().min(1).max(40)
const toolCall = z.strictObject({
  id: callId,
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
})
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content, name }),
  z.strictObject({ role: z.literal('developer'), content, name }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image, file])).min(1)]),
    name,
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, refusal])).min(1)]).nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(toolCall).min(1).optional(),
    name,
  }),
  z.strictObject({ role: z.literal('tool'), content, tool_call_id: callId }),
])
const functionName = z.string().regex(/^[\w-]{1,64}$/)
const jsonSchema = z.record(z.string(), z.unknown())

const requestSchema = z.strictObject({
  model: z.string(),
  messages: z.array(message).min(1),
  stream: z.boolean().nullish(),
  stream_options: z
    .strictObject({ include_usage: z.boolean().optional(), include_obfuscation: z.boolean().optional() })
    .nullish(),
  n: z.int().min(1).max(128).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('function'),
        function: z.strictObject({
          name: functionName,
          description: z.string().optional(),
          parameters: jsonSchema.optional(),
          strict: z.boolean().nullish(),
        }),
      }),
    )
    .min(1)
    .optional(),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
    ])
    .optional(),
  parallel_tool_calls: z.boolean().optional(),
  response_format: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text') }),
      z.strictObject({ type: z.literal('json_object') }),
      z.strictObject({
        type: z.literal('json_schema'),
        json_schema: z.strictObject({
          name: functionName,
          description: z.string().optional(),
          schema: jsonSchema,
          strict: z.boolean().nullish(),
        }),
      }),
    ])
    .optional(),
  reasoning_effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  logprobs: z.boolean().nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  seed: z.int().nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  user: z.string().optional(),
  logit_bias: z.record(z.string(), z.number().min(-100).max(100)).nullish(),
  store: z.boolean().nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority']).nullish(),
  verbosity: z.enum(['low', 'medium', 'high']).nullish(),
  prediction: ignored,
  modalities: z.array(z.enum(['text', 'audio'])).nullish(),
  web_search_options: ignored,
  safety_identifier: ignored,
  prompt_cache_key: ignored,
  prompt_cache_options: ignored,
  prompt_cache_retention: ignored,
})

export type OpenAiRequest = z.infer<typeof requestSchema>
type RequestMessage = OpenAiRequest['messages'][number]

export function readOpenAi(call: WireCall, model: string): ReadTurn {
  const checked = checkBody(requestSchema, { ...call.body, model })
  if (!checked.ok) return { ok: false, problem: shapeProblem(checked.fault) }
  if (!call.models.includes(model)) {
    return refuse(404, `no model ${JSON.stringify(model)} here`, { code: 'model_not_found' })
  }
  const texts = checked.value.messages.map(openAiText)
  const fault = openAiFault(checked.value, texts)
  if (fault !== null) return { ok: false, problem: fault }
  const turn = turnOf(checked.value)
  return { ok: true, turn, framing: turn.stream ? 'sse' : 'json' }
}

function shapeProblem(fault: BodyFault): WireProblem {
  const codes = { missing: 'missing_required_parameter', unknown: 'unknown_parameter', invalid: 'invalid_value' }
  const param = bracketed(fault.path.replace(/\.type$/, ''))
  return problem(400, `${fault.rule}: '${param}'.`, { code: codes[fault.kind], param })
}

/** `messages.0.content` is `messages[0].content` there. */
function bracketed(path: string): string {
  return path.replaceAll(/\.(\d+)(?=\.|$)/g, '[$1]')
}

function openAiText(item: RequestMessage): string {
  const parts = typeof item.content === 'string' ? item.content : (item.content ?? [])
  const written = typeof parts === 'string' ? parts : parts.map((part) => ('text' in part ? part.text : '')).join('')
  const calls = item.role === 'assistant' ? (item.tool_calls ?? []) : []
  return written + calls.map((call) => call.function.name + call.function.arguments).join('')
}

function messageOf(item: RequestMessage): Message {
  const parts = Array.isArray(item.content) ? item.content : []
  return {
    role: item.role === 'developer' ? 'system' : item.role,
    text: openAiText(item),
    images: parts.filter((part) => part.type === 'image_url' || part.type === 'file').length,
  }
}

function toolChoiceOf(choice: OpenAiRequest['tool_choice']): ToolChoice {
  if (choice === undefined) return { kind: 'auto' }
  return typeof choice === 'string' ? { kind: choice } : { kind: 'named', name: choice.function.name }
}

function turnOf(request: OpenAiRequest): Turn {
  const { response_format: format, stop } = request
  const messages = request.messages.map(messageOf)
  return {
    model: request.model,
    stream: request.stream === true,
    messages,
    choices: request.n ?? 1,
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    tools: (request.tools ?? []).map((tool) => ({
      name: tool.function.name,
      parameters: tool.function.parameters ?? {},
    })),
    toolChoice: toolChoiceOf(request.tool_choice),
    parallelTools: request.parallel_tool_calls !== false,
    schema: format?.type === 'json_schema' ? format.json_schema.schema : null,
    jsonObject: format?.type === 'json_object',
    includeUsage: request.stream_options?.include_usage === true,
    thinking: 'off',
    cacheable: {
      isMarked: false,
      prompt: () => ({
        points: wholePromptPoints(request.tools ?? [], messages),
        leastTokens: LEAST_CACHED_TOKENS,
        automatic: { stepTokens: 128, countsWrites: countsCacheWrites(request.model) },
      }),
    },
  }
}
