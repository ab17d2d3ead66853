// The one turn that decides: is this key good, is there room, and then the entry is written. Runs inside a single
// synchronous transaction of the organisation's database, so no other call can come between its steps.
import { timingSafeEqual } from 'node:crypto'
import type { EntryContent, EntryKind } from '../ledger/entry.ts'
import type { LedgerStore } from '../ledger/ledger.store.ts'
import type { KeyScope } from '../keys/key.schema.ts'
import type { KeyRecord, KeysStore } from '../keys/keys.store.ts'
import { decideLimit, lowerLimits, REFERRAL_LIMITS, type Limits, type RateState } from '../keys/limits.policy.ts'
import type { LimitsStore } from '../keys/limits.store.ts'

/** Facts about a call. Never its text. */
export type AdmitRequest = {
  keyId: string
  secretHash: Uint8Array
  scope: KeyScope
  /** The decision that is about to be answered, to be written if the call is admitted. */
  entry: { kind: EntryKind; content: EntryContent } | null
}

export type Admission =
  | { outcome: 'admitted'; rate: RateState }
  | { outcome: 'invalid_api_key' }
  | { outcome: 'rate_limit_exceeded'; rate: RateState; retryAt: number; retryAfterSeconds: number }
  | { outcome: 'scope_required'; rate: RateState; scope: KeyScope }

type Stores = { keys: KeysStore; limits: LimitsStore; ledger: LedgerStore }

export function admit({ keys, limits, ledger }: Stores, request: AdmitRequest, now: number): Admission {
  const key = keys.findKey(request.keyId)
  if (key === null || !isGood(key, request.secretHash, now)) return { outcome: 'invalid_api_key' }

  const plan = planOf(key)
  if (plan === null) return { outcome: 'invalid_api_key' }
  const counted = limits.countCalls(key.id, now)
  const decision = decideLimit(plan, counted.counts, counted.at)
  if (!decision.allowed) {
    const retryAfterSeconds = Math.max(1, Math.ceil((decision.retryAt - now) / 1000))
    return { outcome: 'rate_limit_exceeded', rate: decision.rate, retryAt: decision.retryAt, retryAfterSeconds }
  }
  limits.insertCall(key.id, counted)

  if (!key.scopes.includes(request.scope)) {
    return { outcome: 'scope_required', rate: decision.rate, scope: request.scope }
  }
  if (request.entry !== null) {
    ledger.appendEntry(request.entry.kind, { key_id: key.id, ...request.entry.content }, now)
  }
  return { outcome: 'admitted', rate: decision.rate }
}

function isGood(key: KeyRecord, secretHash: Uint8Array, now: number): boolean {
  if (secretHash.byteLength !== key.secretHash.byteLength || !timingSafeEqual(secretHash, key.secretHash)) return false
  return key.revokedAt === null && (key.expiresAt === null || key.expiresAt > now)
}

function planOf(key: KeyRecord): Limits | null {
  if (key.prefix !== 'vk_test_' && key.prefix !== 'vk_live_') return null
  return lowerLimits(REFERRAL_LIMITS[key.prefix], {
    ...(key.requestsPerMinute === null ? {} : { perMinute: key.requestsPerMinute }),
    ...(key.requestsPerDay === null ? {} : { perDay: key.requestsPerDay }),
  })
}
