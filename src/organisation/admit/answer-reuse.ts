// Reuses stored answers, by idempotency key or from the cache: finds one for a call, plans where a new one is stored, and
// forgets copies. A call is a repeat if its idempotency key has a claim, written in the turn that allowed the first call.
import type { OrganisationSettings } from '../../policies/organisation-settings.ts'
import type { CacheEntry, AnswerCacheStore } from './answer-cache.store.ts'
import type { ContentKeys } from '../content/content-keys.ts'
import type { ContentPlace } from '../content/content-object.ts'
import { CLAIM_MS, type Claim, type IdempotencyStore } from './idempotency.store.ts'
import type { ChatFacts } from './record-chat.ts'
import { UNSETTLED_MS } from './settle-chat.ts'
import { sha256Hex } from '../../platform/sha256.ts'
import type { DataRegion } from '../../platform/data-region.ts'
import { cacheTtlMs } from '../../policies/rules/cache.rule.ts'
import type { VersionedPolicy } from '../../policies/document/policy-document.ts'
import type { RateState } from '../../keys/rate-limits.policy.ts'
import type { EntriesStore } from '../journal/entries.store.ts'
import { countCall, rateOfMinuteOnlyCall, type CheckedCall } from './check-call.ts'
import type { Journal } from '../journal/journal.ts'
import { isOpenChat } from '../journal/state/monthly-usage.ts'

export type SealedAnswer = Pick<ContentPlace, 'name' | 'key'>

/**
 * `repeated`: this very request was made under the key. `isRunning`: it may not have ended. `answer`: its stored answer; null if
 * none is stored, or if replays are switched off. `other_request`: another request was made under the key.
 */
export type RepeatedChat = { rate: RateState } & (
  | { outcome: 'repeated'; isRunning: boolean; answer: SealedAnswer | null }
  | { outcome: 'other_request' }
)

export type RepeatStores = { claims: IdempotencyStore; content: ContentKeys; journal: Journal; entries: EntriesStore }

/** Finds the earlier call under the same idempotency key; null if this is the first. A repeated call counts for the minute. */
export function findRepeatedChat(
  { claims, content, entries, journal }: RepeatStores,
  checked: CheckedCall,
  facts: ChatFacts,
  now: number,
): RepeatedChat | null {
  const claim = claimOf(facts)
  const found = claim && claims.findClaim(claim, now)
  if (claim === null || found === null) return null
  countCall({ journal }, checked, now)
  const rate = rateOfMinuteOnlyCall(checked)
  if (!found.isSame) return { outcome: 'other_request', rate }
  const position = entries.findReceipt(found.made)
  const isRunning = position !== null && isOpenChat(checked.state.months, position)
  const name = checked.state.settings.idempotentReplays && !isRunning ? found.answer : null
  return { outcome: 'repeated', rate, isRunning, answer: name === null ? null : content.open(name, found.made) }
}

/** Releases the claim of a call whose cached answer could not be read. Nothing ran, so a refusal must not use the key up. */
export function releaseClaimOfLostAnswer({ claims }: Pick<RepeatStores, 'claims'>, facts: ChatFacts): void {
  const claim = claimOf(facts)
  if (claim !== null && facts.insteadOf !== null) claims.deleteClaim(claim, facts.insteadOf)
}

/** `made`: the attestation_id of the call's receipt. */
export type ReleasedClaim = Omit<Claim, 'bodyHash'> & { made: string }

/** A request that asks for a region or for betas is another request than one without. */
function claimOf({
  keyId,
  route,
  idempotencyKeyHash: keyHash,
  requestHash,
  dataRegion,
  betas,
}: ChatFacts): Claim | null {
  if (keyHash === null) return null
  const asked = [dataRegion, betas].filter(Boolean)
  const bodyHash = asked.length === 0 ? requestHash : sha256Hex([requestHash, ...asked].join(' '))
  return { claimant: keyId, route, keyHash, bodyHash: Uint8Array.fromHex(bodyHash) }
}

/** A call that the cache may serve: its cache key, how long entries live (ms), and the entry if there is one. */
export type Cacheable = { key: Uint8Array; ttlMs: number; entry: CacheEntry | null }

/** `place`: where the answer is stored. `attestationId`: of the receipt of the call that first got it. */
export type CachedAnswer = { place: SealedAnswer } & Pick<CacheEntry, 'attestationId' | 'answer'>

/** A cache entry to write, so that the next identical call finds the answer. */
export type NewCacheEntry = CacheEntry & { key: Uint8Array; ttlMs: number }

type CacheStores = { cache: AnswerCacheStore; content: ContentKeys }

/**
 * Returns the cache key and entry of a call; null if the policy in force does not cache its answer.
 * @param limits the most that its model may write, and where it may be routed to; both are part of the key, because another answer
 * may be longer, or was routed elsewhere
 */
export function findCacheable(
  { cache, content }: CacheStores,
  { sha256, document }: VersionedPolicy,
  facts: ChatFacts,
  { maxTokens, region }: { maxTokens: number; region: DataRegion },
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
  const asked = [facts.requestHash, String(maxTokens), region, ...(facts.betas ? [facts.betas] : [])]
  const key = content.tag([sha256, facts.keyId, facts.route, ...asked], now)
  if (facts.insteadOf === null) return { key, ttlMs, entry: cache.find(key, ttlMs, now) }
  cache.delete(key)
  return { key, ttlMs, entry: null }
}

/** Opens a cached answer; null if its key was destroyed. */
export function openCached(
  { content }: Pick<CacheStores, 'content'>,
  { object, attestationId, answer }: CacheEntry,
): CachedAnswer | null {
  const place = content.open(object, attestationId)
  return place && { place, attestationId, answer }
}

/**
 * How a new answer is stored. `isReplayed`: given again under the idempotency key. `cacheEntry`: to write when the answer is
 * stored; null if the cache does not take it.
 */
export type AnswerPlan = {
  place: ContentPlace
  isReplayed: boolean
  cacheEntry: Pick<NewCacheEntry, 'key' | 'ttlMs'> | null
}

/** `cached`: the cached answer, if the call is settled with its decision. `keep`: null if no answer is to be stored. */
export type AnswerHandling = { cached: CachedAnswer | null; keep: AnswerPlan | null }

type ReuseSettings = Pick<OrganisationSettings, 'idempotentReplays'> & {
  /** Null if the answer is not to be cached, or came from the cache. */
  cacheable: Cacheable | null
}

/**
 * Plans how the answer is stored, and claims the idempotency key. Call it in the turn that allows the call.
 *
 * @param attestationId of the record that allows the call
 */
export function planAnswer(
  stores: Pick<RepeatStores, 'claims'> & { content: ContentKeys },
  { idempotentReplays, cacheable }: ReuseSettings,
  facts: ChatFacts,
  attestationId: string,
  now: number,
): AnswerPlan | null {
  const isReplayed = idempotentReplays && facts.idempotencyKeyHash !== null
  // An entry's time begins when its call is settled.
  const cachedMs = cacheable === null ? 0 : cacheable.ttlMs + UNSETTLED_MS
  const storedMs = Math.max(isReplayed ? CLAIM_MS : 0, cachedMs)
  const place =
    storedMs === 0 ? null : stores.content.place({ attestationId, kind: 'answer', expiresAt: now + storedMs }, now)
  const claim = claimOf(facts)
  const answer = isReplayed && place !== null ? place.name : null
  if (claim !== null) stores.claims.insertClaim(claim, { made: attestationId, answer }, now)
  const cacheEntry = cacheable && { key: cacheable.key, ttlMs: cacheable.ttlMs }
  return place && { place, isReplayed, cacheEntry }
}

/**
 * Work after a call is settled. `released`: the claim to release, so that a call without a result may be made again under its
 * key. `cached`: the cache entry to write.
 */
export type ClaimAndCacheUpdate = { released: ReleasedClaim | null; cached: NewCacheEntry | null }

export const NO_CLAIM_OR_CACHE_UPDATE: ClaimAndCacheUpdate = { released: null, cached: null }

/** Releases the claim and writes the cache entry. Call it in the turn that settles the call. */
export function updateClaimAndCache(
  { claims, cache }: Pick<RepeatStores, 'claims'> & { cache: AnswerCacheStore },
  { released, cached }: ClaimAndCacheUpdate,
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
  /** Returns the names of the R2 objects that have the answer. */
  find(attestationId: string): string[]
  /** Stops giving the answer to anybody. Call it inside a turn. */
  forget(attestationId: string): void
}

export const answerCopiesOf = ({
  claims,
  cache,
}: {
  claims: IdempotencyStore
  cache: AnswerCacheStore
}): AnswerCopies => ({
  find: (attestationId) => [...new Set([...claims.findAnswers(attestationId), ...cache.findObjects(attestationId)])],
  forget(attestationId) {
    claims.forgetAnswers(attestationId)
    cache.deleteOf(attestationId)
  },
})
