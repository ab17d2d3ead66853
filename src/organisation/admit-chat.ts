// The one turn that decides about a chat completion and writes the decision down. What is looked at first outranks what comes
// after it: key, erasure, rate, monthly quota, scope, whether it was made before, the tier's models, the policy's rules, loop, budgets,
// people's approval.
import type { KeyScope } from '../keys/key.schema.ts'
import type { InvalidKey } from '../keys/key-standing.policy.ts'
import type { KeyRecord } from '../keys/keys.store.ts'
import type { RateState } from '../keys/limits.policy.ts'
import { notify } from '../notifications/notify.ts'
import { assertMicroeur, fitsBudget } from '../policies/budget.policy.ts'
import { budgetsOf, type Budget } from '../policies/document/limits.policy.ts'
import { needsScan, type VersionedPolicy } from '../policies/document/policy-document.ts'
import type { PolicyId, PolicyRefusal } from '../policies/document/rule.ts'
import { findPolicyRefusal, rulesApplied } from '../policies/document/rules.ts'
import { decideModelAccess } from '../policies/model-access.policy.ts'
import { contentExpiresAt, type OrganisationSettings } from '../policies/organisation-settings.ts'
import { decideOutput } from '../policies/reservation.policy.ts'
import type { Tier } from '../policies/tier.policy.ts'
import { tellExhausted } from './budget-alerts.ts'
import {
  askApproval,
  checkApproval,
  isApprovalNeeded,
  claimApproval,
  type RefusedApproval,
} from './approvals/ask-approval.ts'
import {
  checkCall,
  noteCall,
  OUT_OF_REQUESTS,
  rateOfFreeCall,
  rateOfQuotaCall,
  refuseForQuota,
  type CallStores,
  type ChatCaller,
  type CheckedCall,
  type ClosingRefusal,
  type QuotaRefusal,
  type RateRefusal,
} from './check-call.ts'
import type { CacheStore } from './cache.store.ts'
import type { ContentPlace } from './content/content-object.ts'
import { findCacheable, openCached, settleCached } from './cached-chat.ts'
import { keepAnswer, type ToldAnswer } from './keep-answer.ts'
import { findRepeatedChat, type RepeatedChat, type RepeatStores } from './repeated-chat.ts'
import { recordChat, type ChatFacts, type Recorded } from './record-chat.ts'
import { isHeldLoop, isLoop, thresholdsOf } from './state/loops.ts'
import { spentOf } from './state/spending.ts'

export type CallRefusal =
  | InvalidKey
  | RateRefusal
  | QuotaRefusal
  | ClosingRefusal
  | { outcome: 'scope_required'; rate: RateState; scope: KeyScope }

/**
 * `policy_needed`: nothing is decided or written. The policy in force asks for the request's text to be looked through, and that
 * was not done, or under another policy: the Worker does it and asks again. Refusals that have a `position` were recorded too. `maxTokens`: what the model may write for each choice, and
 * `cacheInstructions`: whether long instructions are to be kept, both of which the provider is to be told.
 */
export type ChatAdmission =
  | ({ outcome: 'admitted'; rate: RateState; organisationId: string; tier: Tier } & ToldProvider &
      ToldAnswer &
      ToldContent &
      Recorded)
  | CallRefusal
  | RepeatedChat
  | ({ outcome: 'model_not_allowed'; rate: RateState; reason: 'tier' | 'provider'; tier: Tier } & Recorded)
  | ({ outcome: 'policy_blocked'; rate: RateState } & PolicyRefusal & Recorded)
  | ({ outcome: 'loop_detected'; rate: RateState; retryAfterSeconds: number } & Recorded)
  | ({ outcome: 'approval_required'; rate: RateState } & RefusedApproval & Recorded)
  | { outcome: 'policy_needed'; rate: RateState; policy: VersionedPolicy }

/** `contentPlace`: where what is asked and answered is to be kept for the organisation's people; null where it is not. */
type ToldContent = { contentPlace: ContentPlace | null }

type ToldProvider = { maxTokens: number; cacheInstructions: boolean }

/** A call that runs no model: a request that cannot be run (400, 404, 413, 503), or the list of models. */
export type ChatCall =
  | ({ outcome: 'admitted'; rate: RateState } & Pick<OrganisationSettings, 'tier' | 'enabledProviders'>)
  | CallRefusal

/** A call of the management routes by a key. */
export type ManageCall = { outcome: 'admitted'; rate: RateState; key: Pick<KeyRecord, 'id' | 'scopes'> } | CallRefusal

/** Any good gateway key may look at the organisation's log: there is nothing to see but hashes, and how many there are. */
export type LogAnswer<T> =
  | { outcome: 'admitted'; rate: RateState; answer: T }
  | Exclude<LogLook, { outcome: 'admitted' }>

type LogLook = { outcome: 'admitted'; rate: RateState } | InvalidKey | RateRefusal | ClosingRefusal

const HASH_CHARACTERS = 32

/** Throws RangeError where a cost is not a whole number of micro-euro. */
export function admitChat(
  stores: CallStores & RepeatStores & { cache: CacheStore },
  facts: ChatFacts,
  now: number,
): ChatAdmission {
  assertMicroeur(facts.upFrontMicroeur)
  const checked = checkCall(stores, facts, now)
  if (checked.outcome !== 'good') return checked
  if (!checked.quota.allowed) return refuseForQuota(stores, checked, OUT_OF_REQUESTS, now)
  if (!mayChat(checked)) return refuseScope(stores, checked, 'chat', now)
  const repeated = findRepeatedChat(stores, checked, facts, now)
  if (repeated !== null) return repeated

  const { state, at, key } = checked
  const { settings, policy } = state
  if (!isScannedUnder(policy, facts)) return { outcome: 'policy_needed', rate: rateOfFreeCall(checked), policy }

  const { tier, defaultMaxTokens, cacheInstructions } = settings
  const { maxTokens, microeur } = decideOutput(facts.output, defaultMaxTokens)
  const reserveMicroeur = facts.upFrontMicroeur + microeur
  assertMicroeur(reserveMicroeur)
  const access = decideModelAccess(settings, facts)
  if (!access.allowed) {
    const { reason } = access
    const recorded = recordChat(stores.journal, checked, facts, now, {
      outcome: 'BLOCKED',
      policies: ['model_allowlist'],
      reason: `model_not_allowed_by_${reason}`,
      reserveMicroeur,
      loop: null,
    })
    return { outcome: 'model_not_allowed', rate: rateOfFreeCall(checked), ...recorded, reason, tier }
  }

  const refused = findPolicyRefusal(policy.document, { ...facts, findings: facts.scan?.findings ?? {} })
  if (refused !== null) {
    const decision = { outcome: 'BLOCKED', policies: [refused.policy], reason: refused.reason } as const
    const recorded = recordChat(stores.journal, checked, facts, now, { ...decision, reserveMicroeur, loop: null })
    return { outcome: 'policy_blocked', rate: rateOfFreeCall(checked), ...recorded, ...refused }
  }

  const loop = facts.loopHash.slice(0, HASH_CHARACTERS)
  if (isLoop(state, key.id, loop, at)) {
    const isKnown = isHeldLoop(state, key.id, loop, at)
    const decision = { outcome: 'SUPPRESSED', policies: ['loop_guard'], reason: 'loop_detected' } as const
    const recorded = recordChat(stores.journal, checked, facts, now, { ...decision, reserveMicroeur, loop })
    const retryAfterSeconds = Math.ceil(thresholdsOf(state).quietMs / 1000)
    const data = {
      key_id: key.id,
      model: facts.model,
      attestation_id: facts.attestationId,
      quiet_seconds: retryAfterSeconds,
    }
    if (!isKnown) notify(stores.outbox, { type: 'loop.detected', data }, now)
    return { outcome: 'loop_detected', rate: rateOfFreeCall(checked), ...recorded, retryAfterSeconds }
  }
  const asking = { checked, facts, reserveMicroeur, now }
  // An approval is for one run of its request.
  const cacheable = isApprovalNeeded(asking) ? null : findCacheable(stores, policy, facts, now)
  const cached = cacheable?.entry ? openCached(stores, cacheable.entry) : null
  const neededMicroeur = cached === null ? reserveMicroeur : 0
  const budgets = budgetsOf(policy.document.budget_guard, settings, key.id)
  const over = budgets.find(
    (budget) => !fitsBudget(budget.microeur, spentOf(state, budget, key.id, at), neededMicroeur),
  )
  if (over !== undefined) {
    tellExhausted(stores, { budget: over, keyId: key.id }, now)
    return refuseForQuota(stores, checked, { ...over, reason: 'budget' }, now)
  }

  const approval = checkApproval(stores, asking)
  if (approval.outcome === 'refused') {
    const decision = { outcome: 'BLOCKED', policies: ['human_approval'], reason: approval.reason } as const
    const recorded = recordChat(stores.journal, checked, facts, now, { ...decision, reserveMicroeur, loop: null })
    const refusal = askApproval(stores, asking, approval, recorded)
    return { outcome: 'approval_required', rate: rateOfFreeCall(checked), ...recorded, ...refusal }
  }
  const decision = { outcome: 'ALLOWED', policies: policiesPassed(policy, budgets), reason: null } as const
  // What the cache answers is kept with the call that was answered so first.
  const contentPlace = cached === null ? placeForContent(stores, settings, facts, now) : null
  const allowed = { ...decision, reserveMicroeur: neededMicroeur, loop, contentPlace }
  const recorded = recordChat(stores.journal, checked, facts, now, allowed)
  claimApproval(stores, approval, recorded, now)
  if (cached !== null) settleCached(stores, recorded.position, cached, now)
  const { organisationId } = facts
  const wanted = { ...settings, cacheable: cached === null ? cacheable : null }
  const keep = keepAnswer(stores, wanted, facts, now)
  const told = { maxTokens, cacheInstructions, cached, keep, contentPlace }
  return { outcome: 'admitted', ...recorded, rate: rateOfQuotaCall(checked), organisationId, tier, ...told }
}

function placeForContent(
  { content }: RepeatStores,
  settings: OrganisationSettings,
  { attestationId }: ChatFacts,
  now: number,
): ContentPlace | null {
  const expiresAt = contentExpiresAt(settings, now)
  return expiresAt === null ? null : content.place({ attestationId, kind: 'call', expiresAt }, now)
}

/**
 * Counts a request that cannot be run (400, 404, 413, 503), once it is known that nothing outranks that. Not written to
 * the ledger, and free of the month's quota.
 */
export function admitInvalid(stores: CallStores, caller: ChatCaller, now: number): ChatCall {
  const checked = checkCall(stores, caller, now)
  if (checked.outcome !== 'good') return checked
  return checked.quota.allowed ? admitFree(stores, checked, now) : refuseForQuota(stores, checked, OUT_OF_REQUESTS, now)
}

/** What the key's organisation may use. A used-up quota does not hide it. */
export function describeChatKey(stores: CallStores, caller: ChatCaller, now: number): ChatCall {
  const checked = checkCall(stores, caller, now)
  return checked.outcome === 'good' ? admitFree(stores, checked, now) : checked
}

/** Counted like the list of models: for the minute, not for the month. */
export function admitLook(stores: CallStores, caller: ChatCaller, now: number): LogLook {
  const checked = checkCall(stores, caller, now)
  if (checked.outcome !== 'good') return checked
  noteCall(stores, checked, now)
  return { outcome: 'admitted', rate: rateOfFreeCall(checked) }
}

/** Whether this key may manage its organisation. Counted as a look is. */
export function admitManage(stores: CallStores, caller: ChatCaller, now: number): ManageCall {
  const checked = checkCall(stores, caller, now)
  if (checked.outcome !== 'good') return checked
  const { id, scopes } = checked.key
  if (!scopes.includes('manage')) return refuseScope(stores, checked, 'manage', now)
  noteCall(stores, checked, now)
  return { outcome: 'admitted', rate: rateOfFreeCall(checked), key: { id, scopes } }
}

function admitFree(stores: CallStores, checked: CheckedCall, now: number): ChatCall {
  if (!mayChat(checked)) return refuseScope(stores, checked, 'chat', now)
  noteCall(stores, checked, now)
  const { tier, enabledProviders } = checked.state.settings
  return { outcome: 'admitted', rate: rateOfFreeCall(checked), tier, enabledProviders }
}

/** Every rule that was applied to a request that went through, in the order of their names. */
const policiesPassed = ({ document }: VersionedPolicy, budgets: readonly Budget[]): PolicyId[] => {
  const always: PolicyId[] = ['loop_guard', 'model_allowlist', 'rate_limit']
  const budget: PolicyId[] = budgets.length > 0 ? ['budget_guard'] : []
  const approval: PolicyId[] = document.human_approval === undefined ? [] : ['human_approval']
  return [...new Set([...always, ...budget, ...approval, ...rulesApplied(document)])].toSorted()
}

/** Where the policy asks for nothing to be looked through, nothing may have been done to the text either. */
const isScannedUnder = ({ sha256, document }: VersionedPolicy, { scan }: Pick<ChatFacts, 'scan'>): boolean =>
  scan === null ? !needsScan(document) : scan.policy === sha256

const mayChat = ({ key }: CheckedCall): boolean => key.scopes.includes('chat')

function refuseScope({ journal }: CallStores, checked: CheckedCall, scope: KeyScope, now: number): CallRefusal {
  journal.note({ keyId: checked.key.id, ofGateway: true, outcome: 'scope' }, now)
  return { outcome: 'scope_required', rate: rateOfFreeCall(checked), scope }
}
