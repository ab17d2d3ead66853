// The approvals that may still be decided or used, each bound to one request. An approval that has ended is deleted: it can never
// be used again. pending → approved → claimed → executed. A pending one may be denied. A pending or approved one may expire or be
// withdrawn. An approved one is pending again if too few decisions still count; a claimed one approved, if no provider was reached.
import type { ApprovalId, PersonId } from '../../../platform/ids.ts'
import { MOST_PENDING_APPROVALS } from '../../../policies/organisation-limits.policy.ts'
import { isWithin } from '../../../platform/data-region.ts'
import type { ApprovalStep, ApprovalRequest, EndState, OpenApproval } from './approval.schema.ts'

/** Approvals in the order in which they were asked for. */
export type Approvals = Map<ApprovalId, OpenApproval>

export type ApprovalEvent = { kind: 'approval'; at: number; step: ApprovalStep }

/** How long an approval may be used after it was approved. */
export const USABLE_MS = 60 * 60 * 1000

export const createApprovals = (): Approvals => new Map()

/** The members in which a request must equal the one that was approved. Its data region may be narrower. */
export const BINDING_MEMBERS = ['key_id', 'request_hash', 'use_case', 'policy_version', 'data_region'] as const
export type Binding = Pick<ApprovalRequest, (typeof BINDING_MEMBERS)[number]>

/** Returns the first member in which a request differs from its approval; null if none differs. */
export const differingMember = (approval: Binding, request: Binding): (typeof BINDING_MEMBERS)[number] | null =>
  BINDING_MEMBERS.find((name) =>
    name === 'data_region' ? !isWithin(request[name], approval[name]) : approval[name] !== request[name],
  ) ?? null

/** Finds the pending or approved approval of this request; null if there is none. */
export const findByRequest = (approvals: Approvals, request: Binding): OpenApproval | null =>
  approvals.values().find((one) => one.state !== 'claimed' && differingMember(one, request) === null) ?? null

export const hasTooManyPending = (approvals: Approvals, keyId: string): boolean => {
  const pending = [...approvals.values()].filter(({ state }) => state === 'pending')
  const ofKey = pending.filter((one) => one.key_id === keyId)
  return pending.length >= MOST_PENDING_APPROVALS.ofAll || ofKey.length >= MOST_PENDING_APPROVALS.ofKey
}

/** Returns whether an approval has expired at `at`. A claimed one does not expire: how its request ends decides. */
export const isExpired = ({ state, expiresAt }: OpenApproval, at: number): boolean =>
  state !== 'claimed' && expiresAt <= at

export function nextExpiryAt(approvals: Approvals): number | null {
  const times = [...approvals.values()].filter(({ state }) => state !== 'claimed').map(({ expiresAt }) => expiresAt)
  return times.length === 0 ? null : Math.min(...times)
}

/** Finds the approval that the request at this position runs with; null if there is none. */
export const findClaimedBy = (approvals: Approvals, position: number): OpenApproval | null =>
  approvals.values().find(({ claimedBy }) => claimedBy === position) ?? null

export function endStateOf(step: ApprovalStep): EndState | null {
  switch (step.step) {
    case 'executed':
    case 'expired':
    case 'withdrawn':
      return step.step
    case 'decided':
      return step.decision === 'deny' ? 'denied' : null
    case 'asked':
    case 'claimed':
    case 'returned':
    case 'voided':
      return null
  }
}

/** Returns whether an approval in this state can take a step. No other step is ever written. */
export function mayTakeStep({ state }: Pick<OpenApproval, 'state'>, step: ApprovalStep['step']): boolean {
  switch (step) {
    case 'asked':
      return false
    case 'decided':
      return state === 'pending'
    case 'claimed':
      return state === 'approved'
    case 'executed':
    case 'returned':
      return state === 'claimed'
    case 'expired':
    case 'withdrawn':
    case 'voided':
      return state !== 'claimed'
  }
}

export function applyApprovals(
  { approvals, next }: { approvals: Approvals; next: number },
  event: ApprovalEvent | { kind: unknown },
): void {
  if (!isApprovalEvent(event)) return
  const { step, at } = event
  const approval = approvals.get(step.approval_id)
  if (step.step === 'asked') approvals.set(step.approval_id, newOpenApproval(step, at))
  else if (approval === undefined || !mayTakeStep(approval, step.step)) return
  else if (endStateOf(step) !== null) approvals.delete(step.approval_id)
  else if (step.step === 'decided') decide(approval, step, at, next)
  else if (step.step === 'claimed') Object.assign(approval, { state: 'claimed', claimedBy: step.position })
  else if (step.step === 'returned') Object.assign(approval, { state: 'approved', claimedBy: null })
  else if (step.step === 'voided') voidApproval(approval, step.reviewer)
}

/** Moves times later than `at` back. No approval expires later than if it had begun at `at`. */
export function clampTimesOfApprovals({ approvals }: { approvals: Approvals }, at: number): void {
  for (const approval of approvals.values()) {
    approval.createdAt = Math.min(approval.createdAt, at)
    approval.expiresAt = Math.min(approval.expiresAt, at + lifetimeMs(approval))
    for (const decision of approval.decisions) decision.at = Math.min(decision.at, at)
  }
}

const lifetimeMs = ({ state, expires_seconds: seconds }: OpenApproval): number =>
  state === 'pending' ? seconds * 1000 : USABLE_MS

function newOpenApproval(
  { step: _step, ...asked }: Extract<ApprovalStep, { step: 'asked' }>,
  at: number,
): OpenApproval {
  const expiresAt = at + asked.expires_seconds * 1000
  return { ...asked, state: 'pending', createdAt: at, expiresAt, decisions: [], claimedBy: null }
}

function decide(
  approval: OpenApproval,
  { decision, actor: by }: Extract<ApprovalStep, { step: 'decided' }>,
  at: number,
  position: number,
): void {
  approval.decisions.push({ decision, by, at, position, counts: true })
  if (!isApproved(approval)) return
  approval.state = 'approved'
  approval.expiresAt = at + USABLE_MS
}

/** Voids what a reviewer approved. If too few approvals count, it is pending again for the rest of its time. */
function voidApproval(approval: OpenApproval, reviewer: PersonId): void {
  for (const one of approval.decisions) if (one.decision === 'approve' && one.by === reviewer) one.counts = false
  if (isApproved(approval)) return
  approval.state = 'pending'
  approval.expiresAt = approval.createdAt + lifetimeMs(approval)
}

/** Returns the set of people whose approvals count. */
export const approversOf = ({ decisions }: Pick<OpenApproval, 'decisions'>): ReadonlySet<PersonId> =>
  new Set(decisions.flatMap(({ decision, by, counts }) => (decision === 'approve' && counts ? [by] : [])))

export const isApproved = (one: Pick<OpenApproval, 'decisions' | 'approvals_required'>): boolean =>
  approversOf(one).size >= one.approvals_required

const isApprovalEvent = (event: { kind: unknown }): event is ApprovalEvent => event.kind === 'approval'
