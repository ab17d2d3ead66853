// Decides whether a call is within its rate limits: at most `perMinute` calls in any 60 seconds and `perDay` in any UTC day.
// Also decides by the month's quota. Exact and pure: the caller passes the counts, and stores the new ones in the same turn.
import { DAY_MS, MINUTE_MS, utcDay, utcMonth, utcMonthEnd } from '../platform/time.ts'
import type { KeyPrefix } from './key-format.ts'

export type CallLimits = { perMinute: number; perDay: number }

/** The referral service's limits, per key. A sandbox key can read every example and its lists in one sitting. */
export const REFERRAL_LIMITS = {
  vk_test_: { perMinute: 120, perDay: 2000 },
  vk_live_: { perMinute: 60, perDay: 5000 },
} as const satisfies Partial<Record<KeyPrefix, CallLimits>>

export type Counts = {
  /** Calls counted in the 60 seconds before `now`. */
  inWindow: number
  /** The time of the oldest of these calls; null if there is none. */
  oldestAt: number | null
  /** Calls counted in the UTC day of `now`. */
  inDay: number
}

/** The values of the x-ratelimit headers, for the limit that will run out first. `resetAt` is in Unix seconds. */
export type RateState = { limit: number; remaining: number; resetAt: number }

/** The window of calls that is used up. */
export type LimitWindow = 'minute' | 'day'

export type LimitDecision =
  | { allowed: true; rate: RateState }
  | { allowed: false; rate: RateState; retryAt: number; window: LimitWindow }

/** The monthly quota is separate, because exceeding it has another error. */
export type QuotaDecision = { allowed: boolean; rate: RateState }

/** Decides on one call. `retryAt` is the millisecond from which a call may pass again. */
export function decideLimit(limits: CallLimits, counts: Counts, now: number): LimitDecision {
  const dayEndsAt = (utcDay(now) + 1) * DAY_MS
  const windowOpensAt = counts.oldestAt === null ? now + MINUTE_MS : counts.oldestAt + MINUTE_MS
  if (counts.inDay >= limits.perDay) return refuse('day', limits.perDay, dayEndsAt)
  if (counts.inWindow >= limits.perMinute) return refuse('minute', limits.perMinute, windowOpensAt)

  const leftToday = limits.perDay - counts.inDay - 1
  const leftInWindow = limits.perMinute - counts.inWindow - 1
  const rate =
    leftToday < leftInWindow
      ? { limit: limits.perDay, remaining: leftToday, resetAt: toSeconds(dayEndsAt) }
      : { limit: limits.perMinute, remaining: leftInWindow, resetAt: toSeconds(windowOpensAt) }
  return { allowed: true, rate }
}

/** Combines two decisions that must both allow the call. The rate is the one that runs out first. */
export function combineDecisions(a: LimitDecision, b: LimitDecision): LimitDecision {
  if (!a.allowed && !b.allowed) return a.retryAt >= b.retryAt ? a : b
  if (!a.allowed) return a
  if (!b.allowed) return b
  return { allowed: true, rate: narrowerRate(a.rate, b.rate) }
}

export const narrowerRate = (a: RateState, b: RateState): RateState => (b.remaining < a.remaining ? b : a)

/**
 * Decides on a call by the quota of its UTC month.
 * @param inMonth calls already made
 */
export function decideQuota(perMonth: number, inMonth: number, now: number): QuotaDecision {
  const resetAt = toSeconds(utcMonthEnd(utcMonth(now)))
  const remaining = perMonth - inMonth - 1
  return { allowed: remaining >= 0, rate: { limit: perMonth, remaining: Math.max(0, remaining), resetAt } }
}

const refuse = (window: LimitWindow, limit: number, retryAt: number): LimitDecision => ({
  allowed: false,
  rate: { limit, remaining: 0, resetAt: toSeconds(retryAt) },
  retryAt,
  window,
})

const toSeconds = (ms: number): number => Math.ceil(ms / 1000)

/** Returns the lower of the plan's limits and the key's own. */
export const lowerLimits = (plan: CallLimits, own: Partial<CallLimits>): CallLimits => ({
  perMinute: Math.min(plan.perMinute, own.perMinute ?? plan.perMinute),
  perDay: Math.min(plan.perDay, own.perDay ?? plan.perDay),
})
