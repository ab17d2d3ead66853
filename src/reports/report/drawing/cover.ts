// Draws the first page of a report: the organisation, the period, and the verdict of every control.
import { widthOf } from '../../pdf/fonts/typeface.ts'
import type { TextFlow } from '../../pdf/layout/text-flow.ts'
import type { TextRun } from '../../pdf/layout/break-lines.ts'
import type { ComplianceReport, Control } from '../report.schema.ts'
import { CONTROL_STATES } from '../../controls/control.ts'
import { drawBox } from './section-blocks.ts'
import {
  AMBER,
  AMBER_GROUND,
  BODY,
  FRAME,
  GAP,
  INK,
  LABEL,
  NOTE,
  ORGANISATION,
  SECTION,
  SMALL,
  SMALL_STRONG,
  STRONG,
  TITLE,
} from './report-styles.ts'
import { day, moment, period, plural, CONTROL_STATE_STYLES } from './report-formats.ts'

const INVENTED =
  'The data of this report is invented. The calls were made by a program, through the same steps as real ones; no person is behind them.'

export function drawCover(flow: TextFlow, report: ComplianceReport): void {
  flow.y += 14
  flow.heading('H1', 'Compliance report', TITLE, { follows: 0, bookmark: 1 })
  flow.space(4)
  flow.paragraph(report.organisation.name, ORGANISATION)
  flow.space(2)
  flow.paragraph(period(report), { ...BODY, size: 12, leading: 18 })
  flow.space(GAP)
  const made = `Made on ${moment(report.created_at)}. Checklist ${report.checklist}, law as of ${day(report.law_as_of)}.`
  flow.paragraph(made, NOTE)
  flow.paragraph(`Report ${report.id} of ${report.organisation.id}`, NOTE)
  if (report.demo) {
    flow.space(GAP)
    drawBox(flow, INVENTED, { style: { ...STRONG, colour: AMBER }, ground: AMBER_GROUND, padding: { x: 12, y: 8 } })
  }
  flow.space(20)
  drawVerdict(flow, report)
  drawGroups(flow, report.controls)
  drawFailing(flow, report.controls)
}

function drawVerdict(flow: TextFlow, { score, controls }: ComplianceReport): void {
  flow.heading('H2', 'How the controls came out', SECTION, { follows: 120 })
  flow.space(6)
  drawTiles(flow, controls)
  flow.space(GAP)
  const { weight_passed: weight, weight_applicable: whole, percent, reason, coverage, calls } = score
  const sum = percent === null ? reason : `Score: ${weight} of ${whole} by weight, ${percent} percent, rounded down.`
  flow.paragraph(
    `${sum} ${coverage.with_data} of ${plural(coverage.controls, 'control', 'controls')} had data, from ${plural(calls, 'call', 'calls')}. What the service does for every organisation earns no weight, and no statement does. The score measures what this gateway has evidence of, not whether the organisation complies.`,
    BODY,
  )
}

const TILE_HEIGHT = 52
const TILE_GAP = 10

/** Draws the number of controls in each state. */
function drawTiles(flow: TextFlow, controls: readonly Control[]): void {
  const list = flow.add('L')
  const width = (FRAME.width - (CONTROL_STATES.length - 1) * TILE_GAP) / CONTROL_STATES.length
  const { page, y } = flow
  for (const [index, state] of CONTROL_STATES.entries()) {
    const { ink, ground, one, many } = CONTROL_STATE_STYLES[state]
    const x = FRAME.left + index * (width + TILE_GAP)
    const total = controls.filter((control) => control.state === state).length
    page.artifact('Layout', () => {
      page.rectangle({ x, y, width, height: TILE_HEIGHT }, ground)
      page.rectangle({ x, y, width: 3, height: TILE_HEIGHT }, ink)
    })
    page.mark(flow.add('LBody', flow.add('LI', list)), () => {
      page.text([x + 14, y + 26], { face: 'bold', size: 20, colour: ink }, `${total} `)
      page.text([x + 14, y + 42], { ...SMALL, colour: ink }, total === 1 ? one : many)
    })
  }
  flow.y += TILE_HEIGHT
}

/** The names of the groups of controls, by the first letter of their ids. */
const GROUPS: Readonly<Record<string, string>> = {
  L: 'The record',
  K: 'Keys and access',
  P: 'Policy',
  H: 'People decide',
  M: 'Monitoring',
  D: 'Data',
  X: 'Beyond this service',
}

const CHIP_WIDTH = 38
const CHIP_HEIGHT = 15
const CHIP_GAP = 4
const GROUPS_LEFT = 112

function drawGroups(flow: TextFlow, controls: readonly Control[]): void {
  const groups = Map.groupBy(controls, ({ id }) => GROUPS[id.slice(0, 1)] ?? 'Others')
  flow.space(GAP + 2)
  const list = flow.add('L')
  const perRow = Math.floor((FRAME.width - GROUPS_LEFT + CHIP_GAP) / (CHIP_WIDTH + CHIP_GAP))
  for (const [title, members] of groups) {
    const item = flow.add('LI', list)
    const label = flow.add('Lbl', item)
    const body = flow.add('LBody', item)
    for (let from = 0; from < members.length; from += perRow) {
      flow.need(CHIP_HEIGHT + 5)
      const { page, y } = flow
      const row = members.slice(from, from + perRow)
      const left = (index: number): number => FRAME.left + GROUPS_LEFT + index * (CHIP_WIDTH + CHIP_GAP)
      if (from === 0) page.mark(label, () => page.text([FRAME.left, y + 11], SMALL_STRONG, `${title} `))
      page.artifact('Layout', () => {
        for (const [index, { state }] of row.entries()) {
          page.rectangle(
            { x: left(index), y, width: CHIP_WIDTH, height: CHIP_HEIGHT },
            CONTROL_STATE_STYLES[state].ground,
          )
        }
      })
      page.mark(body, () => {
        for (const [index, { id, state }] of row.entries()) {
          const { ink, sign } = CONTROL_STATE_STYLES[state]
          const text = `${id} ${sign}`
          const shift = (CHIP_WIDTH - widthOf('bold', 8.25, text)) / 2
          page.text([left(index) + shift, y + 10.5], { face: 'bold', size: 8.25, colour: ink }, `${text} `)
        }
      })
      flow.y += CHIP_HEIGHT + 5
    }
  }
  const key = CONTROL_STATES.flatMap((state, index): TextRun[] => {
    const { sign, word, ink } = CONTROL_STATE_STYLES[state]
    const between = index === CONTROL_STATES.length - 1 ? '' : '   ·   '
    return [
      { text: sign, type: { ...SMALL_STRONG, colour: ink } },
      { text: ` ${word}${between}`, type: NOTE },
    ]
  })
  flow.paragraph(key, NOTE, { indent: GROUPS_LEFT })
}

function drawFailing(flow: TextFlow, controls: readonly Control[]): void {
  const failing = controls.filter(({ state }) => state === 'fail')
  flow.space(GAP + 4)
  const needed = BODY.leading * 2 + 16
  flow.need(needed)
  if (failing.length === 0) {
    flow.paragraph('No control fails.', STRONG)
    return
  }
  flow.paragraph('Controls that fail', { ...LABEL, size: 9.75, leading: 15, colour: INK })
  flow.list(
    failing.map(({ id, title, weight }) => [
      { text: `${id} `, type: STRONG },
      { text: `${title} (weight ${weight})`, type: BODY },
    ]),
    BODY,
    { gap: 0 },
  )
}
