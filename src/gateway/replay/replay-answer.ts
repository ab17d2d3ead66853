// Answers a call without its provider. It replays the stored answer of the same idempotency key byte for byte, or answers from
// the organisation's cache.
import type { SealedAnswer } from '../../organisation/admit/answer-reuse.ts'
import { joinBytes } from '../../platform/bytes.ts'
import { setHeaders, type AppContext } from '../../platform/context.ts'
import type { AdmittedCall } from '../call/admit-call.ts'
import { REPLAYED_HEADER_NAME } from '../call/call-headers.ts'
import { callError } from '../call/call-errors.ts'
import { sendBody } from '../stream/response-stream.ts'
import { logCallEnded } from '../call/settle-call.ts'
import { buildAqta } from '../call/trace.ts'
import type { AnswerMemory } from '../memory/answer-memory.ts'
import type { CachedAnswer, StoredAnswer, StoredAnswersStore } from './stored-answers.store.ts'

/** Throws if the answer is missing or cannot be read. Releases the memory in every case. */
export async function replayAnswer(
  c: AppContext,
  stored: SealedAnswer,
  { memory, store, stallMs }: { memory: AnswerMemory; store: Pick<StoredAnswersStore, 'find'>; stallMs: number },
): Promise<Response> {
  const found = await c.get('timings').measure('storage', () => store.find(stored, memory.grow))
  if (found.outcome !== 'found') {
    memory.release()
    throw callError(NOT_REPLAYED[found.outcome])
  }
  const { status, headers, body } = found.answer
  c.get('logged').outcome = 'replayed'
  setHeaders(c, { ...headers, [REPLAYED_HEADER_NAME]: 'true' })
  const sent = sendBody(c, body, { memory, stallMs })
  return status === sent.status ? sent : new Response(sent.body, { status, headers: sent.headers })
}

const NOT_REPLAYED = { gone: 'answer_not_stored', failed: 'answer_not_read', no_room: 'no_room_for_answer' } as const

/** Answers with a cached answer, renewed for this call. Releases the call's memory in every case. */
export function answerFromCache(
  c: AppContext,
  call: AdmittedCall,
  { answer, firstTraceId }: CachedAnswer,
  stallMs: number,
): Response {
  const { memory, format, recorder, attestation } = call
  try {
    const headers = headersOfAnswer(answer)
    const isStream = headers['content-type']?.startsWith('text/event-stream') === true
    const { dataRegion, isLoop } = call
    const aqta = buildAqta({ attestation, provider: null, dataRegion, isLoop, cached: true })
    const pieces = format.renew(call, { firstTraceId, isStream, body: answer.body, aqta })
    const size = pieces.reduce((bytes, piece) => bytes + piece.byteLength, 0)
    const body = new Uint8Array(joinBytes(pieces, size))
    recorder?.begin({ status: 200, headers })
    recorder?.add([body])
    if (recorder !== null) c.executionCtx.waitUntil(recorder.put(true))
    logCallEnded(c, call, { ended: 'cached' })
    setHeaders(c, headers)
    return sendBody(c, body, { memory, stallMs })
  } catch (thrown) {
    memory.release()
    throw thrown
  }
}

/** Returns the headers that describe the answer. Its other headers belong to the call that got it first. */
const headersOfAnswer = ({ headers }: StoredAnswer): Record<string, string> =>
  Object.fromEntries(
    ['content-type', 'cache-control'].flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
