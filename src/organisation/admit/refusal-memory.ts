// Remembers in an isolate that a key is refused, over its limit or for good, so that a flood does not reach the organisation's
// object. Never remembers that a key is good: a revocation must show with the next request.
import type { ParsedKey } from '../../keys/key-format.ts'
import type { InvalidKey } from '../../keys/key-status.policy.ts'
import type { Clock } from '../../platform/time.ts'

type LimitRefusal = { outcome: string; retryAt: number; retryAfterSeconds: number }

/** A raised limit shows after this at the latest. */
const KEPT_MS = 10_000
const MOST_KEYS = 10_000

export type RefusalMemory<R> = {
  recall(key: string): R | null
  remember(key: string, refusal: R): void
}

/** Includes the secret's hash, because a refusal of another secret says nothing about this one. */
export const memoryKeyOf = ({ keyId, secretHash }: ParsedKey): string => `${keyId} ${secretHash.toHex()}`

export function createRefusalMemory<R extends LimitRefusal | InvalidKey>(clock: Clock): RefusalMemory<R> {
  const refusals = new Map<string, { refusal: R; since: number; until: number }>()
  return {
    recall(key) {
      const kept = refusals.get(key)
      if (kept === undefined) return null
      const now = clock()
      if (now >= kept.until || now < kept.since) {
        refusals.delete(key)
        return null
      }
      const { refusal } = kept
      if (!('retryAt' in refusal)) return refusal
      return { ...refusal, retryAfterSeconds: Math.max(1, Math.ceil((refusal.retryAt - now) / 1000)) }
    },
    remember(key, refusal) {
      if (refusals.has(key)) return
      if (refusals.size >= MOST_KEYS) refusals.clear()
      const since = clock()
      const retryAt = 'retryAt' in refusal ? refusal.retryAt : Infinity
      refusals.set(key, { refusal, since, until: Math.min(retryAt, since + KEPT_MS) })
    },
  }
}
