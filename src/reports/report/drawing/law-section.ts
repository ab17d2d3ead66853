// Which laws and standards the checklist looks towards, and what neither it nor this report can show.
import type { Flow } from '../../pdf/layout/flow.ts'
import { drawTable } from '../../pdf/layout/table.ts'
import type { ComplianceReport } from '../report.schema.ts'
import type { Sections } from './sections.ts'
import { BODY, GAP, SMALL_STRONG, TABLE } from './styles.ts'
import { day } from './words.ts'

export function drawLaw(flow: Flow, sections: Sections, report: ComplianceReport): void {
  sections.begin(`The law, as of ${day(report.law_as_of)}: readiness, no legal advice`, { room: 240 })
  flow.list(report.law.notes, BODY)
  flow.space(GAP + 4)
  drawTable(
    flow,
    {
      caption: 'What is expected, and what of it this service can show',
      hasRowHeads: true,
      columns: [
        { head: 'Source', share: 20 },
        { head: 'Expects to see', share: 28 },
        { head: 'Shown here', share: 28 },
        { head: 'Not shown here', share: 24 },
      ],
      rows: report.law.sources.map(({ source, expects, shows, cannot }) => [
        [{ text: source, type: SMALL_STRONG }],
        expects,
        shows,
        cannot,
      ]),
    },
    TABLE,
  )
  sections.begin('What this report cannot show')
  flow.list(report.cannot_show, BODY)
}
