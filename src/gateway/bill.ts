// What a call used and cost in the end, whichever way it ended. Pure.
import type { Answer, FinishReason, Usage } from '../providers/answer.ts'
import type { Model } from '../providers/catalogue.schema.ts'
import { costMicroeur, type EurRate } from '../providers/cost.ts'
import { estimateUsage } from '../providers/estimate.ts'
import type { Failure } from '../providers/failure.ts'

/** What a provider has sent so far. */
export type Produced = {
  /** As the provider says; null where it has not. Zeros are an answer. */
  readonly usage: Usage | null
  /** All that it wrote, in UTF-8, tool arguments included. */
  readonly outputBytes: number
  readonly finishReason: FinishReason | null
}

export const NOTHING_PRODUCED: Produced = { usage: null, outputBytes: 0, finishReason: null }

export type Bill = {
  /** null where nothing can have been billed. */
  readonly usage: Usage | null
  readonly estimated: boolean
  readonly costMicroeur: number
}

type Asked = { readonly model: Model; readonly worstCase: Usage }

/** @param failure why the answer is not whole, or null */
export function billCall(
  { model, worstCase }: Asked,
  produced: Produced,
  failure: Failure | null,
  rate: EurRate,
): Bill {
  if (failure !== null && !mayBeBilled(failure)) return { usage: null, estimated: false, costMicroeur: 0 }
  const isSaid = failure === null && produced.usage !== null
  const usage = isSaid
    ? produced.usage
    : fillIn(estimateUsage(worstCase.inputUncached, produced.outputBytes), produced.usage)
  return { usage, estimated: !isSaid, costMicroeur: costMicroeur(usage, model, rate) }
}

/** An error status bills nothing, and a failure after it has begun to work bills what it has done. */
function mayBeBilled(failure: Failure): boolean {
  return failure.kind !== 'unsupported' && failure.billed === 'maybe' && failure.cause !== 'status'
}

/** A count reported half-way through is believed for the input, and for the output where it is the higher one. */
function fillIn(estimate: Usage, reported: Usage | null): Usage {
  if (reported === null) return estimate
  return { ...reported, outputVisible: Math.max(reported.outputVisible, estimate.outputVisible) }
}

export function producedBy({ choices, usage }: Answer): Produced {
  const written = choices.flatMap(({ text, refusal, toolCalls }) => [
    text,
    refusal ?? '',
    ...toolCalls.flatMap((call) => [call.name, call.arguments]),
  ])
  const outputBytes = written.reduce((sum, text) => sum + byteLength(text), 0)
  return { usage, outputBytes, finishReason: choices[0]?.finishReason ?? null }
}

const encoder = new TextEncoder()

/** In UTF-8. */
export function byteLength(text: string): number {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) > 0x7f) return encoder.encode(text).byteLength
  }
  return text.length // ASCII
}
