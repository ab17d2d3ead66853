// A chat call answered event by event. The provider's stream is opened before anything is answered, so that a failure
// up to then is an ordinary error; from the first byte on, a task of its own carries it to its end.
import type { AppContext } from '../platform/context.ts'
import { errorBody, unexpectedError } from '../platform/render-error.ts'
import { standardUsage } from '../providers/answer.ts'
import { openStream, type OpenStream } from '../providers/client.ts'
import { systemRuntime } from '../providers/exchange.ts'
import { completionId, createdAt, describeCall, type AdmittedCall } from './admitted-call.ts'
import { NOTHING_PRODUCED } from './bill.ts'
import { upstreamError, wasReached } from './chat-refusals.ts'
import { providerCall, settleWhenEnded, type ProviderDeps } from './provider-call.ts'
import { concludeCall, tellOf, type Ending } from './settlement.ts'
import type { ChunkWriter } from './stream/chunk-writer.ts'
import { createOutlet, type Outlet } from './stream/outlet.ts'
import { createPassedOnWriter } from './stream/passed-on.ts'
import { relay } from './stream/relay.ts'
import { createTally } from './stream/tally.ts'
import { createTranslatedWriter } from './stream/translated.ts'

export async function answerStreamed(c: AppContext, call: AdmittedCall, deps: ProviderDeps): Promise<Response> {
  const { signal } = c.req.raw
  const outlet = createOutlet({ stallMs: deps.limits.stallMs, signal, after: systemRuntime.after })
  const opening = openStream(providerCall(c, call, deps))
  const ending = opening.then((opened) => carry(c.get('requestId'), call, opened, outlet))
  settleWhenEnded(c, call, ending, deps)
  const opened = await c.get('timings').measure('upstream', () => opening)
  if (!opened.ok) {
    const { bill } = await ending
    throw upstreamError(opened.failure, describeCall(call, bill, wasReached(opened.failure)))
  }
  c.header('content-type', 'text/event-stream; charset=utf-8')
  c.header('cache-control', 'no-store')
  return c.body(outlet.body)
}

async function carry(requestId: string, call: AdmittedCall, opened: OpenStream, outlet: Outlet): Promise<Ending> {
  const told = tellOf(opened)
  if (!opened.ok) return concludeCall(call, NOTHING_PRODUCED, told)
  const tally = createTally()
  const writer = createWriter(call, opened.standardChunks)
  try {
    const failure = await relay(opened.batches, { writer, outlet, tally })
    const upstreamMs = systemRuntime.now() - call.startedAt
    const ending = concludeCall(call, tally.produced(), { ...told, failure, upstreamMs })
    endStream(requestId, call, ending, { writer, outlet })
    return ending
  } catch (thrown) {
    outlet.send(writer.fail(errorBody(unexpectedError(), requestId)))
    outlet.close()
    throw thrown
  }
}

function createWriter(call: AdmittedCall, standardChunks: boolean): ChunkWriter {
  const { model, request, includeUsage } = call.input
  if (standardChunks) return createPassedOnWriter({ includeUsage, choices: request.n ?? 1 })
  return createTranslatedWriter({ id: completionId(call), created: createdAt(call), model: model.id, includeUsage })
}

/** Whole with its closing mark, or with an error event and without one. */
function endStream(
  requestId: string,
  call: AdmittedCall,
  { bill, failure }: Ending,
  { writer, outlet }: { writer: ChunkWriter; outlet: Outlet },
): void {
  const aqta = describeCall(call, bill)
  const usage = bill.usage && standardUsage(bill.usage)
  outlet.send(
    failure === null ? writer.finish({ aqta, usage }) : writer.fail(errorBody(upstreamError(failure, aqta), requestId)),
  )
  outlet.close()
}
