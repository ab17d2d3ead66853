// Counts findings, and prints them for people or for programs, in countersign-verify and on the verification page.
import { READ_FAULTS, type ReadFault } from '../records/read-json-object.ts'
import { NOT_PROVEN, type Finding } from './verification-finding.ts'

export type ReportedFinding = (Finding | { kind: 'unreadable'; valid: false; code: string; reason: string }) & {
  line?: number
}

/** The verdict on everything. Not proven: no fault was found, but the caller's trust does not cover all of it. */
export type Verdict = 'valid' | 'not_proven' | 'invalid' | 'unreadable'

export type ReportJson = ReturnType<FindingsReport['toJson']>

/** Findings of lines beyond this many faults, and this many notes, are counted but not listed. */
export const MOST_LISTED = 100

export class FindingsReport {
  readonly #shown: ReportedFinding[] = []
  #checked = 0
  /** How many documents or lines have a fault. A fault of a whole file is in none of its lines. */
  #invalid = 0
  #unreadable = 0
  /** The verdict on everything that could be read. */
  #verdict: Exclude<Verdict, 'unreadable'> = 'valid'

  /** Adds findings. `line`: the line's number in a file of lines, for which only faults and notes are listed. */
  add(findings: readonly Finding[], line?: number): void {
    this.#checked += 1
    if (findings.some(({ valid }) => !valid)) this.#invalid += 1
    this.addOfWhole(findings, line)
  }

  /** Adds findings on a whole file, whose lines are counted already. */
  addOfWhole(findings: readonly Finding[], line?: number): void {
    for (const finding of findings) {
      if (!finding.valid && this.#verdict !== 'invalid')
        this.#verdict = finding.code === NOT_PROVEN ? 'not_proven' : 'invalid'
      if (line === undefined) this.#shown.push(finding)
      else if (!finding.valid || finding.code !== null) this.#list({ ...finding, line })
    }
  }

  addUnreadable(fault: ReadFault, line?: number): void {
    this.#unreadable += 1
    const shown: ReportedFinding = { kind: 'unreadable', valid: false, code: fault, reason: READ_FAULTS[fault] }
    this.#list(line === undefined ? shown : { ...shown, line })
  }

  #list(shown: ReportedFinding): void {
    if (this.#shown.filter(({ valid }) => valid === shown.valid).length < MOST_LISTED) this.#shown.push(shown)
  }

  /** Returns the command's exit code. An unreadable part outranks an invalid one, since not everything was checked. */
  exitCode(): 0 | 1 | 2 {
    if (this.#unreadable > 0 || this.#checked === 0) return 2
    return this.#verdict === 'valid' ? 0 : 1
  }

  verdict(): Verdict {
    return this.exitCode() === 2 ? 'unreadable' : this.#verdict
  }

  toJson() {
    return {
      valid: this.exitCode() === 0,
      verdict: this.verdict(),
      checked: this.#checked,
      invalid: this.#invalid,
      unreadable: this.#unreadable,
      findings: this.#shown,
    }
  }

  toText(isExport: boolean): string {
    const lines = this.#shown.map(formatFinding)
    if (isExport) {
      lines.push(`${this.#checked} checked, ${this.#invalid} invalid, ${this.#unreadable} unreadable`)
    }
    return lines.join('\n')
  }
}

/** Returns the printed verdict. A valid finding with a code has a note for the reader. */
function verdictOf({ valid, code }: Finding): string {
  if (valid) return code === null ? 'valid     ' : 'note      '
  return code === NOT_PROVEN ? 'not proven' : 'invalid   '
}

function formatFinding(shown: ReportedFinding): string {
  const where = shown.line === undefined ? '' : `line ${shown.line}  `
  if (shown.kind === 'unreadable') return `unreadable  ${where}${shown.reason}`
  const verdict = verdictOf(shown)
  const why = shown.reason === null ? '' : `  ${shown.reason} (${String(shown.code)})`
  const key = shown.key_source === undefined ? '' : `  ${shown.key_source} key`
  return `${verdict}  ${where}${shown.kind}  ${shown.subject}${key}${why}`
}
