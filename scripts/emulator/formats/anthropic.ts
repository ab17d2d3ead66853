// Anthropic's Messages: answers, the named events of a stream, and errors with their type and request id.

import { answeringModel, textPieces } from '../answer.ts'
import type { Plan } from '../plan.ts'
import type { Answer, Choice, JsonObject, Turn } from '../turn.ts'
import { jsonEvent } from '../wire-format.ts'
import type { SseEvent, WireFormat } from '../wire-format.ts'
import { readAnthropic } from './anthropic-request.ts'
import { thoughtBlocks } from './anthropic-thinking.ts'

export const ANTHROPIC_PATH = '/v1/messages'
const ARGUMENT_PIECE = 12

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

/** With spaces before the last brace, as Anthropic pads its events, so that their sizes say less of what is in them. */
function event(value: { type: string } & JsonObject): SseEvent {
  const { name, data } = jsonEvent(value, value.type)
  return { name, data: `${data.slice(0, -1)}${' '.repeat((data.length * MIXING) % MOST_PADDING)}}` }
}

const MOST_PADDING = 16
const MIXING = 7

/** The input side excludes what was read from or written to the cache. */
function inputUsage(answer: Answer, plan: Plan): JsonObject {
  const zero = plan.usage === 'zero'
  const { input, cacheRead, cacheWrite } = answer.usage
  return {
    input_tokens: zero ? 0 : input - cacheRead - cacheWrite,
    cache_creation_input_tokens: zero ? 0 : cacheWrite,
    cache_read_input_tokens: zero ? 0 : cacheRead,
  }
}

/** What was written for how long stands beside it at the start, and not at the end of a stream. */
function startUsage(answer: Answer, plan: Plan): JsonObject {
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

/** Thinking is part of the output, and told apart beside it. */
function outputUsage({ usage: { visible, reasoning } }: Answer, plan: Plan): JsonObject {
  if (plan.usage === 'zero') return { output_tokens: 0 }
  return {
    output_tokens: visible + reasoning,
    ...(reasoning > 0 ? { output_tokens_details: { thinking_tokens: reasoning } } : {}),
  }
}

function stopOf(choice: Choice, plan: Plan): JsonObject {
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

function envelope(turn: Turn, answer: Answer, plan: Plan): JsonObject {
  return {
    id: `msg_emulator_${answer.serial}`,
    type: 'message',
    ...(plan.withoutRole ? {} : { role: 'assistant' }),
    model: answeringModel(turn, plan),
  }
}

function json(turn: Turn, answer: Answer, plan: Plan): JsonObject {
  const [choice] = answer.choices
  const usage = { ...startUsage(answer, plan), ...outputUsage(answer, plan), service_tier: 'standard' }
  return {
    ...envelope(turn, answer, plan),
    content: choice === undefined || plan.empty ? [] : contentOf(answer, choice),
    ...(choice === undefined ? {} : stopOf(choice, plan)),
    ...(plan.usage === 'missing' ? {} : { usage }),
  }
}

/** A block that is redacted comes whole; the signature of another comes last. */
function* thoughtEvents(block: JsonObject, index: number, plan: Plan): Generator<SseEvent> {
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

function* blockEvents(answer: Answer, choice: Choice, plan: Plan): Generator<SseEvent> {
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

/** Whatever events there are, and the first of them once more after so many. */
function* events(turn: Turn, answer: Answer, plan: Plan): Generator<SseEvent> {
  let sent = 0
  let first: SseEvent | null = null
  for (const item of plainEvents(turn, answer, plan)) {
    first ??= item
    if (sent === plan.secondStartAfter) yield first
    yield item
    sent += 1
  }
}

function* plainEvents(turn: Turn, answer: Answer, plan: Plan): Generator<SseEvent> {
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

export const anthropic: WireFormat = {
  provider: 'anthropic',
  lineEnd: '\n',
  requestIdHeader: 'request-id',
  ping,
  key: ({ headers }) => (typeof headers['x-api-key'] === 'string' ? headers['x-api-key'] : null),
  modelOf: (_path, body) => (typeof body['model'] === 'string' ? body['model'] : null),
  read: readAnthropic,
  json,
  events,
  problem: ({ status, message, retryAfterSeconds }) => ({
    headers: typeof retryAfterSeconds === 'number' ? { 'retry-after': `${retryAfterSeconds}` } : {},
    body: errorBody(status, message),
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
