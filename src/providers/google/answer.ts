// A generateContent answer, which is also the shape of each chunk of its stream.
import { z } from 'zod'
import type { Decoded } from '../adapter.ts'
import { usageFromTotals, type FinishReason, type Usage } from '../answer.ts'
import { upstreamFailure } from '../failure.ts'
import type { ToolCall } from '../request.ts'

const countSchema = z.int().min(0)

const partSchema = z.object({
  text: z.string().nullish(),
  thought: z.boolean().nullish(),
  thoughtSignature: z.string().nullish(),
  functionCall: z.object({ id: z.string().nullish(), name: z.string(), args: z.looseObject({}).nullish() }).nullish(),
})

export const answerSchema = z.object({
  responseId: z.string().nullish(),
  modelVersion: z.string().nullish(),
  candidates: z
    .array(
      z.object({
        index: countSchema.nullish(),
        content: z.object({ parts: z.array(partSchema).nullish() }).nullish(),
        finishReason: z.string().nullish(),
      }),
    )
    .nullish(),
  promptFeedback: z.object({ blockReason: z.string().nullish() }).nullish(),
  usageMetadata: z
    .object({
      promptTokenCount: countSchema.nullish(),
      toolUsePromptTokenCount: countSchema.nullish(),
      cachedContentTokenCount: countSchema.nullish(),
      candidatesTokenCount: countSchema.nullish(),
      thoughtsTokenCount: countSchema.nullish(),
    })
    .nullish(),
})

/** `{"error": …}`, or on streams now and then an array of it. */
export const errorSchema = z.union([
  z.object({ error: z.looseObject({}) }),
  z.tuple([z.object({ error: z.looseObject({}) })], z.unknown()),
])

export type GeminiAnswer = z.infer<typeof answerSchema>
export type GeminiPart = z.infer<typeof partSchema>

/** The cached part is inside the prompt count; tool-use prompts are not, and thoughts are outside the candidates'. */
export function readUsage(usage: NonNullable<GeminiAnswer['usageMetadata']>): Usage {
  const reasoning = usage.thoughtsTokenCount ?? 0
  return usageFromTotals({
    input: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
    cacheRead: usage.cachedContentTokenCount ?? 0,
    cacheWrite: 0,
    output: (usage.candidatesTokenCount ?? 0) + reasoning,
    reasoning,
  })
}

const finishReasons: ReadonlyMap<string, FinishReason | null> = new Map([
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['SPII', 'content_filter'],
  ['IMAGE_SAFETY', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['LANGUAGE', 'content_filter'],
  ['MALFORMED_FUNCTION_CALL', null],
  ['MALFORMED_RESPONSE', null],
  ['UNEXPECTED_TOOL_CALL', null],
  ['TOO_MANY_TOOL_CALLS', null],
  ['MISSING_THOUGHT_SIGNATURE', null],
])

/** STOP, OTHER and whatever comes are `stop`, or `tool_calls` after any call. null: no answer was formed, an error. */
export function readFinishReason(reason: string, hasToolCalls: boolean): FinishReason | null {
  const known = finishReasons.get(reason)
  return known === undefined ? (hasToolCalls ? 'tool_calls' : 'stop') : known
}

/** Gemini names calls by id only lately: where it does not, one is minted from the answer's id and the call's place. */
export function readCall(part: GeminiPart, place: { responseId: string; choice: number; index: number }) {
  const { functionCall: call } = part
  if (!call) return null
  const minted = `call_${place.responseId.replaceAll(/[^a-z0-9]/gi, '').slice(0, 24)}_${place.choice}_${place.index}`
  const toolCall: ToolCall = {
    id: call.id ?? minted,
    name: call.name,
    arguments: JSON.stringify(call.args ?? {}),
    ...(part.thoughtSignature ? { signature: part.thoughtSignature } : {}),
  }
  return toolCall
}

export function visibleText(part: GeminiPart): string {
  return part.thought === true ? '' : (part.text ?? '')
}

export function decodeGemini(body: unknown): Decoded {
  if (errorSchema.safeParse(body).success) return { ok: false, failure: upstreamFailure('error_event') }
  const parsed = answerSchema.safeParse(body)
  if (!parsed.success) return { ok: false, failure: upstreamFailure('malformed') }
  const { candidates, promptFeedback, usageMetadata, responseId, modelVersion } = parsed.data
  const blocked = (candidates ?? []).length === 0 && Boolean(promptFeedback?.blockReason)
  const choices = []
  for (const [position, candidate] of (blocked ? [{ finishReason: 'SAFETY' }] : (candidates ?? [])).entries()) {
    const choice = readCandidate(candidate, position, responseId ?? crypto.randomUUID())
    if (choice === null) return { ok: false, failure: upstreamFailure('malformed') }
    choices.push(choice)
  }
  if (choices.length === 0) return { ok: false, failure: upstreamFailure('malformed') }
  return {
    ok: true,
    answer: {
      id: responseId ?? null,
      model: modelVersion ?? null,
      choices,
      usage: usageMetadata ? readUsage(usageMetadata) : null,
      citations: [],
    },
  }
}

function readCandidate(
  candidate: NonNullable<GeminiAnswer['candidates']>[number],
  position: number,
  responseId: string,
) {
  const parts = candidate.content?.parts ?? []
  const choice = candidate.index ?? position
  const toolCalls: ToolCall[] = []
  for (const part of parts) {
    const call = readCall(part, { responseId, choice, index: toolCalls.length })
    if (call !== null) toolCalls.push(call)
  }
  const finishReason = readFinishReason(candidate.finishReason ?? 'STOP', toolCalls.length > 0)
  if (finishReason === null) return null
  return { index: choice, text: parts.map(visibleText).join(''), refusal: null, toolCalls, finishReason }
}
