// The emulator's format for Perplexity's Agent API: the Responses shape, `response.*` events, and a cost besides the tokens.

import * as z from 'zod'
import { answeringModel, textPieces } from '../decide-answer.ts'
import type { EmulatorPlan } from '../answer-plan.ts'
import { PLAIN_REQUEST, signatureOf } from '../model-request.ts'
import type { Answer, Choice, JsonObject, Message, ModelRequest } from '../model-request.ts'
import {
  bearerKey,
  jsonEvent,
  modelInBody,
  NO_CREDIT,
  ON_REQUEST,
  problem,
  retryAfter,
  TOO_LONG_TEXT,
} from '../wire-format.ts'
import type { SseEvent, WireCall, WireFormat, WireProblem } from '../wire-format.ts'

const PATHS: ReadonlySet<string> = new Set(['/v1/agent', '/v1/responses'])
/** The model that a preset stands for. It is another vendor's, as can happen with the real service. */
const PRESET_MODEL = 'other-vendor/preset-choice'

const anything = z.unknown().optional()
const contentSchema = z.union([z.string(), z.array(z.object({ type: z.string(), text: z.string().optional() }))])
const itemSchema = z.union([
  z.object({ role: z.enum(['system', 'developer', 'user', 'assistant']), content: contentSchema }),
  z.object({ type: z.literal('function_call'), name: z.string(), arguments: z.string() }),
  z.object({ type: z.literal('function_call_output'), output: contentSchema }),
])
const requestSchema = z.object({
  input: z.union([z.string(), z.array(itemSchema).min(1)]),
  instructions: z.string().default(''),
  stream: z.boolean().optional(),
  max_output_tokens: z.int().min(1).optional(),
  tools: z.array(z.object({ type: z.string(), name: z.string().default(''), parameters: anything })).default([]),
  response_format: z.object({ json_schema: z.object({ schema: anything }) }).optional(),
})

function messageOf(item: z.infer<typeof itemSchema>): Message {
  if ('arguments' in item) return { role: 'assistant', text: item.name + item.arguments, images: 0 }
  if ('output' in item) return { role: 'tool', ...contentOf(item.output) }
  return { role: item.role === 'developer' ? 'system' : item.role, ...contentOf(item.content) }
}

function contentOf(content: z.infer<typeof contentSchema>): { text: string; images: number } {
  if (typeof content === 'string') return { text: content, images: 0 }
  return {
    text: content.map(({ text = '' }) => text).join(''),
    images: content.filter(({ type }) => type === 'input_image').length,
  }
}

function read({ body }: WireCall, model: string): ModelRequest {
  const request = requestSchema.parse(body)
  const { input, instructions } = request
  const items = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input
  return {
    ...PLAIN_REQUEST,
    model: model === '' ? PRESET_MODEL : model,
    isStreamed: request.stream === true,
    messages: [
      ...(instructions === '' ? [] : [{ role: 'system' as const, text: instructions, images: 0 }]),
      ...items.map(messageOf),
    ],
    maxOutputTokens: request.max_output_tokens ?? null,
    tools: request.tools
      .filter(({ type }) => type === 'function')
      .map(({ name, parameters }) => ({ name, parameters: parameters ?? {} })),
    schema: request.response_format?.json_schema.schema ?? null,
    // Perplexity has no mode for JSON objects: the model follows its instructions.
    jsonObject: /\bone JSON object\b/.test(instructions),
    thinking: 'hidden',
  }
}

/** The fee of one search in dollars, and the tokens of its result. */
const SEARCH_FEE_USD = 0.005
const SEARCHED_TOKENS = 1000
/** The text of a result. Its length matches the tokens counted. */
const FOUND_TEXT = 'What was found. '.repeat((SEARCHED_TOKENS * 4) / 16)

/** Returns the usage with a cost of a dollar per million tokens, which is nobody's real price. */
function usageOf(answer: Answer, plan: EmulatorPlan): JsonObject {
  const zero = plan.usage === 'zero'
  const { cacheRead, cacheWrite, visible, reasoning } = answer.usage
  const searched = plan.searches * SEARCHED_TOKENS
  const [input, output] = zero ? [0, 0] : [answer.usage.input + searched, visible + reasoning]
  const fees = plan.searches * SEARCH_FEE_USD
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_tokens_details: {
      cache_read_input_tokens: zero ? 0 : cacheRead,
      cached_tokens: zero ? 0 : cacheRead,
      cache_creation_input_tokens: zero ? 0 : cacheWrite,
    },
    output_tokens_details: { reasoning_tokens: zero ? 0 : reasoning },
    cost: {
      currency: 'USD',
      ...(cacheRead > 0 && !zero ? { cache_read_cost: cacheRead / 1e7 } : {}),
      ...(cacheWrite > 0 && !zero ? { cache_creation_cost: cacheWrite / 1e6 } : {}),
      input_cost: input / 1e6,
      output_cost: output / 1e6,
      tool_calls_cost: fees,
      total_cost: (input + output) / 1e6 + fees,
    },
  }
}

function statusOf(choice: Choice | undefined, plan: EmulatorPlan): JsonObject {
  const reasons = { length: 'max_output_tokens', content_filter: 'content_filter' }
  const finish = choice?.finish
  const reason = finish === 'length' || finish === 'content_filter' ? reasons[finish] : null
  if (plan.finishReason !== null) return { status: plan.finishReason }
  return reason === null ? { status: 'completed' } : { status: 'incomplete', incomplete_details: { reason } }
}

function messageItem(answer: Answer, text: string, status: string, plan: EmulatorPlan): JsonObject {
  return {
    id: `msg_emulator_${answer.serial}`,
    type: 'message',
    ...(plan.withoutRole ? {} : { role: 'assistant' }),
    status,
    content: status === 'in_progress' ? null : [{ type: 'output_text', text, annotations: [] }],
  }
}

/** Returns the searches and their results as output items. */
function searchItems(plan: EmulatorPlan): JsonObject[] {
  return Array.from({ length: plan.searches }, (_, at) => ({
    type: 'search_results',
    queries: ['emulator'],
    results: [
      {
        id: at + 1,
        url: `https://emulator.example/${at + 1}`,
        title: `Page ${at + 1}`,
        snippet: FOUND_TEXT,
        source: 'web',
      },
    ],
  }))
}

function outputOf(answer: Answer, plan: EmulatorPlan): JsonObject[] {
  const [choice] = answer.choices
  if (choice === undefined || plan.empty) return []
  const calls = choice.toolCalls.map((call) => ({
    id: `fc_${call.id}`,
    type: 'function_call',
    status: 'completed',
    call_id: `call_${call.id}`,
    name: call.name,
    arguments: JSON.stringify(call.arguments),
    ...(answer.thoughts.length > 0 ? { thought_signature: signatureOf(`call ${call.id}`) } : {}),
  }))
  const messages = choice.text === '' ? [] : [messageItem(answer, choice.text, 'completed', plan)]
  return [...searchItems(plan), ...messages, ...calls]
}

function envelope(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): JsonObject {
  return {
    id: `resp_emulator_${answer.serial}`,
    object: 'response',
    created_at: answer.createdSeconds,
    model: answeringModel(turn, plan),
  }
}

function json(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): JsonObject {
  return {
    ...envelope(turn, answer, plan),
    output: outputOf(answer, plan),
    ...statusOf(answer.choices[0], plan),
    ...(plan.usage === 'missing' ? {} : { usage: usageOf(answer, plan) }),
  }
}

function* events(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): Generator<SseEvent> {
  let sequence = 0
  const event = (type: string, fields: JsonObject): SseEvent =>
    jsonEvent({ type, sequence_number: sequence++, ...fields }, type)
  const startedResponse = { ...envelope(turn, answer, plan), output: [], status: 'in_progress' }
  yield event('response.created', { response: startedResponse })
  yield event('response.in_progress', { response: startedResponse })
  for (const [index, output] of outputOf(answer, plan).entries()) {
    const place = { output_index: index }
    if (output['type'] === 'message')
      yield* textEvents(answer, plan, (type, fields) => event(type, { ...place, ...fields }))
    else if (output['type'] === 'search_results') {
      const search = { call_id: `call_search_${index}`, name: 'search_web', arguments: '{"queries":["emulator"]}' }
      const begunCall = { id: `fc_search_${index}`, type: 'function_call', status: 'completed', ...search }
      yield event('response.output_item.added', { ...place, item: begunCall })
      yield event('response.reasoning.search_queries', { call_id: search.call_id, queries: output['queries'] })
    } else yield event('response.output_item.added', { ...place, item: { ...output, status: 'in_progress' } })
    yield event('response.output_item.done', { ...place, item: output })
  }
  const response = json(turn, answer, plan)
  const end = response['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed'
  yield event(end, { response })
  if (plan.usage === 'double') yield event(end, { response })
}

function* textEvents(
  answer: Answer,
  plan: EmulatorPlan,
  event: (type: string, fields: JsonObject) => SseEvent,
): Generator<SseEvent> {
  const text = answer.choices[0]?.text ?? ''
  const place = { item_id: `msg_emulator_${answer.serial}`, content_index: 0 }
  yield event('response.output_item.added', { item: messageItem(answer, '', 'in_progress', plan) })
  for (const delta of textPieces(text, plan)) yield event('response.output_text.delta', { ...place, delta })
  yield event('response.output_text.done', { ...place, text })
}

const ERROR_TYPES: Record<number, string> = {
  400: 'invalid_parameter',
  401: 'invalid_api_key',
  429: 'rate_limit_exceeded',
}

/** Returns an error's body and headers. Its code is its status. */
function errorOf(fault: WireProblem): { headers: Record<string, string>; body: unknown } {
  const { status, message } = fault
  const type = fault.type ?? ERROR_TYPES[status] ?? (status >= 500 ? 'server_error' : 'invalid_request')
  return { headers: retryAfter(fault), body: { error: { message, type, code: status } } }
}

const failed = problem(500, 'failed on request')

export const perplexity: WireFormat = {
  lineEnd: '\n',
  requestIdHeader: 'x-request-id',
  ping: null,
  answers: (path) => PATHS.has(path),
  key: bearerKey,
  modelOf: modelInBody,
  read,
  json,
  events,
  members: {
    usage: 'usage',
    input: 'input_tokens',
    output: 'output_tokens',
    arguments: ['arguments'],
    isCallId: (name) => name === 'call_id',
  },
  refusals: {
    context: problem(400, TOO_LONG_TEXT),
    quota: problem(401, NO_CREDIT, { type: 'insufficient_quota' }),
    member: (status, member) => problem(status, `${member}: ${ON_REQUEST}`),
    unknownModelStatus: 400,
  },
  problem: errorOf,
  streamError: () => [
    jsonEvent(
      {
        type: 'response.failed',
        sequence_number: 999,
        error: { message: failed.message, type: 'server_error', code: '500' },
      },
      'response.failed',
    ),
  ],
}
