// Checks the lines of an audit export: each entry by itself, and that the leaves are a range of a tree.
//
// SECURITY: no leaf covers `at` and `facts` themselves. check-facts.ts compares both with what leaves commit to.
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js'
import { wholeNumberIn } from '../records/number-text.ts'
import { RECEIPT_KIND } from '../entry-tags.ts'
import { isHash } from '../tree/verify-proof.ts'
import { isTreeRange, JoinedSubtrees, rootOfRange, type TreeRange } from '../tree/range-proof.ts'
import type { JsonObject } from '../../platform/json.ts'
import { BESIDE_FAULTS, FactsCheck, readEntry, type BesideFault, type KnownEntry } from './check-facts.ts'
import { EntryLinesCheck, isCovered, leafOf } from './check-entry-line.ts'
import { CoverageCheck } from './check-coverage.ts'
import { HourCountsCheck, REFERRAL } from './check-hour-counts.ts'
import { WithheldCheck } from './check-withheld.ts'
import {
  AUDIT_SCHEMA,
  EXPORT_FAULTS,
  EXPORT_NOTES,
  type ExportFault,
  type ExportHead,
  type ExportLines,
  type WholeCheck,
} from './export-lines.ts'
import { toPrintable } from './printable.ts'
import { demoNote, faultOf, judged, passed, type Fault, type Finding } from './verification-finding.ts'
import { MOST_LISTED } from './findings-report.ts'
import type { CheckOptions } from './check-options.ts'

export class AuditLinesCheck implements ExportLines {
  readonly #options: CheckOptions
  readonly #head: ExportHead | null
  /** Null if the head is not valid, or has no range of its tree. */
  readonly #range: TreeRange | null
  readonly headFault: ExportFault | null
  readonly last: number | null
  readonly #leaves: JoinedSubtrees
  readonly counts: { entries: number; withheld: number }
  readonly #lines: EntryLinesCheck
  readonly #facts: FactsCheck
  readonly #hourCounts: HourCountsCheck
  readonly #withheld: WithheldCheck
  readonly #coverage: CoverageCheck
  #next: number
  #hasGap = false

  constructor(head: ExportHead | null, options: CheckOptions) {
    this.#options = options
    this.#head = head
    this.#lines = new EntryLinesCheck(head, options)
    this.counts = this.#lines.counts
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
    if (line['object'] === 'audit_export.coverage') {
      const first = this.#range?.first ?? Infinity
      return this.#coverage.takeEarlier(
        line,
        this.#isBeforeCoverage ? 'members' : this.#lines.judgeCoverage(line, first),
      )
    }
    const fault = this.#judgeLine(line)
    if (!isCovered(fault)) this.#hourCounts.takeWrongLine()
    return [
      ...(fault === null ? [] : [judged('audit entry', `leaf ${toPrintable(line['index'])}`, fault)]),
      ...(isCovered(fault) ? this.#takeSound(line) : []),
    ]
  }

  get #isBeforeCoverage(): boolean {
    return this.#head !== null && this.#head.line['schema'] !== AUDIT_SCHEMA
  }

  /** Takes a line that fits its leaf, and returns what it shows about itself and the lines before. */
  #takeSound(line: JsonObject): Finding[] {
    const index = wholeNumberIn(line, 'index') ?? 0
    const entry = readEntry(line, index)
    if (entry === null) {
      this.#hourCounts.takeWithheld(index, this.#withheld.before)
      this.#withheld.takeWithheld(index)
      this.#coverage.takeWithheld(index, line['withheld'])
      for (const observer of this.#options.observers) observer.takeWithheld(index, line['withheld'])
      return []
    }
    const { time } = entry
    for (const observer of this.#options.observers) observer.take(entry)
    if (time !== null) {
      this.#hourCounts.takeTime(time)
      this.#withheld.takeKnown(time)
    }
    return [
      ...this.#facts.take(entry).slice(0, MOST_LISTED).map(besideFinding),
      ...this.#coverage.take(entry).slice(0, MOST_LISTED),
      ...this.#takeCounted(entry),
    ]
  }

  #takeCounted({ index, kind, content, time }: KnownEntry): Finding[] {
    if (kind === RECEIPT_KIND) {
      this.#hourCounts.takeCall({ index, time: time ?? Infinity }, content['outcome'])
    }
    if (kind === 'referral_decision') this.#hourCounts.takeDecision(index, REFERRAL)
    if (kind !== 'hour_counts') return []
    const counts = this.#hourCounts.takeCounts(index, content)
    if (typeof counts === 'string') return [judged('audit entry', `leaf ${index}`, faultOf(EXPORT_FAULTS, counts))]
    for (const early of counts) this.#withheld.require(early)
    return []
  }

  #judgeLine(line: JsonObject): Fault | null {
    const index = wholeNumberIn(line, 'index')
    const leaf = leafOf(line)
    if (index === null || leaf === null) return faultOf(EXPORT_FAULTS, 'not_an_entry')
    if (index < this.#next || index >= (this.#range?.end ?? Infinity)) return faultOf(EXPORT_FAULTS, 'out_of_order')
    const isMissing = index > this.#next
    this.#next = index + 1
    // Gaps keep subtrees from joining, so a file with many gaps would fill the memory.
    this.#hasGap ||= isMissing
    if (!this.#hasGap) this.#leaves.add({ level: 0, index, hash: leaf })
    const fault = this.#lines.judge(line, leaf)
    return isMissing ? faultOf(EXPORT_FAULTS, 'leaf_missing') : fault
  }

  finish(end: JsonObject | null): Finding[] {
    const { decisions, notCovered, unsettled } = this.#facts
    const { uncounted } = this.#hourCounts
    if (uncounted !== null) this.#withheld.requireCounts(uncounted, end)
    return [
      ...this.#withheld.finish(end, unsettled),
      ...noteOn(notCovered, `of ${decisions} decisions`, 'facts_not_covered'),
      ...this.#coverage.finish(),
      ...noteOn(this.#lines.others, `of ${this.counts.entries} entries`, 'other_kind'),
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
    const range = this.#range
    const leaves = range === null ? '' : `, leaves from ${range.first} to before ${range.end} of ${range.size}`
    const more = [
      `${this.counts.entries} entries${demoNote(this.#head?.orgId)}`,
      ...this.#lines.describe(),
      ...(typeof end?.['next_cursor'] === 'string' ? [`goes on at ${toPrintable(end['next_cursor'])}`] : []),
    ]
    return `${toPrintable(head?.['org_id'])}${leaves}: ${more.join(', ')}`
  }
}

const noteOn = (count: number, ofHow: string, code: keyof typeof EXPORT_NOTES): Finding[] =>
  count === 0 ? [] : [passed('audit entry', `${count} ${ofHow}`, { code, reason: EXPORT_NOTES[code] })]

const besideFinding = ({ index, code }: BesideFault): Finding =>
  judged('audit entry', `leaf ${index}`, faultOf(BESIDE_FAULTS, code))

const readRange = ({ line, tree }: ExportHead): TreeRange => ({
  first: wholeNumberIn(line, 'first') ?? -1,
  end: wholeNumberIn(line, 'end_index') ?? -1,
  size: tree.treeSize,
})
