// One call to a provider on behalf of an admitted chat call, and its settlement. The runtime is asked to keep the call
// alive until it is settled: a caller who leaves must not make its cost disappear.
import type { ChatGate } from '../../organisation/admit/chat-gate.ts'
import type { Config } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { logUnexpected } from '../../platform/log.ts'
import type { Answer } from '../../providers/answer.ts'
import { upstreamFailure } from '../../providers/failure.ts'
import { logRefusedAccess, type Call } from '../../providers/client.ts'
import type { Deadlines } from '../../providers/exchange.ts'
import { keepAfter } from '../replay/keep-after.ts'
import { describeCall, type AdmittedCall } from './admitted-call.ts'
import { NOTHING_PRODUCED, type Bill } from './bill.ts'
import { logEnded } from './log-ended.ts'
import { concludeCall, type Ending } from './settlement.ts'
import { wasReached } from './upstream-errors.ts'

export type ProviderDeps = { readonly gate: Pick<ChatGate, 'settleChat'>; readonly limits: Config['chatLimits'] }

/** Aborted with the caller's own request: the runtime tells of a departure at the next event it cannot deliver. */
export function providerCall(
  c: AppContext,
  asked: Pick<Call, 'provider' | 'model' | 'request'>,
  { limits, leftMs }: { limits: Config['chatLimits']; leftMs: number },
): Call {
  return { ...asked, signal: c.req.raw.signal, deadlines: deadlinesOf(asked, limits, leftMs) }
}

/**
 * The deployment's limits, and the model's own where it may be silent for less. An answer in one piece has no byte before it is
 * written to its end, so that no silence of the model's is in the wait for it.
 */
export function deadlinesOf(
  { model, request }: Pick<Call, 'model' | 'request'>,
  { headersMs, silenceMs, totalMs }: Config['chatLimits'],
  leftMs: number,
): Deadlines {
  const modelMs = model.limits.silenceSeconds * 1000
  return {
    headersMs: request.stream === true ? Math.min(headersMs, modelMs) : headersMs,
    silenceMs: Math.min(silenceMs, modelMs),
    totalMs: Math.min(totalMs, leftMs),
  }
}

/** Settles exactly once, whatever becomes of the answer. What it returns never rejects: a failure of our own is settled too. */
export function settleWhenEnded(
  c: AppContext,
  call: AdmittedCall,
  ending: Promise<Ending>,
  { gate }: ProviderDeps,
): Promise<Ending> {
  const concluded = ending.catch((thrown: unknown) => concludeCrash(c, call, thrown))
  const settle = async (): Promise<void> => {
    const ended = await concluded
    logEnding(c, call, ended)
    // A repeat finds the answer as soon as it finds the call settled.
    const [content, after] = await Promise.all([
      call.content?.put((answer) => presentAssembled(call, answer, ended)),
      keepAfter(call, ended),
    ])
    const settlement = { ...ended.settlement, ...(content !== undefined && { content }) }
    const settled = await gate.settleChat(call.key, settlement, after)
    await call.content?.conclude(settled)
    // Its organisation may have been erased while it ran.
    if (settled?.outcome === 'not_open') await call.keeper?.discard()
  }
  c.executionCtx.waitUntil(settle())
  return concluded
}

/**
 * A fault of our own: what the provider has done is not known, so its input is taken to have been used.
 *
 * @param toldBill what the caller has been told already, if anything: that stands
 */
export function concludeCrash(
  c: AppContext,
  call: AdmittedCall,
  thrown: unknown,
  toldBill: Bill | null = null,
): Ending {
  logUnexpected(thrown, c.get('requestId'))
  const told = { failure: upstreamFailure('malformed'), upstreamMs: 0, attempts: 1, upstreamRequestId: null }
  const ending = concludeCall(call, NOTHING_PRODUCED, told, toldBill)
  return { ...ending, settlement: { ...ending.settlement, errorCause: 'internal' } }
}

/** A streamed answer as it would have been in one piece. */
function presentAssembled(call: AdmittedCall, answer: Answer, { bill, failure }: Ending): string {
  const aqta = describeCall(call, bill, wasReached(failure))
  return JSON.stringify(call.form.present(call, { answer, standardBody: null }, { bill, aqta }))
}

function logEnding(c: AppContext, call: AdmittedCall, ending: Ending): void {
  const { settlement, failure, attempts, upstreamRequestId } = ending
  const { model } = call.outline
  const upstreamStatus = failure === null || failure.kind === 'unsupported' ? null : failure.upstreamStatus
  logEnded(c, call, {
    provider: model.provider,
    ended: settlement.ended,
    error_cause: settlement.errorCause,
    upstream_status: upstreamStatus,
    upstream_request_id: upstreamRequestId,
    attempts,
  })
  if (settlement.errorCause === 'access')
    logRefusedAccess(c.get('requestId'), model, { upstreamStatus, upstreamRequestId })
}
