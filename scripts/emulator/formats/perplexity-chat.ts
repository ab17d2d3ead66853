// Perplexity's older chat dialect: OpenAI's shape with CRLF events, cumulative usage and the whole message so far in
// every chunk, citations beside them, and no end mark.

import { z } from 'zod'
import { answeringModel, textPieces } from '../answer.ts'
import { checkBody } from '../check-body.ts'
import type { Plan } from '../plan.ts'
import { countCharacters, tokensOf } from '../tokens.ts'
import type { Answer, Choice, JsonObject, Message, Turn } from '../turn.ts'
import { bearerKey, jsonEvent, problem, refuse } from '../wire-format.ts'
import type { ReadTurn, SseEvent, WireCall, WireFormat } from '../wire-format.ts'
import { perplexityProblem } from './perplexity-agent.ts'

export const PERPLEXITY_CHAT_PATH = '/chat/completions'
const LEAST_TOKENS = 16

const part = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string() }),
  z.looseObject({ type: z.literal('image_url'), image_url: z.unknown() }),
])
const requestSchema = z.looseObject({
  model: z.string(),
  messages: z
    .array(
      z.looseObject({
        role: z.enum(['system', 'user', 'assistant']),
        content: z.union([z.string(), z.array(part)]),
      }),
    )
    .min(1),
  stream: z.boolean().nullish(),
  max_tokens: z.int().min(LEAST_TOKENS).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  response_format: z
    .looseObject({
      type: z.literal('json_schema'),
      json_schema: z.looseObject({ schema: z.record(z.string(), z.unknown()) }),
    })
    .nullish(),
})

type Request = z.infer<typeof requestSchema>

function read(call: WireCall, model: string): ReadTurn {
  const checked = checkBody(requestSchema, { ...call.body, model })
  if (!checked.ok) return refuse(400, `${checked.fault.path}: ${checked.fault.rule}`, { param: checked.fault.path })
  if (!call.models.includes(model)) return refuse(400, `no model ${JSON.stringify(model)}`, { param: 'model' })
  const turns = checked.value.messages.filter((message) => message.role !== 'system')
  const isBroken = turns.some((message, index) => message.role !== (index % 2 === 0 ? 'user' : 'assistant'))
  if (isBroken || turns.at(-1)?.role !== 'user') {
    return refuse(400, 'user and assistant take turns, and the last is the user', { param: 'messages' })
  }
  const turn = turnOf(checked.value)
  return { ok: true, turn, framing: turn.stream ? 'sse' : 'json' }
}

function messageOf({ role, content }: Request['messages'][number]): Message {
  const parts = typeof content === 'string' ? [] : content
  const joined = parts.map((piece) => (piece.type === 'text' ? piece.text : '')).join('')
  return {
    role,
    text: typeof content === 'string' ? content : joined,
    images: parts.filter((piece) => piece.type === 'image_url').length,
  }
}

function turnOf(request: Request): Turn {
  return {
    model: request.model,
    stream: request.stream === true,
    messages: request.messages.map(messageOf),
    choices: 1,
    maxOutputTokens: request.max_tokens ?? null,
    stop: [],
    tools: [],
    toolChoice: { kind: 'none' },
    parallelTools: false,
    schema: request.response_format?.json_schema.schema ?? null,
    jsonObject: false,
    includeUsage: true,
    thinking: 'off',
    cacheable: null,
  }
}

function usageOf(answer: Answer, plan: Plan, visible: number): JsonObject {
  if (plan.usage === 'missing') return {}
  const zero = plan.usage === 'zero'
  const [prompt, completion] = zero ? [0, 0] : [answer.usage.input, visible + answer.usage.reasoning]
  const usage = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion }
  return { usage: { ...usage, search_context_size: 'low', num_search_queries: 1 } }
}

function finishOf(choice: Choice, plan: Plan): string {
  const isPlain = choice.finish === 'tool_calls' || choice.finish === 'refusal'
  return plan.finishReason ?? (isPlain ? 'stop' : choice.finish)
}

function envelope(turn: Turn, answer: Answer, plan: Plan): JsonObject {
  return {
    id: `emulator-${answer.serial}`,
    model: answeringModel(turn, plan),
    created: answer.createdSeconds,
    citations: ['https://emulator.invalid/citation'],
    object: 'chat.completion',
  }
}

function roleOf(plan: Plan): JsonObject {
  return plan.withoutRole ? {} : { role: 'assistant' }
}

function json(turn: Turn, answer: Answer, plan: Plan): JsonObject {
  const choices = answer.choices.map((choice, index) => ({
    index,
    finish_reason: finishOf(choice, plan),
    message: { ...roleOf(plan), content: choice.text },
    delta: { ...roleOf(plan), content: '' },
  }))
  return {
    ...envelope(turn, answer, plan),
    ...usageOf(answer, plan, answer.usage.visible),
    choices: plan.empty ? [] : choices,
  }
}

function* events(turn: Turn, answer: Answer, plan: Plan): Generator<SseEvent> {
  const [choice] = answer.choices
  const chunk = (choices: JsonObject[], visible: number): SseEvent =>
    jsonEvent({ ...envelope(turn, answer, plan), ...usageOf(answer, plan, visible), choices })
  if (choice === undefined || plan.empty) {
    yield chunk([], 0)
    return
  }
  let content = ''
  let characters = 0
  for (const piece of textPieces(choice.text, plan)) {
    content += piece
    characters += countCharacters(piece)
    const message = { ...roleOf(plan), content }
    const delta = { ...roleOf(plan), content: piece }
    yield chunk([{ index: 0, finish_reason: null, message, delta }], tokensOf(characters))
  }
  const last = { message: { ...roleOf(plan), content }, delta: { ...roleOf(plan), content: '' } }
  const end = chunk([{ index: 0, finish_reason: finishOf(choice, plan), ...last }], answer.usage.visible)
  yield end
  if (plan.usage === 'double') yield chunk([], answer.usage.visible)
}

const failed = problem(500, 'failed on request')

export const perplexityChat: WireFormat = {
  provider: 'perplexity',
  lineEnd: '\r\n',
  requestIdHeader: 'x-request-id',
  ping: null,
  key: ({ headers }) => bearerKey(headers),
  modelOf: (_path, body) => (typeof body['model'] === 'string' ? body['model'] : null),
  read,
  json,
  events,
  problem: perplexityProblem,
  streamError: () => [jsonEvent(perplexityProblem(failed).body)],
}
