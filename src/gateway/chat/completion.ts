// An answer in one piece, as the standard has it.
import { lacksOutput, standardUsage, type Answer, type Citation } from '../../providers/answer.ts'
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts'
import type { AnsweredCall, Completed } from '../call/answer-form.ts'
import type { Aqta } from '../call/aqta.schema.ts'
import type { Bill } from '../call/bill.ts'

type Choice = Answer['choices'][number]

/** For answers of providers that give no id of the standard's kind; the same in every chunk. */
export const completionId = ({ traceId }: AnsweredCall): string => `chatcmpl-${traceId.slice('tr_'.length)}`

/** Unix seconds. */
export const createdAt = ({ startedAt }: AnsweredCall): number => Math.floor(startedAt / 1000)

/** @param standardBody from a provider that speaks the standard itself: handed on whole */
export function presentCompletion(
  call: AnsweredCall,
  { answer, standardBody }: Completed,
  { bill, aqta }: { bill: Bill; aqta: Aqta },
): JsonObject {
  const usage = bill.usage === null ? {} : { usage: standardUsage(bill.usage) }
  if (standardBody !== null) {
    const estimate = lacksOutput(answer.usage) ? usage : {}
    return { ...usage, ...standardBody, ...standardChoices(standardBody, answer), ...estimate, aqta }
  }
  return {
    id: completionId(call),
    object: 'chat.completion',
    created: createdAt(call),
    model: answer.model ?? call.outline.model.id,
    choices: answer.choices.map((choice) => ({
      index: choice.index,
      message: {
        role: 'assistant',
        content: choice.text === '' && (choice.toolCalls.length > 0 || choice.refusal !== null) ? null : choice.text,
        refusal: choice.refusal,
        ...presentToolCalls(choice.toolCalls),
        ...presentReasoning(choice),
      },
      logprobs: null,
      finish_reason: choice.finishReason,
    })),
    ...usage,
    ...presentCitations(answer.citations),
    aqta,
  }
}

/** The provider's own choices, with one of the standard's finish reasons each, and arguments of each call. */
function standardChoices({ choices }: JsonObject, answer: Answer): JsonObject {
  if (!Array.isArray(choices)) return {}
  return {
    choices: choices.map((choice: JsonObject, at) => ({
      ...choice,
      ...standardMessage(choice, answer.choices[at]?.toolCalls ?? []),
      finish_reason: answer.choices[at]?.finishReason ?? 'content_filter',
    })),
  }
}

function standardMessage({ message }: JsonObject, calls: Choice['toolCalls']): JsonObject {
  if (!isJsonObject(message) || !Array.isArray(message['tool_calls'])) return {}
  const whole = message['tool_calls'].map((call: JsonObject, at) => ({
    ...call,
    function: { ...(isJsonObject(call['function']) ? call['function'] : {}), arguments: calls[at]?.arguments },
  }))
  return { message: { ...message, tool_calls: whole } }
}

function presentToolCalls(calls: Choice['toolCalls']): JsonObject {
  if (calls.length === 0) return {}
  return {
    tool_calls: calls.map(({ id, name, arguments: text, signature }) => ({
      id,
      type: 'function',
      function: { name, arguments: text },
      ...presentSignature(signature),
    })),
  }
}

/** Where Google's own OpenAI endpoint puts it, so that clients that keep it there hand it back. */
export const presentSignature = (signature: string | undefined): JsonObject =>
  signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }

/**
 * What the caller is to send back with the message, under the name of the provider that wants it. Each block has an index, in
 * answers of one piece too: clients that join the lists of a stream look for it.
 */
export function presentReasoning({ thinking, signature }: Pick<Choice, 'thinking' | 'signature'>): JsonObject {
  if (thinking === undefined) return presentSignature(signature)
  const blocks = thinking.map((block, index) => ({ index, ...block }))
  return { extra_content: { anthropic: { thinking_blocks: blocks } } }
}

/** Pages a searching model has used, under the names Perplexity's chat completions have for them. */
export const presentCitations = (citations: readonly Citation[]): JsonObject =>
  citations.length === 0 ? {} : { citations: citations.map(({ url }) => url), search_results: citations }
