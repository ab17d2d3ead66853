// The emulator's format for Anthropic's Messages API: reads requests, and writes answers, stream events and errors as Anthropic
// does.

import * as z from 'zod'
import { answeringModel, textPieces } from '../decide-answer.ts'
import type { EmulatorPlan } from '../answer-plan.ts'
import { cachePoints } from '../prompt-cache.ts'
import type { PromptBlock } from '../prompt-cache.ts'
import { PLAIN_REQUEST, signatureOf } from '../model-request.ts'
import type { Answer, Choice, JsonObject, Message, ModelRequest } from '../model-request.ts'
import { isObject } from '../sample-json.ts'
import {
  jsonEvent,
  modelInBody,
  NO_CREDIT,
  objectsIn,
  ON_REQUEST,
  problem,
  retryAfter,
  TOO_LONG,
} from '../wire-format.ts'
import type { SseEvent, WireCall, WireFormat, WireProblem } from '../wire-format.ts'

const MESSAGES_PATH = '/v1/messages'
const anything = z.unknown().optional()
const ARGUMENT_PIECE = 12

const mark = z.object({ ttl: z.enum(['5m', '1h']).optional() }).nullish()
const blockSchema = z.looseObject({
  type: z.string(),
  cache_control: mark,
  text: z.string().optional(),
  name: z.string().optional(),
  input: anything,
  source: z.object({ type: z.string(), data: z.string().optional() }).optional(),
  /** A tool's result. */
  get content() {
    return z.union([z.string(), z.array(blockSchema)]).optional()
  },
})
type Block = z.infer<typeof blockSchema>

const textsSchema = z.union([z.string(), z.array(blockSchema)])
const requestSchema = z.object({
  max_tokens: z.int().min(1),
  messages: z.array(z.object({ role: z.enum(['user', 'assistant', 'system']), content: textsSchema })).min(1),
  system: textsSchema.default([]),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string()).default([]),
  tools: z.array(z.looseObject({ name: z.string(), input_schema: anything, cache_control: mark })).default([]),
  tool_choice: z
    .object({
      type: z.enum(['auto', 'any', 'none', 'tool']),
      name: z.string().default(''),
      disable_parallel_tool_use: z.boolean().optional(),
    })
    .default({ type: 'auto', name: '' }),
  output_config: z.object({ format: z.object({ schema: anything }).nullish() }).optional(),
  thinking: z.object({ type: z.string(), display: z.string().nullish() }).optional(),
  cache_control: mark,
})
type Request = z.infer<typeof requestSchema>

const blocksOf = (content: string | Block[]): Block[] =>
  typeof content === 'string' ? [{ type: 'text', text: content, input: undefined }] : content

/** Returns the text that counts as tokens. Thinking that the caller sent back does not count. */
function textOf({ type, text = '', name = '', input, source, content = [] }: Block): string {
  if (type === 'tool_use') return name + JSON.stringify(input)
  if (type === 'tool_result') return blocksOf(content).map(textOf).join('')
  return type === 'document' && source?.type === 'text' ? (source.data ?? '') : text
}

/** Returns the number of images and documents, including those in tool results. */
function mediaIn({ type, source, content = [] }: Block): number {
  if (type === 'tool_result') return blocksOf(content).reduce((sum, inner) => sum + mediaIn(inner), 0)
  return type === 'image' || (type === 'document' && source?.type !== 'text') ? 1 : 0
}

function messageOf({ role, content }: Request['messages'][number]): Message {
  const blocks = blocksOf(content)
  return {
    role: blocks.some(({ type }) => type === 'tool_result') ? 'tool' : role,
    text: blocks.map(textOf).join(''),
    images: blocks.reduce((sum, block) => sum + mediaIn(block), 0),
  }
}

const cacheLifetimeOf = (given: Block['cache_control']): PromptBlock['mark'] => (given ? (given.ttl ?? '5m') : null)

/** Returns the blocks in Anthropic's cache order: tools, system, messages. A cache mark inside a tool result marks the result. */
function promptBlocks({ tools, system, messages, cache_control: whole }: Request): PromptBlock[] {
  const written = [...blocksOf(system), ...messages.flatMap(({ content }) => blocksOf(content))]
  const blocks = [
    ...tools.map((tool) => ({ value: tool, text: '', media: 0, mark: cacheLifetimeOf(tool.cache_control) })),
    ...written.map((block) => {
      const inner = Array.isArray(block.content) ? block.content.findLast((one) => one.cache_control) : undefined
      const own = cacheLifetimeOf(block.cache_control ?? inner?.cache_control)
      return { value: block, text: textOf(block), media: mediaIn(block), mark: own }
    }),
  ]
  const last = blocks.at(-1)
  if (last !== undefined) last.mark ??= cacheLifetimeOf(whole)
  return blocks
}

/** Returns the thinking mode. Claude 5 thinks by default and hides it. Haiku 4.5 thinks only when asked, and shows it. */
function thinkingOf(model: string, thinking: Request['thinking']): ModelRequest['thinking'] {
  const isFive = /^claude-(?:opus|sonnet|haiku)-5/.test(model)
  if (thinking?.type === 'disabled' || (thinking === undefined && !isFive)) return 'off'
  return (thinking?.display ?? (isFive ? 'omitted' : 'summarized')) === 'summarized' ? 'shown' : 'hidden'
}

const CHOICES = { auto: 'auto', any: 'required', none: 'none' } as const

function read({ body }: WireCall, model: string): ModelRequest {
  const request = requestSchema.parse(body)
  const { tool_choice: choice } = request
  const system = blocksOf(request.system).map(textOf).join('')
  return {
    ...PLAIN_REQUEST,
    model,
    isStreamed: request.stream === true,
    messages: [
      ...(system === '' ? [] : [{ role: 'system' as const, text: system, images: 0 }]),
      ...request.messages.map(messageOf),
    ],
    maxOutputTokens: request.max_tokens,
    stop: request.stop_sequences,
    tools: request.tools.map((tool) => ({ name: tool.name, parameters: tool.input_schema })),
    toolChoice: choice.type === 'tool' ? { kind: 'named', name: choice.name } : { kind: CHOICES[choice.type] },
    parallelTools: choice.disable_parallel_tool_use !== true,
    schema: request.output_config?.format?.schema ?? null,
    // Anthropic has no mode for JSON objects: the model follows its instructions.
    jsonObject: /\bone JSON object\b/.test(system),
    thinking: thinkingOf(model, request.thinking),
    cachePoints: cachePoints(promptBlocks(request)),
  }
}

function thoughtBlocks({ thoughts, serial }: Answer): JsonObject[] {
  return thoughts.map(({ text, isRedacted }, at) => {
    const signature = signatureOf(`thought ${serial}.${at}`)
    return isRedacted ? { type: 'redacted_thinking', data: signature } : { type: 'thinking', thinking: text, signature }
  })
}

const STOP_REASONS: Record<Choice['finish'], string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  refusal: 'refusal',
}

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  504: 'timeout_error',
  529: 'overloaded_error',
}

function errorBody(status: number, message: string): object {
  const type = ERROR_TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
  return { type: 'error', error: { type, message }, request_id: 'req_emulator' }
}

/** Pads an event with spaces before its last brace, as Anthropic does. So its size reveals less of its content. */
function event(value: { type: string } & JsonObject): SseEvent {
  const { name, data } = jsonEvent(value, value.type)
  return { name, data: `${data.slice(0, -1)}${' '.repeat((data.length * MIXING) % MOST_PADDING)}}` }
}

const MOST_PADDING = 16
const MIXING = 7

/** Returns the input's usage. It excludes tokens read from or written to the cache. */
function inputUsage(answer: Answer, plan: EmulatorPlan): JsonObject {
  const zero = plan.usage === 'zero'
  const { input, cacheRead, cacheWrite } = answer.usage
  return {
    input_tokens: zero ? 0 : input - cacheRead - cacheWrite,
    cache_creation_input_tokens: zero ? 0 : cacheWrite,
    cache_read_input_tokens: zero ? 0 : cacheRead,
  }
}

/** Splits cache writes by lifetime, as Anthropic does at the start of a stream and not at its end. */
function startUsage(answer: Answer, plan: EmulatorPlan): JsonObject {
  const zero = plan.usage === 'zero'
  const { cacheWrite, cacheWriteForAnHour: hour } = answer.usage
  return {
    ...inputUsage(answer, plan),
    cache_creation: {
      ephemeral_5m_input_tokens: zero ? 0 : cacheWrite - hour,
      ephemeral_1h_input_tokens: zero ? 0 : hour,
    },
  }
}

/** Returns the output's usage. Thinking is part of it, and is also given separately. */
function outputUsage({ usage: { visible, reasoning } }: Answer, plan: EmulatorPlan): JsonObject {
  if (plan.usage === 'zero') return { output_tokens: 0 }
  return {
    output_tokens: visible + reasoning,
    ...(reasoning > 0 ? { output_tokens_details: { thinking_tokens: reasoning } } : {}),
  }
}

function stopOf(choice: Choice, plan: EmulatorPlan): JsonObject {
  const reason = choice.stopSequence === null ? STOP_REASONS[choice.finish] : 'stop_sequence'
  return {
    stop_reason: plan.finishReason ?? reason,
    stop_sequence: choice.stopSequence,
    stop_details: reason === 'refusal' ? { type: 'refusal', category: plan.refusalCategory, explanation: null } : null,
  }
}

function contentOf(answer: Answer, choice: Choice): JsonObject[] {
  const text = choice.text === '' ? [] : [{ type: 'text', text: choice.text }]
  const calls = choice.toolCalls.map((call) => ({
    type: 'tool_use',
    id: `toolu_${call.id}`,
    name: call.name,
    input: call.arguments,
  }))
  return [...thoughtBlocks(answer), ...text, ...calls]
}

function envelope(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): JsonObject {
  return {
    id: `msg_emulator_${answer.serial}`,
    type: 'message',
    ...(plan.withoutRole ? {} : { role: 'assistant' }),
    model: answeringModel(turn, plan),
  }
}

function json(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): JsonObject {
  const [choice] = answer.choices
  const usage = { ...startUsage(answer, plan), ...outputUsage(answer, plan), service_tier: 'standard' }
  return {
    ...envelope(turn, answer, plan),
    content: choice === undefined || plan.empty ? [] : contentOf(answer, choice),
    ...(choice === undefined ? {} : stopOf(choice, plan)),
    ...(plan.usage === 'missing' ? {} : { usage }),
  }
}

/** Yields the events of a thinking block. A redacted block is sent whole; any other ends with its signature. */
function* thoughtEvents(block: JsonObject, index: number, plan: EmulatorPlan): Generator<SseEvent> {
  const { type, thinking, signature } = block
  const isRedacted = type === 'redacted_thinking'
  const content_block = isRedacted ? block : { type, thinking: '', signature: '' }
  yield event({ type: 'content_block_start', index, content_block })
  if (!isRedacted) {
    for (const piece of textPieces(String(thinking), plan)) {
      yield event({ type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: piece } })
    }
    yield event({ type: 'content_block_delta', index, delta: { type: 'signature_delta', signature } })
  }
  yield event({ type: 'content_block_stop', index })
}

function* blockEvents(answer: Answer, choice: Choice, plan: EmulatorPlan): Generator<SseEvent> {
  const thoughts = thoughtBlocks(answer)
  for (const [at, block] of thoughts.entries()) yield* thoughtEvents(block, at, plan)
  let index = thoughts.length
  if (choice.text !== '') {
    yield event({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } })
    for (const text of textPieces(choice.text, plan)) {
      yield event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } })
    }
    yield event({ type: 'content_block_stop', index })
    index += 1
  }
  for (const call of choice.toolCalls) {
    const block = { type: 'tool_use', id: `toolu_${call.id}`, name: call.name, input: {} }
    yield event({ type: 'content_block_start', index, content_block: block })
    const input = JSON.stringify(call.arguments)
    for (let at = 0; at < input.length; at += ARGUMENT_PIECE) {
      const delta = { type: 'input_json_delta', partial_json: input.slice(at, at + ARGUMENT_PIECE) }
      yield event({ type: 'content_block_delta', index, delta })
    }
    yield event({ type: 'content_block_stop', index })
    index += 1
  }
}

const ping = event({ type: 'ping' })

/** Yields the events of a stream. If the plan asks for it, the first event is repeated later. */
function* events(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): Generator<SseEvent> {
  let sent = 0
  let first: SseEvent | null = null
  for (const item of plainEvents(turn, answer, plan)) {
    first ??= item
    if (sent === plan.secondStartAfter) yield first
    yield item
    sent += 1
  }
}

function* plainEvents(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): Generator<SseEvent> {
  const [choice] = answer.choices
  const counted = plan.usage !== 'missing'
  const started = { ...startUsage(answer, plan), output_tokens: plan.usage === 'zero' ? 0 : 1 }
  const message = {
    ...envelope(turn, answer, plan),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...(counted ? { usage: started } : {}),
  }
  yield event({ type: 'message_start', message })
  yield ping
  if (choice !== undefined && !plan.empty) yield* blockEvents(answer, choice, plan)
  const end = event({
    type: 'message_delta',
    delta: choice === undefined ? {} : stopOf(choice, plan),
    ...(counted ? { usage: { ...inputUsage(answer, plan), ...outputUsage(answer, plan) } } : {}),
  })
  if (plan.finishesTwice) {
    const open = { stop_reason: null, stop_sequence: null }
    yield event({ type: 'message_delta', delta: open, ...(counted ? { usage: { output_tokens: 1 } } : {}) })
  }
  yield end
  if (plan.usage === 'double') yield end
  yield event({ type: 'message_stop' })
}

/** Models that take instructions within the conversation, and do not go on with an answer that was begun. */
const IS_FIVE = /claude-(?:opus|sonnet|haiku)-5/
const VERSIONS: ReadonlySet<unknown> = new Set(['2023-06-01', '2026-10-21'])

/** Refuses what Anthropic refuses before it reads the conversation. */
function firstProblem({ headers }: Pick<WireCall, 'headers'>): WireProblem | null {
  return VERSIONS.has(headers['anthropic-version']) ? null : problem(400, 'anthropic-version: send one that exists')
}

function conversationProblem(
  { messages, tools, output_config: output }: JsonObject,
  model: string,
): WireProblem | null {
  const said = objectsIn(messages)
  const wrong = said.findIndex(
    ({ role }, at) => role === 'system' && (!IS_FIVE.test(model) || said[at - 1]?.['role'] !== 'user'),
  )
  if (wrong !== -1) return problem(400, `messages.${wrong}.role: no instructions can be here`)
  const blocks = said.flatMap(({ content }) => objectsIn(content))
  const isCalled = blocks.some(({ type }) => type === 'tool_use' || type === 'tool_result')
  if (isCalled && objectsIn(tools).length === 0) {
    return problem(400, 'there are `tool_use` or `tool_result` blocks, and no `tools`')
  }
  if (said.at(-1)?.['role'] !== 'assistant') return null
  if (IS_FIVE.test(model)) return problem(400, 'this model goes on with no answer: end with the user')
  return isObject(output) && isObject(output['format'])
    ? problem(400, 'output_config.format: no answer that was begun can follow it')
    : null
}

export const anthropic: WireFormat = {
  lineEnd: '\n',
  requestIdHeader: 'request-id',
  ping,
  answers: (path) => path === MESSAGES_PATH,
  key: ({ headers }) => (typeof headers['x-api-key'] === 'string' ? headers['x-api-key'] : null),
  modelOf: modelInBody,
  read,
  json,
  events,
  members: {
    usage: 'usage',
    input: 'input_tokens',
    output: 'output_tokens',
    arguments: ['input', 'partial_json'],
    isCallId: (name, { type }) => name === 'id' && type === 'tool_use',
  },
  refusals: {
    first: firstProblem,
    context: problem(400, `prompt is too long: ${TOO_LONG.prompt} tokens > ${TOO_LONG.most}`),
    quota: problem(400, `credit balance: ${NO_CREDIT}`),
    member: (status, member) => ({
      ...problem(status, ON_REQUEST),
      message: `${member}: Countersign emulator: ${ON_REQUEST}`,
    }),
    conversation: conversationProblem,
  },
  problem: (fault) => ({
    headers: retryAfter(fault),
    body: fault.isFromAws === true ? { message: fault.message } : errorBody(fault.status, fault.message),
  }),
  streamError: ({ errorAs }) => [
    jsonEvent(
      errorAs === 'content'
        ? errorBody(400, 'Countersign emulator: stopped by the content filtering policy on request')
        : errorBody(529, 'Countersign emulator: overloaded on request'),
      'error',
    ),
  ],
}
