// Checks a line of an export that has an entry of the log: its leaf hash, its content, and the signature of the record or of the decision
// in it. Also checks the line of a coverage entry. management/audit/audit-lines.ts writes these lines. The members here are exact, so
// both files change together.
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { ACCEPT_FAULTS, acceptanceOf, findAcceptFault } from '../records/accept-record.ts'
import { decodeBase64 } from '../records/base64.ts'
import { wholeNumberIn } from '../records/number-text.ts'
import { RECEIPT_TAG } from '../records/receipt-entry.ts'
import { parseRfc3339 } from '../records/rfc3339.ts'
import { findTimeFault, VERIFY_FAULTS, verifyRecord } from '../records/verify-record.ts'
import { isEntryOfKind, isOfOtherKind } from '../entry-tags.ts'
import { hashLeaf } from '../tree/merkle-hash.ts'
import { isHash, verifyInclusion } from '../tree/verify-proof.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { isSameBytes } from '../../platform/bytes.ts'
import { judgeKeyByList } from './check-issued-document.ts'
import { EXPORT_FAULTS, type ExportFault, type ExportHead } from './export-lines.ts'
import { memberNames } from '../records/member-names.ts'
import { faultOf, NOT_PROVEN, unproven, type Fault } from './verification-finding.ts'
import { isContentOf } from './judge-log.ts'
import { pinnedTrustOf, type CheckOptions } from './check-options.ts'

const ENTRY_MEMBERS = 'object,index,leaf_hash,kind,at,entry,content,facts'
const WITHHELD_MEMBERS = 'object,index,leaf_hash,withheld'
const COVERAGE_MEMBERS = 'object,index,leaf_hash,entry,content,audit_path'

/** The schemas whose lines have no signature of a person's decision. */
const UNSIGNED_DECISIONS: ReadonlySet<unknown> = new Set(['audit-1', 'audit-2'])

const UNSIGNED = 'It has no signature, and the export’s own list of keys does not say that its key has ended.'

/** The content of the service's own entries begins here, after the tag and 16 random bytes. */
const CONTENT_AT = 1 + 16

export class EntryLinesCheck {
  readonly #head: ExportHead | null
  readonly #options: CheckOptions
  /** The names of the members after those of every entry. */
  readonly #more: string
  readonly counts = { entries: 0, withheld: 0 }
  unreadable = 0
  unsigned = 0
  /** Entries of kinds that are not in the table. */
  others = 0

  /** @param more the names of further members, each with a comma before it */
  constructor(head: ExportHead | null, options: CheckOptions, more = '') {
    this.#head = head
    this.#options = options
    this.#more = more
  }

  /** Counts and judges the line of an entry or of a withheld one. */
  judge(line: JsonObject, leaf: Uint8Array): Fault | null {
    const fault = this.#findFault(line, leaf)
    return typeof fault === 'string' ? faultOf(EXPORT_FAULTS, fault) : fault
  }

  #findFault(line: JsonObject, leaf: Uint8Array): ExportFault | Fault | null {
    const { withheld } = line
    this.counts[withheld === undefined ? 'entries' : 'withheld'] += 1
    if (withheld === undefined) return this.#judgeEntry(line, leaf)
    if (withheld === 'unreadable') this.unreadable += 1
    const isKnown = withheld === 'retention' || withheld === 'unreadable'
    return isKnown && memberNames(line) === `${WITHHELD_MEMBERS}${this.#more}` ? null : 'members'
  }

  #judgeEntry(line: JsonObject, leaf: Uint8Array): ExportFault | Fault | null {
    const { content, kind, facts } = line
    const entry = typeof line['entry'] === 'string' ? decodeBase64(line['entry'], Infinity) : null
    if (entry === null || entry.length === 0 || !isJsonObject(content) || typeof kind !== 'string')
      return 'not_an_entry'
    if (facts !== null && !isJsonObject(facts)) return 'not_an_entry'
    if (!isSameBytes(hashLeaf(entry, this.#options.cryptography.sha256), leaf)) return 'leaf_mismatch'
    const isReceipt = entry[0] === RECEIPT_TAG
    const signed = isReceipt ? content : this.#acceptanceIn(line, content)
    if (memberNames(line) !== `${ENTRY_MEMBERS}${signed === null ? '' : ',signature'}${this.#more}`) return 'members'
    const isOther = isOfOtherKind(entry, kind) && content['kind'] === kind
    if (isOther) this.others += 1
    if (!isContentOf(entry, content, isReceipt ? 1 : CONTENT_AT) || !(isOther || isEntryOfKind(entry, kind)))
      return 'content_mismatch'
    return signed && this.#judgeRecord(signed, line['signature'], isReceipt)
  }

  /** Judges the line of a coverage entry before this position, with its proof. */
  judgeCoverage(line: JsonObject, before: number): ExportFault | null {
    const { content, leaf_hash: leaf } = line
    const index = wholeNumberIn(line, 'index')
    const entry = typeof line['entry'] === 'string' ? decodeBase64(line['entry'], Infinity) : null
    if (memberNames(line) !== COVERAGE_MEMBERS) return 'members'
    if (index === null || entry === null || !isHash(leaf) || !isJsonObject(content)) return 'not_an_entry'
    if (index >= before) return 'out_of_order'
    if (bytesToHex(hashLeaf(entry, this.#options.cryptography.sha256)) !== leaf) return 'leaf_mismatch'
    const isEntry = isEntryOfKind(entry, 'coverage') && content['kind'] === 'coverage'
    if (!isEntry || !isContentOf(entry, content, CONTENT_AT)) return 'content_mismatch'
    return this.isIncluded(line) ? null : 'path_wrong'
  }

  /** Returns true if the line's path leads from its leaf to the signed root of the head. */
  isIncluded({ leaf_hash, index, audit_path }: JsonObject): boolean {
    const { treeSize, rootHash } = this.#head?.tree ?? { treeSize: 0, rootHash: '' }
    return verifyInclusion({ leaf_hash, leaf_index: index, tree_size: treeSize, root_hash: rootHash, audit_path }).valid
  }

  /** Returns the record of a person's decision. Older exports have no signature of it. */
  #acceptanceIn({ kind, signature }: JsonObject, content: JsonObject): JsonObject | null {
    const { line } = this.#head ?? {}
    const isSigned = line === undefined ? signature !== undefined : !UNSIGNED_DECISIONS.has(line['schema'])
    return kind === 'approval' && isSigned ? acceptanceOf(content) : null
  }

  #judgeRecord(record: JsonObject, signature: unknown, isReceipt: boolean): ExportFault | Fault | null {
    if (this.#head !== null && record['org_id'] !== this.#head.orgId) return 'entry_of_another_organisation'
    if (signature === null) return this.#judgeUnsigned(record)
    const signed = { ...record, signature }
    const fault = isReceipt ? this.#findReceiptFault(signed) : this.#findAcceptFault(signed)
    return fault ?? (this.#head && judgeKeyByList(signed, this.#head.list, { isIncluded: true }))
  }

  /** Counts as included: if it is not, the verdict on the whole export is invalid. */
  #findReceiptFault(record: JsonObject): Fault | null {
    const judging = { isIncluded: true, verify: this.#options.cryptography.verifyEd25519 }
    const verdict = verifyRecord(record, pinnedTrustOf(this.#options), judging)
    return verdict.valid ? null : faultOf(VERIFY_FAULTS, verdict.fault)
  }

  #findAcceptFault(record: JsonObject): Fault | null {
    return faultOf(ACCEPT_FAULTS, findAcceptFault(record, pinnedTrustOf(this.#options), true))
  }

  /** A retired key's seed may be gone, so the export has no signature. The signed tree still contains its record. */
  #judgeUnsigned(record: JsonObject): Fault | null {
    this.unsigned += 1
    if (this.#head === null) return null
    const { list, line: head } = this.#head
    const { public_key: publicKey } = record
    const fault = findTimeFault(record, pinnedTrustOf(this.#options), { isIncluded: true })
    if (fault !== null) return faultOf(VERIFY_FAULTS, fault)
    const key = typeof publicKey === 'string' ? list.get(publicKey) : undefined
    const isEnded = (key?.validUntil ?? Infinity) <= (parseRfc3339(head['created_at']) ?? -Infinity)
    return isEnded ? judgeKeyByList(record, list, { isIncluded: true }) : unproven(UNSIGNED)
  }

  /** Returns what is counted, in words. */
  describe(): string[] {
    return [
      `${this.counts.withheld} withheld`,
      ...(this.unreadable > 0 ? [`${this.unreadable} of them unreadable`] : []),
      ...(this.unsigned > 0 ? [`${this.unsigned} records without a signature`] : []),
    ]
  }
}

/** Returns true for a fault after which the line is still covered by its leaf: a record without a signature. */
export const isCovered = (fault: Fault | null): boolean => fault === null || fault.code === NOT_PROVEN

/** Returns the leaf's hash in a line; null if the line is none of an entry. */
export const leafOf = ({ object, leaf_hash: leaf }: JsonObject): Uint8Array | null =>
  object === 'audit_entry' && isHash(leaf) ? hexToBytes(leaf) : null
