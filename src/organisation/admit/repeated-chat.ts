// A chat call under an idempotency key that one was made under before: it is not run again. What decides is the claim, which was
// written in the turn that allowed the first call.
import type { RateState } from '../../keys/rate-limits.policy.ts'
import type { EntriesStore } from '../journal/entries.store.ts'
import { noteCall, rateOfFreeCall, type CheckedCall } from './check-call.ts'
import type { ContentKeys } from '../content/content-keys.ts'
import type { ContentPlace } from '../content/content-object.ts'
import type { Claim, IdempotencyStore } from './idempotency.store.ts'
import type { Journal } from '../journal/journal.ts'
import type { ChatFacts } from './record-chat.ts'
import { isOpenChat } from '../journal/state/months.ts'

/** The name of a stored answer and the key that it is sealed under. */
export type KeptPlace = Pick<ContentPlace, 'name' | 'key'>

/**
 * `repeated`: this very request was made under the key. `isRunning`: it is not known to have ended. `answer`: where its answer
 * is stored; null if it was not, or if answers are not given again. `other_request`: another one was made under it.
 */
export type RepeatedChat = { rate: RateState } & (
  | { outcome: 'repeated'; isRunning: boolean; answer: KeptPlace | null }
  | { outcome: 'other_request' }
)

export type RepeatStores = { claims: IdempotencyStore; content: ContentKeys; journal: Journal; entries: EntriesStore }

/** The call is counted for the minute. Null where it is the first. */
export function findRepeatedChat(
  { claims, content, entries, journal }: RepeatStores,
  checked: CheckedCall,
  facts: ChatFacts,
  now: number,
): RepeatedChat | null {
  const claim = claimOf(facts)
  const found = claim && claims.findClaim(claim, now)
  if (claim === null || found === null) return null
  noteCall({ journal }, checked, now)
  const rate = rateOfFreeCall(checked)
  if (!found.isSame) return { outcome: 'other_request', rate }
  const position = entries.findReceipt(found.made)
  const isRunning = position !== null && isOpenChat(checked.state.months, position)
  const name = checked.state.settings.idempotentReplays && !isRunning ? found.answer : null
  return { outcome: 'repeated', rate, isRunning, answer: name === null ? null : content.open(name, found.made) }
}

/** Written in the turn that allows the call. `answer`: where its answer will be, if it is to be given again. */
export function claimChat(
  { claims }: Pick<RepeatStores, 'claims'>,
  facts: ChatFacts,
  answer: string | null,
  now: number,
): void {
  const claim = claimOf(facts)
  if (claim !== null) claims.insertClaim(claim, { made: facts.attestationId, answer }, now)
}

/** Releases the claim of a call whose cached answer could not be read: nothing ran, so a refusal must not use the key up. */
export function releaseUnread({ claims }: Pick<RepeatStores, 'claims'>, facts: ChatFacts): void {
  const claim = claimOf(facts)
  if (claim !== null && facts.insteadOf !== null) claims.deleteClaim(claim, facts.insteadOf)
}

/** Releases the claim of a call that came to nothing, so that it may be made again under its key. */
export function releaseChat({ claims }: Pick<RepeatStores, 'claims'>, { made, ...claim }: ReleasedClaim): void {
  claims.deleteClaim(claim, made)
}

/** `made`: the attestation_id of the call's receipt. */
export type ReleasedClaim = Omit<Claim, 'bodyHash'> & { made: string }

function claimOf({ keyId, route, idempotencyKeyHash: keyHash, requestHash }: ChatFacts): Claim | null {
  return keyHash === null ? null : { claimant: keyId, route, keyHash, bodyHash: Uint8Array.fromHex(requestHash) }
}
