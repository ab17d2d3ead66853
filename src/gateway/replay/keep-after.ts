// What an ended call leaves behind: its answer, where it is to be given again, and its claim, where it came to nothing.
import type { AfterCall } from '../../organisation/admit/keep-answer.ts'
import type { Failure } from '../../providers/failure.ts'
import type { AdmittedCall } from '../call/admitted-call.ts'
import type { Ending } from '../call/settlement.ts'

type Ended = Pick<Ending, 'failure'> & { settlement: Pick<Ending['settlement'], 'finishReason'> }

/** Over within seconds, and never rejects. To be called once an answer has been sent, and before its call is settled. */
export async function keepAfter(
  { claim, keeper, attestation }: Pick<AdmittedCall, 'claim' | 'keeper' | 'attestation'>,
  { failure, settlement }: Ended,
): Promise<AfterCall> {
  const released = cameToSomething(failure) ? null : claim
  if (keeper === null) return { released, cached: null }
  const { place, isReplayed, cacheEntry } = keeper.plan
  const isWhole = failure === null && WHOLE.has(settlement.finishReason)
  const isKept = await keeper.put((isReplayed && wasSent(failure)) || (cacheEntry !== null && isWhole))
  const named = cacheEntry && { ...cacheEntry, object: place.name, attestationId: attestation.attestation_id }
  return { released, cached: isKept && isWhole ? named : null }
}

/** Of answers that the cache takes. */
const WHOLE: ReadonlySet<string | null> = new Set(['stop', 'length'])

/** Its caller was there to the end, and something was done. */
const wasSent = (failure: Failure | null): boolean =>
  failure === null || (cameToSomething(failure) && failure.kind !== 'cancelled')

/** Whether a model may have begun with the call. */
const cameToSomething = (failure: Failure | null): boolean => failure?.billed !== 'no'
