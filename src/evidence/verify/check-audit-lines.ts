// Checks the lines of an audit export: each entry's leaf hash, the signature of each record and decision, and that the leaves are a range of a tree.
// management/audit/audit-lines.ts writes these lines. The members here are exact, so both files change together.
//
// SECURITY: no leaf covers `at` and `facts` themselves. check-facts.ts compares both with what leaves commit to.
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { ACCEPT_FAULTS, acceptanceOf, findAcceptFault } from '../records/accept-record.ts'
import { decodeBase64 } from '../records/base64.ts'
import { COVERAGE_FAULTS } from '../records/coverage-entry.ts'
import { wholeNumberIn } from '../records/number-text.ts'
import { RECEIPT_TAG } from '../records/receipt-entry.ts'
import { parseRfc3339 } from '../records/rfc3339.ts'
import { findTimeFault, VERIFY_FAULTS, verifyRecord } from '../records/verify-record.ts'
import { isEntryOfKind, isOfOtherKind, RECEIPT_KIND } from '../entry-tags.ts'
import { hashLeaf } from '../tree/merkle-hash.ts'
import { isHash, verifyInclusion } from '../tree/verify-proof.ts'
import { isTreeRange, JoinedSubtrees, rootOfRange, type TreeRange } from '../tree/range-proof.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { isSameBytes } from '../../platform/bytes.ts'
import { BESIDE_FAULTS, FactsCheck, timeOfContent, type BesideFault, type KnownEntry } from './check-facts.ts'
import { CoverageCheck } from './check-coverage.ts'
import { HourCountsCheck, REFERRAL } from './check-hour-counts.ts'
import { judgeKeyByList } from './check-issued-document.ts'
import { EARLY_REASONS, WithheldCheck } from './check-withheld.ts'
import {
  AUDIT_SCHEMA,
  EXPORT_FAULTS,
  EXPORT_NOTES,
  memberNames,
  type ExportFault,
  type ExportHead,
  type ExportLines,
  type WholeCheck,
} from './export-lines.ts'
import {
  demoNote,
  failed,
  faultOf,
  judged,
  NOT_PROVEN,
  passed,
  toPrintable,
  type Fault,
  type Finding,
} from './verification-finding.ts'
import { MOST_LISTED } from './findings-report.ts'
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

export class AuditLinesCheck implements ExportLines {
  readonly #options: CheckOptions
  readonly #head: ExportHead | null
  /** Null if the head is not valid, or has no range of its tree. */
  readonly #range: TreeRange | null
  readonly headFault: ExportFault | null
  readonly last: number | null
  readonly #leaves: JoinedSubtrees
  readonly counts = { entries: 0, withheld: 0 }
  readonly #facts: FactsCheck
  readonly #hourCounts: HourCountsCheck
  readonly #withheld: WithheldCheck
  readonly #coverage: CoverageCheck
  #unreadable = 0
  #unsigned = 0
  /** Entries of kinds that are not in the table. */
  #others = 0
  #next: number
  #hasGap = false

  constructor(head: ExportHead | null, options: CheckOptions) {
    this.#options = options
    this.#head = head
    this.#leaves = new JoinedSubtrees(options.cryptography.sha256)
    const range = head && readRange(head)
    this.headFault = range === null || isTreeRange(range) ? null : 'range_malformed'
    this.#range = this.headFault === null ? range : null
    this.last = range === null ? null : range.end - 1
    this.#next = this.#range?.first ?? 0
    this.#facts = new FactsCheck(
      this.#next,
      head !== null && head.line['schema'] !== 'audit-1',
      options.cryptography.sha256,
    )
    this.#hourCounts = new HourCountsCheck(this.#next)
    this.#withheld = new WithheldCheck(head?.line ?? {})
    this.#coverage = new CoverageCheck(this.#next, this.#isBeforeCoverage, (position) => this.#facts.isShown(position))
    if (head !== null) for (const observer of options.observers) observer.begin(head.line)
  }

  take(line: JsonObject): Finding[] {
    if (line['object'] === 'audit_export.coverage') return this.#takeCoverageLine(line)
    const subject = `leaf ${toPrintable(line['index'])}`
    const fault = this.#judgeLine(line)
    if (fault === null) return this.#takeSound(line)
    // A record without a signature is still covered by its leaf.
    const more = typeof fault !== 'string' && fault.code === NOT_PROVEN ? this.#takeSound(line) : this.#takeWrong()
    return [
      typeof fault === 'string'
        ? failed('audit entry', subject, fault, EXPORT_FAULTS[fault])
        : judged('audit entry', subject, fault),
      ...more,
    ]
  }

  get #isBeforeCoverage(): boolean {
    return this.#head !== null && this.#head.line['schema'] !== AUDIT_SCHEMA
  }

  /** Takes the line of a coverage entry that is before the range. */
  #takeCoverageLine(line: JsonObject): Finding[] {
    const subject = `leaf ${toPrintable(line['index'])}`
    const { content } = line
    const fault = this.#judgeCoverageLine(line)
    const index = wholeNumberIn(line, 'index') ?? 0
    const found = fault === null && isJsonObject(content) ? this.#coverage.takeEarlier(index, content) : []
    const code = found === null ? 'out_of_order' : fault
    if (code !== null) return [failed('coverage', subject, code, EXPORT_FAULTS[code])]
    return (found ?? []).map(coverageFinding)
  }

  #judgeCoverageLine(line: JsonObject): ExportFault | null {
    const { content, leaf_hash: leaf, audit_path: path } = line
    const index = wholeNumberIn(line, 'index')
    const entry = typeof line['entry'] === 'string' ? decodeBase64(line['entry'], Infinity) : null
    if (this.#isBeforeCoverage || memberNames(line) !== COVERAGE_MEMBERS) return 'members'
    if (index === null || entry === null || !isHash(leaf) || !isJsonObject(content)) return 'not_an_entry'
    if (index >= (this.#range?.first ?? Infinity)) return 'out_of_order'
    if (bytesToHex(hashLeaf(entry, this.#options.cryptography.sha256)) !== leaf) return 'leaf_mismatch'
    const isEntry = isEntryOfKind(entry, 'coverage') && content['kind'] === 'coverage'
    if (!isEntry || !isContentOf(entry, content, CONTENT_AT)) return 'content_mismatch'
    const { treeSize, rootHash } = this.#head?.tree ?? { treeSize: 0, rootHash: '' }
    const proof = { leaf_hash: leaf, leaf_index: index, tree_size: treeSize, root_hash: rootHash, audit_path: path }
    return verifyInclusion(proof).valid ? null : 'path_wrong'
  }

  #takeWrong(): [] {
    this.#hourCounts.takeWrongLine()
    return []
  }

  /** Takes a line that fits its leaf, and returns what it shows about itself and the lines before. */
  #takeSound(line: JsonObject): Finding[] {
    const { kind, content, facts, at } = line
    const index = wholeNumberIn(line, 'index') ?? 0
    if (typeof kind !== 'string' || !isJsonObject(content)) {
      this.#hourCounts.takeWithheld(index, this.#withheld.before)
      this.#withheld.takeWithheld(index)
      this.#coverage.takeWithheld(index, line['withheld'])
      for (const observer of this.#options.observers) observer.takeWithheld(index, line['withheld'])
      return []
    }
    const time = timeOfContent(kind, content)
    const entry = { index, kind, content, time, at, facts: isJsonObject(facts) ? facts : null }
    for (const observer of this.#options.observers) observer.take(entry)
    if (time !== null) {
      this.#hourCounts.takeTime(time)
      this.#withheld.takeKnown(time)
    }
    return [
      ...this.#facts.take(entry).slice(0, MOST_LISTED).map(besideFinding),
      ...this.#coverage.take(entry).slice(0, MOST_LISTED).map(coverageFinding),
      ...this.#takeCounted(entry),
    ]
  }

  #takeCounted({ index, kind, content, time }: KnownEntry): Finding[] {
    if (kind === RECEIPT_KIND) {
      this.#hourCounts.takeCall({ index, time: time ?? Infinity }, content['outcome'])
    }
    if (kind === 'referral_decision') this.#hourCounts.takeDecision(index, REFERRAL)
    if (kind !== 'hour_counts') return []
    const judgedCounts = this.#hourCounts.takeCounts(index, content)
    if (judgedCounts === 'hour_counts_differ') {
      return [failed('audit entry', `leaf ${index}`, judgedCounts, EXPORT_FAULTS[judgedCounts])]
    }
    for (const early of judgedCounts) this.#withheld.require(early)
    return []
  }

  #judgeLine(line: JsonObject): ExportFault | Fault | null {
    const index = wholeNumberIn(line, 'index')
    const leaf = isHash(line['leaf_hash']) ? hexToBytes(line['leaf_hash']) : null
    if (line['object'] !== 'audit_entry' || index === null || leaf === null) return 'not_an_entry'
    if (index < this.#next || index >= (this.#range?.end ?? Infinity)) return 'out_of_order'
    const isMissing = index > this.#next
    this.#next = index + 1
    // Gaps keep subtrees from joining, so a file with many gaps would fill the memory.
    this.#hasGap ||= isMissing
    if (!this.#hasGap) this.#leaves.add({ level: 0, index, hash: leaf })
    const { withheld } = line
    this.counts[withheld === undefined ? 'entries' : 'withheld'] += 1
    if (withheld === 'unreadable') this.#unreadable += 1
    if (isMissing) return 'leaf_missing'
    if (withheld === undefined) return this.#judgeEntry(line, leaf)
    const isKnown = withheld === 'retention' || withheld === 'unreadable'
    return isKnown && memberNames(line) === WITHHELD_MEMBERS ? null : 'members'
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
    if (memberNames(line) !== `${ENTRY_MEMBERS}${signed === null ? '' : ',signature'}`) return 'members'
    const isOther = isOfOtherKind(entry, kind) && content['kind'] === kind
    if (isOther) this.#others += 1
    if (!isContentOf(entry, content, isReceipt ? 1 : CONTENT_AT) || !(isOther || isEntryOfKind(entry, kind)))
      return 'content_mismatch'
    return signed && this.#judgeRecord(signed, line['signature'], isReceipt)
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
    this.#unsigned += 1
    if (this.#head === null) return null
    const { list, line: head } = this.#head
    const { public_key: publicKey } = record
    const fault = findTimeFault(record, pinnedTrustOf(this.#options), { isIncluded: true })
    if (fault !== null) return faultOf(VERIFY_FAULTS, fault)
    const key = typeof publicKey === 'string' ? list.get(publicKey) : undefined
    const isEnded = (key?.validUntil ?? Infinity) <= (parseRfc3339(head['created_at']) ?? -Infinity)
    return isEnded ? judgeKeyByList(record, list, { isIncluded: true }) : { code: NOT_PROVEN, reason: UNSIGNED }
  }

  finish(end: JsonObject | null): Finding[] {
    const { decisions, notCovered, unsettled } = this.#facts
    const { uncounted } = this.#hourCounts
    if (uncounted !== null) this.#withheld.requireCounts(uncounted, end)
    const early = this.#withheld.finish(end, unsettled)
    return [
      ...early.map(({ index, why }) => failed('audit entry', `leaf ${index}`, NOT_PROVEN, EARLY_REASONS[why])),
      ...noteOn(notCovered, `of ${decisions} decisions`, 'facts_not_covered'),
      ...this.#coverage.finish(),
      ...noteOn(this.#others, `of ${this.counts.entries} entries`, 'other_kind'),
    ]
  }

  wholeChecks(end: JsonObject): readonly WholeCheck[] {
    const { next_cursor: cursor, range_proof: hashes } = end
    const range = this.#range ?? { first: 0, end: 0, size: 0 }
    const proof = Array.isArray(hashes) && hashes.every(isHash) ? hashes.map((hash) => hexToBytes(hash)) : null
    const root = () => proof && rootOfRange(range, this.#leaves, proof)
    return [
      ['dated_ahead', () => this.#withheld.isDatedBy(end, this.#options.now)],
      ['leaves_missing', () => this.#next >= range.end],
      ['cursor_wrong', () => cursor === null || cursor === String(range.end)],
      ['proof_malformed', () => root() !== null],
      ['root_mismatch', () => bytesToHex(root() ?? new Uint8Array()) === this.#head?.tree.rootHash],
    ]
  }

  describe(head: JsonObject | null, end: JsonObject | null): string {
    const { entries, withheld } = this.counts
    const range = this.#range
    const leaves = range === null ? '' : `, leaves from ${range.first} to before ${range.end} of ${range.size}`
    const more = [
      `${entries} entries${demoNote(this.#head?.orgId)}`,
      `${withheld} withheld`,
      ...(this.#unreadable > 0 ? [`${this.#unreadable} of them unreadable`] : []),
      ...(this.#unsigned > 0 ? [`${this.#unsigned} records without a signature`] : []),
      ...(typeof end?.['next_cursor'] === 'string' ? [`goes on at ${toPrintable(end['next_cursor'])}`] : []),
    ]
    return `${toPrintable(head?.['org_id'])}${leaves}: ${more.join(', ')}`
  }
}

const noteOn = (count: number, ofHow: string, code: keyof typeof EXPORT_NOTES): Finding[] =>
  count === 0 ? [] : [passed('audit entry', `${count} ${ofHow}`, { code, reason: EXPORT_NOTES[code] })]

const coverageFinding = ({ index, code }: { index: number; code: keyof typeof COVERAGE_FAULTS }): Finding =>
  failed('coverage', `leaf ${index}`, code, COVERAGE_FAULTS[code])

const besideFinding = ({ index, code }: BesideFault): Finding =>
  failed('audit entry', `leaf ${index}`, code, BESIDE_FAULTS[code])

const readRange = ({ line, tree }: ExportHead): TreeRange => ({
  first: wholeNumberIn(line, 'first') ?? -1,
  end: wholeNumberIn(line, 'end_index') ?? -1,
  size: tree.treeSize,
})
