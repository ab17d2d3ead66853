// Checks what an audit export or a bundle says the log covers: each decision names an entry before it, which says which software
// wrote the decision, and that its operation writes such decisions. organisation/coverage writes these entries.
//
// SECURITY: leaves cover the entries, and what a decision names. That the stated software is what ran, no entry shows.
import { COVERAGE_FORM } from '../records/coverage-entry.ts'
import { RECEIPT_KIND } from '../entry-tags.ts'
import { wholeNumberIn } from '../records/number-text.ts'
import { isHash } from '../tree/verify-proof.ts'
import { isJsonObject, type JsonObject } from '../../platform/json.ts'
import { ShownPositions, type KnownEntry } from './check-facts.ts'
import { partFault } from './judge-log.ts'
import {
  failed,
  hasExactMembers,
  judged,
  passed,
  toPrintable,
  type Fault,
  type Finding,
} from './verification-finding.ts'

export const COVERAGE_FAULTS = {
  coverage_missing: 'It names no coverage entry, where the log says that each decision does.',
  coverage_mismatch: 'It names a coverage entry that is not before it, or is an entry of another kind.',
  coverage_withheld: 'The coverage entry that it names is withheld, though the decision is kept.',
  coverage_malformed: 'Its content is not of the form coverage-1.',
  operation_undeclared: 'Its coverage entry does not say that its operation writes such decisions.',
} as const

type CoverageFault = keyof typeof COVERAGE_FAULTS

export const COVERAGE_NOTES = {
  coverage_absent: 'They name no coverage entry, so the log does not say which software made them.',
  coverage_elsewhere: 'The coverage entry that they name is not in the file.',
} as const

/** What a coverage entry says: the kinds that each operation writes, and the rows of calls that leave no entry. */
type Declared = { subject: string; writes: ReadonlyMap<unknown, readonly string[]>; writesNone: readonly WritesNone[] }

type WritesNone = { codes: readonly string[]; counted: string | null; why: string; isBound: boolean }

const MEMBERS = [
  'v',
  'software',
  'forms',
  'catalogue',
  'policy_version',
  'retention_days',
  'decides',
  'also',
  'reads',
  'enumerated_by',
  'endpoints',
  'writes_none',
  'at_capacity',
  'settles_within_s',
  'kind',
  'at',
] as const

/** Reads the content of a coverage entry. Null if it is not of the form. @see docs/coverage.md */
export function readCoverage(content: JsonObject): Declared | null {
  const { v, software, forms, catalogue, also, reads, enumerated_by: by, endpoints, at_capacity: capacity } = content
  const numbers = ['policy_version', 'retention_days', 'settles_within_s'].map((name) => wholeNumberIn(content, name))
  const decides = listOf(content['decides'], readOperation)
  const writesNone = listOf(content['writes_none'], readWritesNone)
  const subject = subjectOf(software)
  if (!hasExactMembers(content, MEMBERS) || v !== COVERAGE_FORM || numbers.includes(null) || !isHash(catalogue))
    return null
  if (subject === null || decides === null || writesNone === null || typeof by !== 'string') return null
  if (!isJsonObject(forms) || !Object.values(forms).every(isText) || !isSorted(also) || !isSorted(reads)) return null
  if (!hasExactMembers(endpoints, ['on', 'off']) || !isSorted(endpoints['on']) || !isSorted(endpoints['off']))
    return null
  if (!hasExactMembers(capacity, ['sent', 'status']) || wholeNumberIn(capacity, 'status') === null) return null
  const codes = writesNone.flatMap((row) => row.codes)
  const operations = decides.map(([operation]) => operation)
  if (new Set(codes).size !== codes.length || !isSorted(operations)) return null
  return { subject, writes: new Map(decides), writesNone }
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** True for texts in ascending order, each once. */
const isSorted = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((text, at) => isText(text) && (at === 0 || value[at - 1] < text))

/** Reads each value of a list. Null if it is no list, or one cannot be read. */
function listOf<T>(value: unknown, read: (one: JsonObject) => T | null): T[] | null {
  if (!Array.isArray(value)) return null
  const all = value.map((one: unknown) => (isJsonObject(one) ? read(one) : null))
  return all.every((one) => one !== null) ? all : null
}

function readOperation(row: JsonObject): [operation: string, writes: string[]] | null {
  const { operation, route, writes } = row
  const isWhole = hasExactMembers(row, ['operation', 'route', 'writes']) && isText(operation) && isText(route)
  return isWhole && isSorted(writes) && writes.length > 0 ? [operation, writes] : null
}

function readWritesNone({ at_least: isBound, ...row }: JsonObject): WritesNone | null {
  const { codes, counted, why } = row
  if (!hasExactMembers(row, ['codes', 'counted', 'why']) || !isSorted(codes) || !isText(why)) return null
  if (!(counted === null || isText(counted)) || !(isBound === undefined || isBound === true)) return null
  return { codes, counted, why, isBound: isBound === true }
}

const SHOWN_DIGITS = 8

function subjectOf(software: unknown): string | null {
  if (!hasExactMembers(software, ['name', 'version', 'source_sha256', 'worker'])) return null
  const { name, version, source_sha256: source, worker } = software
  if (!isText(name) || !isText(version) || !(source === null || isHash(source))) return null
  if (
    !(worker === null || (hasExactMembers(worker, ['id', 'tag', 'uploaded_at']) && Object.values(worker).every(isText)))
  )
    return null
  const parts = [
    `${name} ${version}`,
    ...(source === null ? [] : [`source ${source.slice(0, SHOWN_DIGITS)}`]),
    ...(worker === null ? [] : [`worker ${String(worker['id']).slice(0, SHOWN_DIGITS)}`]),
  ]
  return toPrintable(parts.join(', '))
}

/** Judges a decision by the coverage entry that it names. @param under what that entry says */
export function judgeOperation(
  { kind, operation }: { kind: string; operation: unknown },
  under: Declared,
): CoverageFault | null {
  return under.writes.get(operation)?.includes(kind) === true ? null : 'operation_undeclared'
}

const DECIDED: ReadonlySet<string> = new Set([RECEIPT_KIND, 'referral_decision', 'referral_outcome'])

/** A fault of the entry at a position. */
type Found = { index: number; code: CoverageFault }

type KnownCoverage = { declared: Declared | null; decisions: number }

export class CoverageCheck {
  readonly #first: number
  /** Coverage entries of the file and of its lines, by position. `declared`: null if one is malformed. */
  readonly #known = new Map<number, KnownCoverage>()
  readonly #withheld: ShownPositions
  /** From this position on, every decision names one. */
  #from = Infinity
  /** Decisions that name none, until it is known from where on each does. */
  readonly #without: number[] = []
  #decisions = 0
  /** Decisions that name an entry which the file does not have. */
  readonly #elsewhere = new Map<number, number>()
  readonly #counters = new Map<string, number>()

  readonly #isOld: boolean
  readonly #isShown: (position: number) => boolean

  /**
   * @param first the first position of the file
   * @param isOld true for a schema without coverage: that its decisions name none is not worth a note
   * @param isShown true for a position whose line fits its leaf
   */
  constructor(first: number, isOld: boolean, isShown: (position: number) => boolean) {
    this.#first = first
    this.#isShown = isShown
    this.#isOld = isOld
    this.#withheld = new ShownPositions(first)
  }

  takeWithheld(index: number): void {
    this.#withheld.add(index)
  }

  /** Takes an entry from before the file, whose line is proven. Returns false if it comes twice, or after what names it. */
  takeEarlier(index: number, content: JsonObject): Found[] | null {
    return this.#known.has(index) || this.#elsewhere.has(index) ? null : this.#takeEntry(index, content)
  }

  take({ index, kind, content, facts }: KnownEntry): Found[] {
    if (kind === 'coverage') return this.#takeEntry(index, content)
    if (kind === 'hour_counts') return this.#takeCounts(index, content)
    if (!DECIDED.has(kind)) return []
    if (kind !== RECEIPT_KIND) return this.#takeDecision(index, kind, content)
    // Facts that nothing covers are the sender's word.
    return facts === null || !Object.hasOwn(facts, 'v') ? [] : this.#takeDecision(index, kind, facts)
  }

  #takeEntry(index: number, content: JsonObject): Found[] {
    const declared = readCoverage(content)
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
    const code = known.declared && judgeOperation({ kind, operation }, known.declared)
    return code === null ? [] : fault(code)
  }

  #takeUnknown(index: number, named: number): Found[] {
    if (named >= this.#first) {
      if (this.#withheld.has(named)) return [{ index, code: 'coverage_withheld' }]
      // A line that is missing or wrong has its own finding.
      return this.#isShown(named) ? [{ index, code: 'coverage_mismatch' }] : []
    }
    this.#elsewhere.set(named, (this.#elsewhere.get(named) ?? 0) + 1)
    return this.#coverFrom(named)
  }

  /** A leaf shows that each decision from this position on names an entry. No log goes back to decisions that do not. */
  #coverFrom(position: number): Found[] {
    this.#from = Math.min(this.#from, position)
    const missing: Found[] = []
    for (let last = this.#without.at(-1); last !== undefined && last >= position; last = this.#without.at(-1)) {
      missing.push({ index: last, code: 'coverage_missing' })
      this.#without.pop()
    }
    return missing.toReversed()
  }

  /** Returns what the file shows: each coverage entry, what leaves no entry, and what is not known. */
  finish(): Finding[] {
    const known = [...this.#known].flatMap(([index, { declared, decisions }]) =>
      declared === null ? [] : [{ index, declared, decisions }],
    )
    const elsewhere = [...this.#elsewhere.values()].reduce((sum, count) => sum + count, 0)
    const latest = known.at(-1)
    return [
      ...known.map(({ index, declared, decisions }) =>
        passed(
          'coverage',
          `leaf ${index}: ${declared.subject}, ${declared.writes.size} operations; ${decisions} decisions under it`,
        ),
      ),
      ...(latest === undefined ? [] : [passed('coverage', `leave no entry: ${this.#describe(latest.declared)}`)]),
      ...(this.#isOld ? [] : this.#note(this.#without.length, 'coverage_absent')),
      ...this.#note(elsewhere, 'coverage_elsewhere'),
    ]
  }

  #note(count: number, code: keyof typeof COVERAGE_NOTES): Finding[] {
    const subject = `${count} of ${this.#decisions} decisions`
    return count === 0 ? [] : [passed('coverage', subject, { code, reason: COVERAGE_NOTES[code] })]
  }

  #describe({ writesNone }: Declared): string {
    return writesNone
      .map(({ codes, counted, isBound }) => `${toPrintable(codes.join(', '))} (${this.#countsOf(counted, isBound)})`)
      .join('; ')
  }

  #countsOf(counted: string | null, isBound: boolean): string {
    if (counted === null) return 'not counted'
    const sum = counted.split('+').reduce((total, name) => total + (this.#counters.get(name) ?? 0), 0)
    return `${isBound ? 'at least ' : ''}${sum}`
  }
}

type CoveredCall = {
  /** Null if they are left out. */
  facts: JsonObject | null
  /** Judges the entry with its proof. Returns its position and the record's, or the fault. */
  judge: (coverage: JsonObject) => { index: number; record: number } | Fault
}

/** Checks the coverage entry of a bundle: that it is in the log, well formed, and the one that the facts name. */
export function checkCoverage(coverage: JsonObject | null, { facts, judge }: CoveredCall): Finding[] {
  const named = facts === null ? null : wholeNumberIn(facts, 'coverage')
  if (coverage === null) {
    const note = { code: 'coverage_elsewhere', reason: COVERAGE_NOTES.coverage_elsewhere }
    return named === null ? [] : [passed('coverage', `leaf ${named}`, note)]
  }
  const subject = `leaf ${toPrintable(coverage['index'])}`
  const refuse = (code: CoverageFault): Finding[] => [failed('coverage', subject, code, COVERAGE_FAULTS[code])]
  if (!hasExactMembers(coverage, ['index', 'content', 'entry', 'proof'])) {
    return [judged('coverage', subject, partFault('unknown_member'))]
  }
  const found = judge(coverage)
  if ('code' in found) return [judged('coverage', subject, found)]
  const { content } = coverage
  const declared = isJsonObject(content) && content['kind'] === 'coverage' ? readCoverage(content) : null
  if (declared === null) return refuse('coverage_malformed')
  const isNamed = facts === null || (named === found.index && found.index < found.record)
  if (wholeNumberIn(coverage, 'index') !== found.index || !isNamed) return refuse('coverage_mismatch')
  const code = facts && judgeOperation({ kind: RECEIPT_KIND, operation: facts['operation'] }, declared)
  return code === null ? [passed('coverage', `${subject}: ${declared.subject}`)] : refuse(code)
}
