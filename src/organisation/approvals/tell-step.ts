// Tells an organisation's webhook of what becomes of an approval: that one is asked for, decided about, or was not in time.
import { notify, type Outbox } from '../../notifications/notify.ts'
import type { Journal } from '../journal/journal.ts'
import type { ApprovalStep, OpenApproval } from '../journal/state/approval.schema.ts'
import { endOf } from '../journal/state/approvals.ts'

/**
 * Belongs in the turn of the step, after it.
 * @param before the approval as it was; undefined where it is asked for
 */
export function tellStep(
  { journal, outbox }: { journal: Journal; outbox: Outbox },
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
    const data = { approval_id, key_id, decision, decided_by, state: endOf(step) ?? approval.state }
    notify(outbox, { type: 'approval.decided', data }, now)
  } else if (step.step === 'expired' && before !== undefined) {
    notify(outbox, { type: 'approval.expired', data: { approval_id, key_id, state: before.state } }, now)
  }
}
