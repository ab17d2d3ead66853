// Checks the lines of an export of the calls that a filter lists: each entry by itself and its proof in the tree of the head, that a
// call's entries belong together, and that the call matches the filter.
//
// SECURITY: such a file shows that its calls are in the log. It cannot show that no other call matches.
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { acceptanceOf, isAcceptanceOf } from '../records/accept-record.ts'
import { readAnswerScan } from '../records/answer-scan.ts'
import { judgeFacts, judgeRepeatedHash, LEAST_RETENTION_DAYS } from '../records/facts-commitment.ts'
import { wholeNumberIn } from '../records/number-text.ts'
import { parseExactTime } from '../records/rfc3339.ts'
import { RECEIPT_KIND } from '../entry-tags.ts'
import type { JsonObject } from '../../platform/json.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time.ts'
import { BESIDE_FAULTS, judgeTime, readEntry, type BesideFault, type KnownEntry } from './check-facts.ts'
import { CoverageCheck } from './check-coverage.ts'
import { EntryLinesCheck, isCovered, leafOf } from './check-entry-line.ts'
import { WithheldCheck } from './check-withheld.ts'
import {
  EXPORT_FAULTS,
  EXPORT_NOTES,
  type ExportFault,
  type ExportHead,
  type ExportLines,
  type WholeCheck,
} from './export-lines.ts'
import { outcomeIn, readFilter, type SelectionFilter } from './selection-filter.ts'
import { toPrintable } from './printable.ts'
import { demoNote, faultOf, judged, passed, type Finding } from './verification-finding.ts'
import type { CheckOptions } from './check-options.ts'

/** The call whose lines are read. `sha256`: of the decision's facts; null if they are wrong. */
type ReadCall = {
  readonly decision: KnownEntry
  readonly sha256: string | null
  settlement: JsonObject | null
  refusal: KnownEntry | null
  /** The position of the latest decision of a person. */
  decided: number
}

type Code = BesideFault['code'] | ExportFault

const REASONS: Readonly<Record<Code, string>> = { ...EXPORT_FAULTS, ...BESIDE_FAULTS }

export class SelectionLinesCheck implements ExportLines {
  readonly headFault: ExportFault | null
  last: number | null = null
  readonly #head: ExportHead | null
  readonly #options: CheckOptions
  readonly #filter: SelectionFilter | null
  readonly #lines: EntryLinesCheck
  readonly #withheld: WithheldCheck
  readonly #coverage = new CoverageCheck(Infinity, false, () => false)
  /** At least so late was the file made, by its head or by an entry in it. */
  #madeAt: number
  #calls = 0
  /** The position of the latest call. Positions must fall from call to call. */
  #at = Infinity
  /** Null before the first call, and if its decision is wrong. */
  #call: ReadCall | null = null

  constructor(head: ExportHead | null, options: CheckOptions) {
    this.#filter = head && readFilter(head.line)
    this.headFault = head !== null && this.#filter === null ? 'filter_malformed' : null
    this.#head = this.headFault === null ? head : null
    this.#options = options
    this.#lines = new EntryLinesCheck(this.#head, options, ',call,audit_path')
    this.#withheld = new WithheldCheck(head?.line ?? {})
    this.#madeAt = parseExactTime(head?.line['created_at']) ?? -Infinity
  }

  get counts(): { calls: number; entries: number; withheld: number } {
    return { calls: this.#calls, ...this.#lines.counts }
  }

  take(line: JsonObject): Finding[] {
    if (this.#head === null) return []
    if (line['object'] === 'audit_export.coverage') {
      return this.#coverage.takeEarlier(line, this.#lines.judgeCoverage(line, Infinity))
    }
    const index = wholeNumberIn(line, 'index')
    const leaf = leafOf(line)
    if (index === null || leaf === null) return [found(line, 'not_an_entry')]
    const call = wholeNumberIn(line, 'call')
    const isDecision = call === index
    const before = isDecision ? this.#beginCall() : []
    const fault = this.#lines.judge(line, leaf)
    const wrong = isCovered(fault) ? faultOf(EXPORT_FAULTS, this.#findPlaceFault(line, index, call)) : fault
    this.last = Math.max(this.last ?? 0, index)
    if (isDecision) this.#at = Math.min(this.#at, index)
    const shown = wrong ?? fault
    return [
      ...before,
      ...(shown === null ? [] : [judged('audit entry', subjectOf(line), shown)]),
      ...(wrong === null ? this.#takeSound(line, index, isDecision) : []),
    ]
  }

  #beginCall(): Finding[] {
    this.#calls += 1
    const ended = this.#endCall()
    this.#call = null
    return ended
  }

  /** Finds a fault of the line's place in the file and in the tree. */
  #findPlaceFault(line: JsonObject, index: number, call: number | null): ExportFault | null {
    if (!this.#lines.isIncluded(line)) return 'path_wrong'
    if (call !== index) return call === this.#at ? null : 'of_another_call'
    if (line['kind'] !== RECEIPT_KIND) return 'not_an_entry'
    return index < this.#at ? null : 'out_of_order'
  }

  /** Takes a line that fits its leaf, which is in the tree. */
  #takeSound(line: JsonObject, index: number, isDecision: boolean): Finding[] {
    const entry = readEntry(line, index)
    if (entry === null) {
      this.#takeWithheld(index)
      return []
    }
    // SECURITY: the head's date is the sender's word.
    this.#madeAt = Math.max(this.#madeAt, entry.time ?? -Infinity)
    const beside = this.#judgeBeside(entry)
    const codes = [...beside.codes]
    if (isDecision)
      this.#call = { decision: entry, sha256: beside.sha256, settlement: null, refusal: null, decided: -1 }
    else if (this.#call !== null) codes.push(...this.#judgePart(entry, this.#call))
    return [...codes.map((code) => found(line, code)), ...this.#coverage.take(entry)]
  }

  #judgeBeside(entry: KnownEntry): { codes: Code[]; sha256: string | null } {
    const { kind, content, facts, at } = entry
    const timed = judgeTime(entry).map(({ code }) => code)
    if (kind !== RECEIPT_KIND) return { codes: facts === null ? timed : ['facts_unexpected'], sha256: null }
    const { sha256 } = this.#options.cryptography
    const judgedFacts = judgeFacts(facts, content['attestation_id'], (text) => bytesToHex(sha256(utf8ToBytes(text))))
    if (judgedFacts === 'not_covered') return { codes: ['facts_missing'], sha256: null }
    if (typeof judgedFacts === 'string') return { codes: [judgedFacts], sha256: null }
    return { codes: facts?.['at'] === at ? timed : ['at_differs'], sha256: judgedFacts.sha256 }
  }

  #judgePart(entry: KnownEntry, call: ReadCall): Code[] {
    if (entry.kind === 'settlement') return judgeSettlement(entry, call)
    const isOfCall = entry.kind === RECEIPT_KIND ? isRefusalOf(entry, call) : isApprovalOf(entry, call)
    return isOfCall ? [] : ['of_another_call']
  }

  #takeWithheld(index: number): void {
    const { index: decided = Infinity, time = null } = this.#call?.decision ?? {}
    // Only an entry after the decision has a time that is known: that of the decision, or later.
    if (time === null || index < decided) return
    this.#withheld.require({ index, until: time + LEAST_RETENTION_DAYS * DAY_MS, why: 'line' })
  }

  #endCall(): Finding[] {
    if (this.#call === null) return []
    const { decision, settlement } = this.#call
    const { index, content, facts, time } = decision
    const isOpen = content['outcome'] === 'ALLOWED' && settlement === null
    if (isOpen && time !== null && this.#madeAt >= time + HOUR_MS) {
      const days = wholeNumberIn(facts ?? {}, 'retention_days') ?? 0
      this.#withheld.require({ index, until: time + days * DAY_MS, why: 'settlement' })
    }
    const mismatch = this.#filter?.findMismatch({ decision, settlement }) ?? null
    if (mismatch === null) return []
    return [judged('audit entry', `leaf ${index}, ${mismatch}`, faultOf(EXPORT_FAULTS, 'filter_mismatch'))]
  }

  finish(end: JsonObject | null): Finding[] {
    const ended = this.#endCall()
    const note = faultOf(EXPORT_NOTES, 'selection_only')
    return [
      ...ended,
      ...this.#withheld.finish(end),
      ...this.#coverage.finish(),
      ...(this.#filter === null ? [] : [passed('selection', `calls ${this.#filter.text}`, note)]),
    ]
  }

  wholeChecks(end: JsonObject): readonly WholeCheck[] {
    const { next_cursor: cursor } = end
    return [
      ['dated_ahead', () => this.#withheld.isDatedBy(end, this.#options.now)],
      ['members', () => wholeNumberIn(end, 'unreadable') !== null],
      ['cursor_wrong', () => cursor === null || (isCursor(cursor) && Number(cursor) <= this.#at)],
    ]
  }

  describe(head: JsonObject | null, end: JsonObject | null): string {
    const { calls, entries } = this.counts
    const unreadable = wholeNumberIn(end ?? {}, 'unreadable') ?? 0
    const more = [
      `${calls} calls`,
      `${entries} entries${demoNote(this.#head?.orgId)}`,
      ...this.#lines.describe(),
      ...(unreadable > 0 ? [`${unreadable} entries not looked at, because they could not be read`] : []),
      ...(typeof end?.['next_cursor'] === 'string' ? [`the list goes on at ${toPrintable(end['next_cursor'])}`] : []),
    ]
    const tree = this.#head === null ? '' : ` in a log of ${this.#head.tree.treeSize} leaves`
    return `${toPrintable(head?.['org_id'])}${tree}: ${more.join(', ')}`
  }
}

const isCursor = (cursor: unknown): boolean => typeof cursor === 'string' && /^(?:0|[1-9]\d{0,14})$/.test(cursor)

const subjectOf = (line: JsonObject): string => `leaf ${toPrintable(line['index'])}`

const found = (line: JsonObject, code: Code): Finding => judged('audit entry', subjectOf(line), faultOf(REASONS, code))

function judgeSettlement({ index, content }: KnownEntry, call: ReadCall): Code[] {
  const { decision, sha256 } = call
  const isFirst = call.settlement === null && decision.content['outcome'] === 'ALLOWED'
  // SECURITY: a call with two settlements would have two costs and two answers.
  if (!isFirst || index <= decision.index || wholeNumberIn(content, 'settles') !== decision.index)
    return ['settles_another']
  call.settlement = content
  if (Object.hasOwn(content, 'answer_scan') && readAnswerScan(content) === null) return ['answer_scan_malformed']
  if (!Object.hasOwn(content, 'facts_sha256')) return []
  const fault = sha256 === null ? null : judgeRepeatedHash(content['facts_sha256'], sha256)
  return fault === null ? [] : [fault]
}

const approvalIn = ({ facts }: KnownEntry): unknown => facts?.['approval_id'] ?? null

/** Returns true for the refusal that asked for the approval with which the call ran. */
function isRefusalOf(entry: KnownEntry, call: ReadCall): boolean {
  const { decision } = call
  const isOfRequest = entry.content['request_hash'] === decision.content['request_hash']
  const isAsking = outcomeIn(entry) === 'held' && approvalIn(entry) === approvalIn(decision)
  const isFirst = call.refusal === null && call.decided === -1 && outcomeIn(decision) === 'passed'
  call.refusal = entry
  return isOfRequest && isAsking && isFirst && entry.index < decision.index
}

/** Returns true for a person's decision about the call, the steps being in the order of the log. */
function isApprovalOf({ index, kind, content }: KnownEntry, call: ReadCall): boolean {
  const { decision, refusal } = call
  const hasRun = outcomeIn(decision) === 'passed'
  const isNamed =
    kind === 'approval' && content['step'] === 'decided' && content['approval_id'] === approvalIn(decision)
  const subject = hasRun ? refusal : decision
  const isInOrder = index > Math.max(call.decided, subject?.index ?? -1) && (!hasRun || index < decision.index)
  call.decided = index
  const acceptance = acceptanceOf(content)
  const isAboutSubject = subject === null || acceptance === null || isAcceptanceOf(acceptance, subject.content)
  return isNamed && isInOrder && isAboutSubject
}
