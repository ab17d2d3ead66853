// Gemini's stream into our events. It has no closing mark: it has ended properly when its bytes end and every candidate
// has a finish reason. Why a candidate stopped is told only then, because its tool calls may come in an earlier chunk.
import type { StreamDecoder } from '../adapter.ts'
import type { StreamEvent } from '../answer.ts'
import { createStreamDecoder } from '../stream-decoder.ts'
import {
  answerSchema,
  errorSchema,
  readCall,
  readFinishReason,
  readUsage,
  visibleText,
  type GeminiAnswer,
  type GeminiPart,
} from './answer.ts'

export function createGeminiDecoder(): StreamDecoder {
  const candidates = new Map<number, { calls: number; finishReason: string | null }>()
  let responseId: string | null = null

  function readChunk(chunk: GeminiAnswer): StreamEvent[] {
    const events: StreamEvent[] = []
    if (responseId === null) {
      responseId = chunk.responseId ?? crypto.randomUUID()
      events.push({ type: 'start', id: chunk.responseId ?? null, model: chunk.modelVersion ?? null })
    }
    if (chunk.promptFeedback?.blockReason) candidates.set(0, { calls: 0, finishReason: 'SAFETY' })
    for (const { index, content, finishReason } of chunk.candidates ?? []) {
      const choice = index ?? 0
      const state = candidates.get(choice) ?? { calls: 0, finishReason: null }
      candidates.set(choice, state)
      for (const part of content?.parts ?? []) events.push(...readPart(part, choice, state, responseId))
      state.finishReason = finishReason ?? state.finishReason
    }
    if (chunk.usageMetadata) events.push({ type: 'usage', usage: readUsage(chunk.usageMetadata) })
    return events
  }

  return createStreamDecoder({
    read(json) {
      if (errorSchema.safeParse(json).success) return 'error_event'
      const chunk = answerSchema.safeParse(json)
      return chunk.success ? readChunk(chunk.data) : 'malformed'
    },
    close() {
      const events: StreamEvent[] = []
      for (const [choice, { calls, finishReason }] of candidates) {
        if (finishReason === null) return 'cut'
        const reason = readFinishReason(finishReason, calls > 0)
        if (reason === null) return 'malformed'
        events.push({ type: 'finish', choice, reason })
      }
      return events.length === 0 ? 'cut' : [...events, { type: 'end' }]
    },
  })
}

function readPart(part: GeminiPart, choice: number, state: { calls: number }, responseId: string): StreamEvent[] {
  const text = visibleText(part)
  const events: StreamEvent[] = text === '' ? [] : [{ type: 'text', choice, text }]
  const index = state.calls
  const call = readCall(part, { responseId, choice, index })
  if (call === null) return events
  state.calls += 1
  const { arguments: fragment, ...rest } = call
  events.push({ type: 'tool_call', choice, index, ...rest }, { type: 'tool_arguments', choice, index, fragment })
  return events
}
