// How an admitted call ended, for the ledger and the log.
import type { ChatSettlement } from '../organisation/settle-chat.ts'
import type { Failure } from '../providers/failure.ts'
import { billCall, type Bill, type Produced } from './bill.ts'
import type { AdmittedCall } from './admitted-call.ts'

/** The end of a call: what it cost, what is written down, and the failure, if it failed. */
export type Ending = {
  readonly bill: Bill
  readonly settlement: ChatSettlement
  readonly failure: Failure | null
  readonly attempts: number
}

type Told = { readonly failure: Failure | null; readonly upstreamMs: number; readonly attempts: number }

export function concludeCall(call: AdmittedCall, produced: Produced, { failure, upstreamMs, attempts }: Told): Ending {
  const bill = billCall(call.input, produced, failure, call.eurRate)
  return {
    bill,
    failure,
    attempts,
    settlement: {
      position: call.position,
      ended: howEnded(failure),
      costMicroeur: bill.costMicroeur,
      usage: bill.usage,
      estimated: bill.estimated,
      upstreamMs: Math.round(upstreamMs),
      finishReason: produced.finishReason,
      errorCause: failure === null ? null : failure.kind === 'unsupported' ? failure.kind : failure.cause,
    },
  }
}

function howEnded(failure: Failure | null): ChatSettlement['ended'] {
  if (failure === null) return 'completed'
  return failure.kind === 'cancelled' ? 'cancelled' : 'failed'
}
