// Answers a call as a stream. A failure before the stream opens is an ordinary error. If the provider is slow to begin, the
// status, headers and keep-alive comments go out first; a later failure is then an event of the stream.
import type { AppContext } from '../../platform/context.ts'
import type { AppError } from '../../platform/errors.ts'
import { errorBody } from '../../platform/render-error.ts'
import { standardUsage } from '../../providers/chat-answer.ts'
import type { StreamBatches, OpenStream } from '../../providers/provider-client.ts'
import { systemRuntime } from '../../providers/http-exchange.ts'
import { upstreamFailure, type Failure } from '../../providers/failure.ts'
import type { ContentRecorder } from '../content/content-recorder.ts'
import type { AnswerMemory } from '../memory/answer-memory.ts'
import { recordStream } from '../replay/answer-recorder.ts'
import type { EventWriter } from '../stream/event-writer.ts'
import { openResponseStream, type ResponseStream } from '../stream/response-stream.ts'
import type { AdmittedCall } from './admit-call.ts'
import { billCall, createOutputCounter, NOTHING_PRODUCED, type Bill, type OutputCounter } from './bill.ts'
import { concludeCall, concludeCrash, settleWhenEnded, reportOf, type Ending, type SettleDeps } from './settle-call.ts'
import { crashError, upstreamError } from './call-errors.ts'
import { describePassedCall } from './trace.ts'

export async function answerStreamed(
  c: AppContext,
  call: AdmittedCall,
  opening: Promise<OpenStream>,
  deps: SettleDeps,
): Promise<Response> {
  const stream = openRecordedStream(c, call, deps)
  // True if the response began before the provider's stream was open. Decided once, for the answer and for `carry`.
  const begun = Promise.race([
    opening.then(
      () => false,
      () => false,
    ),
    stream.keepAlive(COMMENT, deps.limits.keepAliveMs).then(() => true),
  ])
  const ending = carry(c, call, { opening, begun, stream })
  const concluded = settleWhenEnded(c, call, ending, deps)
  const isBegun = await c.get('timings').measure('upstream', () => begun)
  const opened = isBegun ? null : await opening.catch(() => null)
  if (opened === null && !isBegun) throw crashError(describePassedCall(call, await concluded))
  if (opened !== null && !opened.ok) throw failedError(call, opened, await concluded)
  for (const [name, value] of Object.entries(STREAM_HEADERS)) c.header(name, value)
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

type Opening = { opening: Promise<OpenStream>; begun: Promise<boolean>; stream: ResponseStream }

/** Sends the answer. Ends the stream in every case: after the answer, with an error event if the response has begun, or empty. */
async function carry(c: AppContext, call: AdmittedCall, { opening, begun, stream }: Opening): Promise<Ending> {
  const fail = async (error: AppError): Promise<void> => {
    const writer = call.format.createWriter(call, false)
    const isBegun = await begun
    stream.close(isBegun ? writer.fail(errorBody(error, c.get('requestId'))) : [])
    if (!isBegun) call.recorder?.recordError(error)
  }
  let opened: OpenStream
  try {
    opened = await opening
  } catch (thrown) {
    const ending = concludeCrash(c, call, thrown)
    await fail(crashError(describePassedCall(call, ending)))
    return ending
  }
  if (opened.ok) return relayOpenStream(c, call, opened, stream)
  const ending = concludeCall(call, NOTHING_PRODUCED, reportOf(opened))
  await fail(failedError(call, opened, ending))
  return ending
}

const failedError = (call: AdmittedCall, { failure }: Failed, ending: Ending): AppError =>
  upstreamError(failure, describePassedCall(call, ending), call.format)

type Opened = Extract<OpenStream, { ok: true }>
type Failed = Extract<OpenStream, { ok: false }>

async function relayOpenStream(
  c: AppContext,
  call: AdmittedCall,
  opened: Opened,
  stream: ResponseStream,
): Promise<Ending> {
  const requestId = c.get('requestId')
  const report = reportOf(opened)
  const produced = createOutputCounter()
  const soFar = call.content === null ? produced : withContent(produced, call.content)
  const writer = call.format.createWriter(call, opened.standardChunks)
  const finish = createBillSender(call, writer, soFar)
  c.executionCtx.waitUntil(opened.closed)
  try {
    const { keep } = call.memory
    const failure = await copyStream(opened.batches, { writer, stream, soFar, keep, whenComplete: finish.tell })
    const upstreamMs = systemRuntime.now() - call.startedAt
    const lastEvents = failure === null ? [...finish.tell(), ...writer.close()] : []
    const ending = concludeCall(call, soFar.produced(), { ...report, failure, upstreamMs }, finish.bill())
    const aqta = describePassedCall(call, ending)
    if (failure !== null)
      lastEvents.push(...writer.fail(errorBody(upstreamError(failure, aqta, call.format), requestId)))
    const unread = errorBody(upstreamError(upstreamFailure('caller'), aqta, call.format), requestId)
    stream.close(lastEvents, writer.fail(unread))
    return { ...ending, answered: () => writer.outline() }
  } catch (thrown) {
    const ending = concludeCrash(c, call, thrown, finish.bill())
    stream.close(writer.fail(errorBody(crashError(describePassedCall(call, ending)), requestId)))
    return ending
  }
}

function withContent(produced: OutputCounter, content: ContentRecorder): OutputCounter {
  return {
    ...produced,
    add(item) {
      produced.add(item)
      content.add(item)
    },
  }
}

/** Sends the bill to the caller once. It is final from then on, however the stream ends. */
function createBillSender(call: AdmittedCall, writer: EventWriter, soFar: OutputCounter) {
  let bill: Bill | null = null
  return {
    /** The bill that the caller has seen; null before. */
    bill: () => bill,
    tell: (): Uint8Array[] => {
      if (bill !== null) return []
      bill = billCall(call, soFar.produced(), null, call.eurRate)
      return writer.finish({
        aqta: describePassedCall(call, { bill, failure: null }),
        usage: bill.usage && standardUsage(bill.usage),
      })
    },
  }
}

/**
 * Copies the provider's stream to the caller. Returns why the answer is not whole, or null. An early return cancels the provider.
 *
 * @param to.whenComplete returns the last events of an answer that is complete before its end event; called once
 */
export async function copyStream(
  batches: StreamBatches,
  to: {
    writer: Pick<EventWriter, 'push' | 'isComplete' | 'bufferedBytes'>
    stream: Pick<ResponseStream, 'send' | 'hasRoom'>
    soFar: OutputCounter
    keep: AnswerMemory['keep']
    whenComplete: () => Uint8Array[]
  },
): Promise<Failure | null> {
  const { writer, stream, soFar, keep, whenComplete } = to
  let isComplete = false
  for await (const batch of batches) {
    for (const item of batch) {
      soFar.add(item)
      stream.send(writer.push(item))
      if (item.textBytes !== undefined) continue
      const last = item.events.at(-1)
      if (last?.type === 'end') return null
      if (last?.type === 'failed') return last.failure
      if (isComplete || !writer.isComplete()) continue
      isComplete = true
      stream.send(whenComplete())
    }
    const mayKeep = keep(writer.bufferedBytes())
    if (!(typeof mayKeep === 'boolean' ? mayKeep : await mayKeep)) return upstreamFailure('no_room')
    const hasRoom = stream.hasRoom()
    if (!(typeof hasRoom === 'boolean' ? hasRoom : await hasRoom)) return upstreamFailure('caller')
  }
  return upstreamFailure('cut')
}
