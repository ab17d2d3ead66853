// Perplexity's Agent API: the Responses shape, its `response.*` events, and a cost beside the token counts.

import { z } from 'zod'
import { answeringModel, textPieces } from '../answer.ts'
import { checkBody } from '../check-body.ts'
import type { Plan } from '../plan.ts'
import { sign, signedPlace } from '../signatures.ts'
import type { Answer, Choice, JsonObject, Message, Turn } from '../turn.ts'
import { bearerKey, jsonEvent, problem, refuse } from '../wire-format.ts'
import type { ReadTurn, SseEvent, WireCall, WireFormat, WireProblem } from '../wire-format.ts'

export const PERPLEXITY_AGENT_PATHS: readonly string[] = ['/v1/agent', '/v1/responses']

/** What a signature on a call says of its place: there is no more to say. */
const SIGNED = 'call'
const PRESETS = new Set(['fast', 'low', 'medium', 'high', 'fast-search', 'pro-search', 'deep-research'])
/** What a preset resolves to when no model is pinned beside it: another vendor's, as can happen for real. */
const PRESET_MODEL = 'other-vendor/preset-choice'

const part = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['input_text', 'output_text']), text: z.string() }),
  z.strictObject({ type: z.literal('input_image'), image_url: z.string(), detail: z.unknown().optional() }),
])
const signature = { thought_signature: z.string().optional() }
const item = z.union([
  z.strictObject({
    type: z.literal('message').optional(),
    role: z.enum(['system', 'developer', 'user', 'assistant']),
    content: z.union([z.string(), z.array(part)]),
  }),
  z.strictObject({
    type: z.literal('function_call'),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
    ...signature,
  }),
  z.looseObject({
    type: z.literal('function_call_output'),
    call_id: z.string(),
    output: z.union([z.string(), z.array(part)]),
    ...signature,
  }),
])
const ignored = z.unknown().optional()
const functionTool = z.strictObject({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  strict: z.boolean().nullish(),
})
const webSearchTool = z.strictObject({
  type: z.literal('web_search'),
  filters: ignored,
  max_tokens: ignored,
  max_tokens_per_page: ignored,
  search_context_size: z.enum(['low', 'medium', 'high']).optional(),
  user_location: z
    .strictObject({
      city: z.string().optional(),
      country: z.string().optional(),
      region: z.string().optional(),
      latitude: z.number().optional(),
      longitude: z.number().optional(),
    })
    .optional(),
})
const otherTool = z.looseObject({
  type: z.enum(['fetch_url', 'people_search', 'finance_search', 'sandbox', 'mcp', 'connector']),
})

const requestSchema = z.strictObject({
  model: z.string().optional(),
  preset: z.string().optional(),
  input: z.union([z.string().min(1), z.array(item).min(1)]),
  instructions: z.string().optional(),
  stream: z.boolean().optional(),
  max_output_tokens: z.int().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  top_p: z.number().min(0).max(1).optional(),
  tools: z.array(z.discriminatedUnion('type', [functionTool, webSearchTool, otherTool])).optional(),
  response_format: z
    .strictObject({
      type: z.literal('json_schema'),
      json_schema: z.strictObject({
        name: z.string(),
        description: z.string().optional(),
        schema: z.record(z.string(), z.unknown()),
        strict: z.boolean().nullish(),
      }),
    })
    .optional(),
  background: ignored,
  language_preference: ignored,
  max_steps: ignored,
  models: ignored,
  previous_response_id: ignored,
  reasoning: z.strictObject({ effort: z.enum(['minimal', 'low', 'medium', 'high', 'xhigh']).optional() }).optional(),
  profile: ignored,
  skills: ignored,
  store: z.boolean().optional(),
})

type Request = z.infer<typeof requestSchema>
type Item = z.infer<typeof item>

function read(call: WireCall, model: string): ReadTurn {
  const checked = checkBody(requestSchema, { ...call.body, ...(model === '' ? {} : { model }) })
  if (!checked.ok) return refuse(400, `${checked.fault.path}: ${checked.fault.rule}`, { param: checked.fault.path })
  const { preset, input } = checked.value
  if (model === '' && preset === undefined) return refuse(400, 'model or preset is required', { param: 'model' })
  if (model !== '' && !call.models.includes(model))
    return refuse(400, `no model ${JSON.stringify(model)}`, { param: 'model' })
  if (preset !== undefined && !PRESETS.has(preset)) return refuse(400, 'no such preset', { param: 'preset' })
  const entries = typeof input === 'string' ? [] : input
  const forged = entries.findIndex(
    (entry) =>
      entry.type === 'function_call' &&
      entry.thought_signature !== undefined &&
      signedPlace(entry.thought_signature, entry.name) === null,
  )
  if (forged >= 0) return refuse(400, `input.${forged}.thought_signature: not given here`, { param: 'input' })
  const calls = typeof input === 'string' ? [] : input.filter((entry) => entry.type === 'function_call')
  const outputs = typeof input === 'string' ? [] : input.filter((entry) => entry.type === 'function_call_output')
  if (outputs.some((output) => !calls.some((made) => made.call_id === output.call_id))) {
    return refuse(400, 'a function_call_output answers no call', { param: 'input' })
  }
  const turn = turnOf(checked.value, model === '' ? PRESET_MODEL : model)
  return { ok: true, turn, framing: turn.stream ? 'sse' : 'json' }
}

function messageOf(entry: Item): Message {
  if (entry.type === 'function_call') return { role: 'assistant', text: entry.name + entry.arguments, images: 0 }
  if (entry.type === 'function_call_output') return { role: 'tool', ...contentOf(entry.output) }
  return { role: entry.role === 'developer' ? 'system' : entry.role, ...contentOf(entry.content) }
}

function contentOf(content: string | z.infer<typeof part>[]): { text: string; images: number } {
  if (typeof content === 'string') return { text: content, images: 0 }
  return {
    text: content.map((piece) => (piece.type === 'input_image' ? '' : piece.text)).join(''),
    images: content.filter((piece) => piece.type === 'input_image').length,
  }
}

function turnOf(request: Request, model: string): Turn {
  const { input, instructions } = request
  const system: Message[] = instructions === undefined ? [] : [{ role: 'system', text: instructions, images: 0 }]
  const items = typeof input === 'string' ? [{ role: 'user' as const, text: input, images: 0 }] : input.map(messageOf)
  return {
    model,
    stream: request.stream === true,
    messages: [...system, ...items],
    choices: 1,
    maxOutputTokens: request.max_output_tokens ?? null,
    stop: [],
    tools: (request.tools ?? []).flatMap((tool) =>
      tool.type === 'function' ? [{ name: tool.name, parameters: tool.parameters ?? {} }] : [],
    ),
    toolChoice: { kind: 'auto' },
    parallelTools: true,
    schema: request.response_format?.json_schema.schema ?? null,
    jsonObject: false,
    includeUsage: true,
    thinking: 'hidden',
    cacheable: null,
  }
}

/** What one look-up costs and finds. */
const SEARCH_FEE_USD = 0.005
const SEARCHED_TOKENS = 1000
/** As long as it is counted. */
const FOUND_TEXT = 'What was found. '.repeat((SEARCHED_TOKENS * 4) / 16)

/** The cost is at a dollar a million tokens, to have a figure; it is not anybody's price. */
function usageOf(answer: Answer, plan: Plan): JsonObject {
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

function statusOf(choice: Choice | undefined, plan: Plan): JsonObject {
  const reasons = { length: 'max_output_tokens', content_filter: 'content_filter' }
  const finish = choice?.finish
  const reason = finish === 'length' || finish === 'content_filter' ? reasons[finish] : null
  if (plan.finishReason !== null) return { status: plan.finishReason }
  return reason === null ? { status: 'completed' } : { status: 'incomplete', incomplete_details: { reason } }
}

function messageItem(answer: Answer, text: string, status: string, plan: Plan): JsonObject {
  return {
    id: `msg_emulator_${answer.serial}`,
    type: 'message',
    ...(plan.withoutRole ? {} : { role: 'assistant' }),
    status,
    content: status === 'in_progress' ? null : [{ type: 'output_text', text, annotations: [] }],
  }
}

/** What was looked up, and where it was found. */
function searchItems(plan: Plan): JsonObject[] {
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

function outputOf(answer: Answer, plan: Plan): JsonObject[] {
  const [choice] = answer.choices
  if (choice === undefined || plan.empty) return []
  const calls = choice.toolCalls.map((call) => ({
    id: `fc_${call.id}`,
    type: 'function_call',
    status: 'completed',
    call_id: `call_${call.id}`,
    name: call.name,
    arguments: JSON.stringify(call.arguments),
    ...(answer.thoughts.length > 0 ? { thought_signature: sign(SIGNED, call.name) } : {}),
  }))
  const messages = choice.text === '' ? [] : [messageItem(answer, choice.text, 'completed', plan)]
  return [...searchItems(plan), ...messages, ...calls]
}

function envelope(turn: Turn, answer: Answer, plan: Plan): JsonObject {
  return {
    id: `resp_emulator_${answer.serial}`,
    object: 'response',
    created_at: answer.createdSeconds,
    model: answeringModel(turn, plan),
  }
}

function json(turn: Turn, answer: Answer, plan: Plan): JsonObject {
  return {
    ...envelope(turn, answer, plan),
    output: outputOf(answer, plan),
    ...statusOf(answer.choices[0], plan),
    ...(plan.usage === 'missing' ? {} : { usage: usageOf(answer, plan) }),
  }
}

function* events(turn: Turn, answer: Answer, plan: Plan): Generator<SseEvent> {
  let sequence = 0
  const event = (type: string, fields: JsonObject): SseEvent =>
    jsonEvent({ type, sequence_number: sequence++, ...fields }, type)
  const begun = { ...envelope(turn, answer, plan), output: [], status: 'in_progress' }
  yield event('response.created', { response: begun })
  yield event('response.in_progress', { response: begun })
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
  plan: Plan,
  event: (type: string, fields: JsonObject) => SseEvent,
): Generator<SseEvent> {
  const text = answer.choices[0]?.text ?? ''
  const place = { item_id: `msg_emulator_${answer.serial}`, content_index: 0 }
  yield event('response.output_item.added', { item: messageItem(answer, '', 'in_progress', plan) })
  for (const delta of textPieces(text, plan)) yield event('response.output_text.delta', { ...place, delta })
  yield event('response.output_text.done', { ...place, text })
}

function typeOfRest(status: number): string {
  return status >= 500 ? 'server_error' : 'invalid_request'
}

/** Both of Perplexity's dialects refuse in this shape; the code is the status. */
export function perplexityProblem({ status, message, type, retryAfterSeconds }: WireProblem): {
  headers: Record<string, string>
  body: unknown
} {
  const types: Record<number, string> = { 400: 'invalid_parameter', 401: 'invalid_api_key', 429: 'rate_limit_exceeded' }
  return {
    headers: typeof retryAfterSeconds === 'number' ? { 'retry-after': `${retryAfterSeconds}` } : {},
    body: { error: { message, type: type ?? types[status] ?? typeOfRest(status), code: status } },
  }
}

const failed = problem(500, 'failed on request')

export const perplexityAgent: WireFormat = {
  provider: 'perplexity',
  lineEnd: '\n',
  requestIdHeader: 'x-request-id',
  ping: null,
  key: ({ headers }) => bearerKey(headers),
  modelOf: (_path, body) => (typeof body['model'] === 'string' ? body['model'] : ''),
  read,
  json,
  events,
  problem: perplexityProblem,
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
