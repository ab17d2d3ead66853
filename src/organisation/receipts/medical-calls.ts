// Lists the calls whose use case the policy calls medical, page by page. Medical receipts are made from them.
import type { Outcome, UnsignedRecord } from '../../evidence/records/record.ts'
import type { KnownTree } from '../../tiles/proofs.ts'
import type { InclusionProof } from '../../evidence/tree/proof.ts'
import { utcDay } from '../../platform/time.ts'
import { approvalOfCall, type ApprovalWithRecords } from '../approvals/read-approvals.ts'
import { endDue } from '../approvals/approval-steps.ts'
import type { LeafReader } from '../audit/leaf-reader.ts'
import { positionsOfDays } from '../audit/find-positions.ts'
import type { CallFacts, CallPages, LoggedCall } from '../journal/call-pages.ts'
import type { LogReader } from '../journal/log-reader.ts'
import type { ApprovalState } from '../journal/state/approval.schema.ts'
import type { State } from '../journal/state/state.ts'
import type { ObjectParts } from '../object-parts.ts'
import type { Stores } from '../stores.ts'

type DayReader = Pick<LeafReader, 'firstKnown' | 'firstAndLastUnreadable'>

/** Selects receipts of whole UTC days, from `from` to before `until` in milliseconds. */
export type ReceiptsQuery = {
  from: number
  until: number
  outcome: Outcome | null
  useCase: string | null
  /** Return receipts before this position; null: from the end of the days. */
  before: number | null
  limit: number
}

export type ListedReceipt = {
  position: number
  attestationId: string
  traceId: string
  decidedAt: string
  outcome: string
  model: string
  provider: string | null
  useCase: string | null
  approvalState: ApprovalState | null
}

/** `unreadable`: entries that should be there but cannot be read. `next`: the `before` of the next page; null on the last. */
export type ReceiptsPage<Receipt> = { receipts: Receipt[]; unreadable: number; next: number | null }

export type SettlementProof = { entry: Uint8Array; inclusion: InclusionProof }

/** A receipt whose parts are all still stored. */
export type StoredReceipt = ListedReceipt & {
  record: UnsignedRecord
  inclusion: InclusionProof
  /** Null while the call runs, for a refusal, and if it is no longer stored. */
  settlement: SettlementProof | null
  approval: ApprovalWithRecords | null
}

/** Some thousands of entries, which take a moment beside calls. A strict filter needs more pages. */
const PAGES_A_REQUEST = 24

/** Null: all calls are medical, with or without a use case. */
export type MedicalUseCases = readonly string[] | null

export const medicalUseCases = ({ policy }: State): MedicalUseCases => policy.document.medical_use_cases ?? null

export const isMedical = (medical: MedicalUseCases, useCase: string | null): boolean =>
  medical === null || (useCase !== null && medical.includes(useCase))

/** Ends approvals that have expired. Returns the tree of that turn. Throws if the organisation is being erased. */
export const openRead = ({ stores, turns }: Pick<ObjectParts, 'stores' | 'turns'>, now: number): KnownTree =>
  turns.takeUntilSealed(() => {
    endDue(stores, now)
    return stores.journal.tree
  })

/** Returns pages from `before` on. Without it the first begins at the end of the days, which is searched if it is in the past. */
export async function pageMedicalCalls(
  { logReader, reader }: { logReader: LogReader; reader: DayReader },
  { before, until }: ReceiptsQuery,
  size: number,
  now: number,
): Promise<CallPages> {
  const end = before ?? (await endOfDays(reader, until, size, now))
  return logReader.pageCalls({ from: 0, before: end, size }, now)
}

/** Returns the position after the last entry from before `until`. */
export async function endOfDays(reader: DayReader, until: number, size: number, now: number): Promise<number> {
  if (until > now) return size
  const last = utcDay(until) - 1
  return (await positionsOfDays(reader, { first: last, last }, size, now)).end
}

/** `endsWithinPage`: stop at exactly `limit` receipts; otherwise after the page of entries that reaches it. */
type CollectQuery = ReceiptsQuery & { medical: MedicalUseCases; endsWithinPage: boolean }

/** Why a receipt with an unreadable entry is omitted. `counted`: the pages of the walk already count that entry. */
export type Omitted = 'unreadable' | 'counted'

/** @param take converts a call while the walk is at its page */
export async function collect<Receipt>(
  walk: CallPages,
  wanted: CollectQuery,
  take: (call: LoggedCall) => Promise<Receipt | Omitted>,
): Promise<ReceiptsPage<Receipt>> {
  const receipts: Receipt[] = []
  let unreadable = 0
  for (let pages = 1; ; pages += 1) {
    const page = await walk.next()
    unreadable += page.unreadable
    for (const call of page.calls.filter((one) => matches(one, wanted))) {
      const taken = await take(call)
      if (taken === 'unreadable') unreadable += 1
      else if (taken !== 'counted') receipts.push(taken)
      const isFull = receipts.length === wanted.limit && wanted.endsWithinPage
      if (isFull) return { receipts, unreadable, next: call.decision.position }
    }
    if (page.next === null || page.oldestAt < wanted.from) return { receipts, unreadable, next: null }
    if (receipts.length >= wanted.limit || pages === PAGES_A_REQUEST) return { receipts, unreadable, next: page.next }
    await scheduler.wait(0)
  }
}

/** Filters by the entry's time, as the days do. The record's time may be earlier if the clock was set back. */
function matches(
  { decision: { at }, record, facts: { use_case: useCase } }: LoggedCall,
  { from, until, medical, ...wanted }: CollectQuery,
): boolean {
  return (
    at >= from &&
    at < until &&
    (wanted.outcome === null || wanted.outcome === record.outcome) &&
    (wanted.useCase === null || wanted.useCase === useCase) &&
    isMedical(medical, useCase)
  )
}

export function describe(stores: Stores, { decision, record, facts }: DescribedCall): ListedReceipt {
  return {
    position: decision.position,
    attestationId: record.attestation_id,
    traceId: record.trace_id,
    decidedAt: record.timestamp,
    outcome: record.outcome,
    model: record.model,
    provider: facts.provider,
    useCase: facts.use_case,
    approvalState: approvalOfCall(stores, decision.position)?.state ?? null,
  }
}

export type DescribedCall = {
  decision: { position: number }
  record: Pick<UnsignedRecord, 'attestation_id' | 'trace_id' | 'timestamp' | 'model'> & { outcome: string }
  facts: CallFacts
}
