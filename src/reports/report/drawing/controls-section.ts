// All controls with their verdicts, and how the failing ones would pass.
import type { Flow } from '../../pdf/layout/flow.ts'
import { drawTable } from '../../pdf/layout/table.ts'
import type { ComplianceReport } from '../report.schema.ts'
import type { Sections } from './sections.ts'
import { BODY, GAP, SMALL, SMALL_STRONG, STRONG, TABLE } from './styles.ts'
import { moment, STATES } from './formats.ts'

export function drawControls(flow: Flow, sections: Sections, report: ComplianceReport): void {
  flow.newPage()
  sections.begin('The controls')
  flow.paragraph(
    'Each control asks one thing of what this service has written down. It passes or fails; it does not apply where there is nothing to ask about; and it needs a person where nothing here can show it. Weight 3 is for what the record cannot be trusted without, 2 for what an article names, 1 for good practice; what needs a person has none and is never counted.',
    BODY,
  )
  flow.space(GAP)
  drawTable(
    flow,
    {
      caption: `Checklist ${report.checklist}`,
      hasRowHeads: true,
      columns: [
        { head: 'Control', share: 9 },
        { head: 'What it is about', share: 44 },
        { head: 'Sources', share: 24 },
        { head: 'Weight', share: 9, align: 'center' },
        { head: 'Verdict', share: 18 },
      ],
      rows: report.controls.map(({ id, title, sources, weight, state }) => [
        [{ text: id, type: SMALL_STRONG }],
        title,
        sources.join(', '),
        weight === 0 ? '–' : String(weight),
        [{ text: `${STATES[state].sign} ${STATES[state].word}`, type: { ...SMALL_STRONG, colour: STATES[state].ink } }],
      ]),
    },
    TABLE,
  )
  drawMending(flow, sections, report)
  drawStatements(flow, sections, report)
}

function drawMending(flow: Flow, sections: Sections, { controls }: ComplianceReport): void {
  const failing = controls.filter(({ state }) => state === 'fail')
  if (failing.length === 0) return
  sections.part('What would make the failing controls pass')
  flow.list(
    failing.map(({ id, title, would_pass: mend }) => [
      { text: `${id} ${title}. `, type: STRONG },
      { text: mend, type: BODY },
    ]),
    BODY,
  )
}

function drawStatements(flow: Flow, sections: Sections, { statements }: ComplianceReport): void {
  sections.part('Statements of people')
  flow.paragraph(
    'What a person of the organisation stated, as it was written. The service checks none of it, and none of it counts.',
    BODY,
  )
  if (statements.length === 0) {
    flow.space(4)
    flow.paragraph('Nobody has made one.', BODY)
    return
  }
  flow.space(GAP)
  drawTable(
    flow,
    {
      hasRowHeads: true,
      columns: [
        { head: 'About', share: 16 },
        { head: 'Statement', share: 56 },
        { head: 'Stated by', share: 28 },
      ],
      rows: statements.map(({ subject, text, date, stated_by: person, stated_at: at }) => [
        [{ text: subject, type: SMALL_STRONG }],
        date === null ? text : `${text}\n(of ${date})`,
        [
          { text: `${moment(at)}\n`, type: SMALL },
          { text: person, type: SMALL },
        ],
      ]),
    },
    TABLE,
  )
}
