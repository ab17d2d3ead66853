// Decides in one turn about a chat completion and records the decision. Checks run in this order, and the first refusal counts:
// key, erasure, rate, quota, scope, cohort, region of the header, dropped parameters, idempotency key, the tier's models, the
// policy's rules of facts, loop, rules of findings, budgets, people's approval. A request that is refused before the scan is refused
// without one.
import { assertMicroeur, decideOutputLimit } from '../../policies/budget.policy.ts'
import { ANSWERS_RULE } from '../../policies/rules/pii-scan.rule.ts'
import { budgetsOf, type Budget } from '../../policies/rules/budget-guard.rule.ts'
import { needsScan, rulesApplied, type VersionedPolicy } from '../../policies/document/policy-document.ts'
import type { PolicyId } from '../../policies/rules/index.ts'
import type { DataRegion } from '../../platform/data-region.ts'
import { contentExpiresAt, type OrganisationSettings } from '../../policies/organisation-settings.ts'
import {
  checkApproval,
  claimApproval,
  isApprovalNeeded,
  type Approved,
  type ChatToDecide,
} from '../approvals/chat-approval.ts'
import type { AnswerCacheStore } from './answer-cache.store.ts'
import {
  findCacheable,
  findRepeatedChat,
  openCached,
  planAnswer,
  releaseClaimOfLostAnswer,
  type RepeatStores,
} from './answer-reuse.ts'
import {
  checkChat,
  countCall,
  rateOfMinuteOnlyCall,
  rateOfQuotaCall,
  type CallStores,
  type CheckedCall,
} from './check-call.ts'
import { chooseRoutes, findUnfitEndpoint, isRegionWider } from './choose-routes.ts'
import type { ChatAdmission } from './admission-outcomes.ts'
import { settleCachedChat } from './settle-chat.ts'
import type { ContentPlan } from '../content/content-object.ts'
import type { RouteFacts } from './choose-routes.ts'
import { recordChat, type ChatFacts } from './record-chat.ts'
import {
  findLoop,
  loopKeyOf,
  notifyOfLoop,
  refuseByFacts,
  refuseByFindings,
  refuseModel,
  refuseOverBudget,
  refuseUnapproved,
  suppressLoop,
} from './refuse-chat.ts'

type Stores = CallStores & RepeatStores & { cache: AnswerCacheStore }

/** Throws RangeError if a cost is not a whole number of micro-euro. */
export function admitChat(stores: Stores, facts: ChatFacts, now: number): ChatAdmission {
  releaseClaimOfLostAnswer(stores, facts)
  const checked = checkChat(stores, facts, now)
  if (checked.outcome !== 'good') return checked
  if (!isCohortDeclared(checked.state.policy, facts))
    return refuseInvalidChat('cohort_not_declared', stores, checked, now)
  if (isRegionWider(checked, facts)) return refuseInvalidChat('data_region_wider', stores, checked, now)
  const unfitEndpoint = findUnfitEndpoint(checked, facts)
  if (unfitEndpoint !== null) {
    countCall(stores, checked, now)
    return { outcome: 'unfit', rate: rateOfMinuteOnlyCall(checked), endpoint: unfitEndpoint }
  }
  if (facts.hasDropped && checked.state.settings.unsupported === 'refuse') {
    return refuseInvalidChat('unsupported', stores, checked, now)
  }
  const repeated = findRepeatedChat(stores, checked, facts, now)
  if (repeated !== null) return repeated
  const { policy } = checked.state

  const { asking, maxTokens, outputMicroeur } = computeMaxCost(checked, facts, now)
  const refusedUnscanned = refuseModel(stores, asking) ?? refuseByFacts(stores, asking) ?? suppressLoop(stores, asking)
  if (refusedUnscanned !== null) return refusedUnscanned

  // An approval is for one run of its request. A request that needs one is not looked for in the cache.
  const cacheable = isApprovalNeeded(asking)
    ? null
    : findCacheable(stores, policy, facts, { maxTokens, region: asking.chosen.region }, now)
  const cached = cacheable?.entry ? openCached(stores, cacheable.entry) : null
  if (!isScannedUnder(policy, facts)) {
    // The input's cost is known only after redaction. The most that the output may cost is known now.
    const exhausted = cached === null ? refuseOverBudget(stores, { ...asking, reserveMicroeur: outputMicroeur }) : null
    return exhausted ?? { outcome: 'scan_needed', rate: rateOfMinuteOnlyCall(checked), policy }
  }
  const refused = refuseByFindings(stores, asking)
  if (refused !== null) return refused
  const overBudget = cached === null ? refuseOverBudget(stores, asking) : null
  if (overBudget !== null) return overBudget
  const approval = checkApproval(stores, asking)
  if (approval.outcome === 'refused') return refuseUnapproved(stores, asking, approval)
  const costing = cached === null ? asking : { ...asking, reserveMicroeur: 0 }
  return allowChat(stores, costing, { maxTokens, approval, cacheable, cached })
}

/** Computes the most that the request can cost, and how many tokens its model may write for that. */
function computeMaxCost(
  checked: CheckedCall,
  facts: ChatFacts,
  now: number,
): { asking: ChatToDecide; maxTokens: number; outputMicroeur: number } {
  const chosen = chooseRoutes(checked, facts)
  const costed = chosen.routes.length > 0 ? chosen.routes : facts.routes
  // The dearest route decides, because a call may be sent to any of them.
  const [upFrontMicroeur, microeurPerMillion] = [
    dearest(costed, 'upFrontMicroeur'),
    dearest(costed, 'microeurPerMillion'),
  ]
  assertMicroeur(upFrontMicroeur)
  const output = { ...facts.output, microeurPerMillion }
  const { maxTokens, microeur } = decideOutputLimit(output, checked.state.settings.defaultMaxTokens)
  const reserveMicroeur = upFrontMicroeur + microeur
  assertMicroeur(reserveMicroeur)
  const { policy, settings } = checked.state
  const budgets = budgetsOf(policy.document.budget_guard, settings, checked.key.id)
  return { asking: { checked, facts, chosen, reserveMicroeur, budgets, now }, maxTokens, outputMicroeur: microeur }
}

const dearest = (routes: readonly RouteFacts[], cost: 'upFrontMicroeur' | 'microeurPerMillion'): number =>
  Math.max(...routes.map((route) => route[cost]))

type AllowedChat = {
  maxTokens: number
  approval: Approved
  cacheable: ReturnType<typeof findCacheable>
  cached: ReturnType<typeof openCached>
}

function allowChat(
  stores: Stores,
  asking: ChatToDecide,
  { maxTokens, approval, cacheable, cached }: AllowedChat,
): ChatAdmission {
  const { checked, facts, chosen, reserveMicroeur, budgets, now } = asking
  const { settings } = checked.state
  // A cached answer needs no content of its own: it is stored with the call that first got it.
  const contentPlan = cached === null ? planContent(stores, settings, now) : null
  const reportedLoop = checked.key.evaluation ? findLoop(checked, facts) : null
  const decision = {
    outcome: 'ALLOWED',
    policies: policiesPassed(checked, chosen.region, budgets, approval),
    reason: reportedLoop === null ? null : 'loop_reported',
  } as const
  const approvalId = approval.outcome === 'approved' ? approval.approvalId : null
  const allowed = { ...decision, chosen, reserveMicroeur, loop: loopKeyOf(facts), contentPlan, approvalId }
  const recorded = recordChat(stores.journal, checked, facts, now, allowed)
  if (reportedLoop !== null) notifyOfLoop(stores, asking, reportedLoop, recorded)
  claimApproval(stores, approval, recorded, now)
  if (cached !== null) settleCachedChat(stores, recorded, cached, now)
  const { attestation_id: attestationId } = recorded.record
  const keep = planAnswer(
    stores,
    { ...settings, cacheable: cached === null ? cacheable : null },
    facts,
    attestationId,
    now,
  )
  const contentPlace =
    contentPlan && stores.content.place({ attestationId, kind: 'call', expiresAt: contentPlan.expiresAt }, now)
  const { organisationId } = facts
  const { tier, cacheInstructions } = settings
  const routes = chosen.routes.map(({ model, endpoint }) => ({ model, endpoint }))
  const answers = checked.state.policy.document.pii_scan?.answers ?? null
  const sending = { maxTokens, cacheInstructions, routes, dataRegion: chosen.region, answers }
  const admissionDetails = { ...sending, cached, keep, contentPlace, isLoop: reportedLoop !== null }
  return { outcome: 'admitted', ...recorded, rate: rateOfQuotaCall(checked), organisationId, tier, ...admissionDetails }
}

/** Plans where the content is stored. Its name follows from the record's id, which follows from this plan. */
function planContent({ content }: RepeatStores, settings: OrganisationSettings, now: number): ContentPlan | null {
  const expiresAt = contentExpiresAt(settings, now)
  return expiresAt === null ? null : content.plan(expiresAt, now)
}

/**
 * Returns the name of every rule that was applied to an allowed request. Approval is one only if people gave it. The region is
 * named with its value, because a key or a request can set it too. Loops do not stop a key for evaluation, so its requests did
 * not have to pass that rule.
 */
function policiesPassed(
  { key, state }: CheckedCall,
  region: DataRegion,
  budgets: readonly Budget[],
  { outcome }: Approved,
): string[] {
  const always: PolicyId[] = ['model_allowlist', 'rate_limit']
  const budget: PolicyId[] = budgets.length > 0 ? ['budget_guard'] : []
  const approval: PolicyId[] = outcome === 'approved' ? ['human_approval'] : []
  const regions = region === 'any' ? [] : [`data_region.${region}`]
  const { document } = state.policy
  const answers = document.pii_scan?.answers === undefined ? [] : [ANSWERS_RULE]
  const others = rulesApplied(document).filter((id) => id !== 'data_region' && id !== 'loop_guard')
  const loops: PolicyId[] = key.evaluation ? [] : ['loop_guard']
  return [
    ...new Set<string>([...always, ...loops, ...regions, ...budget, ...approval, ...others, ...answers]),
  ].toSorted()
}

/** Refuses a request that is wrong in itself, and counts it as one that cannot be run. */
function refuseInvalidChat(
  outcome: 'cohort_not_declared' | 'data_region_wider' | 'unsupported',
  stores: Stores,
  checked: CheckedCall,
  now: number,
): ChatAdmission {
  countCall(stores, checked, now)
  return { outcome, rate: rateOfMinuteOnlyCall(checked) }
}

const isCohortDeclared = ({ document }: VersionedPolicy, { cohort }: Pick<ChatFacts, 'cohort'>): boolean =>
  cohort === null || document.bias?.cohorts.includes(cohort) === true

/** True if the text was scanned under this very policy. Unscanned text passes only if the policy needs no scan. */
const isScannedUnder = ({ sha256, document }: VersionedPolicy, { scan }: Pick<ChatFacts, 'scan'>): boolean =>
  scan === null ? !needsScan(document) : scan.policy === sha256
