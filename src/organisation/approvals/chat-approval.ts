// Checks a chat request that people must approve: it runs only with an unused approval of exactly this request. Also asks for
// an approval, and claims one for a run. Call these in the turn that decides about the request, after every other check.
import { signedHash } from '../../evidence/records/attestation-record.ts'
import type { ApprovalId } from '../../platform/ids.ts'
import { kindsOf } from '../../policies/facts.ts'
import type { Budget } from '../../policies/rules/budget-guard.rule.ts'
import { needsApproval } from '../../policies/rules/human-approval.rule.ts'
import type { CheckedCall } from '../admit/check-call.ts'
import type { ChosenRoutes } from '../admit/choose-routes.ts'
import type { ChatFacts, RecordedDecision } from '../admit/record-chat.ts'
import type { EndState, OpenApproval } from '../journal/state/approval.schema.ts'
import {
  differingMember,
  findByRequest,
  hasTooManyPending,
  type BINDING_MEMBERS,
  type Binding,
} from '../journal/state/approvals.ts'
import { endDueApprovals, takeStep, type ApprovalStores } from './approval-steps.ts'

/** Reasons why a request that needs an approval does not run. `…_differs`: the named approval is of a different request. */
export const APPROVAL_REFUSALS = [
  'approval_required',
  'approvals_full',
  'not_found',
  'in_use',
  'used',
  'denied',
  'expired',
  'withdrawn',
  'key_id_differs',
  'request_hash_differs',
  'use_case_differs',
  'policy_version_differs',
  'data_region_differs',
] as const satisfies ReadonlyArray<`${(typeof BINDING_MEMBERS)[number]}_differs` | (string & {})>

export type ApprovalRefusal = (typeof APPROVAL_REFUSALS)[number]

/** Facts for a refused caller. `approval`: the pending one, or the one that the request named; null if there is none. */
export type RefusedApproval = { reason: ApprovalRefusal; approval: { id: ApprovalId; expiresAt: number } | null }

export type Approved = { outcome: 'not_needed' } | { outcome: 'approved'; approvalId: ApprovalId }

/** `asks`: true if a new approval must be asked for, because none is pending for this request. */
export type Unapproved = { outcome: 'refused'; asks: boolean } & RefusedApproval

type Check = Approved | Unapproved

/** A chat request with a good key. `reserveMicroeur`: the most that it can cost. `budgets`: those that the cost must fit in. */
export type ChatToDecide = {
  checked: CheckedCall
  facts: ChatFacts
  chosen: ChosenRoutes
  reserveMicroeur: number
  budgets: readonly Budget[]
  now: number
}

const REFUSAL_OF_END_STATE: Readonly<Record<EndState, ApprovalRefusal>> = {
  executed: 'used',
  denied: 'denied',
  expired: 'expired',
  withdrawn: 'withdrawn',
}

/** Returns true if the policy requires people to approve the request for one of the models that it may be sent to. */
export function isApprovalNeeded({
  checked,
  facts,
  chosen,
  reserveMicroeur,
}: Pick<ChatToDecide, 'checked' | 'facts' | 'chosen' | 'reserveMicroeur'>): boolean {
  const { human_approval: rule } = checked.state.policy.document
  if (rule === undefined) return false
  return [facts.model, ...otherModels({ facts, chosen })].some((model) =>
    needsApproval(rule, { ...facts, model, keyId: checked.key.id, reserveMicroeur }),
  )
}

/** Returns the further models that the request may be sent to. */
const otherModels = ({ facts, chosen }: Pick<ChatToDecide, 'facts' | 'chosen'>): string[] => [
  ...new Set(chosen.routes.map(({ model }) => model).filter((model) => model !== facts.model)),
]

export function checkApproval(stores: ApprovalStores, asking: ChatToDecide): Check {
  const { facts, now } = asking
  if (!isApprovalNeeded(asking)) return { outcome: 'not_needed' }
  endDueApprovals(stores, now)
  const binding = bindingOf(asking)
  return facts.approval === null ? withoutApproval(stores, binding) : withApproval(stores, binding, facts.approval)
}

export function askApproval(
  stores: ApprovalStores,
  asking: ChatToDecide,
  approvalId: ApprovalId,
  { record, position }: RecordedDecision,
): RefusedApproval['approval'] {
  const { checked, facts, chosen, reserveMicroeur, now } = asking
  const { human_approval: rule } = checked.state.policy.document
  if (rule === undefined) throw new Error('no rule asks for an approval')
  const asked = {
    approval_id: approvalId,
    ...bindingOf(asking),
    attestation_id: record.attestation_id,
    subject_hash: signedHash(record),
    subject_position: position,
    approvals_required: rule.approvals_required,
    expires_seconds: rule.expires_seconds,
    model: facts.model,
    other_models: otherModels(asking),
    provider: (chosen.routes[0] ?? facts.routes[0]).provider,
    stream: facts.stream,
    content_kinds: kindsOf(facts.content),
    bytes: facts.content.bytes,
    found: facts.scan?.findings.pii_scan ?? null,
    reserve_microeur: reserveMicroeur,
  }
  takeStep(stores, { step: 'asked', ...asked }, now)
  return presentNamed(stores.journal.state.approvals.get(approvalId) ?? null).approval
}

/** Marks the approval as used, in the turn of the decision that lets the request run. */
export function claimApproval(
  stores: ApprovalStores,
  check: Approved,
  { position }: RecordedDecision,
  now: number,
): void {
  if (check.outcome === 'approved') {
    takeStep(stores, { step: 'claimed', approval_id: check.approvalId, position }, now)
  }
}

function withoutApproval({ journal }: ApprovalStores, binding: Binding): Check {
  const { approvals } = journal.state
  const waiting = findByRequest(approvals, binding)
  if (waiting !== null) return refuse('approval_required', waiting)
  if (hasTooManyPending(approvals, binding.key_id)) return refuse('approvals_full', null)
  return { ...refuse('approval_required', null), asks: true }
}

function withApproval({ journal, endedApprovals }: ApprovalStores, binding: Binding, named: ApprovalId): Check {
  const approval = journal.state.approvals.get(named)
  if (approval === undefined) {
    const ended = endedApprovals.find(named)
    if (ended === null) return refuse('not_found', null)
    return ended.key_id === binding.key_id
      ? refuse(REFUSAL_OF_END_STATE[ended.state], ended)
      : refuse('key_id_differs', null)
  }
  const differing = differingMember(approval, binding)
  if (differing === 'key_id') return refuse('key_id_differs', null)
  if (differing !== null) return refuse(`${differing}_differs`, approval)
  switch (approval.state) {
    case 'approved':
      return { outcome: 'approved', approvalId: named }
    case 'pending':
      return refuse('approval_required', approval)
    case 'claimed':
      return refuse('in_use', approval)
  }
}

const bindingOf = ({ checked: { key, state }, facts, chosen }: ChatToDecide): Binding => ({
  key_id: key.id,
  request_hash: facts.requestHash,
  use_case: facts.useCase,
  policy_version: state.policy.version,
  data_region: chosen.region,
})

type NamedApproval = Pick<OpenApproval, 'approval_id' | 'expiresAt'>

const presentNamed = (approval: NamedApproval | null): Pick<RefusedApproval, 'approval'> => ({
  approval: approval && { id: approval.approval_id, expiresAt: approval.expiresAt },
})

const refuse = (reason: ApprovalRefusal, approval: NamedApproval | null): Unapproved => ({
  outcome: 'refused',
  asks: false,
  reason,
  ...presentNamed(approval),
})
