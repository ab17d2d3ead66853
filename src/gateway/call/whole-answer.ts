// A chat call answered in one piece.
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Completion } from '../../providers/client.ts'
import { describeCall, type AdmittedCall } from './admitted-call.ts'
import { NOTHING_PRODUCED, producedBy } from './bill.ts'
import { openOutlet } from './open-outlet.ts'
import { settleWhenEnded, type ProviderDeps } from './provider-call.ts'
import { concludeCall, tellOf, type Ending } from './settlement.ts'
import { crashError, upstreamError, wasReached } from './upstream-errors.ts'
import { HANDED_BYTES } from '../stream/outlet.ts'
import { logUnexpected } from '../../platform/log.ts'

export async function answerWhole(
  c: AppContext,
  call: AdmittedCall,
  asked: Promise<Completion>,
  deps: ProviderDeps,
): Promise<Response> {
  const ending = asked.then((completion) => conclude(call, completion))
  const concluded = settleWhenEnded(c, call, ending, deps)
  try {
    const completion = await c.get('timings').measure('upstream', () => asked)
    const { bill, failure } = await ending
    const aqta = describeCall(call, bill, wasReached(failure))
    if (!completion.ok) throw upstreamError(completion.failure, aqta, call.form)
    c.header('cache-control', 'no-store')
    return send(c, call, JSON.stringify(call.form.present(call, completion, { bill, aqta })), deps)
  } catch (thrown) {
    call.place.release()
    if (thrown instanceof AppError) throw thrown
    logUnexpected(thrown, c.get('requestId'))
    throw crashError(describeCall(call, (await concluded).bill))
  }
}

/** What a connection takes in whether or not it is read needs no watching. */
function send(c: AppContext, call: AdmittedCall, json: string, deps: ProviderDeps): Response {
  c.header('content-type', 'application/json')
  if (json.length <= HANDED_BYTES) {
    call.place.release()
    return c.body(json)
  }
  const outlet = openOutlet(c, call, deps)
  outlet.close(piecesOf(new TextEncoder().encode(json)))
  return c.body(outlet.body)
}

/** Copies, since a part of a buffer keeps all of it. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.byteLength; at += HANDED_BYTES) yield bytes.slice(at, at + HANDED_BYTES)
}

function conclude(call: AdmittedCall, completion: Completion): Ending {
  const produced = completion.ok
    ? producedBy(completion.answer)
    : { ...NOTHING_PRODUCED, usage: completion.usage ?? null }
  return concludeCall(call, produced, tellOf(completion))
}
