// Checks every call: its key, then its rate, then the month's quota, then its scope. Refusals are stored here, so that the hour's
// counts include them. A call that runs no model is counted here too; admit-chat.ts and admit-referral.ts write the others.
import type { KeyScope, KeyRecord } from '../../keys/key.schema.ts'
import { isGatewayPrefix } from '../../keys/key-format.ts'
import { invalidKey, checkKey, type InvalidKey } from '../../keys/key-rules.policy.ts'
import {
  combineDecisions,
  decideLimit,
  decideQuota,
  lowerLimits,
  narrowerRate,
  REFERRAL_LIMITS,
  type LimitDecision,
  type CallLimits,
  type LimitWindow,
  type QuotaDecision,
  type RateState,
} from '../../keys/rate-limits.policy.ts'
import { DAY_MS, utcDay, utcMonth, utcMonthEnd } from '../../platform/time.ts'
import type { BudgetPeriod } from '../../policies/rules/budget-guard.rule.ts'
import { rateLimitOfKey, type KeyRateLimits } from '../../policies/rules/rate-limit.rule.ts'
import type { OrganisationSettings } from '../../policies/organisation-settings.ts'
import { planOf, type Plan } from '../../policies/tier.policy.ts'
import type { KnownTree } from '../../tiles/proofs-from-tiles.ts'
import type { ApprovalStores } from '../approvals/approval-steps.ts'
import type { ErasureStateStore } from '../erasure/erasure-state.store.ts'
import { countsAt, WHOLE_ORGANISATION } from '../journal/state/calls.ts'
import { monthAt } from '../journal/state/monthly-usage.ts'
import type { State } from '../journal/state/organisation-state.ts'
import type { Turns } from '../turns.ts'

/** The id and the secret's hash, as the Worker read them in the key. */
export type CallerKey = { keyId: string; secretHash: Uint8Array }

export type RateRefusal<Over = LimitWindow> = {
  outcome: 'rate_limit_exceeded'
  rate: RateState
  retryAt: number
  retryAfterSeconds: number
  over: Over
}

export type QuotaRefusal = {
  outcome: 'quota_exceeded'
  rate: RateState
  reason: 'requests' | 'budget'
  /** The period of the used-up budget, which ends at 00:00 UTC, and its owner. */
  period: BudgetPeriod
  of: 'organisation' | 'key'
  retryAfterSeconds: number
}

/** The organisation is to be erased. The call counts like any other, as long as the limits allow one more. */
export type ClosingRefusal = { outcome: 'organisation_closing'; rate: RateState }

export type ScopeRefusal = { outcome: 'scope_required'; rate: RateState; scope: KeyScope }

export type CallRefusal = InvalidKey | RateRefusal | QuotaRefusal | ClosingRefusal | ScopeRefusal

/** A call that may go on, and is not written yet. */
export type CheckedCall = {
  outcome: 'good'
  key: KeyRecord
  plan: Plan
  state: State
  /** The time this call counts for. */
  at: number
  /** The per-minute and per-day limits, after this call is counted. */
  rate: RateState
  /** The month's quota, if this call counts towards it. */
  quota: QuotaDecision
}

export type CallStores = ApprovalStores & { erasure: ErasureStateStore }

/** `scope` null: any good key may make the call. `window`: such calls have a minute of their own, of so many times the key's rate. */
type CallRequirements = { quota: boolean; scope: KeyScope | null; window?: { suffix: string; times: number } }

/** The calls that run no model. They count for the minute and leave no entry. */
const WITHOUT_MODEL = {
  /** A request that cannot be run (400, 404, 413, 503), if no refusal outranks that. */
  invalid: { quota: true, scope: 'chat' },
  /** The list of models. A used-up quota does not hide it. */
  models: { quota: false, scope: 'chat' },
  /** A count of tokens, which a client may ask for many times at once. */
  tokens: { quota: false, scope: 'chat', window: { suffix: ' tokens', times: 10 } },
  /** A read of the organisation's log, which shows only hashes. */
  log: { quota: false, scope: null },
  /** A call of the management routes. SECURITY: the code behind it does not check the key's scopes again. */
  management: { quota: false, scope: 'manage' },
} as const satisfies Record<string, CallRequirements>

export type CallWithoutModel = keyof typeof WITHOUT_MODEL

export type AdmissionWithoutModel =
  | ({ outcome: 'admitted'; rate: RateState; key: Pick<KeyRecord, 'id' | 'scopes'> } & Pick<
      OrganisationSettings,
      'tier' | 'enabledProviders'
    >)
  | CallRefusal

export type LogAnswer<T> = { outcome: 'admitted'; rate: RateState; answer: T } | CallRefusal

export const checkChat = (stores: CallStores, caller: CallerKey, now: number): CheckedCall | CallRefusal =>
  checkCall(stores, caller, { quota: true, scope: 'chat' }, now)

/** Checks a call that runs no model, and counts it. */
export function admitWithoutModel(
  stores: CallStores,
  call: CallWithoutModel,
  caller: CallerKey,
  now: number,
): AdmissionWithoutModel {
  const needs: CallRequirements = WITHOUT_MODEL[call]
  const checked = checkCall(stores, caller, needs, now)
  if (checked.outcome !== 'good') return checked
  if (needs.window === undefined) countCall(stores, checked, now)
  else {
    const keyId = `${checked.key.id}${needs.window.suffix}`
    stores.journal.storeCall({ keyId, ofGateway: false, outcome: 'counted' }, now)
  }
  const { id, scopes } = checked.key
  const { tier, enabledProviders } = checked.state.settings
  return { outcome: 'admitted', rate: rateOfMinuteOnlyCall(checked), key: { id, scopes }, tier, enabledProviders }
}

/** Answers a read of the log, from the tree as it was in the turn that admitted the caller. */
export async function answerLogRead<T>(
  turns: Pick<Turns, 'call'>,
  caller: CallerKey,
  answer: (tree: KnownTree) => Promise<T>,
): Promise<LogAnswer<T>> {
  const { tree, look: admission } = turns.call((stores, now) => {
    const admitted = admitWithoutModel(stores, 'log', caller, now)
    return { look: admitted, tree: stores.journal.tree }
  })
  return admission.outcome === 'admitted'
    ? { outcome: 'admitted', rate: admission.rate, answer: await answer(tree) }
    : admission
}

function checkCall(
  stores: Omit<CallStores, 'endedApprovals'>,
  caller: CallerKey,
  needs: CallRequirements,
  now: number,
): CheckedCall | CallRefusal {
  const { keys, journal } = stores
  const keyCheck = checkKey(keys.findKey(caller.keyId), caller.secretHash, now)
  if (keyCheck.outcome !== 'good') return keyCheck
  const { key } = keyCheck
  if (!isGatewayPrefix(key.prefix)) return invalidKey('unknown')

  const { state, at } = journal.at(now)
  const plan = planOf(state.settings)
  const { rate_limit: rule } = state.policy.document
  const perMinute = Math.min(plan.requestsPerMinute, rule?.requests_per_minute ?? Infinity)
  const own = limitsOfKey(key, rateLimitOfKey(rule, key.id))
  const decision =
    needs.window === undefined
      ? decideRate(state.calls, { perMinute, own, keyId: key.id }, at)
      : decideLimit(
          { perMinute: Math.min(perMinute, own.perMinute) * needs.window.times, perDay: Infinity },
          countsAt(state.calls, `${key.id}${needs.window.suffix}`, at),
          at,
        )
  const refused = refuseByLimit(stores, { keyId: key.id, ofGateway: true }, decision, now)
  if (refused !== null) return refused

  const quota = decideQuota(plan.requestsPerMonth, monthAt(state.months, at).requests, at)
  const checked: CheckedCall = { outcome: 'good', key, plan, state, at, rate: decision.rate, quota }
  if (needs.quota && !quota.allowed) return refuseForQuota(stores, checked, OUT_OF_REQUESTS, now)
  return needs.scope === null || key.scopes.includes(needs.scope)
    ? checked
    : refuseForScope(stores, checked, { ofGateway: true, rate: rateOfMinuteOnlyCall(checked), scope: needs.scope }, now)
}

/** Decides by the minute of the whole organisation, and by the key's own limits. */
function decideRate(
  calls: State['calls'],
  { perMinute, own, keyId }: { perMinute: number; own: KeyRateLimits; keyId: string },
  at: number,
): LimitDecision {
  const decision = decideLimit({ perMinute, perDay: Infinity }, countsAt(calls, WHOLE_ORGANISATION, at), at)
  if (own.perMinute === Infinity && own.perDay === Infinity) return decision
  return combineDecisions(decision, decideLimit(own, countsAt(calls, keyId, at), at))
}

/** A call with a referral key that may go on, and is not written yet. Referral keys have no monthly quota. */
type CheckedReferralCall = Pick<CheckedCall, 'outcome' | 'key' | 'state' | 'at' | 'rate'>

export function checkReferralCall(
  stores: Omit<CallStores, 'endedApprovals'>,
  { scope, ...caller }: CallerKey & { scope: KeyScope },
  now: number,
): CheckedReferralCall | InvalidKey | RateRefusal | ClosingRefusal | ScopeRefusal {
  const { keys, journal } = stores
  const keyCheck = checkKey(keys.findKey(caller.keyId), caller.secretHash, now)
  if (keyCheck.outcome !== 'good') return keyCheck
  const { key } = keyCheck
  const limits = referralLimitsOf(key)
  if (limits === null) return invalidKey('unknown')

  const { state, at } = journal.at(now)
  const decision = decideLimit(limits, countsAt(state.calls, key.id, at), at)
  const refused = refuseByLimit(stores, { keyId: key.id, ofGateway: false }, decision, now)
  if (refused !== null) return refused

  const checked: CheckedReferralCall = { outcome: 'good', key, state, at, rate: decision.rate }
  return key.scopes.includes(scope)
    ? checked
    : refuseForScope(stores, checked, { ofGateway: false, rate: decision.rate, scope }, now)
}

function referralLimitsOf(key: KeyRecord): CallLimits | null {
  if (key.prefix !== 'vk_test_' && key.prefix !== 'vk_live_') return null
  return lowerLimits(REFERRAL_LIMITS[key.prefix], {
    ...(key.requestsPerMinute === null ? {} : { perMinute: key.requestsPerMinute }),
    ...(key.requestsPerDay === null ? {} : { perDay: key.requestsPerDay }),
  })
}

const limitsOfKey = (key: KeyRecord, { perMinute, perDay }: KeyRateLimits): KeyRateLimits => ({
  perMinute: Math.min(key.requestsPerMinute ?? Infinity, perMinute),
  perDay: Math.min(key.requestsPerDay ?? Infinity, perDay),
})

/** Refuses a call because of the organisation's erasure or a used-up limit. Returns null if the call may go on. */
function refuseByLimit(
  { erasure, journal }: Pick<CallStores, 'erasure' | 'journal'>,
  call: { keyId: string; ofGateway: boolean },
  decision: LimitDecision,
  now: number,
): RateRefusal | ClosingRefusal | null {
  const closing = erasure.read()
  if (closing !== null) {
    // A sealed organisation gets no more entries.
    if (!closing.isSealed) journal.storeCall({ ...call, outcome: decision.allowed ? 'closing' : 'rate' }, now)
    return { outcome: 'organisation_closing', rate: decision.rate }
  }
  if (decision.allowed) return null
  journal.storeCall({ ...call, outcome: 'rate' }, now)
  return refuseForRate(decision.window, decision, now)
}

export function countCall({ journal }: Pick<CallStores, 'journal'>, { key }: CheckedCall, now: number): void {
  journal.storeCall({ keyId: key.id, ofGateway: true, outcome: 'counted' }, now)
}

/** Returns the limit that will run out first, after a call that counts towards the month's quota. */
export const rateOfQuotaCall = ({ rate, quota }: CheckedCall): RateState => narrowerRate(rate, quota.rate)

/** Returns the limit that will run out first, after a call that counts only towards the minute. */
export const rateOfMinuteOnlyCall = ({ rate, quota }: CheckedCall): RateState =>
  quota.allowed ? narrowerRate(rate, { ...quota.rate, remaining: quota.rate.remaining + 1 }) : quota.rate

/** The month's requests are used up. */
const OUT_OF_REQUESTS = { reason: 'requests', period: 'month', of: 'organisation' } as const

function refuseForScope(
  { journal }: Pick<CallStores, 'journal'>,
  { key }: Pick<CheckedCall, 'key'>,
  { ofGateway, rate, scope }: { ofGateway: boolean; rate: RateState; scope: KeyScope },
  now: number,
): ScopeRefusal {
  journal.storeCall({ keyId: key.id, ofGateway, outcome: 'scope' }, now)
  return { outcome: 'scope_required', rate, scope }
}

/** Refuses a call for a used-up quota or budget. Refused calls do not count: the limits stay as they were. */
export function refuseForQuota(
  { journal }: Pick<CallStores, 'journal'>,
  checked: CheckedCall,
  { reason, period, of }: Pick<QuotaRefusal, 'reason' | 'period' | 'of'>,
  now: number,
): QuotaRefusal {
  const { key, rate, quota, at } = checked
  journal.storeCall({ keyId: key.id, ofGateway: true, outcome: reason === 'requests' ? 'quota' : 'budget' }, now)
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
