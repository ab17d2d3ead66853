// Tells which refusals in a look at the log are calls of their own: those that wait for a person, or waited and never ran.
import { findApproval } from '../approvals/read-approvals.ts'
import { isHeld, type LoggedCall } from '../journal/call-pages.ts'
import type { Stores } from '../organisation-stores.ts'
import type { CallIndexStore } from './call-index.store.ts'
import type { Ending } from '../../evidence/records/call-endings.ts'

type Parts = { stores: Pick<Stores, 'journal' | 'endedApprovals'>; index: Pick<CallIndexStore, 'heldAmong'> }

/**
 * Returns the positions of held calls with their endings. A held refusal that is not among them belongs to another call. @param size
 * entries of the log when the look began: a request that ran after that still waits in it
 */
export function heldCallsAt({ stores, index }: Parts, calls: readonly LoggedCall[], size: number): Map<number, Ending> {
  const refusals = calls.filter(isHeld)
  const held = new Map(index.heldAmong(refusals.map(({ decision }) => decision.position)))
  for (const { decision, facts } of refusals) {
    const { position } = decision
    const approval =
      held.has(position) || facts.approval_id === undefined ? null : findApproval(stores, facts.approval_id)
    if (approval?.subject_position !== position) continue
    if (approval.claimedBy !== null && approval.claimedBy >= size) held.set(position, 'awaiting_approval')
  }
  return held
}
