// Perplexity's older chat dialect: OpenAI's shape with CRLF events, cumulative usage and the whole message so far in
// every chunk, citations beside them, and no end mark.

import { z } from 'zod'
import { answeringModel, textPieces } from '../answer.ts'
import type { Plan } from '../plan.ts'
import { countCharacters, tokensOf } from '../tokens.ts'
import { PLAIN_TURN } from '../turn.ts'
import type { Answer, Choice, JsonObject, Turn } from '../turn.ts'
import { bearerKey, jsonEvent, modelInBody, problem } from '../wire-format.ts'
import type { SseEvent, WireCall, WireFormat } from '../wire-format.ts'
import { perplexityProblem } from './perplexity-agent.ts'

const CHAT_PATH = '/chat/completions'

const anything = z.unknown().optional()
const requestSchema = z.object({
  messages: z
    .array(
      z.object({
        role: z.enum(['system', 'user', 'assistant']),
        content: z.union([z.string(), z.array(z.object({ type: z.string(), text: z.string().optional() }))]),
      }),
    )
    .min(1),
  stream: z.boolean().nullish(),
  max_tokens: z.int().min(1).nullish(),
  response_format: z.object({ json_schema: z.object({ schema: anything }) }).nullish(),
})

function read({ body }: WireCall, model: string): Turn {
  const request = requestSchema.parse(body)
  return {
    ...PLAIN_TURN,
    model,
    isStreamed: request.stream === true,
    messages: request.messages.map(({ role, content }) => {
      const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
      const images = parts.filter(({ type }) => type === 'image_url').length
      return { role, text: parts.map(({ text = '' }) => text).join(''), images }
    }),
    maxOutputTokens: request.max_tokens ?? null,
    toolChoice: { kind: 'none' },
    schema: request.response_format?.json_schema.schema ?? null,
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
  answers: (path) => path === CHAT_PATH,
  key: bearerKey,
  modelOf: modelInBody,
  read,
  json,
  events,
  problem: perplexityProblem,
  streamError: () => [jsonEvent(perplexityProblem(failed).body)],
}
