// How an admitted call ended, for the ledger and the log.
import type { ChatSettlement } from '../../organisation/admit/settle-chat.ts'
import type { Completion, OpenStream } from '../../providers/client.ts'
import type { Failure } from '../../providers/failure.ts'
import { billCall, type Bill, type Produced } from './bill.ts'
import { wasReached } from './upstream-errors.ts'
import type { AdmittedCall } from './admitted-call.ts'

/** The end of a call: what it cost, what is written down, and the failure, if it failed. */
export type Ending = {
  readonly bill: Bill
  readonly settlement: ChatSettlement
  readonly failure: Failure | null
  readonly attempts: number
  readonly upstreamRequestId: string | null
}

type Told = Pick<Ending, 'failure' | 'attempts' | 'upstreamRequestId'> & { upstreamMs: number }

/** What the provider reported about a call, successful or not. */
export function tellOf(outcome: Completion | OpenStream): Told {
  const { ms: upstreamMs, attempts } = outcome
  if (outcome.ok) return { failure: null, attempts, upstreamMs, upstreamRequestId: outcome.upstreamRequestId }
  const { failure } = outcome
  const upstreamRequestId = failure.kind === 'unsupported' ? null : failure.upstreamRequestId
  return { failure, attempts, upstreamMs, upstreamRequestId }
}

/** @param toldBill what the caller has been told already, if anything: that stands */
export function concludeCall(call: AdmittedCall, produced: Produced, told: Told, toldBill: Bill | null = null): Ending {
  const { failure, attempts, upstreamMs, upstreamRequestId } = told
  const bill = toldBill ?? billCall(call, produced, failure, call.eurRate)
  return {
    bill,
    failure,
    attempts,
    upstreamRequestId,
    settlement: {
      position: call.position,
      ended: howEnded(failure),
      costMicroeur: bill.costMicroeur,
      usage: bill.usage,
      estimated: bill.estimated,
      upstreamMs: Math.round(upstreamMs),
      finishReason: produced.finishReason,
      errorCause: failure === null ? null : failure.kind === 'unsupported' ? failure.kind : failure.cause,
      isUnreached: !wasReached(failure),
    },
  }
}

function howEnded(failure: Failure | null): ChatSettlement['ended'] {
  if (failure === null) return 'completed'
  return failure.kind === 'cancelled' ? 'cancelled' : 'failed'
}
