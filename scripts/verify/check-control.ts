// Judges a control of a compliance report again: its state by its own evidence, and the evidence by an audit export of its days.
import { isDeepStrictEqual } from 'node:util'
import type { EntryObserver, SeenEntry } from '../../src/evidence/verify/check-options.ts'
import { toPrintable } from '../../src/evidence/verify/printable.ts'
import { failed, NOT_PROVEN, passed, type Finding } from '../../src/evidence/verify/verification-finding.ts'
import { canonicalJson } from '../../src/evidence/records/canonical-json.ts'
import { READ_FAULTS, readJsonObject } from '../../src/evidence/records/read-json-object.ts'
import { sha256, sha256Hex } from '../../src/platform/sha256.ts'
import type { JsonObject } from '../../src/platform/json.ts'
import { CONTROLS, judgeAgain } from '../../src/reports/controls/checklist.ts'
import type { ControlDefinition } from '../../src/reports/controls/control.ts'
import { LogValues } from '../../src/reports/controls/log-values.ts'
import { ControlSchema, type Control } from '../../src/reports/report/report.schema.ts'
import * as z from 'zod'

/** The members of a report, or of a score, that the check needs. */
const PeriodSchema = z.object({
  object: z.enum(['compliance_report', 'compliance_score']),
  start: z.iso.date(),
  end: z.iso.date(),
  controls: z.array(ControlSchema()),
})

/** Codes of findings on a control. The reason says which value, and what the log has. */
export const CONTROL_FAULTS = {
  state_differs: 'The state does not follow from the values of the report.',
  values_differ: 'The log has other values than the report.',
} as const

type Judged = {
  start: string
  end: string
  control: Control
  definition: ControlDefinition
  /** Null: it is a score. */
  sha256: string | null
}

export class ControlCheck implements EntryObserver {
  readonly #judged: Judged
  readonly #log: LogValues
  /** The number of entries in the log when the report was made. Infinite if it does not say. */
  readonly #before: number

  private constructor(judged: Judged, before: number) {
    const { start, end } = judged
    this.#judged = judged
    this.#before = before
    this.#log = new LogValues({ start, end, before }, sha256)
  }

  /** Returns why it cannot be checked, in words, if the file is no report or has no such control. */
  static of(id: string, file: Uint8Array): ControlCheck | string {
    const definition = CONTROLS.find((one) => one.id === id)
    if (definition === undefined)
      return `No control is called ${id}. Name one of ${CONTROLS.map((one) => one.id).join(', ')}.`
    const read = readJsonObject(file)
    if (!read.readable) return READ_FAULTS[read.fault]
    const parsed = PeriodSchema.safeParse(read.object)
    if (!parsed.success) return 'It is neither a report nor a score of the checklist.'
    const { start, end, controls } = parsed.data
    const [control, ...more] = controls.filter((one) => one.id === id)
    if (control === undefined || more.length > 0)
      return `It has ${more.length === 0 ? 'no' : 'more than one'} control ${id}.`
    const hash = hashOfReport(read.object)
    if (hash === 'not_well_formed') return 'It has text that is not well-formed.'
    const before = controls.find((one) => one.id === 'L2')?.evidence.sample?.tree_size ?? Infinity
    return new ControlCheck({ start, end, control, definition, sha256: hash }, before)
  }

  begin(head: JsonObject): void {
    this.#log.begin(head)
  }

  take(entry: SeenEntry): void {
    this.#log.take(entry)
  }

  takeWithheld(index: number, why: unknown): void {
    this.#log.takeWithheld(index, why)
  }

  /** Returns the findings, after the last line of the export. */
  finish(): Finding[] {
    const { control, definition } = this.#judged
    const name = `${definition.id} ${definition.title}`
    return [this.#judgeReport(), judgeState(control, name), this.#judgeEvidence(control, name)].filter(
      (one) => one !== null,
    )
  }

  /** A report has its hash in the log. A score is in no log, so anybody may have written it. */
  #judgeReport(): Finding {
    const { sha256: hash } = this.#judged
    if (hash === null)
      return failed('report', 'a score', NOT_PROVEN, 'No log has a score. Make a report, and check that.')
    const position = this.#log.reports.get(hash)
    return position === undefined
      ? failed(
          'report',
          hash,
          NOT_PROVEN,
          'No entry of the export has the hash of this report. Export the day of its making too.',
        )
      : passed('report', `${hash}, entry ${position} of the log`)
  }

  #judgeEvidence(control: Control, subject: string): Finding {
    const { evidence } = control
    const { link } = this.#judged.definition
    const unproven = (reason: string): Finding => failed('control', subject, NOT_PROVEN, reason)
    if (control.state === 'not_applicable') return unproven('It does not apply, so no value is judged.')
    const made = this.#log.valuesOf(control)
    if (made === null) return unproven(`The log does not show it.${link === undefined ? '' : ` Ask ${link}.`}`)
    const { head, expired } = this.#log
    if (head === null) return unproven('The file is no audit export with a valid head.')
    if (String(head['start']) > this.#judged.start || String(head['end']) < this.#judged.end) {
      return unproven(`The export has not all days from ${this.#judged.start} to ${this.#judged.end}.`)
    }
    const [first, end] = [Number(head['first']), Number(head['end_index'])]
    if (end < (this.#before === Infinity ? 0 : this.#before) || first > (evidence.sample?.first ?? Infinity)) {
      return unproven(`The export has the entries ${first} to before ${end}: not all that the report is about.`)
    }
    const shown = Object.entries(made)
    const differing = shown.filter(([name, value]) => !isDeepStrictEqual(value, evidence.values?.[name]))
    const others = Object.keys(evidence.values ?? {}).filter((name) => !Object.hasOwn(made, name))
    const rest = others.length === 0 ? '' : `; as reported: ${others.map(toPrintable).join(', ')}`
    if (differing.length === 0)
      return passed('control', `${subject}: the log has ${shown.map(textOf).join(', ')}${rest}`)
    const compared = differing.map(
      ([name, value]) => `${textOf([name, value])}, and the report ${textOf([name, evidence.values?.[name]])}`,
    )
    const reason = `It has ${compared.join('; ')}.`
    return expired > 0
      ? unproven(
          `${CONTROL_FAULTS.values_differ} ${reason} ${expired} entries are withheld, as their retention is over.`,
        )
      : fault(subject, 'values_differ', reason)
  }
}

function judgeState({ id, state, evidence }: Control, name: string): Finding | null {
  const subject = `${name}: ${state}, by the values of the report`
  if (state === 'not_applicable' || evidence.values === null) return null
  const again = judgeAgain(id, evidence.values)
  return again === state
    ? passed('control', subject)
    : fault(subject, 'state_differs', `By its values it is ${again ?? 'not judged'}.`)
}

const fault = (subject: string, code: keyof typeof CONTROL_FAULTS, detail: string): Finding =>
  failed('control', subject, code, `${CONTROL_FAULTS[code]} ${detail}`)

const textOf = ([name, value]: [string, unknown]): string => `${name} ${JSON.stringify(value) ?? 'nothing'}`

/** Returns the hash that the log has of a report. The answer to its making has two members more. Null for a score. */
function hashOfReport(read: JsonObject): string | null {
  if (read['object'] !== 'compliance_report') return null
  const { sha256: _hash, position: _position, ...report } = read
  try {
    return sha256Hex(canonicalJson(report))
  } catch {
    return 'not_well_formed'
  }
}
