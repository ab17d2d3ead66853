// Answers a call that is not streamed: waits for the provider, records and returns the body or the error, and settles the call.
import { outlineOf } from '../../evidence/records/answer-outline.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { JsonObject } from '../../platform/json.ts'
import { logUnexpected } from '../../platform/log.ts'
import { hashFunctions } from '../../platform/sha256.ts'
import { systemRuntime } from '../../providers/http-exchange.ts'
import type { Completion } from '../../providers/provider-client.ts'
import type { AdmittedCall } from './admit-call.ts'
import { routeAttemptsHeader, setHeaders } from './call-headers.ts'
import { NOTHING_PRODUCED, producedByAnswer } from './bill.ts'
import { sendBody } from '../stream/response-stream.ts'
import { concludeCall, settleWhenEnded, reportOf, type Ending, type SettleDeps } from './settle-call.ts'
import { crashError, upstreamError } from './call-errors.ts'
import { describePassedCall } from './trace.ts'

export async function answerWhole(
  c: AppContext,
  call: AdmittedCall,
  completing: Promise<Completion>,
  deps: SettleDeps,
): Promise<Response> {
  const answered = completing.then((completion) => {
    const concluded = concludeCompletion(call, completion)
    const presented = present(c, call, completion, concluded)
    if (presented instanceof AppError) return { ending: concluded, answer: keep(call, presented) }
    const ending = { ...concluded, answered: () => outlineOf(presented.body, hashFunctions) }
    return { ending, answer: keep(call, presented.text) }
  })
  const concluded = settleWhenEnded(
    c,
    call,
    answered.then(({ ending }) => ending),
    deps,
  )
  try {
    await c.get('timings').measure('upstream', () => completing)
    setHeaders(c, routeAttemptsHeader(call.routes))
    const { answer } = await answered
    if (answer instanceof AppError) throw answer
    setHeaders(c, JSON_HEADERS)
    return sendBody(c, answer, { memory: call.memory, stallMs: deps.limits.stallMs })
  } catch (thrown) {
    call.content?.answer(null)
    call.memory.release()
    if (thrown instanceof AppError) throw thrown
    logUnexpected(thrown, c.get('requestId'))
    throw crashError(describePassedCall(call, await concluded))
  }
}

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }

/** Returns the body or the error for the caller. A fault of our own while writing the body becomes an error. */
function present(
  c: AppContext,
  call: AdmittedCall,
  completion: Completion,
  ending: Ending,
): { body: JsonObject; text: string } | AppError {
  const aqta = describePassedCall(call, ending)
  if (!completion.ok) return upstreamError(completion.failure, aqta, call.format)
  try {
    const body = call.format.present(call, completion, { bill: ending.bill, aqta, endedAt: systemRuntime.now() })
    return { body, text: JSON.stringify(body) }
  } catch (thrown) {
    logUnexpected(thrown, c.get('requestId'))
    return crashError(aqta)
  }
}

function keep({ recorder, content, routes }: AdmittedCall, answer: string | AppError): string | AppError {
  content?.answer(answer instanceof AppError ? null : answer)
  if (answer instanceof AppError) recorder?.recordError(answer)
  else if (recorder !== null) {
    recorder.begin({ status: 200, headers: { ...routeAttemptsHeader(routes), ...JSON_HEADERS } })
    recorder.add([new TextEncoder().encode(answer)])
  }
  return answer
}

function concludeCompletion(call: AdmittedCall, completion: Completion): Ending {
  const produced = completion.ok
    ? producedByAnswer(completion.answer)
    : { ...NOTHING_PRODUCED, usage: completion.usage ?? null }
  return concludeCall(call, produced, reportOf(completion))
}
