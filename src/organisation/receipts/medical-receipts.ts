// Collects the receipts of medical calls, page by page, newest first. The policy says which use cases are medical. `take` makes each
// receipt: one line for a list, or all its parts for an export.
import * as z from 'zod'
import { contentOf } from '../../evidence/entry.ts'
import { once } from '../../platform/once.ts'
import { providerOfEndpoint } from '../../providers/provider-registry.ts'
import type { StoredEntry } from '../journal/archive-object.ts'
import type { UnsignedRecord } from '../../evidence/records/attestation-record.ts'
import type { KnownTree } from '../../tiles/proofs-from-tiles.ts'
import type { InclusionProof } from '../../evidence/tree/verify-proof.ts'
import { utcDay } from '../../platform/time.ts'
import { approvalOfCall, type ApprovalWithRecords } from '../approvals/read-approvals.ts'
import { endDueApprovals } from '../approvals/approval-steps.ts'
import type { LeafReader } from '../audit/leaf-reader.ts'
import { positionsOfDays } from '../audit/find-positions.ts'
import { isHeld, outcomeOfCall, type CallFacts, type CallPages, type LoggedCall } from '../journal/call-pages.ts'
import type { CallIndexStore } from '../usage/call-index.store.ts'
import { heldCallsAt } from '../usage/held-calls.ts'
import type { Outcome } from '../../evidence/records/call-endings.ts'
import type { LogReader } from '../journal/log-reader.ts'
import type { ApprovalState } from '../journal/state/approval.schema.ts'
import type { State } from '../journal/state/organisation-state.ts'
import type { ObjectParts } from '../object-parts.ts'
import type { Stores } from '../organisation-stores.ts'

type DayReader = Pick<LeafReader, 'firstKnown' | 'firstAndLastUnreadable'>

/** Selects receipts of whole UTC days, from `from` to before `until` in milliseconds. */
export type MedicalReceiptsQuery = {
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
  outcome: Outcome
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

/** Ends approvals that have expired. Returns the tree of a turn in which every call is counted. Rejects if R2 fails. */
export async function endApprovalsAndReadTree(
  { stores, turns, usage }: Pick<ObjectParts, 'stores' | 'turns' | 'usage'>,
  now: number,
): Promise<KnownTree> {
  turns.takeUntilClosed(() => endDueApprovals(stores, now))
  return usage.answer(turns.takeUntilClosed, () => stores.journal.tree)
}

/** Returns the pages of all calls, newest first, from `before` back. If it is null, they begin at the end of the query's days. */
export async function openCallPages(
  { logReader, reader }: { logReader: LogReader; reader: DayReader },
  { before, until }: MedicalReceiptsQuery,
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
type CollectQuery = MedicalReceiptsQuery & { medical: MedicalUseCases; endsWithinPage: boolean }

/** The reason to omit a receipt with an unreadable entry. `counted`: the pages of calls already count that entry. */
export type OmissionReason = 'unreadable' | 'counted'

/** Collects the receipts that match the query, newest first, one for each call. @param take makes a call's receipt before the next page is read */
export async function collectReceipts<Receipt>(
  { pager, stores, index, size }: { pager: CallPages; stores: Stores; index: CallIndexStore; size: number },
  wanted: CollectQuery,
  take: (call: LoggedCall) => Promise<Receipt | OmissionReason>,
): Promise<ReceiptsPage<Receipt>> {
  const receipts: Receipt[] = []
  let unreadable = 0
  for (let pages = 1; ; pages += 1) {
    const page = await pager.next()
    unreadable += page.unreadable
    const matching = page.calls.filter((one) => matches(one, wanted))
    const held = heldCallsAt({ stores, index }, matching, size)
    const calls = matching.filter((one) => !isHeld(one) || held.has(one.decision.position))
    for (const call of calls) {
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
function matches(call: LoggedCall, { from, until, medical, ...wanted }: CollectQuery): boolean {
  const { at } = call.decision
  const { use_case: useCase } = call.facts
  return (
    at >= from &&
    at < until &&
    (wanted.outcome === null || wanted.outcome === outcomeOfCall(call)) &&
    (wanted.useCase === null || wanted.useCase === useCase) &&
    isMedical(medical, useCase)
  )
}

/** Without a settlement, the provider is that of the route which the call was first to be sent by. */
export function toListedReceipt(
  stores: Stores,
  { decision, record, facts }: DescribedCall,
  settlement: Pick<StoredEntry, 'entry'> | null,
): ListedReceipt {
  const settled = settlement && SettledRouteSchema().parse(contentOf(settlement.entry))
  return {
    position: decision.position,
    attestationId: record.attestation_id,
    traceId: record.trace_id,
    decidedAt: record.timestamp,
    outcome: outcomeOfCall({ record, facts }),
    model: record.model,
    provider: providerOfEndpoint(settled?.route) ?? facts.provider,
    useCase: facts.use_case,
    approvalState: approvalOfCall(stores, decision.position)?.state ?? null,
  }
}

const SettledRouteSchema = once(() => z.looseObject({ route: z.string().optional() }))

export type DescribedCall = {
  decision: { position: number }
  record: Pick<UnsignedRecord, 'attestation_id' | 'trace_id' | 'timestamp' | 'model'> & { outcome: string }
  facts: CallFacts
}
