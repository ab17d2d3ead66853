// Decodes a generateContent answer of Gemini. Each chunk of a stream has the same shape.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import type { DecodedAnswer } from '../provider.ts'
import {
  CountSchema,
  createReportReader,
  unlessEmpty,
  usageFromTotals,
  usageIn,
  type FinishReason,
  type Usage,
} from '../chat-answer.ts'
import { upstreamFailure } from '../failure.ts'
import type { ToolCall } from '../chat-request.ts'
import { createCallReader, FunctionCallSchema, type CallReader } from './function-calls.ts'

const PartSchema = once(() =>
  z.object({
    text: z.string().nullish(),
    thought: z.boolean().nullish(),
    thoughtSignature: z.string().nullish(),
    functionCall: FunctionCallSchema().nullish(),
  }),
)

const UsageSchema = once(() =>
  z.object({
    promptTokenCount: CountSchema().nullish(),
    toolUsePromptTokenCount: CountSchema().nullish(),
    cachedContentTokenCount: CountSchema().nullish(),
    candidatesTokenCount: CountSchema().nullish(),
    thoughtsTokenCount: CountSchema().nullish(),
  }),
)

export const AnswerSchema = once(() =>
  z.object({
    responseId: z.string().nullish(),
    modelVersion: z.string().nullish(),
    candidates: z
      .array(
        z.object({
          index: CountSchema().nullish(),
          content: z.object({ parts: z.array(PartSchema()).nullish() }).nullish(),
          finishReason: z.string().nullish(),
        }),
      )
      .nullish(),
    promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish(),
    usageMetadata: z.unknown().optional(),
  }),
)

/** Matches `{"error": …}`, or on streams sometimes an array of it. */
export const ErrorSchema = once(() =>
  z.union([z.object({ error: z.looseObject({}) }), z.tuple([z.object({ error: z.looseObject({}) })], z.unknown())]),
)

export type GeminiAnswer = Infer<typeof AnswerSchema>
export type GeminiPart = Infer<typeof PartSchema>

/**
 * Creates the reader of an answer's usage, which a stream may report in parts. The cached part is inside the prompt count. Tool-use
 * prompts are outside it, and thoughts are outside the candidates' count, which is left out if nothing was written. It returns null
 * if no count can be read: before a stream's end, usage may have only `trafficType`.
 */
export function createUsageReader(): (usage: unknown, hasOutput: boolean) => Usage | null {
  const readReport = createReportReader(UsageSchema())
  return (usage, hasOutput) => {
    const read = readReport(usage)
    if (read === null) return null
    const { reported, unread } = read
    const { promptTokenCount: prompt, candidatesTokenCount: written, toolUsePromptTokenCount: looked } = reported
    const reasoning = reported.thoughtsTokenCount ?? 0
    const isOutputUnread = unread.has('candidatesTokenCount') || unread.has('thoughtsTokenCount')
    return unlessEmpty(
      usageFromTotals({
        input: (prompt ?? 0) + (looked ?? 0),
        cacheRead: reported.cachedContentTokenCount ?? 0,
        cacheWrite: 0,
        output: (written ?? 0) + reasoning,
        reasoning,
        isUnread: {
          input: typeof prompt !== 'number' || (unread.has('toolUsePromptTokenCount') && typeof looked !== 'number'),
          output: isOutputUnread || (typeof written !== 'number' && hasOutput),
          details: unread.size > 0,
        },
      }),
    )
  }
}

/**
 * `no answer`: Gemini formed nothing. Any other reason is read as `content_filter`, so that an answer with an unknown end is never
 * reported as whole. The reasons are listed at
 * https://ai.google.dev/api/generate-content#FinishReason, and in the library google-genai.
 */
const finishReasons: ReadonlyMap<string, FinishReason | 'no answer'> = new Map([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['CONTINUATION', 'length'],
  ['TOO_MANY_TOOL_CALLS', 'length'],
  ['UNEXPECTED_TOOL_CALL', 'no answer'],
  ['MALFORMED_FUNCTION_CALL', 'no answer'],
  ['MALFORMED_RESPONSE', 'no answer'],
  ['MISSING_THOUGHT_SIGNATURE', 'no answer'],
])

/** Reasons after which calls and text are whole. */
const ENDED_IN_CALLS: ReadonlySet<string> = new Set(['STOP', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS'])

/** Returns null for an error: no answer was formed. Text or calls that were formed anyway are returned. */
export function readFinishReason(
  reason: string,
  formed: { hasText: boolean; hasToolCalls: boolean },
): FinishReason | null {
  if (formed.hasToolCalls && ENDED_IN_CALLS.has(reason)) return 'tool_calls'
  const known = finishReasons.get(reason) ?? 'content_filter'
  if (known !== 'no answer') return known
  return formed.hasText || formed.hasToolCalls ? 'content_filter' : null
}

/** Returns true if an answer that claims to be whole has an incomplete call. Any other answer drops such a call. */
export const isCallCut = (calls: CallReader, reason: FinishReason | null): boolean =>
  calls.isOpen() && (reason === 'stop' || reason === 'tool_calls')

export const visibleText = (part: GeminiPart): string => (part.thought === true ? '' : (part.text ?? ''))

/** Returns the signature of the text; null for a thought or a call. A call's signature is stored with the call. */
export const textSignature = (part: GeminiPart): string | null =>
  part.functionCall || part.thought === true ? null : part.thoughtSignature || null

const usageOf = (body: unknown, hasOutput = true): Usage | null =>
  usageIn(body, (usage) => createUsageReader()(usage, hasOutput), 'usageMetadata')

/** @see https://ai.google.dev/api/generate-content */
export function decodeGemini(body: unknown): DecodedAnswer {
  if (ErrorSchema().safeParse(body).success) return { ok: false, failure: upstreamFailure('error_event') }
  const parsed = AnswerSchema().safeParse(body)
  if (!parsed.success) return { ok: false, failure: upstreamFailure('malformed'), usage: usageOf(body) }
  const { candidates, promptFeedback, responseId, modelVersion } = parsed.data
  const isBlocked = (candidates ?? []).length === 0 && Boolean(promptFeedback?.blockReason)
  const read = (isBlocked ? [{ finishReason: 'SAFETY' }] : (candidates ?? [])).map((candidate, position) =>
    readCandidate(candidate, position, responseId ?? crypto.randomUUID()),
  )
  const readable = read.filter((candidate) => candidate !== null)
  const hasOutput = read.some((candidate) => candidate === null || candidate.hasOutput)
  const usage = usageOf(body, hasOutput)
  if (readable.length < read.length || readable.every(({ isFormed }) => !isFormed)) {
    return { ok: false, failure: upstreamFailure('malformed'), usage }
  }
  return {
    ok: true,
    answer: {
      id: responseId ?? null,
      model: modelVersion ?? null,
      choices: readable.map(({ choice }) => choice),
      usage,
      citations: [],
    },
  }
}

/** Returns null if a call is malformed or cut. `isFormed`: false if Gemini formed no answer. `hasOutput`: false if it is empty. */
function readCandidate(
  candidate: NonNullable<GeminiAnswer['candidates']>[number],
  position: number,
  responseId: string,
) {
  const parts = candidate.content?.parts ?? []
  const index = candidate.index ?? position
  const calls = createCallReader({ responseId, choice: index })
  const toolCalls: ToolCall[] = []
  for (const part of parts) {
    const completed = calls.read(part)
    if (typeof completed === 'string') return null
    toolCalls.push(...completed)
  }
  const text = parts.map(visibleText).join('')
  const formed = { hasText: text !== '', hasToolCalls: toolCalls.length > 0 }
  const reason = readFinishReason(candidate.finishReason ?? '', formed)
  if (isCallCut(calls, reason)) return null
  const signature = parts.flatMap((part) => textSignature(part) ?? []).at(-1)
  return {
    isFormed: reason !== null,
    hasOutput: formed.hasText || formed.hasToolCalls,
    choice: { index, text, refusal: null, toolCalls, signature, finishReason: reason ?? ('content_filter' as const) },
  }
}
