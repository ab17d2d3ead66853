// Decodes Gemini's stream into our events. It has no closing mark: it is complete if its bytes end and every candidate has a
// finish reason. Finish reasons and text signatures are reported only then: calls change the reason, and a later part may repeat
// the signature.
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import type { StreamDecoder } from '../provider.ts'
import { usageIn, type StreamEvent } from '../chat-answer.ts'
import { upstreamFailure, type FailureCause } from '../failure.ts'
import { createStreamDecoder, type DecodeResult } from '../stream-decoder.ts'
import {
  AnswerSchema,
  createUsageReader,
  ErrorSchema,
  isCallCut,
  readFinishReason,
  textSignature,
  visibleText,
  type GeminiAnswer,
  type GeminiPart,
} from './answer.ts'
import { createCallReader, type CallReader } from './function-calls.ts'
import { readGeminiRejection } from './rejection.ts'

type Candidate = { calls: CallReader; hasText: boolean; signature: string | null; finishReason: string | null }

const openCandidate = (choice: number, responseId: string): Candidate => ({
  calls: createCallReader({ responseId, choice }),
  hasText: false,
  signature: null,
  finishReason: null,
})

/** @see https://ai.google.dev/api/generate-content */
export function createGeminiDecoder(): StreamDecoder {
  const candidates = new Map<number, Candidate>()
  const readUsage = createUsageReader()
  let responseId: string | null = null

  function stateOf(choice: number, ofResponse: string): Candidate {
    const state = candidates.get(choice) ?? openCandidate(choice, ofResponse)
    candidates.set(choice, state)
    return state
  }

  function readChunk(chunk: GeminiAnswer): DecodeResult {
    const events: StreamEvent[] = []
    if (responseId === null) {
      responseId = chunk.responseId ?? crypto.randomUUID()
      events.push({ type: 'start', id: chunk.responseId ?? null, model: chunk.modelVersion ?? null })
    }
    if (chunk.promptFeedback?.blockReason) stateOf(0, responseId).finishReason = 'SAFETY'
    for (const { index, content, finishReason } of chunk.candidates ?? []) {
      const choice = index ?? 0
      const state = stateOf(choice, responseId)
      for (const part of content?.parts ?? []) {
        const reading = readPart(part, choice, state)
        if (typeof reading === 'string') return failWith(reading, chunk)
        events.push(...reading)
      }
      state.finishReason = finishReason ?? state.finishReason
    }
    return [...events, ...readUsageOf(chunk)]
  }

  /** Until the stream's end, it is unknown whether an output without a count is empty. */
  function readUsageOf(chunk: unknown, hasOutput = true): StreamEvent[] {
    const usage = usageIn(chunk, (report) => readUsage(report, hasOutput), 'usageMetadata')
    const isReported = usage !== null || (isJsonObject(chunk) && hasUnreadableUsage(chunk))
    return isReported ? [{ type: 'usage', usage }] : []
  }

  /** Reports the chunk's usage before the failure. */
  function failWith(cause: FailureCause, chunk: unknown): DecodeResult {
    const usage = readUsageOf(chunk)
    return usage.length === 0 ? cause : [...usage, { type: 'failed', failure: upstreamFailure(cause) }]
  }

  function conclude(): DecodeResult {
    const states = [...candidates]
    if (states.length === 0 || states.some(([, { finishReason }]) => finishReason === null)) return 'cut'
    const ends = states.map(([choice, { calls, hasText, signature, finishReason }]) => {
      const reason = readFinishReason(finishReason ?? '', { hasText, hasToolCalls: calls.count() > 0 })
      return { choice, signature, reason, isCut: isCallCut(calls, reason) }
    })
    if (ends.some(({ isCut }) => isCut)) return 'malformed'
    if (ends.every(({ reason }) => reason === null)) return 'malformed'
    const hasOutput = states.some(([, { calls, hasText }]) => hasText || calls.count() > 0)
    const events = hasOutput ? [] : readUsageOf({ usageMetadata: {} }, hasOutput)
    for (const { choice, signature, reason } of ends) {
      if (signature !== null) events.push({ type: 'signature', choice, signature })
      events.push({ type: 'finish', choice, reason: reason ?? 'content_filter' })
    }
    return [...events, { type: 'end' }]
  }

  return createStreamDecoder({
    readRejection: readGeminiRejection,
    read(json) {
      if (ErrorSchema().safeParse(json).success) return 'error_event'
      const chunk = AnswerSchema().safeParse(json)
      if (chunk.success) return readChunk(chunk.data)
      return failWith('malformed', json)
    },
    close: conclude,
  })
}

/** An object without counts is a report before the end. */
const hasUnreadableUsage = ({ usageMetadata: usage }: JsonObject): boolean =>
  usage !== undefined && usage !== null && !isJsonObject(usage)

function readPart(part: GeminiPart, choice: number, state: Candidate): DecodeResult {
  const text = visibleText(part)
  state.hasText ||= text !== ''
  state.signature = textSignature(part) ?? state.signature
  const events: StreamEvent[] = text === '' ? [] : [{ type: 'text', choice, text }]
  const first = state.calls.count()
  const calls = state.calls.read(part)
  if (typeof calls === 'string') return calls
  for (const [at, { arguments: fragment, ...call }] of calls.entries()) {
    const index = first + at
    events.push({ type: 'tool_call', choice, index, ...call }, { type: 'tool_arguments', choice, index, fragment })
  }
  return events
}
