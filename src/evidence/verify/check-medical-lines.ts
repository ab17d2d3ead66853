// Checks the lines of an export of medical receipts: each receipt with its proofs in the tree of the export's head.
// management/receipts/receipts-export.ts writes these lines.
import { wholeNumberIn } from '../records/number-text.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { lastLeafOf } from './check-anchor.ts'
import { checkReceiptLine, isReceipt } from './check-call-evidence.ts'
import type { ExportHead, ExportLines } from './export-lines.ts'
import { toPrintable } from './printable.ts'
import { demoNote, failed, type Finding } from './verification-finding.ts'
import { pinnedTrustOf, type CheckOptions } from './check-options.ts'

export class MedicalLines implements ExportLines {
  readonly headFault = null
  readonly counts = { receipts: 0 }
  last: number | null = null
  readonly #head: ExportHead | null
  readonly #options: CheckOptions
  /** The position of the receipt on the line before. Positions must fall from line to line. */
  #before = Infinity

  constructor(head: ExportHead | null, options: CheckOptions) {
    this.#head = head
    this.#options = options
  }

  take(receipt: JsonObject): Finding[] {
    if (!isReceipt(receipt)) return [failed('document', '', 'not_a_receipt', 'It is not a medical receipt.')]
    this.counts.receipts += 1
    if (this.#head === null) return []
    const { treeHead: head, list } = this.#head
    const { organisation_log: log, settlement } = receipt
    const proof = isJsonObject(log) ? log['proof'] : null
    const position = (isJsonObject(proof) ? wholeNumberIn(proof, 'leaf_index') : null) ?? Infinity
    if (position >= this.#before) {
      return [
        failed('receipt', toPrintable(receipt['id']), 'out_of_order', 'It is not before the one above it in the log.'),
      ]
    }
    this.#before = position
    this.last = Math.max(this.last ?? 0, lastLeafOf([log, settlement]) ?? 0)
    return checkReceiptLine(receipt, { head, list }, pinnedTrustOf(this.#options))
  }

  describe(head: JsonObject | null): string {
    const name = `${toPrintable(head?.['org_id'])}  ${toPrintable(head?.['export_id'])}`
    return `${name}, ${this.counts.receipts} receipts${demoNote(this.#head?.orgId)}`
  }
}
