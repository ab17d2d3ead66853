// Whether a key can be made as it is asked for. Pure: what its plan gives comes in.
import type { KeyRecord } from './keys.store.ts'
import type { Limits } from './limits.policy.ts'

/** `most`: what the plan gives. A key's own limit above that would have no effect. */
export type NewKeyFault =
  | { fault: 'expired' }
  | { fault: 'limit_too_high'; limit: 'requestsPerMinute' | 'requestsPerDay'; most: number }

type WantedKey = Pick<KeyRecord, 'requestsPerMinute' | 'requestsPerDay' | 'expiresAt'>

/** @param now in milliseconds; an expiry that is not after it is over already */
export function faultOfNewKey(key: WantedKey, plan: Limits, now: number): NewKeyFault | null {
  if (key.expiresAt !== null && key.expiresAt <= now) return { fault: 'expired' }
  const wanted = [
    { limit: 'requestsPerMinute', most: plan.perMinute },
    { limit: 'requestsPerDay', most: plan.perDay },
  ] as const
  const tooHigh = wanted.find(({ limit, most }) => (key[limit] ?? 0) > most)
  return tooHigh === undefined ? null : { fault: 'limit_too_high', ...tooHigh }
}
