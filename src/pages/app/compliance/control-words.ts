// The states of controls, in words and looks.
import type { Control, ControlState } from '../../../reports/report/report.schema.ts'
import { formatNumber, plural } from '../../text/format.ts'

export const STATES: Readonly<Record<ControlState, { word: string; look: 'good' | 'bad' | 'soft' | 'warn' }>> = {
  pass: { word: 'passes', look: 'good' },
  fail: { word: 'fails', look: 'bad' },
  not_applicable: { word: 'does not apply', look: 'soft' },
  needs_a_person: { word: 'needs a person', look: 'warn' },
}

const COUNTED = [
  ['pass', 'passes', 'pass'],
  ['fail', 'fails', 'fail'],
  ['not_applicable', 'does not apply', 'do not apply'],
  ['needs_a_person', 'needs a person', 'need a person'],
] as const

/** “21 pass, 5 fail, 3 do not apply, 4 need a person”. */
export function countedStates(controls: readonly Pick<Control, 'state'>[]): string {
  const counts = COUNTED.map(([state, one, many]) => {
    const count = controls.filter((control) => control.state === state).length
    return `${count} ${count === 1 ? one : many}`
  })
  return `${plural(controls.length, 'control')}: ${counts.join(', ')}`
}

export type EvidenceValues = NonNullable<Control['evidence']['values']>

/** Null where nothing was found. */
export function evidenceText(value: EvidenceValues[string]): string | null {
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(', ')
  if (typeof value === 'number') return formatNumber(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return value
}
