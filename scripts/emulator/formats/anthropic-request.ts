// Reads an Anthropic Messages request: its shape here, what else it refuses in the rules beside it.

import { z } from 'zod'
import { checkBody } from '../check-body.ts'
import type { BodyFault } from '../check-body.ts'
import type { Message, ToolChoice, Turn } from '../turn.ts'
import { problemAt, refuse } from '../wire-format.ts'
import type { ReadTurn, WireCall, WireProblem } from '../wire-format.ts'
import { cacheableIn } from './anthropic-cache.ts'
import { blocksOf, blockText, cacheMark, contentBlock, mediaIn, taggedPlace, textBlock } from './anthropic-content.ts'
import type { AnthropicMessage } from './anthropic-content.ts'
import { anthropicFault } from './anthropic-rules.ts'
import { thinkingOf } from './anthropic-thinking.ts'

const parallel = { disable_parallel_tool_use: z.boolean().optional() }
const display = z.enum(['summarized', 'omitted']).nullish()
const ignored = z.unknown().optional()

const requestSchema = z.strictObject({
  model: z.string(),
  max_tokens: z.int().min(1),
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['user', 'assistant']),
        content: z.union([z.string().min(1), z.array(contentBlock).min(1)]),
      }),
    )
    .min(1),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string().min(1)).optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  tools: z
    .array(
      z.strictObject({
        type: z.literal('custom').nullish(),
        name: z.string().regex(/^[\w-]{1,128}$/),
        description: z.string().optional(),
        input_schema: z.looseObject({ type: z.literal('object') }),
        strict: z.boolean().optional(),
        input_examples: ignored,
        eager_input_streaming: ignored,
        cache_control: cacheMark,
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
  metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
  thinking: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024), display }),
      z.strictObject({ type: z.literal('adaptive'), display }),
      z.strictObject({ type: z.literal('disabled') }),
    ])
    .optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  cache_control: cacheMark,
  inference_geo: ignored,
})

export type AnthropicRequest = z.infer<typeof requestSchema>

export function readAnthropic(call: WireCall, model: string): ReadTurn {
  if (call.headers['anthropic-version'] === undefined) {
    return { ok: false, problem: problemAt('anthropic-version', 'header is required') }
  }
  const checked = checkBody(requestSchema, { ...call.body, model })
  if (!checked.ok) return { ok: false, problem: shapeProblem(call.body, checked.fault) }
  if (!call.models.includes(model)) return refuse(404, `model: ${model}`)
  const fault = anthropicFault(checked.value)
  if (fault !== null) return { ok: false, problem: fault }
  const turn = turnOf(checked.value)
  return { ok: true, turn, framing: turn.stream ? 'sse' : 'json' }
}

function shapeProblem(body: unknown, fault: BodyFault): WireProblem {
  const rules = { missing: 'required', unknown: 'unknown field', invalid: fault.rule }
  return problemAt(taggedPlace(body, fault.path.split('.')), rules[fault.kind])
}

function messageOf(message: AnthropicMessage): Message {
  const blocks = blocksOf(message)
  const isResult = blocks.some((block) => block.type === 'tool_result')
  return {
    role: isResult ? 'tool' : message.role,
    text: blocks.map(blockText).join(''),
    images: blocks.reduce((sum, block) => sum + mediaIn(block), 0),
  }
}

function toolChoiceOf(choice: AnthropicRequest['tool_choice']): ToolChoice {
  if (choice === undefined) return { kind: 'auto' }
  if (choice.type === 'tool') return { kind: 'named', name: choice.name }
  return { kind: choice.type === 'any' ? 'required' : choice.type }
}

function turnOf(request: AnthropicRequest): Turn {
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
    // There is no mode for it: the model does as its instructions say.
    jsonObject: /\bone JSON object\b/.test(systemText),
    includeUsage: true,
    thinking: thinkingOf(request),
    cacheable: cacheableIn(request),
  }
}
