// Checks what an audit export says the log covers: each decision names an entry before it, which says which software wrote the
// decision, and that its operation writes such decisions. organisation/coverage writes these entries.
//
// SECURITY: leaves cover the entries, and what a decision names. That the stated software is what ran, no entry shows.
import {
  COVERAGE_FAULTS,
  COVERAGE_NOTES,
  judgeOperation,
  readCoverage,
  softwareText,
  whyText,
  type Coverage,
  type CoverageFault,
} from '../records/coverage-entry.ts'
import { RECEIPT_KIND } from '../entry-tags.ts'
import { wholeNumberIn } from '../records/number-text.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { removeFrom, ShownPositions, type KnownEntry } from './check-facts.ts'
import { EXPORT_FAULTS, type ExportFault } from './export-lines.ts'
import { MOST_LISTED } from './findings-report.ts'
import { toPrintable } from './printable.ts'
import { faultOf, judged, passed, type Finding } from './verification-finding.ts'

const DECIDED: ReadonlySet<string> = new Set([RECEIPT_KIND, 'referral_decision', 'referral_outcome'])

type Found = { index: number; code: CoverageFault }

const findingOf = ({ index, code }: Found): Finding =>
  judged('coverage', `leaf ${index}`, faultOf(COVERAGE_FAULTS, code))

/** `declared`: null if the entry is malformed. */
type KnownCoverage = { declared: Pick<Coverage, 'decides' | 'software'> | null; decisions: number }

export class CoverageCheck {
  readonly #first: number
  /** Coverage entries of the file and of its lines, by position. */
  readonly #known = new Map<number, KnownCoverage>()
  readonly #withheld: ShownPositions
  /** From this position on, every decision names one. */
  #from = Infinity
  /** Decisions that name none, until it is known from where on each does. */
  readonly #without: number[] = []
  #decisions = 0
  /** Decisions that name an entry which the file does not have. */
  readonly #elsewhere = new Map<number, number>()
  /** The sums of the hours' counts in the file. */
  readonly #counters = new Map<string, number>()
  #isAnyWithheld = false
  /** Calls that leave no entry, by the entry with the highest position. */
  #latest: { index: number; rows: Coverage['writes_none'] } = { index: -1, rows: [] }
  readonly #isOld: boolean
  readonly #isShown: (position: number) => boolean

  /**
   * @param first the first position of the file; Infinity for a file that is no range of the log
   * @param isOld true for a schema without coverage: that its decisions name none is not worth a note
   * @param isShown true for a position whose line fits its leaf
   */
  constructor(first: number, isOld: boolean, isShown: (position: number) => boolean) {
    this.#first = first
    this.#isShown = isShown
    this.#isOld = isOld
    this.#withheld = new ShownPositions(first)
  }

  /** @param why an entry that cannot be read is not withheld by anybody */
  takeWithheld(index: number, why: unknown): void {
    if (why === 'retention') this.#withheld.add(index)
    this.#isAnyWithheld = true
  }

  /**
   * Takes the line of an entry from before the file.
   *
   * @param fault the fault of the line itself. An entry that comes twice, or after what names it, has one too
   */
  takeEarlier(line: JsonObject, fault: ExportFault | null): Finding[] {
    const { content } = line
    const index = wholeNumberIn(line, 'index') ?? 0
    const isLate = this.#known.has(index) || this.#elsewhere.has(index)
    const code = fault ?? (isLate ? 'out_of_order' : null)
    if (code !== null) return [judged('coverage', `leaf ${toPrintable(line['index'])}`, faultOf(EXPORT_FAULTS, code))]
    return isJsonObject(content) ? this.#takeEntry(index, content).map(findingOf) : []
  }

  take(entry: KnownEntry): Finding[] {
    return this.#judge(entry).map(findingOf)
  }

  #judge({ index, kind, content, facts }: KnownEntry): Found[] {
    if (kind === 'coverage') return this.#takeEntry(index, content)
    if (kind === 'hour_counts') return this.#takeCounts(index, content)
    if (!DECIDED.has(kind)) return []
    if (kind !== RECEIPT_KIND) return this.#takeDecision(index, kind, content)
    // Facts that nothing covers are the sender's word.
    return facts === null || !Object.hasOwn(facts, 'v') ? [] : this.#takeDecision(index, kind, facts)
  }

  #takeEntry(index: number, content: JsonObject): Found[] {
    const read = readCoverage(content)
    // Only what is told later stays in memory.
    const declared = read && { decides: read.decides, software: read.software }
    if (read !== null && index >= this.#latest.index) this.#latest = { index, rows: read.writes_none }
    this.#known.set(index, { declared, decisions: 0 })
    return [...(declared === null ? [{ index, code: 'coverage_malformed' } as const] : []), ...this.#coverFrom(index)]
  }

  #takeCounts(index: number, content: JsonObject): Found[] {
    const { refused } = content
    for (const [name, count] of Object.entries({ ...(isJsonObject(refused) && refused) })) {
      this.#count(`refused.${name}`, count)
    }
    this.#count('other_calls', content['other_calls'])
    return Object.hasOwn(content, 'coverage_form') ? this.#coverFrom(wholeNumberIn(content, 'from') ?? index) : []
  }

  #count(name: string, value: unknown): void {
    if (typeof value === 'number') this.#counters.set(name, (this.#counters.get(name) ?? 0) + value)
  }

  #takeDecision(index: number, kind: string, said: JsonObject): Found[] {
    this.#decisions += 1
    const { operation } = said
    const fault = (code: CoverageFault): Found[] => [{ index, code }]
    if (!Object.hasOwn(said, 'coverage')) {
      if (index >= this.#from) return fault('coverage_missing')
      this.#without.push(index)
      return []
    }
    const named = wholeNumberIn(said, 'coverage')
    if (named === null || named >= index) return fault('coverage_mismatch')
    const known = this.#known.get(named)
    if (known === undefined) return this.#takeUnknown(index, named)
    known.decisions += 1
    const code = known.declared && judgeOperation(kind, operation, known.declared)
    return code === null ? [] : fault(code)
  }

  #takeUnknown(index: number, named: number): Found[] {
    if (named >= this.#first) {
      if (this.#withheld.has(named)) return [{ index, code: 'coverage_withheld' }]
      if (this.#isShown(named)) return [{ index, code: 'coverage_mismatch' }]
    }
    // A line that is missing or wrong has its own finding.
    this.#elsewhere.set(named, (this.#elsewhere.get(named) ?? 0) + 1)
    return this.#coverFrom(named)
  }

  /** A leaf shows that each decision from this position on names an entry, unless older software made it. */
  #coverFrom(position: number): Found[] {
    this.#from = Math.min(this.#from, position)
    return removeFrom(this.#without, position).map((index) => ({ index, code: 'coverage_missing' }))
  }

  /** Returns what the file shows: each coverage entry, what leaves no entry, and what is not known. */
  finish(): Finding[] {
    const known = [...this.#known]
      .toSorted(([one], [other]) => one - other)
      .flatMap(([index, { declared, decisions }]) => (declared === null ? [] : [{ index, declared, decisions }]))
    const elsewhere = [...this.#elsewhere.values()].reduce((sum, count) => sum + count, 0)
    const described = known.map(({ index, declared, decisions }) => {
      const operations = numberOf(declared.decides.length, 'operation')
      return `leaf ${index}: ${toPrintable(softwareText(declared))}, ${operations}; ${numberOf(decisions, 'decision')} under it`
    })
    return [
      ...described.slice(-MOST_LISTED).map((subject) => passed('coverage', subject)),
      // Only a range has the counts of calls without an entry.
      ...(known.length === 0 || this.#first === Infinity
        ? []
        : [passed('coverage', this.#describeUnwritten(this.#latest.rows))]),
      ...(this.#isOld ? [] : this.#note(this.#without.length, 'coverage_absent')),
      ...this.#note(elsewhere, 'coverage_elsewhere'),
    ]
  }

  #note(count: number, code: keyof typeof COVERAGE_NOTES): Finding[] {
    const subject = `${count} of ${numberOf(this.#decisions, 'decision')}`
    return count === 0 ? [] : [passed('coverage', subject, { code, reason: COVERAGE_NOTES[code] })]
  }

  /** Several reasons share a counter, and some counters count other calls too. So each counter is told once, with its sum. */
  #describeUnwritten(rows: Coverage['writes_none']): string {
    const reasons = Array.from(
      Map.groupBy(rows, ({ why }) => why),
      ([why, of]) => {
        const counters = [...countersOf(of)].join(', ') || 'not counted'
        return `${toPrintable(whyText(why))} (${toPrintable(counters)})`
      },
    )
    const bounds = countersOf(rows.filter((row) => row.at_least === true))
    const sums = [...countersOf(rows)].flatMap((name) => {
      const sum = this.#counters.get(name)
      const isBound = bounds.has(name) || this.#isAnyWithheld
      return sum === undefined ? [] : [`${toPrintable(name)} ${isBound ? 'at least ' : ''}${sum}`]
    })
    return `calls that leave no entry: ${reasons.join('; ')}. Counted here: ${sums.join(', ') || 'nothing'}`
  }
}

const countersOf = (rows: Coverage['writes_none']): ReadonlySet<string> =>
  new Set(rows.flatMap(({ counted }) => counted?.split('+') ?? []))

const numberOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
