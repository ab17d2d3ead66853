// What an isolate remembers between requests: that a key is over its limit. A flood is then refused without touching
// the organisation's object. Kept for ten seconds at most, so that a raised limit or a revocation shows soon.
import type { Clock } from '../platform/clock.ts'
import type { Admission } from './admit.ts'

type Refusal = { retryAt: number; retryAfterSeconds: number }
type CallRefusal = Extract<Admission, { outcome: 'rate_limit_exceeded' }>

const KEPT_MS = 10_000
const MOST_KEYS = 10_000

export type RefusalMemory<R extends Refusal> = {
  recall(keyId: string): R | null
  remember(keyId: string, refusal: R): void
}

export function createRefusalMemory<R extends Refusal = CallRefusal>(clock: Clock): RefusalMemory<R> {
  const refusals = new Map<string, { refusal: R; until: number }>()
  return {
    recall(keyId) {
      const kept = refusals.get(keyId)
      if (kept === undefined) return null
      const now = clock()
      if (now >= kept.until) {
        refusals.delete(keyId)
        return null
      }
      const retryAfterSeconds = Math.max(1, Math.ceil((kept.refusal.retryAt - now) / 1000))
      return { ...kept.refusal, retryAfterSeconds }
    },
    remember(keyId, refusal) {
      if (refusals.has(keyId)) return
      if (refusals.size >= MOST_KEYS) refusals.clear()
      refusals.set(keyId, { refusal, until: Math.min(refusal.retryAt, clock() + KEPT_MS) })
    },
  }
}
