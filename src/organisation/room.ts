// The first checks of every gateway call: whose key is it, and is there room for one more? A call is counted once
// it is known that nothing else makes it free: here only where the organisation is to be erased.
import { isOfGateway } from '../keys/key-format.ts'
import { invalidKey, judgeKey, type InvalidKey } from '../keys/key-standing.policy.ts'
import type { KeyRecord, KeysStore } from '../keys/keys.store.ts'
import {
  combineDecisions,
  decideLimit,
  decideQuota,
  narrowerRate,
  type LimitWindow,
  type QuotaDecision,
  type RateState,
} from '../keys/limits.policy.ts'
import type { CountedCalls, LimitsStore } from '../keys/limits.store.ts'
import { utcMonth, utcMonthEnd } from '../platform/clock.ts'
import type { OrganisationSettings } from '../policies/organisation-settings.ts'
import { planOf, type Plan } from '../policies/tier.policy.ts'
import type { ErasureStateStore } from './erasure/erasure-state.store.ts'
import type { SettingsStore } from './settings.store.ts'
import type { MonthUsage, SpendingStore } from './spending.store.ts'

/** Who calls: what the Worker read in the key. */
export type ChatCaller = { keyId: string; secretHash: Uint8Array }

export type RateRefusal = {
  outcome: 'rate_limit_exceeded'
  rate: RateState
  retryAt: number
  retryAfterSeconds: number
  /** Whose calls are used up. */
  over: LimitWindow
}

export type QuotaRefusal = {
  outcome: 'quota_exceeded'
  rate: RateState
  reason: 'requests' | 'budget'
  /** Until the month turns, at 00:00 UTC on the first. */
  retryAfterSeconds: number
}

/** The organisation is to be erased. Counted as any call is, for as long as there is room. */
export type ClosingRefusal = { outcome: 'organisation_closing'; rate: RateState }

export type Room = {
  outcome: 'room'
  key: KeyRecord
  settings: OrganisationSettings
  plan: Plan
  month: MonthUsage
  /** The time this call counts for: now, or the last call's time if the clock stepped back. */
  at: number
  calls: readonly { subject: string; counted: CountedCalls }[]
  /** The per-minute and per-day limits, once this call is counted. */
  rate: RateState
  /** The month's, if this call counts towards it. */
  quota: QuotaDecision
}

type Stores = {
  erasure: ErasureStateStore
  keys: KeysStore
  limits: LimitsStore
  settings: SettingsStore
  spending: SpendingStore
}

/** The organisation's own calls are counted under this name, beside those of each key. */
const WHOLE_ORGANISATION = 'organisation'

export function findRoom(
  { erasure, keys, limits, settings, spending }: Stores,
  caller: ChatCaller,
  now: number,
): Room | RateRefusal | InvalidKey | ClosingRefusal {
  const judged = judgeKey(keys.findKey(caller.keyId), caller.secretHash, now)
  if (judged.outcome !== 'good') return judged
  const { key } = judged
  if (!isOfGateway(key.prefix)) return invalidKey('unknown')

  const settled = settings.read()
  const plan = planOf(settled)
  const all = limits.countCalls(WHOLE_ORGANISATION, now)
  const calls = [{ subject: WHOLE_ORGANISATION, counted: all }]
  let decision = decideLimit({ perMinute: plan.requestsPerMinute, perDay: Infinity }, all.counts, all.at)
  if (key.requestsPerMinute !== null || key.requestsPerDay !== null) {
    const own = { perMinute: key.requestsPerMinute ?? Infinity, perDay: key.requestsPerDay ?? Infinity }
    const counted = limits.countCalls(key.id, all.at)
    calls.push({ subject: key.id, counted })
    decision = combineDecisions(decision, decideLimit(own, counted.counts, counted.at))
  }
  if (erasure.read() !== null) {
    if (decision.allowed) countCall({ limits, keys }, { calls, key, at: all.at })
    return { outcome: 'organisation_closing', rate: decision.rate }
  }
  if (!decision.allowed) {
    const { rate, retryAt, window } = decision
    const retryAfterSeconds = secondsUntil(retryAt, now)
    return { outcome: 'rate_limit_exceeded', rate, retryAt, retryAfterSeconds, over: window }
  }
  const month = spending.readMonth(all.at)
  const quota = decideQuota(plan.requestsPerMonth, month.requests, all.at)
  return { outcome: 'room', key, settings: settled, plan, month, at: all.at, calls, rate: decision.rate, quota }
}

export function countCall(
  { limits, keys }: Pick<Stores, 'limits' | 'keys'>,
  { calls, key, at }: Pick<Room, 'calls' | 'key' | 'at'>,
): void {
  for (const { subject, counted } of calls) limits.insertCall(subject, counted)
  keys.noteUse(key, at)
}

/** The window that will run out first, after a call that counts towards the month's quota. */
export const rateOfQuotaCall = ({ rate, quota }: Room): RateState => narrowerRate(rate, quota.rate)

/** The same, after a call that counts towards the minute only. */
export function rateOfFreeCall({ rate, quota }: Room): RateState {
  return quota.allowed ? narrowerRate(rate, { ...quota.rate, remaining: quota.rate.remaining + 1 }) : quota.rate
}

/** Refused calls are not counted: the limits stand as they stood before. */
export function refuseForQuota(room: Room, reason: QuotaRefusal['reason'], now: number): QuotaRefusal {
  const rate = reason === 'requests' ? room.quota.rate : { ...room.rate, remaining: room.rate.remaining + 1 }
  return {
    outcome: 'quota_exceeded',
    rate,
    reason,
    retryAfterSeconds: secondsUntil(utcMonthEnd(utcMonth(room.at)), now),
  }
}

const secondsUntil = (at: number, now: number): number => Math.max(1, Math.ceil((at - now) / 1000))
