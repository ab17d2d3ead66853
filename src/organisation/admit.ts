// The one turn that decides: is this key good, is there room, and then the entry is written. Runs inside a single
// synchronous transaction of the organisation's database, so no other call can come between its steps.
import type { EntryContent, EntryKind } from '../ledger/entry.ts'
import type { LedgerStore } from '../ledger/ledger.store.ts'
import type { KeyScope } from '../keys/key.schema.ts'
import { invalidKey, judgeKey, type InvalidKey } from '../keys/key-standing.policy.ts'
import type { KeyRecord, KeysStore } from '../keys/keys.store.ts'
import {
  decideLimit,
  lowerLimits,
  REFERRAL_LIMITS,
  type LimitWindow,
  type Limits,
  type RateState,
} from '../keys/limits.policy.ts'
import type { CountedCalls, LimitsStore } from '../keys/limits.store.ts'
import { DAILY_READING_MICROEUR, type CostsStore } from '../keys/costs.store.ts'
import { DAY_MS, utcDay } from '../platform/clock.ts'
import type { ErasureStateStore } from './erasure/erasure-state.store.ts'
import type { ClosingRefusal } from './room.ts'

/** Facts about a call. Never its text. */
export type AdmitRequest = {
  keyId: string
  secretHash: Uint8Array
  scope: KeyScope
  /** The decision that is about to be answered, to be written if the call is admitted. */
  entry: { kind: EntryKind; content: EntryContent } | null
  /** The most the call can cost, held until it is settled. Only with an entry, whose position names the reservation. */
  reserveMicroeur?: number
}

export type Admission =
  | { outcome: 'admitted'; rate: RateState; position: number | null }
  | InvalidKey
  | {
      outcome: 'rate_limit_exceeded'
      rate: RateState
      retryAt: number
      retryAfterSeconds: number
      /** The window whose calls are used up, or the day's money. */
      over: LimitWindow | 'cost'
    }
  | { outcome: 'scope_required'; rate: RateState; scope: KeyScope }
  | ClosingRefusal

type Stores = {
  erasure: ErasureStateStore
  keys: KeysStore
  limits: LimitsStore
  costs: CostsStore
  ledger: LedgerStore
}

export function admit(stores: Stores, request: AdmitRequest, now: number): Admission {
  const { erasure, keys, limits, costs, ledger } = stores
  const judged = judgeKey(keys.findKey(request.keyId), request.secretHash, now)
  if (judged.outcome !== 'good') return judged
  const { key } = judged
  const plan = planOf(key)
  if (plan === null) return invalidKey('unknown')
  const counted = limits.countCalls(key.id, now)
  const decision = decideLimit(plan, counted.counts, counted.at)
  if (erasure.read() !== null) {
    if (decision.allowed) count({ keys, limits }, key, counted)
    return { outcome: 'organisation_closing', rate: decision.rate }
  }
  if (!decision.allowed) return overLimit(decision.window, decision.rate, decision.retryAt, now)
  const inScope = key.scopes.includes(request.scope)
  const { entry, reserveMicroeur } = request
  const hasMoney =
    reserveMicroeur === undefined || costs.spentInDay(key.id, counted.at) + reserveMicroeur <= DAILY_READING_MICROEUR
  if (inScope && !hasMoney) {
    const dayEndsAt = (utcDay(counted.at) + 1) * DAY_MS
    return overLimit('cost', { ...decision.rate, remaining: 0, resetAt: dayEndsAt / 1000 }, dayEndsAt, now)
  }
  count({ keys, limits }, key, counted)

  if (!inScope) return { outcome: 'scope_required', rate: decision.rate, scope: request.scope }
  if (entry === null) return { outcome: 'admitted', rate: decision.rate, position: null }
  const position = ledger.appendEntry(entry.kind, { key_id: key.id, ...entry.content }, now)
  if (reserveMicroeur !== undefined) costs.reserve({ position, subject: key.id, microeur: reserveMicroeur }, counted.at)
  return { outcome: 'admitted', rate: decision.rate, position }
}

function count({ keys, limits }: Pick<Stores, 'keys' | 'limits'>, key: KeyRecord, counted: CountedCalls): void {
  limits.insertCall(key.id, counted)
  keys.noteUse(key, counted.at)
}

function overLimit(over: LimitWindow | 'cost', rate: RateState, retryAt: number, now: number): Admission {
  const retryAfterSeconds = Math.max(1, Math.ceil((retryAt - now) / 1000))
  return { outcome: 'rate_limit_exceeded', rate, retryAt, retryAfterSeconds, over }
}

function planOf(key: KeyRecord): Limits | null {
  if (key.prefix !== 'vk_test_' && key.prefix !== 'vk_live_') return null
  return lowerLimits(REFERRAL_LIMITS[key.prefix], {
    ...(key.requestsPerMinute === null ? {} : { perMinute: key.requestsPerMinute }),
    ...(key.requestsPerDay === null ? {} : { perDay: key.requestsPerDay }),
  })
}
