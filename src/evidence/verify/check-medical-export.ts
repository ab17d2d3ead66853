// Checks an export of medical receipts, line by line for any length. Each receipt is checked with its proofs against
// the signed head. The last line covers the whole export.
import { readJsonObject, READ_FAULTS } from '../records/read-json.ts'
import type { KeyList } from '../records/key-list.ts'
import { wholeNumberIn } from '../records/number-text.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { pinnedTrustOf, type CheckOptions } from './options.ts'
import { checkAnchor, lastLeafOf } from './check-anchor.ts'
import { checkReceiptLine, isReceipt } from './check-receipt.ts'
import { judgeIssued, type Fault } from './check-issued.ts'
import { demoNote, isMarkedAs, failed, passed, NOT_PROVEN, plain, type Finding } from './finding.ts'
import { checkHead, judgeOwnKeys } from './check-head.ts'
import { ExportFrame, membersOf } from './export-frame.ts'

const HEAD = 'medical_export.head'
const END = 'medical_export.end'
const SCHEMA = 'medical-1'

/** True if a file with this first line is such an export. */
export function isMedicalExport(line: Uint8Array): boolean {
  const read = readJsonObject(line)
  return read.readable && read.object['object'] === HEAD
}

const MEDICAL_FAULTS = {
  not_an_export: `It is no export of ${SCHEMA}, or its head is of another organisation.`,
  members: 'Its last line has not just the members that it must have.',
  export_cut: 'It has no last line: it is not whole.',
  line_after_end: 'It has lines after the last one.',
  lines_wrong: 'Lines of it are wrong, as told above.',
  count_mismatch: 'It has not as many receipts as its last line says.',
  hash_mismatch: 'Its last line is over other bytes than those before it.',
  entries_unreadable: 'It lacks entries that could not be read.',
  [NOT_PROVEN]: 'Not all of its receipts are proven, as told above.',
} as const

const HEAD_MEMBERS = 'object,schema,export_id,org_id,start,end,medical_use_cases,tree_head,anchor,public_keys'
const END_MEMBERS = 'object,receipts,unreadable_entries,sha256,issued_at,public_key,signature'

export class MedicalExport {
  readonly #options: CheckOptions
  readonly #frame: ExportFrame
  /** The findings about the export's first line, after it was read. */
  #findings: Finding[] | null = null
  /** Both are null if the first line is not valid. */
  #head: JsonObject | null = null
  #treeHead: JsonObject | null = null
  /** The export's own keys; null if its head is not valid by them. */
  #list: KeyList | null = null
  #name = ''
  #receipts = 0
  /** The position of the last receipt. Receipts are in descending order, each once. */
  #before = Infinity
  /** The highest leaf position that a line proves, including its settlement. */
  #last: number | null = null
  #faults = 0
  /** Receipts without a fault that lack a part. */
  #unproven = 0

  constructor(options: CheckOptions) {
    this.#options = options
    this.#frame = new ExportFrame(END, options.cryptography.beginSha256())
  }

  /** Returns the faults of the next line. */
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
    const failing = findings.filter(({ valid }) => !valid)
    if (failing.some(({ code }) => code !== NOT_PROVEN)) this.#faults += 1
    else if (failing.length > 0) this.#unproven += 1
    return findings
  }

  /** Returns the verdict on the whole export, after the last line. */
  end(): Finding[] {
    const subject = `${this.#name}, ${this.#receipts} receipts${demoNote(this.#treeHead?.['org_id'])}`
    const fault = this.#judgeWhole()
    const whole = fault === null ? passed('export', subject) : failed('export', subject, fault.code, fault.reason)
    return [...(this.#findings ?? []), ...this.#checkAnchor(), whole]
  }

  /** Runs at the end, when the last leaf is known. */
  #checkAnchor(): Finding[] {
    if (this.#head === null) return []
    const { tree_head: head, public_keys: keys, anchor } = this.#head
    return [checkAnchor(anchor, { head, last: this.#last, keys }, pinnedTrustOf(this.#options))]
  }

  #takeHead(head: JsonObject): Finding[] {
    const { tree_head: tree, org_id: orgId, schema, public_keys: keys } = head
    this.#name = `${plain(orgId)}  ${plain(head['export_id'])}`
    const { demo: _, ...unmarked } = head
    if (schema !== SCHEMA || membersOf(unmarked) !== HEAD_MEMBERS || !isMarkedAs(head, orgId)) return []
    if (!isJsonObject(tree) || tree['org_id'] !== orgId) return []
    const { finding, list } = judgeOwnKeys(tree, keys)
    this.#treeHead = tree
    this.#head = head
    this.#list = list
    return [...checkHead(tree, this.#options), finding]
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
    this.#last = Math.max(this.#last ?? 0, lastLeafOf([receipt['organisation_log'], receipt['settlement']]) ?? 0)
    return checkReceiptLine(receipt, { head: this.#treeHead, list: this.#list }, pinnedTrustOf(this.#options))
  }

  #judgeWhole(): Fault | null {
    const fault = this.#findFault()
    if (fault !== null) return { code: fault, reason: MEDICAL_FAULTS[fault] }
    const signed = judgeIssued(this.#frame.end ?? {}, pinnedTrustOf(this.#options), this.#list)
    if (signed !== null || this.#unproven === 0) return signed
    return { code: NOT_PROVEN, reason: MEDICAL_FAULTS[NOT_PROVEN] }
  }

  #findFault(): keyof typeof MEDICAL_FAULTS | null {
    const { end, isContinued } = this.#frame
    if (this.#treeHead === null) return 'not_an_export'
    if (end === null) return 'export_cut'
    if (isContinued) return 'line_after_end'
    if (membersOf(end) !== END_MEMBERS) return 'members'
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
