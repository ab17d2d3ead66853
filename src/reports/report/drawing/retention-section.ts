// What is kept, for how long, and where.
import type { Flow } from '../../pdf/layout/flow.ts'
import { drawTable } from '../../pdf/layout/table.ts'
import type { ComplianceReport } from '../report.schema.ts'
import type { Sections } from './sections.ts'
import { BODY, GAP, SMALL_STRONG, TABLE } from './styles.ts'
import { count, plural } from './words.ts'

export function drawRetention(flow: Flow, sections: Sections, { retention }: ComplianceReport): void {
  const { tier, details_days: details, content_logging: isLogging, content_days: content, jurisdiction } = retention
  const { asked, done, overdue } = retention.erasures
  sections.begin('What is kept, and for how long', { room: 160 })
  flow.paragraph(
    'Of every decision a hash stays in the log for good. What the hash is of, the details, is deleted when its time is over; proofs still verify then.',
    BODY,
  )
  flow.space(GAP)
  const kept = content === null ? 'kept' : `kept for ${plural(content, 'day', 'days')}`
  drawTable(
    flow,
    {
      hasHead: false,
      hasRowHeads: true,
      columns: [
        { head: 'Subject', share: 34 },
        { head: 'State', share: 66 },
      ],
      rows: [
        ['Tier', tier],
        ['Details of decisions', `kept for ${plural(details, 'day', 'days')}`],
        ['Prompts and answers', isLogging ? kept : 'not kept'],
        ['Jurisdiction of the organisation’s data', jurisdiction ?? 'none is set'],
        ['Requests to be erased', `${count(asked)} asked for, ${count(done)} done, ${count(overdue)} overdue`],
      ].map(([subject = '', state = '']) => [[{ text: subject, type: SMALL_STRONG }], state]),
    },
    TABLE,
  )
}
