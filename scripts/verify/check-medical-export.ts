// Checks an export of medical receipts line by line, however long it is: the head, each receipt with its proofs in the head's tree, and
// the end, which is over all bytes before it.
import { createHash } from 'node:crypto'
import { readJsonObject, READ_FAULTS } from '../../src/attestation/read-json.ts'
import { wholeNumberIn } from '../../src/attestation/number-text.ts'
import { isJsonObject, type JsonObject } from '../../src/platform/json-object.ts'
import { pinnedTrustOf, type Against } from './against.ts'
import { checkReceiptLine, isReceipt } from './check-receipt.ts'
import { isMarkedAs } from './demo-mark.ts'
import { checkHead } from './check-head.ts'
import { failed, found, plain, type Finding } from './finding.ts'

const HEAD = 'medical_export.head'
const END = 'medical_export.end'
const SCHEMA = 'medical-1'

/** Whether a file that begins with this line is such an export. */
export function isMedicalExport(line: Uint8Array): boolean {
  const read = readJsonObject(line)
  return read.readable && read.object['object'] === HEAD
}

export class MedicalExport {
  readonly #against: Against
  readonly #hash = createHash('sha256')
  #head: JsonObject | null = null
  #treeHead: JsonObject | null = null
  #receipts = 0
  /** The position of the last receipt: the latest come first, each once. */
  #before = Infinity
  #isEnded = false

  constructor(against: Against) {
    this.#against = against
  }

  /** What is wrong with a line, and what there is to say of the first and the last. */
  take(line: Uint8Array): Finding[] {
    const read = readJsonObject(line)
    const findings = read.readable
      ? this.#check(read.object)
      : [failed('document', '', read.fault, READ_FAULTS[read.fault])]
    this.#hash.update(line).update('\n')
    return findings
  }

  /** Once there is no further line. */
  end(): Finding[] {
    if (this.#isEnded) return []
    return [failed('export', this.#name, 'export_cut', 'It has no last line: it is not whole.')]
  }

  get #name(): string {
    return this.#head === null ? '' : `${plain(this.#head['org_id'])}  ${plain(this.#head['export_id'])}`
  }

  #check(object: JsonObject): Finding[] {
    if (this.#isEnded) return [failed('export', this.#name, 'line_after_end', 'It goes on after its last line.')]
    if (this.#head === null) return this.#checkHead(object)
    if (object['object'] === END) return this.#checkEnd(object)
    if (!isReceipt(object)) return [failed('document', '', 'not_a_receipt', 'It is no medical receipt.')]
    this.#receipts += 1
    if (this.#treeHead === null) return []
    const position = positionOf(object)
    if (position >= this.#before) {
      return [failed('receipt', plain(object['id']), 'out_of_order', 'It is not before the one above it in the log.')]
    }
    this.#before = position
    return checkReceiptLine(object, this.#treeHead, pinnedTrustOf(this.#against))
  }

  #checkHead(head: JsonObject): Finding[] {
    this.#head = head
    const { tree_head: tree, org_id: orgId, schema } = head
    if (schema !== SCHEMA || !isJsonObject(tree) || tree['org_id'] !== orgId || !isMarkedAs(head, orgId)) {
      return [
        failed(
          'export',
          this.#name,
          'not_an_export',
          `It is no export of ${SCHEMA}, or its head is of another organisation.`,
        ),
      ]
    }
    this.#treeHead = tree
    return [checkHead(tree, this.#against)]
  }

  #checkEnd(end: JsonObject): Finding[] {
    this.#isEnded = true
    if (wholeNumberIn(end, 'receipts') !== this.#receipts) {
      return [
        failed('export', this.#name, 'count_mismatch', `It has ${this.#receipts} receipts, and says another number.`),
      ]
    }
    if (end['sha256'] !== this.#hash.copy().digest('hex')) {
      return [failed('export', this.#name, 'hash_mismatch', 'Its last line is over other bytes than those before it.')]
    }
    const unreadable = wholeNumberIn(end, 'unreadable_entries')
    if (unreadable !== 0) {
      return [
        failed(
          'export',
          this.#name,
          'entries_unreadable',
          `It lacks entries that could not be read: ${plain(unreadable)}.`,
        ),
      ]
    }
    return [found('export', `${this.#name}, ${this.#receipts} receipts`)]
  }
}

function positionOf({ organisation_log: log }: JsonObject): number {
  const proof = isJsonObject(log) ? log['proof'] : null
  return (isJsonObject(proof) ? wholeNumberIn(proof, 'leaf_index') : null) ?? Infinity
}
