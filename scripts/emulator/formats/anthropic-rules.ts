// What Anthropic refuses of a request whose shape is right: schemas that it cannot compile, parameters that a model does
// not take, and turns in the wrong order.

import { isClaudeFive } from '../models.ts'
import { schemaParts } from '../json-schema.ts'
import { isObject } from '../sample-json.ts'
import { problem, problemAt } from '../wire-format.ts'
import type { WireProblem } from '../wire-format.ts'
import { cacheMarkFault } from './anthropic-cache.ts'
import { blocksOf, mediaIn } from './anthropic-content.ts'
import type { Block } from './anthropic-content.ts'
import type { AnthropicRequest } from './anthropic-request.ts'
import { anthropicSchemaFault, grammarFault } from './anthropic-schema.ts'
import { thoughtFault } from './anthropic-thinking.ts'

const MOST_STRICT_TOOLS = 20

/** Images and pages: a model with the longer context takes more of them. */
const MOST_MEDIA = { claudeFive: 600, older: 100 }

export function anthropicFault(request: AnthropicRequest): WireProblem | null {
  return (
    turnFault(request) ??
    textFault(request) ??
    endFault(request) ??
    cacheMarkFault(request) ??
    mediaFault(request) ??
    samplingFault(request) ??
    thinkingFault(request) ??
    toolFault(request) ??
    schemaFault(request) ??
    toolOrderFault(request.messages) ??
    thoughtFault(request)
  )
}

function turnFault({ messages, model }: AnthropicRequest): WireProblem | null {
  if (messages[0]?.role !== 'user') return problemAt('messages', 'the first turn must have role user')
  if (isClaudeFive(model) && messages.at(-1)?.role === 'assistant') {
    return problem(400, 'this model takes no prefilled assistant turn')
  }
  for (const [at, message] of messages.entries()) {
    const alien = blocksOf(message).findIndex(({ type }) =>
      message.role === 'user' ? ['tool_use', 'thinking', 'redacted_thinking'].includes(type) : type === 'tool_result',
    )
    if (alien >= 0) return problemAt(`messages.${at}.content.${alien}`, `not a block of the ${message.role}`)
  }
  return null
}

/** Blank texts are refused everywhere, and an empty one with a mark by its place. */
function textFault({ messages, system }: AnthropicRequest): WireProblem | null {
  const markedAt = messages.flatMap((message, at) =>
    blocksOf(message).flatMap((block, position) =>
      block.type === 'text' && block.text === '' && block.cache_control
        ? [`messages.${at}.content.${position}.text`]
        : [],
    ),
  )[0]
  if (markedAt !== undefined) return problemAt(markedAt, 'an empty text takes no cache_control')
  const texts = messages.flatMap(blocksOf).flatMap((block) => (block.type === 'text' ? [block.text] : []))
  if (texts.includes('')) return problemAt('messages', 'a text block is empty')
  if (texts.some((text) => text.trim() === '')) {
    return problemAt('messages', 'a text block is blank')
  }
  const empty = Array.isArray(system) && system.some(({ text }) => text === '')
  return empty ? problemAt('system', 'a text block is empty') : null
}

/** Blank ends: of what a model is to go on from, and of what it is to stop at. */
function endFault({ messages, stop_sequences: stops = [] }: AnthropicRequest): WireProblem | null {
  const last = messages.at(-1)
  const end = last?.role === 'assistant' ? blocksOf(last).at(-1) : undefined
  if (end?.type === 'text' && end.text !== end.text.trimEnd()) {
    return problemAt('messages', 'the last turn of the assistant ends with white space')
  }
  return stops.some((stop) => stop.trim() === '') ? problemAt('stop_sequences', 'a stop sequence is blank') : null
}

function mediaFault({ messages, model, output_config: output }: AnthropicRequest): WireProblem | null {
  const blocks = messages.flatMap(blocksOf)
  const most = isClaudeFive(model) ? MOST_MEDIA.claudeFive : MOST_MEDIA.older
  const media = blocks.reduce((sum, block) => sum + mediaIn(block), 0)
  if (media > most) return problemAt('messages', `too many images and documents: ${media} > ${most}`)
  const cited = blocks.some((block) => block.type === 'document' && block.citations?.enabled === true)
  return cited && output?.format ? problem(400, '`citations` and `output_config.format`: one of them at most') : null
}

function samplingFault({ model, temperature, top_p: topP, top_k: topK }: AnthropicRequest): WireProblem | null {
  if (isClaudeFive(model)) {
    if ((temperature ?? 1) !== 1) return problem(400, '`temperature`: not taken by this model')
    if ((topP ?? 1) !== 1) return problem(400, '`top_p`: not taken by this model')
    return topK === undefined ? null : problem(400, '`top_k`: not taken by this model')
  }
  if (temperature === undefined || topP === undefined) return null
  return problem(400, '`temperature` and `top_p`: one of them at most')
}

/** Claude 5 decides on its own how much to think; Haiku 4.5 thinks by a budget, and only where it is asked to. */
function thinkingFault(request: AnthropicRequest): WireProblem | null {
  const { model, thinking, tool_choice: choice, temperature } = request
  const effort = request.output_config?.effort ?? null
  const isForced = choice?.type === 'any' || choice?.type === 'tool'
  if (isClaudeFive(model)) {
    if (thinking?.type === 'enabled') return problem(400, '"thinking.type.enabled": not taken by this model')
    const isDeep = effort === 'xhigh' || effort === 'max'
    return model.startsWith('claude-opus') && isDeep && thinking?.type === 'disabled'
      ? problem(400, '"thinking.type.disabled": not taken at this effort')
      : null
  }
  if (effort !== null) return problem(400, 'this model takes no effort')
  if (thinking?.type === 'adaptive') return problem(400, '"thinking.type.adaptive": not taken by this model')
  if (thinking?.type !== 'enabled') return null
  if (isForced) return problem(400, '`tool_choice` forces a tool while `thinking` is enabled')
  if ((temperature ?? 1) !== 1) return problem(400, '`temperature`: only 1 while `thinking` is enabled')
  return thinking.budget_tokens < request.max_tokens
    ? null
    : problem(400, '`max_tokens`: not above `thinking.budget_tokens`')
}

function toolFault({ tools = [], tool_choice: choice }: AnthropicRequest): WireProblem | null {
  if (choice && choice.type !== 'none' && tools.length === 0) {
    return problemAt('tool_choice', 'needs tools')
  }
  if (choice?.type === 'tool' && !tools.some((tool) => tool.name === choice.name)) {
    return problem(400, 'tool_choice names no such tool')
  }
  if (new Set(tools.map(({ name }) => name)).size < tools.length) return problemAt('tools', 'a name is there twice')
  for (const [at, { input_schema: schema }] of tools.entries()) {
    const place = `tools.${at}.custom.input_schema`
    if (['oneOf', 'allOf', 'anyOf'].some((key) => key in schema)) {
      return problemAt(place, 'no oneOf, allOf or anyOf at the top')
    }
    const keys = [...schemaParts(schema)].flatMap((part) => keysOf(part.schema['properties']))
    if (!keys.every((key) => /^[\w.-]{1,64}$/.test(key))) {
      return problemAt(`${place}.properties`, "a key does not match '^[a-zA-Z0-9_.-]{1,64}$'")
    }
  }
  return null
}

function keysOf(value: unknown): string[] {
  return isObject(value) ? Object.keys(value) : []
}

function schemaFault({ tools = [], output_config: output }: AnthropicRequest): WireProblem | null {
  const format = output?.format?.schema
  const formatRule = format === undefined ? null : anthropicSchemaFault(format)
  if (formatRule !== null) return problemAt('output_config.format.schema', formatRule)
  const strict = tools.filter((tool) => tool.strict === true)
  for (const [at, tool] of tools.entries()) {
    const rule = tool.strict === true ? anthropicSchemaFault(tool.input_schema) : null
    if (rule !== null) return problemAt(`tools.${at}.custom`, rule)
  }
  if (strict.length > MOST_STRICT_TOOLS) return problemAt('tools', `more than ${MOST_STRICT_TOOLS} strict tools`)
  const schemas = [...strict.map((tool) => tool.input_schema), ...(format === undefined ? [] : [format])]
  const tooMuch = grammarFault(schemas)
  return tooMuch === null ? null : problem(400, tooMuch)
}

interface MergedTurn {
  /** Index of the turn's first message. */
  at: number
  role: string
  blocks: Block[]
}

/** Neighbours of the same role are one turn. */
function turnsOf(messages: AnthropicRequest['messages']): MergedTurn[] {
  const turns: MergedTurn[] = []
  for (const [at, message] of messages.entries()) {
    const last = turns.at(-1)
    if (last?.role === message.role) last.blocks.push(...blocksOf(message))
    else turns.push({ at, role: message.role, blocks: [...blocksOf(message)] })
  }
  return turns
}

/** The calls of a turn are answered by the very next turn, all of them and first of all, and nothing else is. */
function toolOrderFault(messages: AnthropicRequest['messages']): WireProblem | null {
  let open: string[] = []
  let openAt = 0
  const unanswered = (): WireProblem =>
    problemAt(`messages.${openAt}`, '`tool_use` without its `tool_result` right after it')
  for (const { at, blocks } of turnsOf(messages)) {
    const results = blocks.map((block) => (block.type === 'tool_result' ? block.tool_use_id : null))
    const unasked = results.findIndex((id) => id !== null && !open.includes(id))
    if (unasked >= 0) {
      return problemAt(`messages.${at}.content.${unasked}`, '`tool_result` without its `tool_use` right before it')
    }
    const answered = new Set(results.slice(0, open.length))
    if (open.some((id) => !answered.has(id))) return unanswered()
    open = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
    openAt = at
  }
  return open.length > 0 ? unanswered() : null
}
