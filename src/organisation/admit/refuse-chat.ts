// The checks that may refuse a chat request, one function each: model, policy rules, loop, budget, approval. A check returns null
// if it does not refuse; only `refuseUnapproved` always refuses. admit-chat.ts calls them in order.
import { notify, type Outbox } from '../../notifications/notify.ts'
import { fitsBudget } from '../../policies/budget.policy.ts'
import type { Findings } from '../../policies/facts.ts'
import { findPolicyRefusal } from '../../policies/document/policy-document.ts'
import { decideModelAccess } from '../../policies/tier.policy.ts'
import { newId } from '../../platform/ids.ts'
import type { ChatAdmission } from './admission-outcomes.ts'
import { askApproval, type ChatToDecide, type Unapproved } from '../approvals/chat-approval.ts'
import type { ApprovalStores } from '../approvals/approval-steps.ts'
import { alertBudgetExhausted } from './budget-alerts.ts'
import { rateOfMinuteOnlyCall, refuseForQuota } from './check-call.ts'
import type { CheckedCall } from './check-call.ts'
import type { Journal } from '../journal/journal.ts'
import { recordChat, type ChatFacts, type RecordedDecision } from './record-chat.ts'
import { isActiveLoop, isLoop, thresholdsOf } from '../journal/state/loops.ts'
import { spendingOfBudget } from '../journal/state/spending.ts'

type Stores = { journal: Journal; outbox: Outbox }

type RefusalOrNull = ChatAdmission | null

/** Refuses a model that the tier or the enabled providers do not include. */
export function refuseModel({ journal }: Stores, asking: ChatToDecide): RefusalOrNull {
  const { checked, facts, chosen, reserveMicroeur, now } = asking
  const { settings } = checked.state
  const providers = facts.routes.flatMap(({ model, provider }) => (model === facts.model ? [provider] : []))
  const access = decideModelAccess(settings, { ...facts, providers })
  if (access.allowed) return null
  const { reason } = access
  const recorded = recordChat(journal, checked, facts, now, {
    outcome: 'BLOCKED',
    policies: ['model_allowlist'],
    reason: `model_not_allowed_by_${reason}`,
    chosen,
    reserveMicroeur,
    loop: null,
  })
  return { outcome: 'model_not_allowed', rate: rateOfMinuteOnlyCall(checked), ...recorded, reason, tier: settings.tier }
}

/** Refuses by the first rule of the policy that decides without the text. */
export const refuseByFacts = (stores: Stores, asking: ChatToDecide): RefusalOrNull => refuseByRule(stores, asking, {})

/** Refuses by the first rule of the policy, after the text was scanned under it. */
export const refuseByFindings = (stores: Stores, asking: ChatToDecide): RefusalOrNull =>
  refuseByRule(stores, asking, asking.facts.scan?.findings ?? {})

function refuseByRule(
  { journal }: Stores,
  { checked, facts, chosen, reserveMicroeur, now }: ChatToDecide,
  findings: Findings,
): RefusalOrNull {
  const refused = findPolicyRefusal(checked.state.policy.document, { ...facts, ...chosen.rule, findings })
  if (refused === null) return null
  const decision = { outcome: 'BLOCKED', policies: [refused.policy], reason: refused.reason } as const
  const recorded = recordChat(journal, checked, facts, now, { ...decision, chosen, reserveMicroeur, loop: null })
  const regions = refused.policy === 'data_region' ? { dataRegions: chosen.regionsWithRoute } : {}
  return { outcome: 'policy_blocked', rate: rateOfMinuteOnlyCall(checked), ...recorded, ...refused, ...regions }
}

/** Suppresses a request that is part of a loop. A key for evaluation is not stopped: its loops are only reported. */
export function suppressLoop(stores: Stores, asking: ChatToDecide): RefusalOrNull {
  const { checked, facts, chosen, reserveMicroeur, now } = asking
  if (checked.key.evaluation) return null
  const found = findLoop(checked, facts)
  if (found === null) return null
  const decision = { outcome: 'SUPPRESSED', policies: ['loop_guard'], reason: 'loop_detected' } as const
  const loop = loopKeyOf(facts)
  const recorded = recordChat(stores.journal, checked, facts, now, { ...decision, chosen, reserveMicroeur, loop })
  notifyOfLoop(stores, asking, found, recorded)
  const retryAfterSeconds = quietSecondsOf(checked)
  return { outcome: 'loop_detected', rate: rateOfMinuteOnlyCall(checked), ...recorded, retryAfterSeconds }
}

/** A loop that a request belongs to. `isKnown`: it was already active, so its message was already sent. */
type FoundLoop = { isKnown: boolean }

/** Call this before the request is recorded, because its record makes the loop a known one. */
export function findLoop({ state, key, at }: CheckedCall, facts: ChatFacts): FoundLoop | null {
  const loop = loopKeyOf(facts)
  return isLoop(state, key.id, loop, at) ? { isKnown: isActiveLoop(state, key.id, loop, at) } : null
}

/** Sends the webhook one message for a loop, not one for each call in it. */
export function notifyOfLoop(
  { outbox }: Pick<Stores, 'outbox'>,
  { checked, now }: Pick<ChatToDecide, 'checked' | 'now'>,
  { isKnown }: FoundLoop,
  { record: { model, attestation_id } }: RecordedDecision,
): void {
  if (isKnown) return
  const { id, evaluation } = checked.key
  const quiet_seconds = quietSecondsOf(checked)
  const data = { key_id: id, model, attestation_id, quiet_seconds, suppressed: !evaluation }
  notify(outbox, { type: 'loop.detected', data }, now)
}

const quietSecondsOf = ({ state }: CheckedCall): number => Math.ceil(thresholdsOf(state).quietMs / 1000)

/** Refuses without a record of its own, because no decision about the request was made. */
export function refuseOverBudget(
  stores: Stores,
  { checked, reserveMicroeur, budgets, now }: ChatToDecide,
): RefusalOrNull {
  const { state, key, at } = checked
  const over = budgets.find(
    (budget) => !fitsBudget(budget.microeur, spendingOfBudget(state, budget, key.id, at), reserveMicroeur),
  )
  if (over === undefined) return null
  alertBudgetExhausted(stores, { budget: over, keyId: key.id }, now)
  return refuseForQuota(stores, checked, { ...over, reason: 'budget' }, now)
}

export function refuseUnapproved(
  stores: Stores & ApprovalStores,
  asking: ChatToDecide,
  refused: Unapproved,
): ChatAdmission {
  const { checked, facts, chosen, reserveMicroeur, now } = asking
  const decision = { outcome: 'BLOCKED', policies: ['human_approval'], reason: refused.reason } as const
  const approvalId = refused.reason === 'approval_required' ? (refused.approval?.id ?? newId('apr_', now)) : null
  const waiting = { ...decision, chosen, reserveMicroeur, loop: null, approvalId }
  const recorded = recordChat(stores.journal, checked, facts, now, waiting)
  const { reason } = refused
  const approval =
    approvalId !== null && refused.asks ? askApproval(stores, asking, approvalId, recorded) : refused.approval
  return { outcome: 'approval_required', rate: rateOfMinuteOnlyCall(checked), ...recorded, reason, approval }
}

const HASH_CHARACTERS = 32

/** Returns the key by which loop detection knows a request: the first 32 characters of its hash. */
export const loopKeyOf = ({ loopHash }: { loopHash: string }): string => loopHash.slice(0, HASH_CHARACTERS)
