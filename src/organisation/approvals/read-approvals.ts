// Lists and finds approvals, open and ended, with the unsigned records of their decisions.
import { readAcceptance, type UnsignedAcceptRecord } from '../../evidence/records/accept-record.ts'
import { readReceiptEntry } from '../../evidence/records/receipt-entry.ts'
import type { UnsignedRecord } from '../../evidence/records/record.ts'
import type { Archive } from '../journal/archive.ts'
import { contentOf } from '../../evidence/entry.ts'
import type { ApprovalId, PersonId } from '../../platform/ids.ts'
import type { KeyMaker } from '../../keys/key.schema.ts'
import type { KeysStore } from '../../keys/keys.store.ts'
import {
  END_STATES,
  type ApprovalState,
  type EndedApproval,
  type EndState,
  type OpenApproval,
} from '../journal/state/approval.schema.ts'
import { endDue, type ApprovalStores } from './approval-steps.ts'

export type AnyApproval = OpenApproval | EndedApproval

/** `before`: return only approvals older than this id. */
export type ApprovalsQuery = { state: ApprovalState | null; before: string | null; limit: number }

/** `acceptances`: one for each decision, in their order. Null if the entry has expired or cannot be read. */
export type ApprovalWithRecords = {
  approval: AnyApproval
  subject: UnsignedRecord | null
  acceptances: (UnsignedAcceptRecord | null)[]
}

/** Returns approvals, newest first. Call it inside a turn. */
export function listApprovals(stores: ApprovalStores, query: ApprovalsQuery, now: number): AnyApproval[] {
  endDue(stores, now)
  const { state, before, limit } = query
  const open = [...stores.journal.state.approvals.values()].filter(
    (one) => (state === null || one.state === state) && (before === null || one.approval_id < before),
  )
  const ended = state === null || isEnd(state) ? stores.endedApprovals.list({ state, before, limit }) : []
  return [...open, ...ended].toSorted((one, other) => (one.approval_id < other.approval_id ? 1 : -1)).slice(0, limit)
}

const isEnd = (state: ApprovalState): state is EndState => END_STATES.some((one) => one === state)

export const findApproval = (
  { journal, endedApprovals }: Pick<ApprovalStores, 'journal' | 'endedApprovals'>,
  id: ApprovalId,
): AnyApproval | null => journal.state.approvals.get(id) ?? endedApprovals.find(id)

/** Finds the approval that the refusal at a position asked for, or that its call used. Null if none is stored. */
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

/** Returns the person who made a key, or who made the key that made it, and so on. Null if the operator did, or if unknown. */
export function personBehind(keys: Pick<KeysStore, 'findKey'>, keyId: string): PersonId | null {
  const seen = new Set<string>()
  let maker: KeyMaker | undefined = keys.findKey(keyId)?.createdBy
  while (maker !== undefined && isKey(maker) && !seen.has(maker)) {
    seen.add(maker)
    maker = keys.findKey(maker)?.createdBy
  }
  return maker !== undefined && isPerson(maker) ? maker : null
}

const isKey = (maker: KeyMaker): boolean => maker.startsWith('key_')
const isPerson = (maker: KeyMaker): maker is PersonId => maker.startsWith('usr_')
