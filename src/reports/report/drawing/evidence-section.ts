// The query and the finding of each control.
import type { Run } from '../../pdf/layout/break-lines.ts'
import type { Flow } from '../../pdf/layout/flow.ts'
import { drawTable } from '../../pdf/layout/table.ts'
import type { ComplianceReport, Control } from '../report.schema.ts'
import type { Sections } from './sections.ts'
import { BODY, GAP, MUTED, NOTE, SMALL, SMALL_STRONG, TABLE } from './styles.ts'
import { count, figure, moment, STATES } from './formats.ts'

/** Further positions are only in the JSON. */
const MOST_POSITIONS = 12

export function drawEvidence(flow: Flow, sections: Sections, { controls }: ComplianceReport): void {
  sections.begin('The evidence', { room: 220 })
  const times = [...new Set(controls.map(({ checked_at: at }) => moment(at)))]
  flow.paragraph(
    `What was asked for each control, and what was found. Positions are of entries in the organisation’s log.${times.length === 1 ? ` All was looked up on ${times.join('')}.` : ''}`,
    BODY,
  )
  flow.space(GAP)
  drawTable(
    flow,
    {
      hasRowHeads: true,
      columns: [
        { head: 'Control', share: 19 },
        { head: 'Asked', share: 46 },
        { head: 'Found', share: 39 },
      ],
      rows: controls.map((control) => [headOf(control), askedOf(control), foundOf(control, times.length > 1)]),
    },
    TABLE,
  )
}

function headOf({ id, state }: Control): Run[] {
  return [
    { text: `${id}\n`, type: SMALL_STRONG },
    { text: STATES[state].word, type: { ...SMALL, colour: STATES[state].ink } },
  ]
}

function askedOf({ title, evidence: { query, link } }: Control): Run[] {
  const asked: Run[] = [
    { text: `${title}\n`, type: SMALL_STRONG },
    { text: query, type: SMALL },
  ]
  return link === undefined ? asked : [...asked, { text: `\n${link}`, type: NOTE }]
}

function foundOf({ reason, evidence: { values, positions }, checked_at: at }: Control, showsTime: boolean): Run[] {
  const found: Run[] = []
  const line = (...runs: Run[]): void => {
    if (found.length > 0) found.push({ text: '\n', type: SMALL })
    found.push(...runs)
  }
  if (reason !== null) line({ text: reason, type: SMALL })
  for (const [name, value] of Object.entries(values ?? {}).toSorted(byName)) {
    line(
      { text: `${name.replaceAll('_', ' ')}: `, type: { ...SMALL, colour: MUTED } },
      { text: shown(value), type: SMALL },
    )
  }
  if (positions !== undefined && positions.length > 0) line({ text: positionsOf(positions), type: SMALL })
  if (found.length === 0) line({ text: 'Nothing.', type: SMALL })
  if (showsTime) line({ text: moment(at), type: NOTE })
  return found
}

/** JSON may order members in any way, but the same report must give the same document. */
const byName = ([first]: [string, unknown], [second]: [string, unknown]): number => (first < second ? -1 : 1)

type Value = NonNullable<Control['evidence']['values']>[string]

function shown(value: Value): string {
  if (value === null) return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'number') return figure(value)
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT/.test(value) ? moment(value) : value
  return value.length === 0 ? 'none' : value.join(', ')
}

function positionsOf(positions: readonly number[]): string {
  const some = positions.slice(0, MOST_POSITIONS).map(count).join('; ')
  const more = positions.length - MOST_POSITIONS
  return `at positions ${some}${more > 0 ? ` and ${count(more)} more` : ''}`
}
