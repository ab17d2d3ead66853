// A chat call answered event by event. The provider's stream is opened before anything is answered, so that a failure
// up to then is an ordinary error; from the first byte on, a task of its own carries it to its end.
import type { AppContext } from '../../platform/context.ts'
import { errorBody } from '../../platform/render-error.ts'
import { standardUsage } from '../../providers/answer.ts'
import type { OpenStream } from '../../providers/client.ts'
import { upstreamFailure } from '../../providers/failure.ts'
import { systemRuntime } from '../../providers/exchange.ts'
import { describeCall, type AdmittedCall } from './admitted-call.ts'
import { billCall, NOTHING_PRODUCED, type Bill } from './bill.ts'
import { crashError, upstreamError, wasReached } from './call-refusals.ts'
import { openOutlet } from './open-outlet.ts'
import { concludeCrash, settleWhenEnded, type ProviderDeps } from './provider-call.ts'
import { concludeCall, tellOf, type Ending } from './settlement.ts'
import type { EventWriter } from '../stream/event-writer.ts'
import type { Outlet } from '../stream/outlet.ts'
import { relay } from '../stream/relay.ts'
import { createTally, type Tally } from '../stream/tally.ts'

export async function answerStreamed(
  c: AppContext,
  call: AdmittedCall,
  opening: Promise<OpenStream>,
  deps: ProviderDeps,
): Promise<Response> {
  const outlet = openOutlet(c, call, deps)
  const ending = opening.then(
    (opened) => carry(c, call, opened, outlet),
    (thrown: unknown) => {
      outlet.close()
      throw thrown
    },
  )
  const concluded = settleWhenEnded(c, call, ending, deps)
  const opened = await c.get('timings').measure('upstream', () => opening.catch(() => null))
  if (opened === null) throw crashError(describeCall(call, (await concluded).bill))
  if (!opened.ok) {
    const { bill } = await ending
    throw upstreamError(opened.failure, describeCall(call, bill, wasReached(opened.failure)))
  }
  c.header('content-type', 'text/event-stream; charset=utf-8')
  c.header('cache-control', 'no-store')
  return c.body(outlet.body)
}

async function carry(c: AppContext, call: AdmittedCall, opened: OpenStream, outlet: Outlet): Promise<Ending> {
  const requestId = c.get('requestId')
  const told = tellOf(opened)
  if (!opened.ok) {
    outlet.close()
    return concludeCall(call, NOTHING_PRODUCED, told)
  }
  const tally = createTally()
  const writer = call.form.createWriter(call, opened.standardChunks)
  const finish = createFinish(call, writer, tally)
  try {
    const { keep } = call.place
    const failure = await relay(opened.batches, { writer, outlet, tally, keep, whenComplete: finish.tell })
    const upstreamMs = systemRuntime.now() - call.startedAt
    const lastEvents = failure === null ? [...finish.tell(), ...writer.close()] : []
    const ending = concludeCall(call, tally.produced(), { ...told, failure, upstreamMs }, finish.bill())
    const aqta = describeCall(call, ending.bill)
    if (failure !== null) lastEvents.push(...writer.fail(errorBody(upstreamError(failure, aqta), requestId)))
    const unread = errorBody(upstreamError(upstreamFailure('caller'), aqta), requestId)
    outlet.close(lastEvents, writer.fail(unread))
    return ending
  } catch (thrown) {
    const ending = concludeCrash(c, call, thrown, finish.bill())
    outlet.close(writer.fail(errorBody(crashError(describeCall(call, ending.bill)), requestId)))
    return ending
  }
}

/** Tells the caller what the answer cost, once: from then on that is what it costs, however the stream ends. */
function createFinish(call: AdmittedCall, writer: EventWriter, tally: Tally) {
  let bill: Bill | null = null
  return {
    /** What was told; null before. */
    bill: () => bill,
    tell: (): Uint8Array[] => {
      if (bill !== null) return []
      bill = billCall(call, tally.produced(), null, call.eurRate)
      return writer.finish({ aqta: describeCall(call, bill), usage: bill.usage && standardUsage(bill.usage) })
    },
  }
}
