// Checks an export of medical receipts line by line, however long it is: each receipt by itself, with its proofs in the tree
// of the head, and at the end the whole, which the last line is over.
import { readJsonObject, READ_FAULTS } from '../../attestation/read-json.ts'
import { wholeNumberIn } from '../../attestation/number-text.ts'
import { isJsonObject, type JsonObject } from '../../platform/json-object.ts'
import { pinnedTrustOf, type Against } from './against.ts'
import { checkReceiptLine, isReceipt } from './check-receipt.ts'
import { demoNote, isMarkedAs } from './demo-mark.ts'
import { checkHead, judgeOwnKeys } from './check-head.ts'
import { ExportFrame } from './export-frame.ts'
import { failed, found, plain, type Finding } from './finding.ts'

const HEAD = 'medical_export.head'
const END = 'medical_export.end'
const SCHEMA = 'medical-1'

/** Whether a file that begins with this line is such an export. */
export function isMedicalExport(line: Uint8Array): boolean {
  const read = readJsonObject(line)
  return read.readable && read.object['object'] === HEAD
}

const MEDICAL_FAULTS = {
  not_an_export: `It is no export of ${SCHEMA}, or its head is of another organisation.`,
  export_cut: 'It has no last line: it is not whole.',
  line_after_end: 'It has lines after the last one.',
  lines_wrong: 'Lines of it are wrong, as told above.',
  count_mismatch: 'It has not as many receipts as its last line says.',
  hash_mismatch: 'Its last line is over other bytes than those before it.',
  entries_unreadable: 'It lacks entries that could not be read.',
} as const

export class MedicalExport {
  readonly #against: Against
  readonly #frame: ExportFrame
  /** Of the head, once it was read. */
  #findings: Finding[] | null = null
  /** Null where the head is none of such an export. */
  #treeHead: JsonObject | null = null
  #name = ''
  #receipts = 0
  /** The position of the last receipt: the latest come first, each once. */
  #before = Infinity
  #faults = 0

  constructor(against: Against) {
    this.#against = against
    this.#frame = new ExportFrame(END, against.cryptography.beginSha256())
  }

  /** What is wrong with the next line. */
  take(line: Uint8Array): Finding[] {
    const read = this.#frame.take(line)
    if (read.part === 'closing') return []
    if (read.part === 'head') {
      this.#findings = this.#takeHead(read.object)
      return []
    }
    const findings =
      read.part === 'unreadable'
        ? [failed('document', '', read.fault, READ_FAULTS[read.fault])]
        : this.#judgeLine(read.object)
    if (findings.some(({ valid }) => !valid)) this.#faults += 1
    return findings
  }

  /** Of the whole, once there is no further line. */
  end(): Finding[] {
    const subject = `${this.#name}, ${this.#receipts} receipts${demoNote(this.#treeHead?.['org_id'])}`
    const fault = this.#judgeWhole()
    const whole = fault === null ? found('export', subject) : failed('export', subject, fault, MEDICAL_FAULTS[fault])
    return [...(this.#findings ?? []), whole]
  }

  #takeHead(head: JsonObject): Finding[] {
    const { tree_head: tree, org_id: orgId, schema, public_keys: keys } = head
    this.#name = `${plain(orgId)}  ${plain(head['export_id'])}`
    if (schema !== SCHEMA || !isJsonObject(tree) || tree['org_id'] !== orgId || !isMarkedAs(head, orgId)) return []
    this.#treeHead = tree
    return [...checkHead(tree, this.#against), judgeOwnKeys(tree, keys)]
  }

  #judgeLine(receipt: JsonObject): Finding[] {
    if (!isReceipt(receipt)) return [failed('document', '', 'not_a_receipt', 'It is no medical receipt.')]
    this.#receipts += 1
    if (this.#treeHead === null) return []
    const position = positionOf(receipt)
    if (position >= this.#before) {
      return [failed('receipt', plain(receipt['id']), 'out_of_order', 'It is not before the one above it in the log.')]
    }
    this.#before = position
    return checkReceiptLine(receipt, this.#treeHead, pinnedTrustOf(this.#against))
  }

  #judgeWhole(): keyof typeof MEDICAL_FAULTS | null {
    const { end, isContinued } = this.#frame
    if (this.#treeHead === null) return 'not_an_export'
    if (end === null) return 'export_cut'
    if (isContinued) return 'line_after_end'
    if (this.#faults > 0) return 'lines_wrong'
    if (wholeNumberIn(end, 'receipts') !== this.#receipts) return 'count_mismatch'
    if (end['sha256'] !== this.#frame.sha256()) return 'hash_mismatch'
    return wholeNumberIn(end, 'unreadable_entries') === 0 ? null : 'entries_unreadable'
  }
}

function positionOf({ organisation_log: log }: JsonObject): number {
  const proof = isJsonObject(log) ? log['proof'] : null
  return (isJsonObject(proof) ? wholeNumberIn(proof, 'leaf_index') : null) ?? Infinity
}
