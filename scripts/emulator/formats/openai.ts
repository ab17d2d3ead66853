// The emulator's format for OpenAI's chat completions: reads requests, and writes completions, chunks and errors. It has the
// fields that matter for accounting, and the emulator's fingerprint in every answer.

import * as z from 'zod'
import { answeringModel, REFUSAL_TEXT, textPieces } from '../decide-answer.ts'
import type { EmulatorPlan } from '../answer-plan.ts'
import { PLAIN_REQUEST } from '../model-request.ts'
import type { Answer, Choice, JsonObject, Message, ToolCall, ModelRequest } from '../model-request.ts'
import {
  bearerKey,
  jsonEvent,
  modelInBody,
  NO_CREDIT,
  ON_REQUEST,
  problem,
  retryAfter,
  TOO_LONG_TEXT,
  isIdOfFunction,
} from '../wire-format.ts'
import type { SseEvent, WireCall, WireFormat, WireProblem } from '../wire-format.ts'

const CHAT_PATH = '/v1/chat/completions'

const anything = z.unknown().optional()
const messageSchema = z.object({
  role: z.enum(['system', 'developer', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.object({ type: z.string(), text: z.string().optional() }))]).nullish(),
  tool_calls: z
    .array(
      z.union([
        z
          .object({ function: z.object({ name: z.string(), arguments: z.string() }) })
          .transform(({ function: { name, arguments: text } }) => name + text),
        z
          .object({ custom: z.object({ name: z.string(), input: z.string() }) })
          .transform(({ custom: { name, input } }) => name + input),
      ]),
    )
    .default([]),
})

const requestSchema = z.object({
  messages: z.array(messageSchema).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().optional() }).nullish(),
  n: z.int().min(1).max(128).nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  tools: z
    .array(
      z.discriminatedUnion('type', [
        z.object({ type: z.literal('function'), function: z.object({ name: z.string(), parameters: anything }) }),
        z.object({ type: z.literal('custom'), custom: z.object({ name: z.string() }) }),
      ]),
    )
    .default([]),
  tool_choice: z
    .union([
      z.enum(['none', 'auto', 'required']),
      z.object({ function: z.object({ name: z.string() }) }).transform((choice) => choice.function),
      z.object({ custom: z.object({ name: z.string() }) }).transform((choice) => choice.custom),
    ])
    .default('auto'),
  parallel_tool_calls: z.boolean().optional(),
  response_format: z.object({ type: z.string(), json_schema: z.object({ schema: anything }).optional() }).optional(),
})

function readMessage({ role, content, tool_calls: calls }: z.infer<typeof messageSchema>): Message {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  return {
    role: role === 'developer' ? 'system' : role,
    text: [...parts.map(({ text = '' }) => text), ...calls].join(''),
    images: parts.filter(({ type }) => type === 'image_url' || type === 'file').length,
  }
}

function read({ body }: WireCall, model: string): ModelRequest {
  const request = requestSchema.parse(body)
  const { response_format: format, stop, tool_choice: choice } = request
  return {
    ...PLAIN_REQUEST,
    model,
    isStreamed: request.stream === true,
    messages: request.messages.map(readMessage),
    choices: request.n ?? 1,
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? null,
    stop: typeof stop === 'string' ? [stop] : (stop ?? []),
    tools: request.tools.map((tool) =>
      tool.type === 'custom'
        ? { name: tool.custom.name, parameters: {}, isCustom: true }
        : { name: tool.function.name, parameters: tool.function.parameters ?? {} },
    ),
    toolChoice: typeof choice === 'string' ? { kind: choice } : { kind: 'named', name: choice.name },
    parallelTools: request.parallel_tool_calls !== false,
    schema: format?.json_schema?.schema ?? null,
    jsonObject: format?.type === 'json_object',
    includeUsage: request.stream_options?.include_usage === true,
  }
}

const FINGERPRINT = 'fp_emulator_countersign'
const ARGUMENT_PIECE = 12

function openAiUsage(answer: Answer, plan: EmulatorPlan): JsonObject {
  const zero = plan.usage === 'zero'
  const { input, cacheRead, cacheWrite, visible, reasoning } = answer.usage
  const [prompt, completion] = zero ? [0, 0] : [input, visible + reasoning]
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: zero ? 0 : cacheRead,
      ...(cacheWrite > 0 ? { cache_write_tokens: cacheWrite } : {}),
      audio_tokens: 0,
    },
    completion_tokens_details: { reasoning_tokens: zero ? 0 : reasoning, audio_tokens: 0 },
  }
}

function finishReason(choice: Choice, plan: EmulatorPlan): string {
  return plan.finishReason ?? (choice.finish === 'refusal' ? 'stop' : choice.finish)
}

/** @param text a piece of the call's arguments or input */
const calledWith = ({ input }: ToolCall, text: string): JsonObject =>
  input === undefined ? { function: { arguments: text } } : { custom: { input: text } }

/** @param text its arguments or input so far */
function callOf({ id, name, input }: ToolCall, text: string): JsonObject {
  const call = { id: `call_${id}` }
  if (input !== undefined) return { ...call, type: 'custom', custom: { name, input: text } }
  return { ...call, type: 'function', function: { name, arguments: text } }
}

const textOf = ({ input, arguments: members }: ToolCall): string => input ?? JSON.stringify(members)

function messageOf(choice: Choice, plan: EmulatorPlan): JsonObject {
  const isRefusal = choice.finish === 'refusal'
  const calls = choice.toolCalls.map((call) => callOf(call, textOf(call)))
  return {
    ...(plan.withoutRole ? {} : { role: 'assistant' }),
    content: isRefusal || calls.length > 0 ? null : choice.text,
    refusal: isRefusal ? choice.text : null,
    annotations: [],
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

function json(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): JsonObject {
  const choices = plan.empty ? [] : answer.choices
  return {
    id: `chatcmpl-emulator-${answer.serial}`,
    object: 'chat.completion',
    created: answer.createdSeconds,
    model: answeringModel(turn, plan),
    choices: choices.map((choice, index) => ({
      index,
      message: messageOf(choice, plan),
      logprobs: null,
      finish_reason: finishReason(choice, plan),
    })),
    ...(plan.usage === 'missing' ? {} : { usage: openAiUsage(answer, plan) }),
    service_tier: 'default',
    system_fingerprint: FINGERPRINT,
  }
}

/** Yields the deltas of a choice, without its role and its finish. */
function* deltasOf(choice: Choice, plan: EmulatorPlan): Generator<JsonObject> {
  if (choice.finish === 'refusal') {
    for (const piece of textPieces(REFUSAL_TEXT, plan)) yield { refusal: piece }
    return
  }
  for (const piece of textPieces(choice.text, plan)) yield { content: piece }
  for (const [index, call] of choice.toolCalls.entries()) {
    yield { tool_calls: [{ index, ...callOf(call, '') }] }
    const text = textOf(call)
    for (let at = 0; at < text.length; at += ARGUMENT_PIECE) {
      yield { tool_calls: [{ index, ...calledWith(call, text.slice(at, at + ARGUMENT_PIECE)) }] }
    }
  }
}

function* events(turn: ModelRequest, answer: Answer, plan: EmulatorPlan): Generator<SseEvent> {
  const sendsUsage = turn.includeUsage && plan.usage !== 'missing'
  const chunk = (choices: JsonObject[], usage: JsonObject | null = null): SseEvent =>
    jsonEvent({
      id: `chatcmpl-emulator-${answer.serial}`,
      object: 'chat.completion.chunk',
      created: answer.createdSeconds,
      model: answeringModel(turn, plan),
      service_tier: 'default',
      system_fingerprint: FINGERPRINT,
      choices,
      ...(sendsUsage ? { usage } : {}),
    })
  const part = (index: number, delta: JsonObject, finish: string | null = null): SseEvent =>
    chunk([{ index, delta, logprobs: null, finish_reason: finish }])

  if (plan.empty) yield chunk([])
  for (const [index, choice] of plan.empty ? [] : answer.choices.entries()) {
    const start = choice.toolCalls.length > 0 ? { content: null } : { content: '', refusal: null }
    yield part(index, plan.withoutRole ? start : { role: 'assistant', ...start })
    for (const delta of deltasOf(choice, plan)) yield part(index, delta)
    yield part(index, {}, finishReason(choice, plan))
  }
  if (sendsUsage) yield chunk([], openAiUsage(answer, plan))
  if (sendsUsage && plan.usage === 'double') yield chunk([], openAiUsage(answer, plan))
  yield { name: null, data: '[DONE]' }
}

function errorType(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

function errorBody({ status, message, code, param, type }: WireProblem): object {
  return { error: { message, type: type ?? errorType(status), param, code } }
}

export const openAi: WireFormat = {
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
    context: problem(400, TOO_LONG_TEXT, { param: 'messages', code: 'context_length_exceeded' }),
    quota: problem(429, NO_CREDIT, { type: 'insufficient_quota', code: 'insufficient_quota' }),
    member: (status, member) => problem(status, `'${member}': ${ON_REQUEST}`, { param: member, code: 'invalid_value' }),
  },
  problem: (fault) => ({ headers: retryAfter(fault), body: errorBody(fault) }),
  streamError: ({ errorAs }) => [
    jsonEvent({
      error: {
        message: 'Countersign emulator: failed on request',
        param: null,
        ...(errorAs === 'content'
          ? { type: 'invalid_request_error', code: 'invalid_prompt' }
          : { type: 'server_error', code: null }),
      },
    }),
  ],
}
