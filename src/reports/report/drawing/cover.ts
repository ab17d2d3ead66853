// Draws the first page of a report: the decisions, the change since the last report, the largest risks, and how the controls came out.
import type { TextFlow } from '../../pdf/layout/text-flow.ts'
import { drawTable } from '../../pdf/layout/draw-table.ts'
import type { ComplianceReport, Control } from '../report.schema.ts'
import { CONTROL_STATES } from '../../controls/control.ts'
import { DAYS_TO_DECIDE } from '../decisions.ts'
import { column, drawBox } from './section-blocks.ts'
import {
  AMBER,
  AMBER_GROUND,
  BODY,
  COVER_HEADING,
  FRAME,
  GAP,
  NOTE,
  ORGANISATION,
  SMALL,
  SMALL_STRONG,
  STRONG,
  TABLE,
  TITLE,
} from './report-styles.ts'
import { day, moment, period, plural, CONTROL_STATE_STYLES } from './report-formats.ts'

const INVENTED =
  'The data of this report is invented. The calls were made by a program, through the same steps as real ones; no person is behind them.'

export function drawCover(flow: TextFlow, report: ComplianceReport): void {
  flow.heading('H1', 'Compliance report', TITLE, { follows: 0, bookmark: 1 })
  flow.space(2)
  flow.paragraph(report.organisation.name, ORGANISATION)
  flow.paragraph(period(report), { ...BODY, size: 12, leading: 18 })
  flow.space(4)
  flow.paragraph(
    `Made on ${moment(report.created_at)}. Checklist ${report.checklist}, law as of ${day(report.law_as_of)}.`,
    NOTE,
  )
  if (report.demo) {
    flow.space(GAP)
    drawBox(flow, INVENTED, { style: { ...STRONG, colour: AMBER }, ground: AMBER_GROUND, padding: { x: 12, y: 8 } })
  }
  drawDecisions(flow, report)
  drawTrend(flow, report)
  drawRisks(flow, report)
  drawVerdict(flow, report)
}

function drawHeading(flow: TextFlow, text: string): void {
  flow.space(GAP + 6)
  flow.heading('H2', text, COVER_HEADING, { follows: 50, bookmark: 1 })
  flow.space(3)
}

function drawDecisions(flow: TextFlow, { decisions, score }: ComplianceReport): void {
  drawHeading(flow, 'To be decided')
  if (decisions.length === 0) {
    flow.paragraph('Nothing: no control fails.', BODY)
    return
  }
  const table = {
    columns: [column('What', 62), column('Who', 20), column('By when', 18)],
    rows: decisions.map(({ control, what, who, by }) => [
      [
        { text: `${control}: `, type: SMALL_STRONG },
        { text: what, type: SMALL },
      ],
      namesOf(who),
      day(by),
    ]),
  }
  drawTable(flow, table, TABLE)
  flow.space(4)
  const others = score.failed - decisions.length
  const more =
    others > 0 ? ` Section 1 has ${plural(others, 'other control that fails', 'other controls that fail')}.` : ''
  flow.paragraph(
    `The days are a proposal of the service, not a term of law: ${DAYS_TO_DECIDE[3]} days after the report for weight 3, ${DAYS_TO_DECIDE[2]} for weight 2, ${DAYS_TO_DECIDE[1]} for weight 1.${more}`,
    NOTE,
  )
}

/** Joins roles: “Owner, admin or clinician”. */
function namesOf(who: ComplianceReport['decisions'][number]['who']): string {
  const text = [who.slice(0, -1).join(', '), who.at(-1) ?? ''].filter((part) => part !== '').join(' or ')
  return text.replace(/^./, (first) => first.toUpperCase())
}

function drawTrend(flow: TextFlow, report: ComplianceReport): void {
  drawHeading(flow, 'Since the last report')
  flow.paragraph(trendText(report), BODY)
}

function trendText({ trend, controls }: ComplianceReport): string {
  if (trend === null) return 'This is the first report: no earlier one is stored to compare it with.'
  const earlier = `the report of ${day(trend.created_at)} (${period(trend)})`
  if (!trend.same_checklist) return `Not compared: ${earlier} used another version of the checklist.`
  const { percent_before: before, percent_now: now, now_passing: passing, now_failing: failing } = trend
  const changes = [
    ...(passing.length === 0 ? [] : [`Now passing: ${titlesOf(passing, controls)}.`]),
    ...(failing.length === 0 ? [] : [`Now failing: ${titlesOf(failing, controls)}.`]),
  ]
  return `Compared with ${earlier}: score ${scoreText(before)} then, ${scoreText(now)} now. ${changes.length === 0 ? 'No control newly passes or fails.' : changes.join(' ')}`
}

/** The first page has no space for more titles. */
const MOST_TITLES = 3

function titlesOf(ids: readonly string[], controls: readonly Control[]): string {
  const titles = controls.filter(({ id }) => ids.includes(id)).map(({ id, title }) => `${id} ${title}`)
  const others = titles.length - MOST_TITLES
  return [...titles.slice(0, MOST_TITLES), ...(others > 0 ? [`and ${plural(others, 'other', 'others')}`] : [])].join(
    '; ',
  )
}

const scoreText = (percent: number | null): string => (percent === null ? 'none' : `${percent} percent`)

function drawRisks(flow: TextFlow, { risks, score: { coverage } }: ComplianceReport): void {
  drawHeading(flow, 'The three largest risks')
  if (risks.length === 0) {
    flow.paragraph(
      `No control fails. ${coverage.with_data} of ${plural(coverage.controls, 'control', 'controls')} had data; the others show nothing.`,
      BODY,
    )
    return
  }
  flow.list(
    risks.map(({ control, text }) => [
      { text: `${control}: `, type: STRONG },
      { text, type: BODY },
    ]),
    BODY,
    { gap: 2 },
  )
}

function drawVerdict(flow: TextFlow, { score, controls }: ComplianceReport): void {
  drawHeading(flow, 'How the controls came out')
  flow.space(3)
  drawTiles(flow, controls)
  flow.space(GAP - 2)
  const { weight_passed: weight, weight_applicable: whole, percent, reason, coverage, calls } = score
  const sum = percent === null ? reason : `Score: ${weight} of ${whole} by weight, ${percent} percent, rounded down.`
  flow.paragraph(
    `${sum} ${coverage.with_data} of ${plural(coverage.controls, 'control', 'controls')} had data, from ${plural(calls, 'call', 'calls')}. What the service does for every organisation earns no weight, and no statement does. The score measures what this gateway has evidence of, not whether the organisation complies.`,
    BODY,
  )
}

const TILE_HEIGHT = 52
const TILE_GAP = 10

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
