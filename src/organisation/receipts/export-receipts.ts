// Medical receipts with all that shows them to others: each with its record, how the call ended, what people decided, and proofs in a tree
// of the log that is known.
import { readReceiptEntry } from '../../evidence/records/receipt-entry.ts'
import type { KeptEntry } from '../journal/archive-object.ts'
import { planInclusionsAt, type KnownTree } from '../../tiles/proofs.ts'
import { approvalOfCall, withRecords } from '../approvals/read-approvals.ts'
import type { WalkedCall } from '../journal/call-walk.ts'
import {
  beginLook,
  beginWalk,
  collect,
  describe,
  endOfDays,
  type KeptReceipt,
  type LeftOut,
  type MedicalUseCases,
  type ReceiptParts,
  type ReceiptsPage,
  type WantedReceipts,
} from './medical-receipts.ts'

/** `tree`, `medical`: as they were when the export began. */
export type WantedExport = WantedReceipts & { tree: KnownTree; medical: MedicalUseCases }

/** Before each so many, other calls come. */
const PROVEN_AT_ONCE = 10

/** The latest first. A page ends with a page of entries, so that none that cannot be read is counted twice. */
export async function exportReceipts(
  parts: ReceiptParts,
  { tree, ...wanted }: WantedExport,
  now: number,
): Promise<ReceiptsPage<KeptReceipt>> {
  beginLook(parts, now)
  const walk = await beginWalk(parts, wanted, tree.size, now)
  const found = await collect(walk, { ...wanted, endsWithinPage: false }, async (call): Promise<Unproven | LeftOut> => {
    const record = readReceiptEntry(call.decision.entry)
    if (record === null) return 'unreadable'
    const ending = await walk.endingOf(call)
    if (ending.state === 'unreadable') {
      const { position } = ending
      const isWalked = position !== null && position < (await endOfDays(parts.reader, wanted.until, tree.size, now))
      return isWalked ? 'counted' : 'unreadable'
    }
    return { call, record, settlement: ending.state === 'settled' ? ending.settlement : null }
  })
  return { ...found, receipts: await proveAll(parts, found.receipts, tree, now) }
}

type Unproven = Pick<KeptReceipt, 'record'> & { call: WalkedCall; settlement: KeptEntry | null }

/** What came after the tree is in no proof of it, and so is left out. */
async function proveAll(
  parts: ReceiptParts,
  unproven: readonly Unproven[],
  tree: KnownTree,
  now: number,
): Promise<KeptReceipt[]> {
  const isProven = (position: number): boolean => position < tree.size
  const positions = unproven.flatMap(({ call, settlement }) => [
    call.decision.position,
    ...(settlement === null ? [] : [settlement.position]),
  ])
  const prove = await planInclusionsAt(parts.log, positions.filter(isProven), tree)
  const receipts: KeptReceipt[] = []
  for (const { call, record, settlement } of unproven) {
    if (receipts.length % PROVEN_AT_ONCE === 0) await scheduler.wait(0)
    const approval = approvalOfCall(parts.stores, call.decision.position)
    receipts.push({
      ...describe(parts, call),
      record,
      inclusion: prove(call.decision.position),
      settlement:
        settlement !== null && isProven(settlement.position)
          ? { entry: settlement.entry, inclusion: prove(settlement.position) }
          : null,
      approval: approval && (await withRecords(parts.archive, approval, now)),
    })
  }
  return receipts
}
