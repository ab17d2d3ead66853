// Whether a signed head of the public log may still be shown. A log that does not grow has its head signed again, so that
// its time says that somebody still keeps the log; and a key that is no longer to be trusted leaves no head behind.
import type { Signer } from '../evidence/records/attestation-keys.ts'
import type { PublicHead } from '../evidence/records/tree-head.ts'

/** With what caches add, a head that is asked for is never a minute old. */
export const FRESH_MS = 45_000

/** `due`: to be signed again, and good until it is. `untrusted`: its key is retired, revoked or not published. */
export type HeadState = 'fresh' | 'due' | 'untrusted'

/** `now` in milliseconds since the epoch. A time to come, as after a clock that was ahead, is fresh. */
export function stateOfHead({ public_key: key, timestamp }: PublicHead, signer: Signer | null, now: number): HeadState {
  if (signer === null || !signer.isActive(key)) return 'untrusted'
  return signer.nameAt(now) === key && now - Date.parse(timestamp) < FRESH_MS ? 'fresh' : 'due'
}
