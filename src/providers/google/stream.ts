// Gemini's stream into our events. It has no closing mark: it has ended properly when its bytes end and every candidate
// has a finish reason. The finish reason of a candidate and the signature of its text are reported only then: tool calls may
// have come in an earlier chunk, and the signature may come again.
import type { StreamDecoder } from '../adapter.ts'
import type { StreamEvent } from '../answer.ts'
import { upstreamFailure } from '../failure.ts'
import { createStreamDecoder, type Reading } from '../stream-decoder.ts'
import {
  AnswerSchema,
  ErrorSchema,
  readCall,
  readFinishReason,
  readUsage,
  textSignature,
  usageOf,
  visibleText,
  type GeminiAnswer,
  type GeminiPart,
} from './answer.ts'
import { readGeminiRefusal } from './refusal.ts'

type Candidate = { calls: Set<string>; hasText: boolean; signature: string | null; finishReason: string | null }

const openCandidate = (): Candidate => ({ calls: new Set(), hasText: false, signature: null, finishReason: null })

export function createGeminiDecoder(): StreamDecoder {
  const candidates = new Map<number, Candidate>()
  let responseId: string | null = null

  function stateOf(choice: number): Candidate {
    const state = candidates.get(choice) ?? openCandidate()
    candidates.set(choice, state)
    return state
  }

  function readChunk(chunk: GeminiAnswer): StreamEvent[] {
    const events: StreamEvent[] = []
    if (responseId === null) {
      responseId = chunk.responseId ?? crypto.randomUUID()
      events.push({ type: 'start', id: chunk.responseId ?? null, model: chunk.modelVersion ?? null })
    }
    if (chunk.promptFeedback?.blockReason) stateOf(0).finishReason = 'SAFETY'
    for (const { index, content, finishReason } of chunk.candidates ?? []) {
      const choice = index ?? 0
      const state = stateOf(choice)
      for (const part of content?.parts ?? []) events.push(...readPart(part, choice, state, responseId))
      state.finishReason = finishReason ?? state.finishReason
    }
    const usage = readUsage(chunk.usageMetadata)
    return usage === null ? events : [...events, { type: 'usage', usage }]
  }

  function conclude(): Reading {
    const states = [...candidates]
    if (states.length === 0 || states.some(([, { finishReason }]) => finishReason === null)) return 'cut'
    const ends = states.map(([choice, { calls, hasText, signature, finishReason }]) => {
      const reason = readFinishReason(finishReason ?? '', { hasText, hasToolCalls: calls.size > 0 })
      return { choice, signature, reason }
    })
    if (ends.every(({ reason }) => reason === null)) return 'malformed'
    const events: StreamEvent[] = []
    for (const { choice, signature, reason } of ends) {
      if (signature !== null) events.push({ type: 'signature', choice, signature })
      events.push({ type: 'finish', choice, reason: reason ?? 'content_filter' })
    }
    return [...events, { type: 'end' }]
  }

  return createStreamDecoder({
    readRefusal: readGeminiRefusal,
    read(json) {
      if (ErrorSchema.safeParse(json).success) return 'error_event'
      const chunk = AnswerSchema.safeParse(json)
      if (chunk.success) return readChunk(chunk.data)
      const usage = usageOf(json)
      return usage === null
        ? 'malformed'
        : [
            { type: 'usage', usage },
            { type: 'failed', failure: upstreamFailure('malformed') },
          ]
    },
    close: conclude,
  })
}

function readPart(part: GeminiPart, choice: number, state: Candidate, responseId: string): StreamEvent[] {
  const text = visibleText(part)
  state.hasText ||= text !== ''
  state.signature = textSignature(part) ?? state.signature
  const events: StreamEvent[] = text === '' ? [] : [{ type: 'text', choice, text }]
  const index = state.calls.size
  const call = readCall(part, { responseId, choice, ids: state.calls })
  if (call === null) return events
  state.calls.add(call.id)
  const { arguments: fragment, ...rest } = call
  events.push({ type: 'tool_call', choice, index, ...rest }, { type: 'tool_arguments', choice, index, fragment })
  return events
}
