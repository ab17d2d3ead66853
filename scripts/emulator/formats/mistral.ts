// The emulator's format for Mistral's chat completions: OpenAI's shape with thoughts as chunks of the content, call ids of nine
// characters, and the usage on the last chunk. Like Mistral, it refuses members that it does not know.

import { createHash } from 'node:crypto'
import * as z from 'zod'
import { answeringModel, textPieces } from '../decide-answer.ts'
import type { EmulatorPlan } from '../answer-plan.ts'
import { PLAIN_REQUEST } from '../model-request.ts'
import type { Answer, Choice, JsonObject, Message, ModelRequest, ToolCall } from '../model-request.ts'
import {
  bearerKey,
  jsonEvent,
  modelInBody,
  NO_CREDIT,
  objectsIn,
  ON_REQUEST,
  problem,
  retryAfter,
  TOO_LONG,
  isIdOfFunction,
} from '../wire-format.ts'
import type { SseEvent, WireCall, WireFormat, WireProblem } from '../wire-format.ts'

const CHAT_PATH = '/v1/chat/completions'
const EXTRA = 'Extra inputs are not permitted'

const anything = z.unknown().optional()

/** An object without other members. Zod's own strict objects do not name the member in the path. */
const closed = <Shape extends z.ZodRawShape>(shape: Shape) => z.object(shape).catchall(z.undefined(EXTRA))

const callIdSchema = z.string().superRefine((id, context) => {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return
  const message = `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9`
  context.addIssue({ code: 'custom', message })
})

const contentSchema = z.union([z.string(), z.array(z.object({ type: z.string(), text: z.string().optional() }))])
const argumentsSchema = z.union([z.string(), z.looseObject({}).transform((members) => JSON.stringify(members))])
const callSchema = closed({
  id: callIdSchema,
  type: z.literal('function').optional(),
  function: closed({ name: z.string(), arguments: argumentsSchema }),
  index: anything,
})
const messageSchema = z.discriminatedUnion('role', [
  closed({ role: z.enum(['system', 'user']), content: contentSchema }),
  closed({
    role: z.literal('assistant'),
    content: contentSchema.nullish(),
    tool_calls: z.array(callSchema).nullish(),
    prefix: z.boolean().optional(),
  }),
  closed({
    role: z.literal('tool'),
    content: contentSchema.nullable(),
    tool_call_id: callIdSchema.optional(),
    name: anything,
  }),
])

const requestSchema = closed({
  model: z.string(),
  messages: z.array(messageSchema).min(1),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(1.5).nullish(),
  top_p: z.number().gt(0).max(1).nullish(),
  max_tokens: z.int().min(0).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  random_seed: z.int().min(0).nullish(),
  n: z.int().min(1).nullish(),
  tools: z
    .array(
      closed({
        type: z.literal('function').optional(),
        function: closed({ name: z.string(), description: anything, strict: anything, parameters: z.looseObject({}) }),
      }),
    )
    .nullish(),
  tool_choice: z
    .union([z.enum(['auto', 'none', 'any', 'required']), z.object({ function: z.object({ name: z.string() }) })])
    .default('auto'),
  parallel_tool_calls: z.boolean().optional(),
  response_format: z.object({ type: z.string(), json_schema: z.object({ schema: anything }).nullish() }).optional(),
  reasoning_effort: z.enum(['none', 'high']).nullish(),
  metadata: anything,
  presence_penalty: anything,
  frequency_penalty: anything,
  prediction: anything,
  prompt_mode: anything,
  guardrails: anything,
  prompt_cache_key: anything,
  service_tier: anything,
  safe_prompt: anything,
})

function readMessage(message: z.infer<typeof messageSchema>): Message {
  const { role, content } = message
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : []
  const called = calls.map((call) => call.function.name + call.function.arguments)
  return {
    role,
    text: [...parts.map(({ text = '' }) => text), ...called].join(''),
    images: parts.filter(({ type }) => type === 'image_url').length,
  }
}

type Role = z.infer<typeof messageSchema>['role']

/**
 * The roles that Mistral takes after each role.
 * @see https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/protocol/instruct/validator.py
 */
const NEXT_ROLES: Record<Role, readonly Role[]> = {
  system: ['system', 'user', 'assistant'],
  user: ['system', 'user', 'assistant'],
  assistant: ['assistant', 'user', 'tool'],
  tool: ['assistant', 'tool'],
}

/** Returns a refusal of the first message whose role Mistral does not take after the one before it, or null. */
function orderProblem(messages: readonly { role: Role }[]): WireProblem | null {
  for (const [at, { role }] of messages.entries()) {
    const before = messages[at - 1]?.role
    if (before === undefined || NEXT_ROLES[before].includes(role)) continue
    const code = { type: 'invalid_request_message_order', code: '3230' }
    return problem(400, `Unexpected role '${role}' after role '${before}'`, code)
  }
  return null
}

function read({ body }: WireCall, model: string): ModelRequest | WireProblem {
  const request = requestSchema.parse(body)
  const refused = orderProblem(request.messages)
  if (refused !== null) return refused
  const { response_format: format, stop, tool_choice: choice } = request
  return {
    ...PLAIN_REQUEST,
    model,
    isStreamed: request.stream === true,
    messages: request.messages.map(readMessage),
    choices: request.n ?? 1,
    maxOutputTokens: request.max_tokens ?? null,
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    tools: (request.tools ?? []).map((tool) => ({ name: tool.function.name, parameters: tool.function.parameters })),
    toolChoice: readChoice(choice),
    parallelTools: request.parallel_tool_calls !== false,
    schema: format?.json_schema?.schema ?? null,
    jsonObject: format?.type === 'json_object',
    thinking: request.reasoning_effort === 'high' ? 'shown' : 'off',
  }
}

function readChoice(choice: z.infer<typeof requestSchema>['tool_choice']): ModelRequest['toolChoice'] {
  if (typeof choice === 'object') return { kind: 'named', name: choice.function.name }
  return { kind: choice === 'any' ? 'required' : choice }
}

/** Returns the usage. Thoughts are part of the completion, and not counted apart. */
function usageOf(answer: Answer, plan: EmulatorPlan): JsonObject {
  const zero = plan.usage === 'zero'
  const { input, cacheRead, visible, reasoning } = answer.usage
  const [prompt, completion] = zero ? [0, 0] : [input, visible + reasoning]
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: zero ? 0 : cacheRead },
  }
}

/** Mistral has no reason for a refusal or a filter. */
function finishReason({ finish }: Choice, plan: EmulatorPlan): string {
  if (plan.finishReason !== null) return plan.finishReason
  if (finish === 'content_filter') return 'error'
  return finish === 'refusal' ? 'stop' : finish
}

const callId = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 9)

const callOf = (call: ToolCall, index: number, callArguments: string): JsonObject => ({
  index,
  id: callId(call.id),
  type: 'function',
  function: { name: call.name, arguments: callArguments },
})

const thought = (text: string, isClosed: boolean): JsonObject => ({
  type: 'thinking',
  thinking: text === '' ? [] : [{ type: 'text', text }],
  closed: isClosed,
})

const thinkingText = ({ thoughts }: Answer): string => thoughts.map(({ text }) => text).join('\n')

function messageOf(choice: Choice, answer: Answer, plan: EmulatorPlan): JsonObject {
  const calls = choice.toolCalls.map((call, index) => callOf(call, index, JSON.stringify(call.arguments)))
  const thoughts = answer.thoughts.length === 0 ? [] : [thought(thinkingText(answer), true)]
  return {
    ...(plan.withoutRole ? {} : { role: 'assistant' }),
    content: thoughts.length === 0 ? choice.text : [...thoughts, { type: 'text', text: choice.text }],
    tool_calls: calls.length === 0 ? null : calls,
  }
}

const envelope = (turn: ModelRequest, answer: Answer, plan: EmulatorPlan): JsonObject => ({
  id: `emulator-${answer.serial}`,
  created: answer.createdSeconds,
  model: answeringModel(turn, plan),
})

function json(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): JsonObject {
  const choices = plan.empty ? [] : answer.choices
  return {
    ...envelope(turn, answer, plan),
    object: 'chat.completion',
    choices: choices.map((choice, index) => ({
      index,
      finish_reason: finishReason(choice, plan),
      message: messageOf(choice, answer, plan),
    })),
    ...(plan.usage === 'missing' ? {} : { usage: usageOf(answer, plan) }),
  }
}

/** Yields the deltas of a choice, without its role and its finish. The thought is closed by the chunk that begins the text. */
function* deltasOf(choice: Choice, answer: Answer, plan: EmulatorPlan): Generator<JsonObject> {
  const pieces = textPieces(choice.text, plan)
  if (answer.thoughts.length > 0) {
    for (const piece of textPieces(thinkingText(answer), plan)) yield { content: [thought(piece, false)] }
    const first = pieces.splice(0, 1).map((text) => ({ type: 'text', text }))
    yield { content: [thought('', true), ...first] }
  }
  for (const piece of pieces) yield { content: piece }
  if (choice.toolCalls.length > 0) {
    const calls = choice.toolCalls.map((call, index) => callOf(call, index, JSON.stringify(call.arguments)))
    yield { content: '', tool_calls: calls }
  }
}

function* events(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): Generator<SseEvent> {
  const chunk = (choices: JsonObject[], more: JsonObject = {}): SseEvent =>
    jsonEvent({ ...envelope(turn, answer, plan), object: 'chat.completion.chunk', choices, ...more })
  const part = (index: number, delta: JsonObject): SseEvent => chunk([{ index, delta, finish_reason: null }])
  const usage = plan.usage === 'missing' ? {} : { usage: usageOf(answer, plan) }
  const choices = plan.empty ? [] : answer.choices

  if (plan.empty) yield chunk([], usage)
  for (const [index, choice] of choices.entries()) {
    yield part(index, plan.withoutRole ? { content: '' } : { role: 'assistant', content: '' })
    for (const delta of deltasOf(choice, answer, plan)) yield part(index, delta)
    const end = { index, delta: { content: '' }, finish_reason: finishReason(choice, plan) }
    yield chunk([end], index === choices.length - 1 ? usage : {})
  }
  if (plan.usage === 'double') yield chunk([], usage)
  yield { name: null, data: '[DONE]' }
}

/** A refusal that names a member has a list of details, and one that was found while reading is a 422. */
function errorOf(fault: WireProblem): ReturnType<WireFormat['problem']> {
  const { status, message, code, param, type } = fault
  const headers = retryAfter(fault)
  if (status === 401) return { headers, body: { detail: 'Unauthorized' } }
  if (param !== null && param !== '') {
    const found = message.endsWith(EXTRA) ? 'extra_forbidden' : 'value_error'
    const loc = ['body', ...param.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step))]
    const detail = [{ type: code ?? found, loc, msg: message, input: null }]
    return { headers, body: { detail }, ...(code === null ? { status: 422 } : {}) }
  }
  const rate = status === 429 ? { type: 'rate_limited', code: '1300', raw_status_code: 429 } : null
  const kind = type ?? (status >= 500 ? 'server_error' : 'invalid_request_error')
  return { headers, body: { object: 'error', message, type: kind, param: null, code, ...rate } }
}

export const mistral: WireFormat = {
  lineEnd: '\n',
  requestIdHeader: 'x-request-id',
  ping: null,
  answers: (path) => path === CHAT_PATH,
  key: bearerKey,
  modelOf: modelInBody,
  read,
  json,
  events,
  members: {
    usage: 'usage',
    input: 'prompt_tokens',
    output: 'completion_tokens',
    arguments: ['arguments'],
    isCallId: isIdOfFunction,
  },
  refusals: {
    context: problem(400, `${TOO_LONG.prompt} tokens, for a maximum context length of ${TOO_LONG.most}`),
    quota: problem(401, NO_CREDIT),
    member: (status, member) => problem(status, ON_REQUEST, { param: member, code: 'value_error' }),
    conversation({ messages }) {
      const last = objectsIn(messages).at(-1)
      return last?.['role'] === 'assistant' && last['prefix'] !== true
        ? problem(400, 'the last role is assistant, and must be user or tool, or have a true prefix')
        : null
    },
  },
  problem: errorOf,
  streamError: ({ errorAs }) => [
    jsonEvent({
      object: 'error',
      message: 'Countersign emulator: failed on request',
      param: null,
      ...(errorAs === 'content'
        ? { type: 'invalid_request_error', code: 'content_filter' }
        : { type: 'server_error', code: null }),
    }),
  ],
}
