// Builds a chat completion in one piece, and has its schema. Also makes the parts that a stream's chunks share: id, time,
// reasoning, citations, closing mark.
import * as z from 'zod'
import { once } from '../../../platform/once.ts'
import { isJsonObject, type JsonObject } from '../../../platform/json.ts'
import { areTokensUnknown, standardUsage, type Answer, type Citation } from '../../../providers/chat-answer.ts'
import type { AnsweredCall, CompletedAnswer } from '../../call/answer-format.ts'
import type { Bill } from '../../call/bill.ts'
import { AqtaSchema, type Aqta } from '../../call/trace.ts'
import { dataEvent } from '../../stream/event-writer.ts'

type Choice = Answer['choices'][number]

/** Returns the id for answers of providers that send no standard id; the same in every chunk. */
export const completionId = ({ traceId }: AnsweredCall): string => `chatcmpl-${traceId.slice('tr_'.length)}`

/** Returns Unix seconds. */
export const createdAt = ({ startedAt }: AnsweredCall): number => Math.floor(startedAt / 1000)

/**
 * @param passedBody the body of a provider that speaks the standard itself, which is passed on whole; else null
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export function presentCompletion(
  call: AnsweredCall,
  { answer, passedBody }: CompletedAnswer,
  { bill, aqta }: { bill: Bill; aqta: Aqta },
): JsonObject {
  const usage = bill.usage === null ? {} : { usage: standardUsage(bill.usage) }
  if (passedBody !== null) {
    const estimate = areTokensUnknown(answer.usage) ? usage : {}
    return { ...usage, ...passedBody, ...standardChoices(passedBody, answer), ...estimate, aqta }
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

/** Returns the provider's choices, each with a role and a standard finish reason, and the id and arguments of each call. */
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
  if (!isJsonObject(message)) return {}
  const standard = { ...message, role: message['role'] ?? 'assistant' }
  if (!Array.isArray(message['tool_calls'])) return { message: standard }
  const whole = message['tool_calls'].map((call: JsonObject, at) => ({
    ...call,
    id: calls[at]?.id,
    function: { ...(isJsonObject(call['function']) ? call['function'] : {}), arguments: calls[at]?.arguments },
  }))
  return { message: { ...standard, tool_calls: whole } }
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

/** Presents Gemini's thought signature in the member of Google's own OpenAI endpoint, so clients for that send it back. */
export const presentSignature = (signature: string | undefined): JsonObject =>
  signature === undefined ? {} : { extra_content: { google: { thought_signature: signature } } }

/**
 * Presents thinking for the caller to send back, under the name of the provider that needs it. Each block has an index, in whole
 * answers too: clients that join the lists of a stream need it.
 */
export function presentReasoning({ thinking, signature }: Pick<Choice, 'thinking' | 'signature'>): JsonObject {
  if (thinking === undefined) return presentSignature(signature)
  const blocks = thinking.map((block, index) => ({ index, ...block }))
  return { extra_content: { anthropic: { thinking_blocks: blocks } } }
}

/** Presents the pages that a searching model used, under the names of Perplexity's chat completions. */
export const presentCitations = (citations: readonly Citation[]): JsonObject =>
  citations.length === 0 ? {} : { citations: citations.map(({ url }) => url), search_results: citations }

const tokens = once(() => z.int().nonnegative())

const GoogleSchema = once(() =>
  z.looseObject({ thought_signature: z.string() }).meta({ description: 'Gemini’s thought signature.' }),
)

const ToolCallAnswerSchema = once(() =>
  z.looseObject({
    id: z.string(),
    type: z.literal('function'),
    function: z.looseObject({ name: z.string(), arguments: z.string() }),
    extra_content: z.looseObject({ google: GoogleSchema() }).optional().meta({
      description: 'To be sent back with the call.',
    }),
  }),
)

const ThinkingBlockSchema = once(() =>
  z.looseObject({
    index: z.int().nonnegative(),
    type: z.enum(['thinking', 'redacted_thinking']),
    thinking: z.string().optional(),
    signature: z.string().optional(),
    data: z.string().optional().meta({ description: 'Of a `redacted_thinking` block, which has nothing else.' }),
  }),
)

const ReasoningSchema = once(() =>
  z
    .looseObject({
      anthropic: z.looseObject({ thinking_blocks: z.array(ThinkingBlockSchema()) }).optional(),
      google: GoogleSchema().optional(),
    })
    .meta({
      description:
        'To be sent back with the message, as it is. In a stream it comes in one delta, before the finish reason.',
    }),
)

const UsageSchema = once(() =>
  z
    .looseObject({
      prompt_tokens: tokens(),
      completion_tokens: tokens(),
      total_tokens: tokens(),
      prompt_tokens_details: z
        .looseObject({ cached_tokens: tokens(), cache_write_tokens: tokens().optional() })
        .optional(),
      completion_tokens_details: z.looseObject({ reasoning_tokens: tokens() }).optional(),
    })
    .meta({ id: 'CompletionUsage' }),
)

const FINISH_REASONS = ['stop', 'length', 'tool_calls', 'content_filter', 'function_call'] as const

export const ChatCompletionSchema = once(() =>
  z
    .looseObject({
      id: z.string(),
      object: z.literal('chat.completion'),
      created: z.int().meta({ description: 'Unix seconds.' }),
      model: z.string().meta({ description: 'What answered, as its provider names it.' }),
      choices: z
        .array(
          z.looseObject({
            index: z.int().nonnegative(),
            message: z.looseObject({
              role: z.literal('assistant'),
              content: z.string().nullable(),
              refusal: z.string().nullable().optional(),
              tool_calls: z.array(ToolCallAnswerSchema()).optional(),
              function_call: z
                .looseObject({ name: z.string(), arguments: z.string() })
                .nullish()
                .meta({ description: 'In the place of tool_calls where the request has functions.' }),
              extra_content: ReasoningSchema().optional(),
            }),
            finish_reason: z.enum(FINISH_REASONS).meta({
              description: '`content_filter` also where the provider ended for a reason that has no name here.',
            }),
          }),
        )
        .min(1),
      usage: UsageSchema(),
      citations: z.array(z.string()).optional().meta({ description: 'Pages a searching model used.' }),
      search_results: z.array(z.looseObject({ url: z.string(), title: z.string().nullable() })).optional(),
      aqta: AqtaSchema(),
    })
    .meta({ id: 'ChatCompletion' }),
)

export const closingMark = (): Uint8Array[] => [dataEvent('[DONE]')]
