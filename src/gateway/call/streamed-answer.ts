// Answers a call as a stream. A failure before the stream opens is an ordinary error. If the provider is slow to begin, the
// status, headers and keep-alive comments go out first; a later failure is then an event of the stream.
import { setHeaders, type AppContext } from '../../platform/context.ts'
import type { AppError } from '../../platform/errors.ts'
import { countWork, giveTurn, isTurnDue } from '../../platform/event-loop.ts'
import { logUnexpected } from '../../platform/log.ts'
import { errorBody } from '../../platform/render-error.ts'
import { standardUsage } from '../../providers/chat-answer.ts'
import type { StreamBatches, OpenStream } from '../../providers/provider-client.ts'
import { systemRuntime } from '../../providers/http-exchange.ts'
import { upstreamFailure, type Failure } from '../../providers/failure.ts'
import type { ContentRecorder } from '../content/content-recorder.ts'
import type { AnswerMemory } from '../memory/answer-memory.ts'
import { recordStream } from '../replay/answer-recorder.ts'
import type { EventWriter } from '../stream/event-writer.ts'
import type { StreamItem } from '../../providers/sse.ts'
import type { AnswerReader } from '../scan/answer-reader.ts'
import { openResponseStream, type ResponseStream } from '../stream/response-stream.ts'
import type { AdmittedCall } from './admit-call.ts'
import { noneAsked, type Asked, type AskedRoutes } from './asked-routes.ts'
import { billCall, billCompletion, createOutputCounter, type Bill, type OutputCounter } from './bill.ts'
import {
  concludeCall,
  concludeCrash,
  describeCall,
  reportOf,
  routeHeaders,
  type AskedCall,
  type Ending,
} from './conclude-call.ts'
import { settleWhenEnded, type SettleDeps } from './settle-call.ts'
import { callError, crashError, upstreamError } from './call-errors.ts'

export async function answerStreamed(
  c: AppContext,
  call: AdmittedCall,
  opening: Promise<Asked<OpenStream>>,
  deps: SettleDeps,
): Promise<Response> {
  const stream = openRecordedStream(c, call, deps)
  const state = createStreamState(c, call, stream)
  void stream.keepAlive(COMMENT, deps.limits.keepAliveMs).then(() => state.begin(null))
  void settleWhenEnded(c, call, carry(c, call, { opening, stream, state }, deps), deps)
  const { error, routes } = await c.get('timings').measure('upstream', () => state.head.promise)
  if (routes !== null) setHeaders(c, routeHeaders(call.adapted, routes))
  if (error !== null) throw error
  setHeaders(c, STREAM_HEADERS)
  return c.body(stream.body)
}

const STREAM_HEADERS = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' }

function openRecordedStream(c: AppContext, call: AdmittedCall, deps: SettleDeps): ResponseStream {
  const stream = openResponseStream(c, call.memory, deps.limits.stallMs)
  if (call.recorder === null) return stream
  call.recorder.begin({ status: 200, headers: STREAM_HEADERS })
  return recordStream(stream, call.recorder)
}

/** An event without content, which clients skip. It shows proxies in between that the answer continues. */
const COMMENT = new TextEncoder().encode(': keep-alive\n\n')

/** `error`: null if the stream is the answer, or the error that is the answer instead. */
type Head = { readonly error: AppError | null; readonly routes: AskedRoutes | null }

type StreamState = ReturnType<typeof createStreamState>

/**
 * Tracks a stream's answer. Opening: nothing was sent, so a failure is an ordinary error. Begun: its head was or will be sent, so a
 * failure is an event. Ended: nothing follows.
 */
function createStreamState(c: AppContext, call: AdmittedCall, stream: ResponseStream) {
  let state: 'opening' | 'begun' | 'ended' = 'opening'
  const head = Promise.withResolvers<Head>()

  /** @param routes null if the head goes out before one of them has answered */
  function begin(routes: AskedRoutes | null): void {
    if (state !== 'opening') return
    state = 'begun'
    head.resolve({ error: null, routes })
  }

  function end(last: readonly Uint8Array[], ifUnread?: () => readonly Uint8Array[]): void {
    if (state === 'ended') return
    stream.close(last, ifUnread)
    state = 'ended'
  }

  function fail(error: AppError, routes: AskedRoutes | null, writer?: EventWriter): void {
    if (state !== 'opening') {
      const last = (writer ?? call.format.createWriter(call, false)).fail(
        errorBody(error, c.get('requestId'), call.format.errors),
      )
      return end(last)
    }
    head.resolve({ error, routes })
    end([])
    call.recorder?.recordError(error)
  }

  /** Ends a stream that a second fault has left open, such as one of the writer. */
  function abandon(): void {
    if (state === 'opening') fail(callError('crashed'), null)
    else end([])
  }

  return { head, begin, end, fail, abandon }
}

/** Sends the answer, and ends the stream in every case. */
async function carry(
  c: AppContext,
  call: AdmittedCall,
  { opening, stream, state }: { opening: Promise<Asked<OpenStream>>; stream: ResponseStream; state: StreamState },
  deps: SettleDeps,
): Promise<Ending> {
  let asked: AskedCall = { ...call, routes: noneAsked(call.allowed) }
  let relay: ReturnType<typeof createRelay> | null = null
  try {
    const answered = await opening
    const { routes } = answered
    asked = { ...call, routes }
    if (answered.outcome === null) throw answered.thrown
    const { outcome: opened } = answered
    if (!opened.ok) {
      const ending = concludeCall(asked, billCompletion(asked, opened, call.eurRate), reportOf(opened))
      state.fail(upstreamError(opened.failure, ending.aqta(), call.format), routes)
      return ending
    }
    state.begin(routes)
    c.executionCtx.waitUntil(opened.closed)
    relay = createRelay(asked, opened)
    const { writer, soFar, finish } = relay
    const { keep } = call.memory
    const noteCost = createCostNotes(c, asked, soFar, deps)
    const failure = await copyStream(opened.batches, {
      reader: call.reader,
      writer,
      stream,
      soFar,
      keep,
      noteCost,
      whenComplete: finish.tell,
    })
    const upstreamMs = systemRuntime.now() - call.startedAt
    const lastEvents = failure === null ? [...finish.tell(), ...writer.close()] : []
    const bill = finish.bill() ?? billCall(asked, soFar.produced(), failure, call.eurRate)
    const ending = concludeCall(asked, bill, { ...reportOf(opened), failure, upstreamMs })
    const eventsOf = (why: Failure) =>
      writer.fail(errorBody(upstreamError(why, ending.aqta(), call.format), c.get('requestId'), call.format.errors))
    if (failure !== null) lastEvents.push(...eventsOf(failure))
    state.end(lastEvents, () => eventsOf(upstreamFailure('caller')))
    return { ...ending, answered: () => writer.outline() }
  } catch (thrown) {
    logUnexpected(thrown, c.get('requestId'))
    const ending = concludeCrash(asked, relay?.finish.bill())
    state.fail(crashError(ending.aqta()), asked.routes, relay?.writer)
    return ending
  } finally {
    state.abandon()
  }
}

/**
 * Returns a function that now and then reports what a stream costs so far. The organisation needs it if this Worker ends before the
 * stream does.
 */
function createCostNotes(c: AppContext, call: AskedCall, soFar: OutputCounter, { gate, limits }: SettleDeps) {
  const { key, position } = call
  let notedAt = systemRuntime.now()
  return (): void => {
    const now = systemRuntime.now()
    if (now - notedAt < limits.keepAliveMs) return
    notedAt = now
    const { costMicroeur } = billCall(call, soFar.produced(), upstreamFailure('cut'), call.eurRate)
    c.executionCtx.waitUntil(gate.noteChatCost(key, { position, costMicroeur }))
  }
}

/** Creates the writer of the answer, and what counts and bills it. */
function createRelay(call: AskedCall, { isPassed }: Extract<OpenStream, { ok: true }>) {
  if (isPassed) call.reader?.passBytes()
  const soFar = createOutputCounter()
  const written = call.format.createWriter(call, isPassed)
  const writer = call.content === null ? written : withContent(written, call.content)
  return { writer, soFar, finish: createBillSender(call, writer, soFar) }
}

/** Copies what is written. The copy comes first: an event's bytes may change while it is written. */
const withContent = (writer: EventWriter, content: ContentRecorder): EventWriter => ({
  ...writer,
  push(item) {
    content.add(item)
    return writer.push(item)
  },
})

/** Sends the bill to the caller once. It is final from then on, however the stream ends. */
function createBillSender(call: AskedCall, writer: EventWriter, soFar: OutputCounter) {
  let bill: Bill | null = null
  return {
    /** The bill that the caller has seen; null before. */
    bill: () => bill,
    tell: (): Uint8Array[] => {
      if (bill !== null) return []
      bill = billCall(call, soFar.produced(), null, call.eurRate)
      return writer.finish({
        aqta: describeCall(call, bill, true),
        usage: bill.usage && standardUsage(bill.usage),
        endedAt: systemRuntime.now(),
      })
    },
  }
}

/** An event that has waited counts as so many bytes of work: thousands may pass at once. */
const WRITE_WORK = 128

/**
 * Copies the provider's stream to the caller. Returns why the answer is not whole, or null. An early return cancels the provider.
 *
 * @param to.whenComplete returns the last events of an answer that is complete before its end event; called once
 */
export async function copyStream(
  batches: StreamBatches,
  to: {
    /** Null or absent if the answer is not searched. */
    reader?: AnswerReader | null
    writer: Pick<EventWriter, 'push' | 'isComplete' | 'bufferedBytes'>
    stream: Pick<ResponseStream, 'send' | 'hasRoom'>
    soFar: OutputCounter
    keep: AnswerMemory['keep']
    noteCost: () => void
    whenComplete: () => Uint8Array[]
  },
): Promise<Failure | null> {
  const { reader = null, writer, stream, soFar, keep, noteCost, whenComplete } = to
  let isComplete = false
  const write = async (items: readonly StreamItem[]): Promise<Failure | null> => {
    for (const item of items) {
      stream.send(writer.push(item))
      countWork(WRITE_WORK)
      if (isTurnDue()) await giveTurn()
    }
    const stoppedFor = reader?.stoppedFor() ?? null
    return stoppedFor && upstreamFailure('withheld', { stoppedFor })
  }
  for await (const batch of batches) {
    for (const item of batch) {
      soFar.add(item)
      if (reader === null) stream.send(writer.push(item))
      else {
        const stopped = await write(await reader.read(item))
        if (stopped !== null) return stopped
      }
      if (item.textBytes !== undefined) continue
      const last = item.events.at(-1)
      if (last?.type === 'end') return null
      if (last?.type === 'failed') return last.failure
      if (isComplete || !writer.isComplete()) continue
      isComplete = true
      stream.send(whenComplete())
    }
    noteCost()
    const mayKeep = keep(writer.bufferedBytes() + (reader?.bufferedBytes() ?? 0))
    if (!(typeof mayKeep === 'boolean' ? mayKeep : await mayKeep)) return upstreamFailure('no_room')
    const hasRoom = stream.hasRoom()
    if (!(typeof hasRoom === 'boolean' ? hasRoom : await hasRoom)) return upstreamFailure('caller')
  }
  return (reader && (await write(await reader.end()))) ?? upstreamFailure('cut')
}
