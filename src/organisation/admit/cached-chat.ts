// A chat call that was answered before: it is allowed as any call is, and its decision is settled in the same turn, since no
// provider is asked.
import { cacheTtlMs } from '../../policies/document/cache.policy.ts'
import type { VersionedPolicy } from '../../policies/document/policy-document.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { CacheEntry, CacheStore } from './cache.store.ts'
import type { ContentKeys } from '../content/content-keys.ts'
import type { ChatFacts } from './record-chat.ts'
import type { KeptPlace } from './repeated-chat.ts'
import { settleChat, type SettlingStores } from './settle-chat.ts'
import type { AlarmTask } from '../object-alarm.ts'

/** A call that the cache may serve: its cache key, how long entries live (ms), and the entry if there is one. */
export type Cacheable = { key: Uint8Array; ttlMs: number; entry: CacheEntry | null }

/** `place`: where the answer is. `attestationId`: of the receipt of the call that it answered. */
export type CachedAnswer = { place: KeptPlace; attestationId: string }

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

/** Settles a call that the cache answers, in the turn that allows it. */
export function settleCached(
  stores: SettlingStores,
  position: number,
  { attestationId }: CachedAnswer,
  now: number,
): void {
  const nothingUsed = { usage: null, estimated: false, upstreamMs: null, finishReason: null, errorCause: null }
  settleChat(stores, { position, ended: 'cached', cachedFrom: attestationId, costMicroeur: 0, ...nothingUsed }, now)
}

export function cacheAnswer(
  { cache }: Pick<CacheStores, 'cache'>,
  { key, ttlMs, ...entry }: NewCacheEntry,
  now: number,
): void {
  cache.insert(key, entry, now + ttlMs)
}

/** Within a day after they are over: until then nobody is given what they name. */
export const cacheTask = (cache: CacheStore, takeTurn: (work: () => void) => void): AlarmTask => ({
  failure: 'cache_not_cleaned',
  dueAt() {
    const first = cache.firstExpiry()
    return first === null ? null : first + DAY_MS
  },
  run: (now) => takeTurn(() => cache.deleteExpired(now)),
})
