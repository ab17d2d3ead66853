// Lists, finds and exports medical receipts: calls whose use case the policy in force calls medical. A medical receipt is a view
// of the log: the decision, the call's ending, people's decisions, and proofs that they are in the log.
import { readReceiptEntry } from '../../evidence/records/receipt-entry.ts'
import type { InclusionProof } from '../../evidence/tree/verify-proof.ts'
import { inclusionProverAt, type KnownTree } from '../../tiles/proofs-from-tiles.ts'
import type { Act } from '../append-act.ts'
import { approvalOfCall, readApprovalWithRecords } from '../approvals/read-approvals.ts'
import { beginExport, type ExportBegun } from '../export/export.target.ts'
import type { StoredEntry } from '../journal/archive-object.ts'
import { readFacts } from '../journal/call-pages.ts'
import { FeatureTarget } from '../feature.target.ts'
import { CallIndexStore } from '../usage/call-index.store.ts'
import {
  endApprovalsAndReadTree,
  openCallPages,
  collectReceipts,
  toListedReceipt,
  endOfDays,
  isMedical,
  medicalUseCases,
  type DescribedCall,
  type StoredReceipt,
  type OmissionReason,
  type ListedReceipt,
  type MedicalUseCases,
  type ReceiptsPage,
  type MedicalReceiptsQuery,
} from './medical-receipts.ts'

/** `expired`: only the leaf is still stored. */
export type FoundReceipt =
  | { outcome: 'found'; details: 'kept'; receipt: StoredReceipt }
  | { outcome: 'found'; details: 'expired'; inclusion: InclusionProof }
  | { outcome: 'not_found' | 'unreadable' }

/** `tree`, `medical`: their values when the export began. */
export type ReceiptsExportQuery = MedicalReceiptsQuery & { tree: KnownTree; medical: MedicalUseCases }

/** Other calls run after each batch of this size. */
const PROVEN_AT_ONCE = 10

type Unproven = Pick<StoredReceipt, 'record'> & {
  call: DescribedCall
  settlement: Pick<StoredEntry, 'position' | 'entry'> | null
}

export class ReceiptsTarget extends FeatureTarget<
  'sql' | 'stores' | 'turns' | 'usage' | 'log' | 'archive' | 'logReader' | 'newLeafReader'
> {
  /** Returns receipts, newest first. Takes several turns. */
  async list(wanted: MedicalReceiptsQuery): Promise<ReceiptsPage<ListedReceipt>> {
    const { sql, stores, logReader, newLeafReader } = this.parts
    const now = Date.now()
    const { size } = await endApprovalsAndReadTree(this.parts, now)
    const pager = await openCallPages({ logReader, reader: newLeafReader() }, wanted, size, now)
    const query = { ...wanted, medical: medicalUseCases(stores.journal.state), endsWithinPage: true }
    const index = new CallIndexStore(sql)
    return collectReceipts({ pager, stores, index, size }, query, async (call) => {
      const ending = await pager.endingOf(call)
      return toListedReceipt(stores, call, ending.state === 'settled' ? ending.settlement : null)
    })
  }

  /** Finds a call's evidence. Rejects if R2 or the public log's index fails; then retry. @param ofMedical find medical calls only */
  async find(attestationId: string, ofMedical: boolean): Promise<FoundReceipt> {
    const { logReader, stores, log } = this.parts
    const now = Date.now()
    const tree = await endApprovalsAndReadTree(this.parts, now)
    const position = await logReader.findReceipt(attestationId)
    if (position === null || position >= tree.size) return { outcome: 'not_found' }
    const call = await logReader.readCall(position, now)
    if (call.outcome === 'not_kept') {
      const prove = await inclusionProverAt(log, [position], tree)
      return { outcome: 'found', details: 'expired', inclusion: prove(position) }
    }
    if (call.outcome !== 'found') return { outcome: call.outcome }
    const { decision, record, settlement } = call
    const facts = readFacts(decision)
    if (ofMedical && !isMedical(medicalUseCases(stores.journal.state), facts.use_case)) return { outcome: 'not_found' }
    const [receipt] = await this.#prove([{ call: { decision, record, facts }, record, settlement }], tree, now)
    return receipt === undefined ? { outcome: 'unreadable' } : { outcome: 'found', details: 'kept', receipt }
  }

  /** Begins an export: logs the act, and returns the tree and which use cases the policy calls medical. */
  beginExport(act: Act): ExportBegun & { tree: KnownTree; medical: MedicalUseCases } {
    const { stores, turns } = this.parts
    return turns.takeUntilClosed(() => {
      const begun = beginExport(stores, act, Date.now())
      return { ...begun, tree: stores.journal.tree, medical: medicalUseCases(stores.journal.state) }
    })
  }

  /** Returns receipts, newest first. Ends with a page of entries, so that no unreadable entry is counted twice. */
  async export({ tree, ...wanted }: ReceiptsExportQuery): Promise<ReceiptsPage<StoredReceipt>> {
    const { sql, stores, logReader } = this.parts
    const now = Date.now()
    const reader = this.parts.newLeafReader()
    await endApprovalsAndReadTree(this.parts, now)
    const pager = await openCallPages({ logReader, reader }, wanted, tree.size, now)
    const found = await collectReceipts(
      { pager, stores, index: new CallIndexStore(sql), size: tree.size },
      { ...wanted, endsWithinPage: false },
      async (call): Promise<Unproven | OmissionReason> => {
        const record = readReceiptEntry(call.decision.entry)
        if (record === null) return 'unreadable'
        const ending = await pager.endingOf(call)
        if (ending.state === 'unreadable') {
          const { position } = ending
          const isWalked = position !== null && position < (await endOfDays(reader, wanted.until, tree.size, now))
          return isWalked ? 'counted' : 'unreadable'
        }
        return { call, record, settlement: ending.state === 'settled' ? ending.settlement : null }
      },
    )
    return { ...found, receipts: await this.#prove(found.receipts, tree, now) }
  }

  /** Omits settlements after the tree, because it cannot prove them. */
  async #prove(unproven: readonly Unproven[], tree: KnownTree, now: number): Promise<StoredReceipt[]> {
    const { stores, log, archive } = this.parts
    const isProven = (position: number): boolean => position < tree.size
    const positions = unproven.flatMap(({ call, settlement }) => [
      call.decision.position,
      ...(settlement === null ? [] : [settlement.position]),
    ])
    const prove = await inclusionProverAt(log, positions.filter(isProven), tree)
    const receipts: StoredReceipt[] = []
    for (const { call, record, settlement } of unproven) {
      if (receipts.length % PROVEN_AT_ONCE === 0) await scheduler.wait(0)
      const approval = approvalOfCall(stores, call.decision.position)
      receipts.push({
        ...toListedReceipt(stores, call, settlement),
        record,
        inclusion: prove(call.decision.position),
        settlement:
          settlement !== null && isProven(settlement.position)
            ? { entry: settlement.entry, inclusion: prove(settlement.position) }
            : null,
        approval: approval && (await readApprovalWithRecords(archive, approval, now)),
      })
    }
    return receipts
  }
}
