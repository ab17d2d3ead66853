// Answers a call that is not streamed: waits for the provider, concludes the call, writes the body or the error, and has it settled.
import { setHeaders, type AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { logUnexpected } from '../../platform/log.ts'
import { upstreamFailure } from '../../providers/failure.ts'
import { systemRuntime } from '../../providers/http-exchange.ts'
import type { Completion } from '../../providers/provider-client.ts'
import { sendBody } from '../stream/response-stream.ts'
import type { AdmittedCall } from './admit-call.ts'
import type { Asked } from './asked-routes.ts'
import { billCompletion } from './bill.ts'
import { crashError, upstreamError } from './call-errors.ts'
import { concludeCall, concludeCrash, reportOf, type AskedCall, type Ending } from './conclude-call.ts'
import { settleWhenEnded, type SettleDeps } from './settle-call.ts'

export async function answerWhole(
  c: AppContext,
  call: AdmittedCall,
  asking: Promise<Asked<Completion>>,
  deps: SettleDeps,
): Promise<Response> {
  const answering = asking.then(async (asked) => {
    const read = await readAnswer(call, asked)
    return concludeWhole(c, { ...call, routes: asked.routes }, read)
  })
  const ending = answering.then((answered) => answered.ending)
  const concluded = settleWhenEnded(c, call, ending, deps)
  try {
    await c.get('timings').measure('upstream', () => asking)
    const { ending: ended, answer } = await answering
    setHeaders(c, ended.headers)
    if (answer instanceof AppError) throw answer
    setHeaders(c, JSON_HEADERS)
    return sendBody(c, answer, { memory: call.memory, stallMs: deps.limits.stallMs })
  } catch (thrown) {
    call.memory.release()
    if (thrown instanceof AppError) throw thrown
    logUnexpected(thrown, c.get('requestId'))
    throw crashError((await concluded).aqta())
  }
}

const JSON_HEADERS = { 'content-type': 'application/json', 'cache-control': 'no-store' }

/** Searches the answer, if the policy asks for that. A fault of our own lets no answer pass. */
async function readAnswer({ reader }: AdmittedCall, asked: Asked<Completion>): Promise<Asked<Completion>> {
  if (reader === null || asked.outcome === null || !asked.outcome.ok) return asked
  try {
    return { ...asked, outcome: { ...asked.outcome, ...(await reader.readWhole(asked.outcome)) } }
  } catch (thrown) {
    return { routes: asked.routes, outcome: null, thrown }
  }
}

type Answered = { readonly ending: Ending; readonly answer: string | AppError }

/** Concludes the call, writes its body or its error, and copies that for repeats. A fault of our own becomes an error. */
function concludeWhole(c: AppContext, call: AskedCall, asked: Asked<Completion>): Answered {
  let answered: Answered | null = null
  try {
    if (asked.outcome === null) throw asked.thrown
    answered = write(c, call, asked.outcome)
    return keep(call, answered)
  } catch (thrown) {
    logUnexpected(thrown, c.get('requestId'))
    const { body } = answered?.ending ?? {}
    const ending = { ...concludeCrash(call), ...(body !== undefined && { body }) }
    return { ending, answer: crashError(ending.aqta()) }
  }
}

/** A fault of our own while the body is written leaves the call as it ended. */
function write(c: AppContext, call: AskedCall, completion: Completion): Answered {
  const bill = billCompletion(call, completion, call.eurRate)
  const stoppedFor = call.reader?.stoppedFor() ?? null
  const failure = stoppedFor === null ? reportOf(completion).failure : upstreamFailure('withheld', { stoppedFor })
  const ending = concludeCall(call, bill, { ...reportOf(completion), failure })
  if (failure !== null) return { ending, answer: upstreamError(failure, ending.aqta(), call.format) }
  if (!completion.ok) throw new TypeError('an answer without a failure')
  const aqta = ending.aqta()
  try {
    const end = { bill: ending.bill, aqta, endedAt: systemRuntime.now() }
    const written = call.format.present(call, completion, end)
    const body = JSON.stringify(written)
    return { ending: { ...ending, ...(call.content !== null && { body }), answered: written }, answer: body }
  } catch (thrown) {
    logUnexpected(thrown, c.get('requestId'))
    return { ending, answer: crashError(aqta) }
  }
}

function keep({ recorder }: AdmittedCall, answered: Answered): Answered {
  const { answer, ending } = answered
  if (answer instanceof AppError) recorder?.recordError(answer)
  else if (recorder !== null) {
    recorder.begin({ status: 200, headers: { ...ending.headers, ...JSON_HEADERS } })
    recorder.add([new TextEncoder().encode(answer)])
  }
  return answered
}
