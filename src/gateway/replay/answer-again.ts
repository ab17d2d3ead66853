// A repeated call whose first answer was kept: it gets that answer, byte for byte.
import type { KeptPlace } from '../../organisation/admit/repeated-chat.ts'
import { joinBytes } from '../../platform/bytes.ts'
import type { AppContext } from '../../platform/context.ts'
import type { AdmittedCall } from '../call/admitted-call.ts'
import { REPLAYED } from '../call/call-headers.ts'
import { answerNotKept, answerNotRead, noRoomForAnswer } from '../call/errors.ts'
import { sendBody } from '../stream/response-stream.ts'
import { logEnded } from '../call/settle-call.ts'
import { describeTrace } from '../call/trace.ts'
import type { AnswerMemory } from '../memory/answer-memory.ts'
import type { StoredAnswer, StoredAnswersStore } from './stored-answers.store.ts'

type Again = { memory: AnswerMemory; store: Pick<StoredAnswersStore, 'find'>; stallMs: number }

/** Throws where it is not there, or cannot be read. Releases the place in every case. */
export async function answerAgain(
  c: AppContext,
  kept: KeptPlace,
  { memory, store, stallMs }: Again,
): Promise<Response> {
  const found = await c.get('timings').measure('storage', () => store.find(kept, memory.grow))
  if (found.outcome !== 'found') {
    memory.release()
    throw { gone: answerNotKept, failed: answerNotRead, no_room: noRoomForAnswer }[found.outcome]()
  }
  const { status, headers, body } = found.answer
  c.get('logged').outcome = 'replayed'
  const answered = new Headers({ ...headers, [REPLAYED]: 'true' })
  for (const [name, value] of answered) c.header(name, value)
  const sent = sendBody(c, body, { memory, stallMs })
  return status === sent.status ? sent : new Response(sent.body, { status, headers: sent.headers })
}

/** `firstTraceId`: of the call that it answered first. */
export type CachedAnswer = { answer: StoredAnswer; firstTraceId: string }

/** Releases the call's place in every case. */
export function answerCached(
  c: AppContext,
  call: AdmittedCall,
  { answer, firstTraceId }: CachedAnswer,
  stallMs: number,
): Response {
  const { memory, form, recorder, attestation } = call
  try {
    const headers = ownHeaders(answer)
    const isStream = headers['content-type']?.startsWith('text/event-stream') === true
    const aqta = describeTrace({ attestation, status: 'passed', provider: null, cached: true })
    const pieces = form.renew(call, { firstTraceId, isStream, body: answer.body, aqta })
    const size = pieces.reduce((bytes, piece) => bytes + piece.byteLength, 0)
    const body = new Uint8Array(joinBytes(pieces, size))
    recorder?.begin({ status: 200, headers })
    recorder?.add([body])
    if (recorder !== null) c.executionCtx.waitUntil(recorder.put(true))
    logEnded(c, call, { ended: 'cached' })
    for (const [name, value] of Object.entries(headers)) c.header(name, value)
    return sendBody(c, body, { memory, stallMs })
  } catch (thrown) {
    memory.release()
    throw thrown
  }
}

/** The headers of the answer itself. The others belong to the call that it answered first. */
const ownHeaders = ({ headers }: StoredAnswer): Record<string, string> =>
  Object.fromEntries(
    ['content-type', 'cache-control'].flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
