// Approvals as people and callers are shown them: open ones and ended ones alike, and with the records of what was decided.
import { readAcceptance, type UnsignedAcceptRecord } from '../../evidence/records/accept-record.ts'
import { readReceiptEntry } from '../../evidence/records/receipt-entry.ts'
import type { UnsignedRecord } from '../../evidence/records/record.ts'
import type { Archive } from '../journal/archive.ts'
import { contentOf } from '../../evidence/entry.ts'
import type { ApprovalId } from '../../platform/ids.ts'
import { END_STATES, type ApprovalState, type EndState } from '../journal/state/approval.schema.ts'
import { findApproval, type AnyApproval } from './decide-approval.ts'
import { endOver, type ApprovalStores } from './steps.ts'

/** `before`: an id, which is newer. */
export type WantedApprovals = { state: ApprovalState | null; before: string | null; limit: number }

/** `acceptances`: of its decisions, in their order. Null where the entry is not kept any more, or cannot be read. */
export type ApprovalWithRecords = {
  approval: AnyApproval
  subject: UnsignedRecord | null
  acceptances: (UnsignedAcceptRecord | null)[]
}

/** Newest first. Belongs inside a turn, as the next. */
export function listApprovals(stores: ApprovalStores, wanted: WantedApprovals, now: number): AnyApproval[] {
  endOver(stores, now)
  const { state, before, limit } = wanted
  const open = [...stores.journal.state.approvals.values()].filter(
    (one) => (state === null || one.state === state) && (before === null || one.approval_id < before),
  )
  const ended = state === null || isEnd(state) ? stores.endedApprovals.list({ state, before, limit }) : []
  return [...open, ...ended].toSorted((one, other) => (one.approval_id < other.approval_id ? 1 : -1)).slice(0, limit)
}

const isEnd = (state: ApprovalState): state is EndState => END_STATES.some((one) => one === state)

/** @param keyId of whoever may see no other's; null for people, who may see all */
export function showApproval(
  stores: ApprovalStores,
  { id, keyId }: { id: ApprovalId; keyId: string | null },
  now: number,
): AnyApproval | null {
  endOver(stores, now)
  const approval = findApproval(stores, id)
  return approval === null || (keyId !== null && approval.key_id !== keyId) ? null : approval
}

/** The approval that the refusal at a position asked for, or that the call at it ran with; null where there is none, or it is not kept. */
export const approvalOfCall = (
  { journal, endedApprovals }: Pick<ApprovalStores, 'journal' | 'endedApprovals'>,
  position: number,
): AnyApproval | null =>
  journal.state.approvals.values().find((one) => one.subject_position === position || one.claimedBy === position) ??
  endedApprovals.findOfCall(position)

export async function withRecords(
  archive: Pick<Archive, 'findEntry'>,
  approval: AnyApproval,
  now: number,
): Promise<ApprovalWithRecords> {
  const entryAt = async (position: number): Promise<Uint8Array | null> => {
    const found = await archive.findEntry(position, now)
    return found.outcome === 'found' ? found.entry : null
  }
  const entries = await Promise.all(approval.decisions.map(({ position }) => entryAt(position)))
  const refusal = await entryAt(approval.subject_position)
  return {
    approval,
    subject: refusal && readReceiptEntry(refusal),
    acceptances: entries.map((entry) => entry && readAcceptance(contentOf(entry)['acceptance'])),
  }
}
