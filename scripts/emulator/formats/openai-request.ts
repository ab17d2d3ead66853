// Reads an OpenAI chat completion request as strictly as OpenAI does: unknown fields, wrong tool order, parameters
// that the model does not take and schemas that strict mode does not allow are refused by name.

import { z } from 'zod'
import { checkBody } from '../check-body.ts'
import type { BodyFault } from '../check-body.ts'
import { isReasoningModel } from '../models.ts'
import { isObject } from '../sample-json.ts'
import type { Message, ToolChoice, Turn } from '../turn.ts'
import { problem, refuse } from '../wire-format.ts'
import type { ReadTurn, WireCall, WireProblem } from '../wire-format.ts'

const text = z.strictObject({ type: z.literal('text'), text: z.string() })
const image = z.strictObject({
  type: z.literal('image_url'),
  image_url: z.strictObject({ url: z.string(), detail: z.enum(['auto', 'low', 'high']).optional() }),
})
const content = z.union([z.string(), z.array(text).min(1)])
const name = z.string().optional()
const toolCall = z.strictObject({
  id: z.string().min(1),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
})
const message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content, name }),
  z.strictObject({ role: z.literal('developer'), content, name }),
  z.strictObject({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image])).min(1)]),
    name,
  }),
  z.strictObject({
    role: z.literal('assistant'),
    content: content.nullish(),
    refusal: z.string().nullish(),
    tool_calls: z.array(toolCall).min(1).optional(),
    name,
  }),
  z.strictObject({ role: z.literal('tool'), content, tool_call_id: z.string() }),
])
const functionName = z.string().regex(/^[\w-]{1,64}$/)
const jsonSchema = z.record(z.string(), z.unknown())
const ignored = z.unknown().optional()

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
  metadata: z.record(z.string(), z.string()).nullish(),
  user: z.string().optional(),
  logit_bias: ignored,
  store: ignored,
  service_tier: ignored,
  verbosity: ignored,
  prediction: ignored,
  modalities: ignored,
  safety_identifier: ignored,
  prompt_cache_key: ignored,
  prompt_cache_retention: ignored,
})

type Request = z.infer<typeof requestSchema>

export function readOpenAi(call: WireCall, model: string): ReadTurn {
  const checked = checkBody(requestSchema, { ...call.body, model })
  if (!checked.ok) return { ok: false, problem: openAiFault(checked.fault) }
  if (!call.models.includes(model)) {
    return refuse(404, `no model ${JSON.stringify(model)} here`, { code: 'model_not_found' })
  }
  const fault = faultIn(checked.value)
  if (fault !== null) return { ok: false, problem: fault }
  const turn = turnOf(checked.value)
  return { ok: true, turn, framing: turn.stream ? 'sse' : 'json' }
}

function openAiFault(fault: BodyFault): WireProblem {
  const codes = { missing: 'missing_required_parameter', unknown: 'unknown_parameter', invalid: 'invalid_value' }
  return problem(400, `${fault.path}: ${fault.rule}`, { code: codes[fault.kind], param: fault.path })
}

function at(param: string, rule: string, code = 'invalid_value'): WireProblem {
  return problem(400, rule, { param, code })
}

function faultIn(request: Request): WireProblem | null {
  const { stream, response_format: format } = request
  if (request.stream_options && stream !== true) return at('stream_options', 'stream_options needs stream')
  const unsupported = unsupportedParameter(request)
  if (unsupported !== null) return at(unsupported, `${unsupported}: not taken by this model`, 'unsupported_parameter')
  if (request.tool_choice && request.tool_choice !== 'none' && !request.tools) {
    return at('tool_choice', 'tool_choice needs tools')
  }
  if (format?.type === 'json_object' && !/json/i.test(request.messages.map(textOf).join(' '))) {
    return at('messages', 'a JSON object needs the word json in a message')
  }
  if (format?.type === 'json_schema' && format.json_schema.strict === true) {
    const looseAt = looseObjectAt(format.json_schema.schema, '')
    if (looseAt !== null) return at('response_format', `strict schema: object at "${looseAt}" is open`)
  }
  return toolOrderFault(request.messages)
}

/** Reasoning models count their tokens otherwise, never stop at a sequence, and sample only with reasoning off. */
function unsupportedParameter(request: Request): string | null {
  if (!isReasoningModel(request.model)) return request.reasoning_effort ? 'reasoning_effort' : null
  if (typeof request.max_tokens === 'number') return 'max_tokens'
  if (request.stop?.length) return 'stop'
  if (request.reasoning_effort === 'none') return null
  if ((request.temperature ?? 1) !== 1) return 'temperature'
  return (request.top_p ?? 1) === 1 ? null : 'top_p'
}

/** Path of the first object that leaves properties optional or open, which strict mode does not allow. */
function looseObjectAt(schema: unknown, path: string): string | null {
  if (!isObject(schema)) return null
  const { properties } = schema
  if (isObject(properties)) {
    const required = Array.isArray(schema['required']) ? schema['required'] : []
    const isClosed = schema['additionalProperties'] === false
    if (!isClosed || Object.keys(properties).some((key) => !required.includes(key))) return path
  }
  const inner = [
    ...(isObject(properties) ? Object.entries(properties) : []),
    ...(Array.isArray(schema['anyOf']) ? schema['anyOf'].map((item: unknown) => ['anyOf', item] as const) : []),
    ['items', schema['items']] as const,
  ]
  return inner.map(([key, value]) => looseObjectAt(value, `${path}/${key}`)).find((found) => found !== null) ?? null
}

/** Every call of an assistant turn is answered by the tool messages that follow it, and nothing else is. */
function toolOrderFault(messages: Request['messages']): WireProblem | null {
  let open: string[] = []
  for (const [index, item] of messages.entries()) {
    const param = `messages.[${index}].role`
    if (item.role === 'tool') {
      if (!open.includes(item.tool_call_id)) return problem(400, 'a tool message answers no tool call', { param })
      open = open.filter((id) => id !== item.tool_call_id)
      continue
    }
    if (open.length > 0) return problem(400, 'a tool call has no tool message', { param })
    if (item.role === 'assistant') open = (item.tool_calls ?? []).map((toolCallItem) => toolCallItem.id)
  }
  return open.length > 0 ? problem(400, 'a tool call has no tool message', { param: 'messages' }) : null
}

function textOf(item: Request['messages'][number]): string {
  const parts = typeof item.content === 'string' ? item.content : (item.content ?? [])
  const written = typeof parts === 'string' ? parts : parts.map((part) => ('text' in part ? part.text : '')).join('')
  const calls = item.role === 'assistant' ? (item.tool_calls ?? []) : []
  return written + calls.map((call) => call.function.name + call.function.arguments).join('')
}

function messageOf(item: Request['messages'][number]): Message {
  const parts = Array.isArray(item.content) ? item.content : []
  return {
    role: item.role === 'developer' ? 'system' : item.role,
    text: textOf(item),
    images: parts.filter((part) => part.type === 'image_url').length,
  }
}

function toolChoiceOf(choice: Request['tool_choice']): ToolChoice {
  if (choice === undefined) return { kind: 'auto' }
  return typeof choice === 'string' ? { kind: choice } : { kind: 'named', name: choice.function.name }
}

function turnOf(request: Request): Turn {
  const { response_format: format, stop } = request
  return {
    model: request.model,
    stream: request.stream === true,
    messages: request.messages.map(messageOf),
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
  }
}
