// The first checks of every gateway call: whose key it is, and whether its limits allow one more. What is refused here is noted,
// so that the hour's counts have it; whoever goes on with the call writes what it comes to.
import { isOfGateway } from '../../keys/key-format.ts'
import { invalidKey, judgeKey, type InvalidKey } from '../../keys/key-standing.policy.ts'
import type { KeyRecord } from '../../keys/keys.store.ts'
import {
  combineDecisions,
  decideLimit,
  decideQuota,
  narrowerRate,
  type LimitDecision,
  type LimitWindow,
  type QuotaDecision,
  type RateState,
} from '../../keys/limits.policy.ts'
import { DAY_MS, utcDay, utcMonth, utcMonthEnd } from '../../platform/clock.ts'
import { rateLimitOfKey, type BudgetPeriod, type RateLimits } from '../../policies/document/rates-and-budgets.policy.ts'
import { planOf, type Plan } from '../../policies/tier.policy.ts'
import type { ApprovalStores } from '../approvals/steps.ts'
import type { ErasureStateStore } from '../erasure/erasure-state.store.ts'
import { countsAt, WHOLE_ORGANISATION } from '../journal/state/calls.ts'
import { monthAt } from '../journal/state/months.ts'
import type { State } from '../journal/state/state.ts'

/** Who calls: what the Worker read in the key. */
export type ChatCaller = { keyId: string; secretHash: Uint8Array }

export type RateRefusal<Over = LimitWindow> = {
  outcome: 'rate_limit_exceeded'
  rate: RateState
  retryAt: number
  retryAfterSeconds: number
  /** Whose calls are used up. */
  over: Over
}

export type QuotaRefusal = {
  outcome: 'quota_exceeded'
  rate: RateState
  reason: 'requests' | 'budget'
  /** Whose budget is used up, and for how long: until that turns, at 00:00 UTC. */
  period: BudgetPeriod
  of: 'organisation' | 'key'
  retryAfterSeconds: number
}

/** The organisation is to be erased. Counted as any call is, as long as the limits allow one more. */
export type ClosingRefusal = { outcome: 'organisation_closing'; rate: RateState }

/** A call that may go on, and is not written yet. */
export type CheckedCall = {
  outcome: 'good'
  key: KeyRecord
  plan: Plan
  /** The organisation as the decision finds it. */
  state: State
  /** The time this call counts for. */
  at: number
  /** The per-minute and per-day limits, once this call is counted. */
  rate: RateState
  /** The month's, if this call counts towards it. */
  quota: QuotaDecision
}

export type CallStores = ApprovalStores & { erasure: ErasureStateStore }

export function checkCall(
  { erasure, keys, journal }: Omit<CallStores, 'endedApprovals'>,
  caller: ChatCaller,
  now: number,
): CheckedCall | RateRefusal | InvalidKey | ClosingRefusal {
  const judged = judgeKey(keys.findKey(caller.keyId), caller.secretHash, now)
  if (judged.outcome !== 'good') return judged
  const { key } = judged
  if (!isOfGateway(key.prefix)) return invalidKey('unknown')

  const { state, at } = journal.at(now)
  const plan = planOf(state.settings)
  const { rate_limit: rule } = state.policy.document
  const perMinute = Math.min(plan.requestsPerMinute, rule?.requests_per_minute ?? Infinity)
  let decision = decideLimit({ perMinute, perDay: Infinity }, countsAt(state.calls, WHOLE_ORGANISATION, at), at)
  const own = limitsOfKey(key, rateLimitOfKey(rule, key.id))
  if (own.perMinute < Infinity || own.perDay < Infinity) {
    decision = combineDecisions(decision, decideLimit(own, countsAt(state.calls, key.id, at), at))
  }
  const refused = refuseByLimit({ erasure, journal }, { keyId: key.id, ofGateway: true }, decision, now)
  if (refused !== null) return refused
  const quota = decideQuota(plan.requestsPerMonth, monthAt(state.months, at).requests, at)
  return { outcome: 'good', key, plan, state, at, rate: decision.rate, quota }
}

const limitsOfKey = (key: KeyRecord, { perMinute, perDay }: RateLimits): RateLimits => ({
  perMinute: Math.min(key.requestsPerMinute ?? Infinity, perMinute),
  perDay: Math.min(key.requestsPerDay ?? Infinity, perDay),
})

/** What is refused whatever the call asks for: by the organisation's erasure, and else by a limit. Null where it may go on. */
export function refuseByLimit(
  { erasure, journal }: Pick<CallStores, 'erasure' | 'journal'>,
  call: { keyId: string; ofGateway: boolean },
  decision: LimitDecision,
  now: number,
): RateRefusal | ClosingRefusal | null {
  const closing = erasure.read()
  if (closing !== null) {
    // Once it is sealed, nothing more is written.
    if (!closing.isSealed) journal.note({ ...call, outcome: decision.allowed ? 'closing' : 'rate' }, now)
    return { outcome: 'organisation_closing', rate: decision.rate }
  }
  if (decision.allowed) return null
  journal.note({ ...call, outcome: 'rate' }, now)
  return refuseForRate(decision.window, decision, now)
}

/** Counts a call that leaves no entry. */
export function noteCall({ journal }: Pick<CallStores, 'journal'>, { key }: CheckedCall, now: number): void {
  journal.note({ keyId: key.id, ofGateway: true, outcome: 'counted' }, now)
}

/** The window that will run out first, after a call that counts towards the month's quota. */
export const rateOfQuotaCall = ({ rate, quota }: CheckedCall): RateState => narrowerRate(rate, quota.rate)

/** The same, after a call that counts towards the minute only. */
export function rateOfFreeCall({ rate, quota }: CheckedCall): RateState {
  return quota.allowed ? narrowerRate(rate, { ...quota.rate, remaining: quota.rate.remaining + 1 }) : quota.rate
}

/** The month's requests are used up. */
export const OUT_OF_REQUESTS = { reason: 'requests', period: 'month', of: 'organisation' } as const

/** Refused calls are not counted: the limits stand as they stood before. */
export function refuseForQuota(
  { journal }: Pick<CallStores, 'journal'>,
  checked: CheckedCall,
  { reason, period, of }: Pick<QuotaRefusal, 'reason' | 'period' | 'of'>,
  now: number,
): QuotaRefusal {
  const { key, rate, quota, at } = checked
  journal.note({ keyId: key.id, ofGateway: true, outcome: reason === 'requests' ? 'quota' : 'budget' }, now)
  return {
    outcome: 'quota_exceeded',
    rate: reason === 'requests' ? quota.rate : { ...rate, remaining: rate.remaining + 1 },
    reason,
    period,
    of,
    retryAfterSeconds: secondsUntil(period === 'month' ? utcMonthEnd(utcMonth(at)) : (utcDay(at) + 1) * DAY_MS, now),
  }
}

export function refuseForRate<Over>(
  over: Over,
  { rate, retryAt }: { rate: RateState; retryAt: number },
  now: number,
): RateRefusal<Over> {
  return { outcome: 'rate_limit_exceeded', rate, retryAt, retryAfterSeconds: secondsUntil(retryAt, now), over }
}

const secondsUntil = (at: number, now: number): number => Math.max(1, Math.ceil((at - now) / 1000))
