// Plans where the answer to an allowed call is stored, so that its idempotency key or the cache can give it again.
import type { OrganisationSettings } from '../../policies/organisation-settings.ts'
import type { CacheStore } from './cache.store.ts'
import { cacheAnswer, type Cacheable, type CachedAnswer, type NewCacheEntry } from './cached-chat.ts'
import type { ContentKeys } from '../content/content-keys.ts'
import type { ContentPlace } from '../content/content-object.ts'
import { CLAIM_MS, type IdempotencyStore } from './idempotency.store.ts'
import type { ChatFacts } from './record-chat.ts'
import { claimChat, releaseChat, type ReleasedClaim, type RepeatStores } from './repeated-chat.ts'
import { UNSETTLED_MS } from './settle-chat.ts'

/**
 * `isReplayed`: given to callers who send the idempotency key again. `cacheEntry`: to be written when the answer is there; null
 * if the cache does not take it.
 */
export type KeptAnswerPlan = {
  place: ContentPlace
  isReplayed: boolean
  cacheEntry: Pick<NewCacheEntry, 'key' | 'ttlMs'> | null
}

/** `cached`: the answer of a call that is settled with its decision. `keep`: null where the answer is not kept. */
export type ToldAnswer = { cached: CachedAnswer | null; keep: KeptAnswerPlan | null }

type Wanted = Pick<OrganisationSettings, 'idempotentReplays'> & {
  /** Null where the answer is not to be cached, or was. */
  cacheable: Cacheable | null
}

/** Writes the claim of an idempotency key too: belongs in the turn that allows the call. */
export function keepAnswer(
  stores: Pick<RepeatStores, 'claims'> & { content: ContentKeys },
  { idempotentReplays, cacheable }: Wanted,
  facts: ChatFacts,
  now: number,
): KeptAnswerPlan | null {
  const { attestationId } = facts
  const isReplayed = idempotentReplays && facts.idempotencyKeyHash !== null
  // An entry's time begins when its call is settled.
  const cachedMs = cacheable === null ? 0 : cacheable.ttlMs + UNSETTLED_MS
  const keptMs = Math.max(isReplayed ? CLAIM_MS : 0, cachedMs)
  const place =
    keptMs === 0 ? null : stores.content.place({ attestationId, kind: 'answer', expiresAt: now + keptMs }, now)
  claimChat(stores, facts, isReplayed && place !== null ? place.name : null, now)
  const cacheEntry = cacheable && { key: cacheable.key, ttlMs: cacheable.ttlMs }
  return place && { place, isReplayed, cacheEntry }
}

/** Work that a settled call leaves: the claim to release, if it came to nothing, and its answer's cache entry. */
export type AfterCall = { released: ReleasedClaim | null; cached: NewCacheEntry | null }

export const NOTHING_AFTER: AfterCall = { released: null, cached: null }

/** Belongs in the turn that settles the call. */
export function finishCall(
  stores: Pick<RepeatStores, 'claims'> & { cache: CacheStore },
  { released, cached }: AfterCall,
  now: number,
): void {
  if (released !== null) releaseChat(stores, released)
  if (cached !== null) cacheAnswer(stores, cached, now)
}

/** The stored copies of the answer to one call, from which it can be given again. */
export type KeptAnswers = {
  /** The names of the objects that it is in. */
  find(attestationId: string): string[]
  /** Stops giving the answer to anybody. Belongs inside a turn. */
  forget(attestationId: string): void
}

export const keptAnswersOf = ({ claims, cache }: { claims: IdempotencyStore; cache: CacheStore }): KeptAnswers => ({
  find: (attestationId) => [...new Set([...claims.findAnswers(attestationId), ...cache.findObjects(attestationId)])],
  forget(attestationId) {
    claims.forgetAnswers(attestationId)
    cache.deleteOf(attestationId)
  },
})
