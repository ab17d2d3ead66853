// Lists and finds approvals, open and ended, and reads the unsigned records of their decisions. Also finds who made the key that asks.
import { readAcceptance, type UnsignedAcceptRecord } from '../../evidence/records/accept-record.ts'
import { readReceiptEntry } from '../../evidence/records/receipt-entry.ts'
import type { UnsignedRecord } from '../../evidence/records/attestation-record.ts'
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
import { endDueApprovals, type ApprovalStores } from './approval-steps.ts'

export type AnyApproval = OpenApproval | EndedApproval

/** The key that asks. `makerName`: of the key that made it, if a key did. `person`: who made it, directly or through keys. */
export type AskingKey = { name: string; madeBy: KeyMaker; makerName: string | null; person: PersonId | null }

/** `asking`: null if the key is unknown. */
export type AskedApproval = AnyApproval & { asking: AskingKey | null }

/** `before`: return only approvals older than this id. */
export type ApprovalsQuery = { state: ApprovalState | null; before: string | null; limit: number }

/** `acceptances`: one for each decision, in their order. Null if the entry has expired or cannot be read. */
export type ApprovalWithRecords<Approval extends AnyApproval = AnyApproval> = {
  approval: Approval
  subject: UnsignedRecord | null
  acceptances: (UnsignedAcceptRecord | null)[]
}

/** Ends approvals that are due, then returns approvals, newest first. Call it inside a turn, because it may write. */
export function listApprovals(stores: ApprovalStores, query: ApprovalsQuery, now: number): AskedApproval[] {
  endDueApprovals(stores, now)
  const { state, before, limit } = query
  const open = [...stores.journal.state.approvals.values()].filter(
    (one) => (state === null || one.state === state) && (before === null || one.approval_id < before),
  )
  const ended = state === null || isEnd(state) ? stores.endedApprovals.list({ state, before, limit }) : []
  return [...open, ...ended]
    .toSorted((one, other) => (one.approval_id < other.approval_id ? 1 : -1))
    .slice(0, limit)
    .map((one) => withAskingKey(stores.keys, one))
}

const isEnd = (state: ApprovalState): state is EndState => END_STATES.some((one) => one === state)

export const findApproval = (
  { journal, endedApprovals }: Pick<ApprovalStores, 'journal' | 'endedApprovals'>,
  id: ApprovalId,
): AnyApproval | null => journal.state.approvals.get(id) ?? endedApprovals.find(id)

/** Finds the approval that the refusal at a log position asked for, or that the call there used. Null if none is stored. */
export const approvalOfCall = (
  { journal, endedApprovals }: Pick<ApprovalStores, 'journal' | 'endedApprovals'>,
  position: number,
): AnyApproval | null =>
  journal.state.approvals.values().find((one) => one.subject_position === position || one.claimedBy === position) ??
  endedApprovals.findOfCall(position)

export async function readApprovalWithRecords<Approval extends AnyApproval>(
  archive: Pick<Archive, 'findEntry'>,
  approval: Approval,
  now: number,
): Promise<ApprovalWithRecords<Approval>> {
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

export function withAskingKey(keys: Pick<KeysStore, 'findKey'>, approval: AnyApproval): AskedApproval {
  const key = keys.findKey(approval.key_id)
  if (key === null) return { ...approval, asking: null }
  const { id, name, createdBy: madeBy } = key
  const makerName = keys.findKey(madeBy)?.name ?? null
  return { ...approval, asking: { name, madeBy, makerName, person: personBehind(keys, id) } }
}

/** Returns the person who made a key, directly or through keys that made keys. Null if the operator made it, or if unknown. */
export function personBehind(keys: Pick<KeysStore, 'findKey'>, keyId: string): PersonId | null {
  const seen = new Set<string>()
  let maker: KeyMaker | undefined = keys.findKey(keyId)?.createdBy
  while (maker !== undefined && maker.startsWith('key_') && !seen.has(maker)) {
    seen.add(maker)
    maker = keys.findKey(maker)?.createdBy
  }
  return maker !== undefined && isPerson(maker) ? maker : null
}

const isPerson = (maker: KeyMaker): maker is PersonId => maker.startsWith('usr_')
