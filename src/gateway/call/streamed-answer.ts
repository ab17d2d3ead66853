// A call answered event by event. The provider's stream is opened before anything is answered, so that a failure up to
// then is an ordinary error; but a caller is not kept waiting for the first byte, so that a provider that thinks for minutes
// is heard of in comments, and fails in an event. A task of its own carries the stream to its end.
import type { AppContext } from '../../platform/context.ts'
import type { AppError } from '../../platform/errors.ts'
import { errorBody } from '../../platform/render-error.ts'
import { standardUsage } from '../../providers/answer.ts'
import type { OpenStream } from '../../providers/client.ts'
import { upstreamFailure } from '../../providers/failure.ts'
import { systemRuntime } from '../../providers/exchange.ts'
import { describeCall, type AdmittedCall } from './admitted-call.ts'
import { billCall, NOTHING_PRODUCED, type Bill } from './bill.ts'
import { openOutlet } from './open-outlet.ts'
import { concludeCrash, settleWhenEnded, type ProviderDeps } from './provider-call.ts'
import { concludeCall, tellOf, type Ending } from './settlement.ts'
import { crashError, upstreamError, wasReached } from './upstream-errors.ts'
import type { CallContent } from '../content/call-content.ts'
import { copying } from '../replay/answer-keeper.ts'
import type { EventWriter } from '../stream/event-writer.ts'
import type { Outlet } from '../stream/outlet.ts'
import { createProducedSoFar, type ProducedSoFar } from '../stream/produced-so-far.ts'
import { relay } from '../stream/relay.ts'

export async function answerStreamed(
  c: AppContext,
  call: AdmittedCall,
  opening: Promise<OpenStream>,
  deps: ProviderDeps,
): Promise<Response> {
  const outlet = openKeptOutlet(c, call, deps)
  // Decided once, for the answer and for the task that carries it: whether its head went out before the stream was open.
  const begun = Promise.race([
    opening.then(
      () => false,
      () => false,
    ),
    outlet.keepAlive(COMMENT, deps.limits.keepAliveMs).then(() => true),
  ])
  const ending = carry(c, call, { opening, begun, outlet })
  const concluded = settleWhenEnded(c, call, ending, deps)
  const isBegun = await c.get('timings').measure('upstream', () => begun)
  const opened = isBegun ? null : await opening.catch(() => null)
  if (opened === null && !isBegun) throw crashError(describeCall(call, (await concluded).bill))
  if (opened !== null && !opened.ok) throw failedError(call, opened, (await concluded).bill)
  for (const [name, value] of Object.entries(STREAM_HEADERS)) c.header(name, value)
  return c.body(outlet.body)
}

const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' }

function openKeptOutlet(c: AppContext, call: AdmittedCall, deps: ProviderDeps): Outlet {
  const outlet = openOutlet(c, call, deps)
  if (call.keeper === null) return outlet
  call.keeper.begin({ status: 200, headers: STREAM_HEADERS })
  return copying(outlet, call.keeper)
}

/** A whole event that says nothing: clients pass over it, and whatever stands between sees that the answer goes on. */
const COMMENT = new TextEncoder().encode(': keep-alive\n\n')

type Opening = { opening: Promise<OpenStream>; begun: Promise<boolean>; outlet: Outlet }

/** Ends the outlet in every case: with the answer, with what went wrong where its head has gone out, or with nothing. */
async function carry(c: AppContext, call: AdmittedCall, { opening, begun, outlet }: Opening): Promise<Ending> {
  const fail = async (error: AppError): Promise<void> => {
    const writer = call.form.createWriter(call, false)
    const isBegun = await begun
    outlet.close(isBegun ? writer.fail(errorBody(error, c.get('requestId'))) : [])
    if (!isBegun) call.keeper?.tellError(error)
  }
  let opened: OpenStream
  try {
    opened = await opening
  } catch (thrown) {
    const ending = concludeCrash(c, call, thrown)
    await fail(crashError(describeCall(call, ending.bill)))
    return ending
  }
  if (opened.ok) return carryOpened(c, call, opened, outlet)
  const ending = concludeCall(call, NOTHING_PRODUCED, tellOf(opened))
  await fail(failedError(call, opened, ending.bill))
  return ending
}

const failedError = (call: AdmittedCall, { failure }: Failed, bill: Bill): AppError =>
  upstreamError(failure, describeCall(call, bill, wasReached(failure)), call.form)

type Opened = Extract<OpenStream, { ok: true }>
type Failed = Extract<OpenStream, { ok: false }>

async function carryOpened(c: AppContext, call: AdmittedCall, opened: Opened, outlet: Outlet): Promise<Ending> {
  const requestId = c.get('requestId')
  const told = tellOf(opened)
  const produced = createProducedSoFar()
  const soFar = call.content === null ? produced : withContent(produced, call.content)
  const writer = call.form.createWriter(call, opened.standardChunks)
  const finish = createFinish(call, writer, soFar)
  c.executionCtx.waitUntil(opened.closed)
  try {
    const { keep } = call.place
    const failure = await relay(opened.batches, { writer, outlet, soFar, keep, whenComplete: finish.tell })
    const upstreamMs = systemRuntime.now() - call.startedAt
    const lastEvents = failure === null ? [...finish.tell(), ...writer.close()] : []
    const ending = concludeCall(call, soFar.produced(), { ...told, failure, upstreamMs }, finish.bill())
    const aqta = describeCall(call, ending.bill)
    if (failure !== null) lastEvents.push(...writer.fail(errorBody(upstreamError(failure, aqta, call.form), requestId)))
    const unread = errorBody(upstreamError(upstreamFailure('caller'), aqta, call.form), requestId)
    outlet.close(lastEvents, writer.fail(unread))
    return ending
  } catch (thrown) {
    const ending = concludeCrash(c, call, thrown, finish.bill())
    outlet.close(writer.fail(errorBody(crashError(describeCall(call, ending.bill)), requestId)))
    return ending
  }
}

function withContent(produced: ProducedSoFar, content: CallContent): ProducedSoFar {
  return {
    ...produced,
    add(item) {
      produced.add(item)
      content.add(item)
    },
  }
}

/** Tells the caller what the answer cost, once: from then on that is what it costs, however the stream ends. */
function createFinish(call: AdmittedCall, writer: EventWriter, soFar: ProducedSoFar) {
  let bill: Bill | null = null
  return {
    /** What was told; null before. */
    bill: () => bill,
    tell: (): Uint8Array[] => {
      if (bill !== null) return []
      bill = billCall(call, soFar.produced(), null, call.eurRate)
      return writer.finish({ aqta: describeCall(call, bill), usage: bill.usage && standardUsage(bill.usage) })
    },
  }
}
