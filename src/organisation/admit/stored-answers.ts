// Answers that are given again, by an idempotency key or by the cache: how a call finds one, where a new one is stored, and how all
// copies of one are forgotten. The claim of an idempotency key, written in the turn that allows a call, decides whether it repeats.
import type { OrganisationSettings } from '../../policies/organisation-settings.ts'
import type { CacheEntry, CacheStore } from './cache.store.ts'
import type { ContentKeys } from '../content/content-keys.ts'
import type { ContentPlace } from '../content/content-object.ts'
import { CLAIM_MS, type Claim, type IdempotencyStore } from './idempotency.store.ts'
import type { ChatFacts } from './record-chat.ts'
import { UNSETTLED_MS } from './settle-chat.ts'
import { cacheTtlMs } from '../../policies/document/cache.policy.ts'
import type { VersionedPolicy } from '../../policies/document/policy-document.ts'
import type { RateState } from '../../keys/rate-limits.policy.ts'
import type { EntriesStore } from '../journal/entries.store.ts'
import { noteCall, rateOfFreeCall, type CheckedCall } from './check-call.ts'
import type { Journal } from '../journal/journal.ts'
import { isOpenChat } from '../journal/state/months.ts'

/** The name of a stored answer and the key that it is sealed under. */
export type SealedAnswer = Pick<ContentPlace, 'name' | 'key'>

/**
 * `repeated`: this very request was made under the key. `isRunning`: it is not known to have ended. `answer`: where its answer
 * is stored; null if it was not, or if answers are not given again. `other_request`: another one was made under it.
 */
export type RepeatedChat = { rate: RateState } & (
  | { outcome: 'repeated'; isRunning: boolean; answer: SealedAnswer | null }
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

/** Releases the claim of a call whose cached answer could not be read: nothing ran, so a refusal must not use the key up. */
export function releaseClaimOfLostAnswer({ claims }: Pick<RepeatStores, 'claims'>, facts: ChatFacts): void {
  const claim = claimOf(facts)
  if (claim !== null && facts.insteadOf !== null) claims.deleteClaim(claim, facts.insteadOf)
}

/** `made`: the attestation_id of the call's receipt. */
export type ReleasedClaim = Omit<Claim, 'bodyHash'> & { made: string }

function claimOf({ keyId, route, idempotencyKeyHash: keyHash, requestHash }: ChatFacts): Claim | null {
  return keyHash === null ? null : { claimant: keyId, route, keyHash, bodyHash: Uint8Array.fromHex(requestHash) }
}

/** A call that the cache may serve: its cache key, how long entries live (ms), and the entry if there is one. */
export type Cacheable = { key: Uint8Array; ttlMs: number; entry: CacheEntry | null }

/** `place`: where the answer is. `attestationId`: of the receipt of the call that it answered. */
export type CachedAnswer = { place: SealedAnswer; attestationId: string }

/** A cache entry to write, so that the next call that is the same finds the answer. */
export type NewCacheEntry = CacheEntry & { key: Uint8Array; ttlMs: number }

type CacheStores = { cache: CacheStore; content: ContentKeys }

/**
 * Null where the policy in force does not have the answer cached.
 * @param maxTokens what its model may write: a longer answer may be wanted than was given
 */
export function findCacheable(
  { cache, content }: CacheStores,
  { sha256, document }: VersionedPolicy,
  facts: ChatFacts,
  maxTokens: number,
  now: number,
): Cacheable | null {
  const ttlMs = cacheTtlMs(document.cache, {
    stream: facts.stream,
    tools: facts.content.tools,
    temperature: facts.temperature,
    choices: facts.output.choices,
    redacted: facts.scan?.redacted ?? 0,
  })
  if (ttlMs === null) return null
  const key = content.tag([sha256, facts.keyId, facts.route, facts.requestHash, String(maxTokens)], now)
  if (facts.insteadOf === null) return { key, ttlMs, entry: cache.find(key, ttlMs, now) }
  cache.delete(key)
  return { key, ttlMs, entry: null }
}

/** Null where its key was destroyed. */
export function openCached(
  { content }: Pick<CacheStores, 'content'>,
  { object, attestationId }: CacheEntry,
): CachedAnswer | null {
  const place = content.open(object, attestationId)
  return place && { place, attestationId }
}

/**
 * `isReplayed`: given to callers who send the idempotency key again. `cacheEntry`: to be written when the answer is there; null
 * if the cache does not take it.
 */
export type AnswerPlan = {
  place: ContentPlace
  isReplayed: boolean
  cacheEntry: Pick<NewCacheEntry, 'key' | 'ttlMs'> | null
}

/** `cached`: the answer of a call that is settled with its decision. `keep`: null where the answer is not kept. */
export type AnswerHandling = { cached: CachedAnswer | null; keep: AnswerPlan | null }

type Wanted = Pick<OrganisationSettings, 'idempotentReplays'> & {
  /** Null where the answer is not to be cached, or was. */
  cacheable: Cacheable | null
}

/** Writes the claim of an idempotency key too: belongs in the turn that allows the call. */
export function planAnswer(
  stores: Pick<RepeatStores, 'claims'> & { content: ContentKeys },
  { idempotentReplays, cacheable }: Wanted,
  facts: ChatFacts,
  now: number,
): AnswerPlan | null {
  const { attestationId } = facts
  const isReplayed = idempotentReplays && facts.idempotencyKeyHash !== null
  // An entry's time begins when its call is settled.
  const cachedMs = cacheable === null ? 0 : cacheable.ttlMs + UNSETTLED_MS
  const keptMs = Math.max(isReplayed ? CLAIM_MS : 0, cachedMs)
  const place =
    keptMs === 0 ? null : stores.content.place({ attestationId, kind: 'answer', expiresAt: now + keptMs }, now)
  const claim = claimOf(facts)
  const answer = isReplayed && place !== null ? place.name : null
  if (claim !== null) stores.claims.insertClaim(claim, { made: attestationId, answer }, now)
  const cacheEntry = cacheable && { key: cacheable.key, ttlMs: cacheable.ttlMs }
  return place && { place, isReplayed, cacheEntry }
}

/**
 * Work that a settled call leaves: the claim to release, if it came to nothing and may be made again under its key, and its
 * answer's cache entry.
 */
export type AfterCall = { released: ReleasedClaim | null; cached: NewCacheEntry | null }

export const NOTHING_AFTER: AfterCall = { released: null, cached: null }

/** Belongs in the turn that settles the call. */
export function finishCall(
  { claims, cache }: Pick<RepeatStores, 'claims'> & { cache: CacheStore },
  { released, cached }: AfterCall,
  now: number,
): void {
  if (released !== null) claims.deleteClaim(released, released.made)
  if (cached !== null) {
    const { key, ttlMs, ...entry } = cached
    cache.insert(key, entry, now + ttlMs)
  }
}

/** The stored copies of the answer to one call, from which it can be given again. */
export type AnswerCopies = {
  /** The names of the objects that it is in. */
  find(attestationId: string): string[]
  /** Stops giving the answer to anybody. Belongs inside a turn. */
  forget(attestationId: string): void
}

export const answerCopiesOf = ({ claims, cache }: { claims: IdempotencyStore; cache: CacheStore }): AnswerCopies => ({
  find: (attestationId) => [...new Set([...claims.findAnswers(attestationId), ...cache.findObjects(attestationId)])],
  forget(attestationId) {
    claims.forgetAnswers(attestationId)
    cache.deleteOf(attestationId)
  },
})
