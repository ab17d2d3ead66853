// Writes chat completions and their chunks in OpenAI's shape, down to the fields that matter to accounting. Every
// answer carries the fingerprint of the emulator.

import { answeringModel, REFUSAL_TEXT, textPieces } from '../answer.ts'
import type { Plan } from '../plan.ts'
import type { Answer, Choice, JsonObject, ToolCall, Turn } from '../turn.ts'
import { jsonEvent } from '../wire-format.ts'
import type { SseEvent } from '../wire-format.ts'

const FINGERPRINT = 'fp_emulator_countersign'
const ARGUMENT_PIECE = 12

function openAiUsage(answer: Answer, plan: Plan): JsonObject {
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

function finishReason(choice: Choice, plan: Plan): string {
  return plan.finishReason ?? (choice.finish === 'refusal' ? 'stop' : choice.finish)
}

function callOf(call: ToolCall): JsonObject {
  return {
    id: `call_${call.id}`,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.arguments) },
  }
}

function messageOf(choice: Choice, plan: Plan): JsonObject {
  const isRefusal = choice.finish === 'refusal'
  const calls = choice.toolCalls.map(callOf)
  return {
    ...(plan.withoutRole ? {} : { role: 'assistant' }),
    content: isRefusal || calls.length > 0 ? null : choice.text,
    refusal: isRefusal ? choice.text : null,
    annotations: [],
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

export function openAiJson(turn: Turn, answer: Answer, plan: Plan): JsonObject {
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

/** The deltas of one choice between its role and its finish. */
function* deltasOf(choice: Choice, plan: Plan): Generator<JsonObject> {
  if (choice.finish === 'refusal') {
    for (const piece of textPieces(REFUSAL_TEXT, plan)) yield { refusal: piece }
    return
  }
  for (const piece of textPieces(choice.text, plan)) yield { content: piece }
  for (const [index, call] of choice.toolCalls.entries()) {
    yield {
      tool_calls: [{ index, id: `call_${call.id}`, type: 'function', function: { name: call.name, arguments: '' } }],
    }
    const json = JSON.stringify(call.arguments)
    for (let at = 0; at < json.length; at += ARGUMENT_PIECE) {
      yield { tool_calls: [{ index, function: { arguments: json.slice(at, at + ARGUMENT_PIECE) } }] }
    }
  }
}

export function* openAiEvents(turn: Turn, answer: Answer, plan: Plan): Generator<SseEvent> {
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
