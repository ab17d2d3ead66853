// Takes the steps of approvals: asked, decided, claimed, expired and others. Each step is a log entry. An approval that has ended
// is also stored as a row. A request, each decision and the end go to the webhook.
import { statusOf } from '../../keys/key.schema.ts'
import type { KeysStore } from '../../keys/keys.store.ts'
import type { EntryContent } from '../../evidence/entry.ts'
import { notify, type Outbox } from '../../notifications/notify.ts'
import { DAY_MS } from '../../platform/time.ts'
import type { ApprovalId } from '../../platform/ids.ts'
import { planOf } from '../../policies/tier.policy.ts'
import type { Journal } from '../journal/journal.ts'
import type { MemberRightsStore } from '../keys/member-rights.store.ts'
import type { ApprovalStep, OpenApproval } from '../journal/state/approval.schema.ts'
import {
  approversOf,
  endStateOf,
  findClaimedBy,
  isExpired,
  mayTakeStep,
  nextExpiryAt,
} from '../journal/state/approvals.ts'
import type { EndedApprovalsStore } from './ended-approvals.store.ts'

export type ApprovalStores = {
  keys: KeysStore
  journal: Journal
  endedApprovals: EndedApprovalsStore
  memberRights: MemberRightsStore
  outbox: Outbox
}

type StepStores = Pick<ApprovalStores, 'journal' | 'endedApprovals'>

/** Writes a step and notifies the webhook. Returns the entry's position. */
export function takeStep(
  stores: StepStores & Pick<ApprovalStores, 'outbox'>,
  step: ApprovalStep,
  now: number,
  extraContent: EntryContent = {},
): number {
  const found = stores.journal.state.approvals.get(step.approval_id)
  const before = found && { ...found }
  const position = writeStep(stores, step, now, extraContent)
  notifyOfStep(stores, step, before, now)
  return position
}

/**
 * Writes a step and returns its position. Call it inside a turn. Throws if the approval cannot take this step, which is a bug.
 * @param extraContent content for the entry that the organisation's state does not need
 */
function writeStep(
  { journal, endedApprovals }: StepStores,
  step: ApprovalStep,
  now: number,
  extraContent: EntryContent,
): number {
  const { approvals, settings, next } = journal.state
  const found = approvals.get(step.approval_id)
  const isPermitted = found === undefined ? step.step === 'asked' : mayTakeStep(found, step.step)
  if (!isPermitted) throw new Error(`no approval that can be ${step.step}`)
  const approval = found && structuredClone(found)
  const { retentionDays } = planOf(settings)
  const fields = { keyId: step.step === 'asked' ? step.key_id : null, outcome: step.step }
  const position = journal.append(
    { kind: 'approval', content: { ...step, ...extraContent }, fields, retentionDays },
    now,
  )
  const state = endStateOf(step)
  if (approval !== undefined && state !== null) {
    const endedAt = journal.state.clock.latest
    const last =
      step.step === 'decided'
        ? [{ decision: step.decision, by: step.actor, at: endedAt, position: next, counts: true }]
        : []
    const decisions = [...approval.decisions, ...last]
    endedApprovals.insert({ ...approval, decisions, state, endedAt }, now + retentionDays * DAY_MS)
  }
  return position
}

/**
 * Ends approvals that have expired or whose policy or key is no longer in force. Voids the decisions of people who may no longer
 * decide. Call it first in every turn that reads approvals, because the alarm may be late.
 */
export function endDueApprovals(stores: ApprovalStores, now: number): void {
  const { at } = stores.journal.at(now)
  const next = (id: ApprovalId): ApprovalStep | null => {
    const approval = stores.journal.state.approvals.get(id)
    return approval === undefined ? null : dueStep(stores, approval, at, now)
  }
  for (const id of stores.journal.state.approvals.keys()) {
    for (let step = next(id); step !== null; step = next(id)) takeStep(stores, step, now)
  }
}

/** Returns when the alarm is to call `endDueApprovals`; null for never. */
export function approvalsDueAt(stores: ApprovalStores, now: number): number | null {
  const { approvals } = stores.journal.state
  const { at } = stores.journal.at(now)
  const isDue = approvals.values().some((approval) => dueStep(stores, approval, at, now) !== null)
  return isDue ? now : nextExpiryAt(approvals)
}

/**
 * Ends an approval's run, in the turn that settles its request. Without an outbox, nobody is notified.
 * @param isReached true if the request may have reached a provider
 */
export function endRunOfApproval(
  stores: StepStores & Partial<Pick<ApprovalStores, 'outbox'>>,
  settles: number,
  isReached: boolean,
  now: number,
): void {
  const { journal, outbox } = stores
  const approval = findClaimedBy(journal.state.approvals, settles)
  if (approval === null) return
  const step = { step: isReached ? 'executed' : 'returned', approval_id: approval.approval_id } as const
  writeStep(stores, step, now, {})
  if (outbox !== undefined) notifyOfStep({ journal, outbox }, step, approval, now)
}

function dueStep(
  { keys, journal, memberRights }: ApprovalStores,
  approval: OpenApproval,
  at: number,
  now: number,
): ApprovalStep | null {
  const { approval_id, state, key_id, policy_version } = approval
  if (state === 'claimed') return null
  if (isExpired(approval, at)) return { step: 'expired', approval_id }
  if (policy_version !== journal.state.policy.version) return { step: 'withdrawn', approval_id, why: 'policy' }
  const key = keys.findKey(key_id)
  const isInForce = key !== null && statusOf(key, now) === 'active'
  if (!isInForce) return { step: 'withdrawn', approval_id, why: 'key' }
  const reviewer = [...approversOf(approval)].find((one) => !memberRights.mayStillDecide(one))
  return reviewer === undefined ? null : { step: 'voided', approval_id, reviewer }
}

/**
 * Sends a request, a decision or the end to the webhook. Call it in the turn of the step, after the step.
 * @param before the approval before the step; undefined for a new request
 */
function notifyOfStep(
  { journal, outbox }: Pick<ApprovalStores, 'journal' | 'outbox'>,
  step: ApprovalStep,
  before: OpenApproval | undefined,
  now: number,
): void {
  const approval = journal.state.approvals.get(step.approval_id) ?? before
  if (approval === undefined) return
  const { approval_id, key_id } = approval
  if (step.step === 'asked') {
    const { attestation_id, model, provider, use_case, reserve_microeur, approvals_required } = approval
    const expires_at = new Date(approval.expiresAt).toISOString()
    const facts = { attestation_id, model, provider, use_case, reserve_microeur, approvals_required, expires_at }
    notify(outbox, { type: 'approval.requested', data: { approval_id, key_id, ...facts } }, now)
  } else if (step.step === 'decided') {
    const { decision, actor: decided_by } = step
    const data = { approval_id, key_id, decision, decided_by, state: endStateOf(step) ?? approval.state }
    notify(outbox, { type: 'approval.decided', data }, now)
  } else if (step.step === 'expired' && before !== undefined) {
    notify(outbox, { type: 'approval.expired', data: { approval_id, key_id, state: before.state } }, now)
  } else if (step.step === 'withdrawn' && before !== undefined) {
    const data = { approval_id, key_id, state: before.state, why: step.why }
    notify(outbox, { type: 'approval.withdrawn', data }, now)
  } else if (step.step === 'executed') {
    notify(outbox, { type: 'approval.executed', data: { approval_id, key_id } }, now)
  }
}
