// Reads an Anthropic Messages request as strictly as Anthropic does: max_tokens is required, unknown fields and
// empty texts are refused, tool results follow their calls, and newer models take no sampling parameters.

import { z } from 'zod'
import { checkBody } from '../check-body.ts'
import { isClaudeFive } from '../models.ts'
import { isObject } from '../sample-json.ts'
import type { Message, ToolChoice, Turn } from '../turn.ts'
import { problem, refuse } from '../wire-format.ts'
import type { ReadTurn, WireCall, WireProblem } from '../wire-format.ts'

const cache_control = z.unknown().optional()
const text = z.strictObject({
  type: z.literal('text'),
  text: z.string().min(1),
  cache_control,
  citations: cache_control,
})
const image = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: z.string(),
    }),
    z.strictObject({ type: z.literal('url'), url: z.string() }),
  ]),
  cache_control,
})
const toolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[\w-]+$/),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  cache_control,
})
const toolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.discriminatedUnion('type', [text, image]))]).optional(),
  is_error: z.boolean().optional(),
  cache_control,
})
const block = z.discriminatedUnion('type', [text, image, toolUse, toolResult])
const parallel = { disable_parallel_tool_use: z.boolean().optional() }

const requestSchema = z.strictObject({
  model: z.string(),
  max_tokens: z.int().min(1),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['user', 'assistant']),
        content: z.union([z.string().min(1), z.array(block).min(1)]),
      }),
    )
    .min(1),
  system: z.union([z.string(), z.array(text)]).optional(),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string().min(1)).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('custom').optional(),
        name: z.string().regex(/^[\w-]{1,128}$/),
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal('object') }),
        strict: z.boolean().optional(),
        cache_control,
      }),
    )
    .optional(),
  tool_choice: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('auto'), ...parallel }),
      z.strictObject({ type: z.literal('any'), ...parallel }),
      z.strictObject({ type: z.literal('none') }),
      z.strictObject({ type: z.literal('tool'), name: z.string(), ...parallel }),
    ])
    .optional(),
  output_config: z
    .strictObject({
      format: z.strictObject({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }).nullish(),
      effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
    })
    .optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  thinking: z.looseObject({ type: z.enum(['enabled', 'disabled', 'adaptive']) }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
})

type Request = z.infer<typeof requestSchema>
type Block = z.infer<typeof block>

export function readAnthropic(call: WireCall, model: string): ReadTurn {
  if (call.headers['anthropic-version'] === undefined) return refuse(400, 'anthropic-version: header is required')
  const checked = checkBody(requestSchema, { ...call.body, model })
  if (!checked.ok) return refuse(400, `${checked.fault.path}: ${checked.fault.rule}`, { param: checked.fault.path })
  if (!call.models.includes(model)) return refuse(404, `model: ${model}`)
  const fault = faultIn(checked.value)
  if (fault !== null) return { ok: false, problem: fault }
  const turn = turnOf(checked.value)
  return { ok: true, turn, framing: turn.stream ? 'sse' : 'json' }
}

function faultIn(request: Request): WireProblem | null {
  const { messages, model, tool_choice: choice } = request
  if (messages[0]?.role !== 'user') return problem(400, 'messages.0: the first turn must have role user')
  const hasSampling = request.top_k !== undefined || (request.top_p ?? 1) !== 1 || (request.temperature ?? 1) !== 1
  if (isClaudeFive(model) && hasSampling) return problem(400, 'temperature, top_p, top_k: not taken by this model')
  if (!isClaudeFive(model) && request.temperature !== undefined && request.top_p !== undefined) {
    return problem(400, 'temperature, top_p: one of them at most')
  }
  if (isClaudeFive(model) && messages.at(-1)?.role === 'assistant') {
    return problem(400, 'messages: this model takes no prefilled assistant turn')
  }
  if (choice && !request.tools?.length) return problem(400, 'tool_choice: needs tools')
  if (choice?.type === 'tool' && !request.tools?.some((tool) => tool.name === choice.name)) {
    return problem(400, 'tool_choice.name: no such tool')
  }
  const openAt = openObjectAt(request.output_config?.format?.schema, 'output_config.format.schema')
  if (openAt !== null) return problem(400, `${openAt}: additionalProperties must be false`)
  return toolOrderFault(messages)
}

/** Structured output takes only objects that are closed explicitly. */
function openObjectAt(schema: unknown, path: string): string | null {
  if (!isObject(schema)) return null
  const { properties } = schema
  if (schema['type'] === 'object' && schema['additionalProperties'] !== false) return path
  const inner = [...(isObject(properties) ? Object.entries(properties) : []), ['items', schema['items']] as const]
  return inner.map(([key, value]) => openObjectAt(value, `${path}.${key}`)).find((found) => found !== null) ?? null
}

function blocksOf(item: Request['messages'][number]): Block[] {
  return typeof item.content === 'string' ? [{ type: 'text', text: item.content }] : item.content
}

/** Neighbours of the same role are one turn. */
function turnsOf(messages: Request['messages']): Array<{ role: string; blocks: Block[] }> {
  const turns: Array<{ role: string; blocks: Block[] }> = []
  for (const item of messages) {
    const last = turns.at(-1)
    if (last?.role === item.role) last.blocks.push(...blocksOf(item))
    else turns.push({ role: item.role, blocks: [...blocksOf(item)] })
  }
  return turns
}

/** The calls of a turn are answered by the very next turn, all of them, and nothing else is. */
function toolOrderFault(messages: Request['messages']): WireProblem | null {
  let open: string[] = []
  for (const [index, { blocks }] of turnsOf(messages).entries()) {
    const results = blocks.filter((part) => part.type === 'tool_result').map((part) => part.tool_use_id)
    const isUnasked = results.some((id) => !open.includes(id))
    const isUnanswered = open.some((id) => !results.includes(id))
    if (isUnasked) return problem(400, `messages.${index}: tool_result without its tool_use before it`)
    if (isUnanswered) return problem(400, `messages.${index}: tool_use without its tool_result after it`)
    open = blocks.filter((part) => part.type === 'tool_use').map((part) => part.id)
  }
  return open.length > 0 ? problem(400, 'messages: tool_use without its tool_result after it') : null
}

function textOf(part: Block): string {
  if (part.type === 'text') return part.text
  if (part.type === 'tool_use') return part.name + JSON.stringify(part.input)
  if (part.type === 'image' || part.content === undefined) return ''
  return typeof part.content === 'string' ? part.content : part.content.map(textOf).join('')
}

function messageOf(item: Request['messages'][number]): Message {
  const blocks = blocksOf(item)
  const isResult = blocks.some((part) => part.type === 'tool_result')
  return {
    role: isResult ? 'tool' : item.role,
    text: blocks.map(textOf).join(''),
    images: blocks.filter((part) => part.type === 'image').length,
  }
}

function toolChoiceOf(choice: Request['tool_choice']): ToolChoice {
  if (choice === undefined) return { kind: 'auto' }
  if (choice.type === 'tool') return { kind: 'named', name: choice.name }
  return { kind: choice.type === 'any' ? 'required' : choice.type }
}

function turnOf(request: Request): Turn {
  const { system, tool_choice: choice } = request
  const systemText = typeof system === 'string' ? system : (system ?? []).map((part) => part.text).join('')
  const systemMessages: Message[] = systemText === '' ? [] : [{ role: 'system', text: systemText, images: 0 }]
  return {
    model: request.model,
    stream: request.stream === true,
    messages: [...systemMessages, ...request.messages.map(messageOf)],
    choices: 1,
    maxOutputTokens: request.max_tokens,
    stop: request.stop_sequences ?? [],
    tools: (request.tools ?? []).map((tool) => ({ name: tool.name, parameters: tool.input_schema })),
    toolChoice: toolChoiceOf(choice),
    parallelTools: !(choice && 'disable_parallel_tool_use' in choice && choice.disable_parallel_tool_use === true),
    schema: request.output_config?.format?.schema ?? null,
    jsonObject: false,
    includeUsage: true,
  }
}
