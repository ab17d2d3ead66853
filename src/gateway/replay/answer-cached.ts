// A call that the cache answers: its organisation has allowed it and settled it in one turn, and no provider is asked.
import type { AppContext } from '../../platform/context.ts'
import { joinBytes } from '../../platform/bytes.ts'
import type { AdmittedCall } from '../call/admitted-call.ts'
import { logEnded } from '../call/log-ended.ts'
import { sendBody } from '../call/send-body.ts'
import { describeTrace } from '../call/trace.ts'
import type { Outlet } from '../stream/outlet.ts'
import type { KeptAnswer } from './kept-answer.ts'

/** `firstTraceId`: of the call that it answered first. */
export type CachedAnswer = { answer: KeptAnswer; firstTraceId: string }

/** Releases the call's place in every case. */
export function answerCached(
  c: AppContext,
  call: AdmittedCall,
  { answer, firstTraceId }: CachedAnswer,
  openOutlet: () => Outlet,
): Response {
  const { place, form, keeper, attestation } = call
  try {
    const headers = ownHeaders(answer)
    const isStream = headers['content-type']?.startsWith('text/event-stream') === true
    const aqta = describeTrace({ attestation, status: 'passed', provider: null, cached: true })
    const pieces = form.renew(call, { firstTraceId, isStream, body: answer.body, aqta })
    const size = pieces.reduce((bytes, piece) => bytes + piece.byteLength, 0)
    const body = new Uint8Array(joinBytes(pieces, size))
    keeper?.begin({ status: 200, headers })
    keeper?.add([body])
    if (keeper !== null) c.executionCtx.waitUntil(keeper.put(true))
    logEnded(c, call, { ended: 'cached' })
    for (const [name, value] of Object.entries(headers)) c.header(name, value)
    return sendBody(c, body, { place, openOutlet })
  } catch (thrown) {
    place.release()
    throw thrown
  }
}

/** What it says of itself: the rest is of the call that it answered first. */
const ownHeaders = ({ headers }: KeptAnswer): Record<string, string> =>
  Object.fromEntries(
    ['content-type', 'cache-control'].flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, value]]
    }),
  )
