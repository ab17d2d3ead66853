// The sections of a report with one text and at most one table: approvals, retention, the law, the signature.
import type { Flow } from '../../pdf/layout/flow.ts'
import { drawTable } from '../../pdf/layout/table.ts'
import type { ComplianceReport } from '../report.schema.ts'
import type { Sections } from './sections.ts'
import { BODY, GAP, TABLE, SMALL_STRONG, FRAME, MUTED, SMALL, SECTION } from './styles.ts'
import { count, plural, day } from './formats.ts'

export function drawApprovals(flow: Flow, sections: Sections, { approvals }: ComplianceReport): void {
  sections.begin('Approvals by people', { room: approvals.asked === 0 ? 30 : 220 })
  if (approvals.asked === 0) {
    flow.paragraph('No approval was asked for in the period.', BODY)
    return
  }
  flow.paragraph(
    'A call that the policy holds back is sent again once a person has approved it, and at most once. Each decision has a signed record, which shows that the service recorded it, not who the person is.',
    BODY,
  )
  flow.space(GAP)
  drawTable(
    flow,
    {
      caption: 'Approvals asked for in the period',
      hasRowHeads: true,
      columns: [
        { head: 'State', share: 22 },
        { head: 'What it means', share: 62 },
        { head: 'Approvals', share: 16, align: 'right' },
      ],
      rows: [
        ['Asked for', 'All of them', count(approvals.asked)],
        ['Approved', 'A person decided that the call may be made', count(approvals.approved)],
        ['Executed', 'Of those approved: the call was made', count(approvals.executed)],
        ['Denied', 'A person decided that it may not', count(approvals.denied)],
        ['Expired', 'Nobody decided in time', count(approvals.expired)],
        ['Withdrawn', 'The policy or the key changed meanwhile', count(approvals.withdrawn)],
        ['Pending', 'Waits for a person', count(approvals.pending)],
      ],
    },
    TABLE,
  )
}

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

const ROW = 40
const FIELDS = [
  ['Name', 'Function'],
  ['Place and date', 'Signature'],
]

export function drawSignature(flow: Flow, sections: Sections, { organisation, demo }: ComplianceReport): void {
  sections.begin('Signature', { room: BODY.leading * 3 + FIELDS.length * ROW + 20 })
  flow.paragraph(
    `I have read this report of ${organisation.name}, with the list of what it cannot show${demo ? ', and know that its data is invented' : ''}.`,
    BODY,
  )
  const width = (FRAME.width - 24) / 2
  for (const names of FIELDS) {
    flow.y += ROW
    const { page, y } = flow
    for (const [index, name] of names.entries()) {
      const x = FRAME.left + index * (width + 24)
      const ends = [
        [x, y - 12],
        [x + width, y - 12],
      ] as const
      page.artifact('Layout', () => page.line(ends, MUTED, 0.7))
      page.mark(flow.add('P'), () => page.text([x, y - 1], { ...SMALL, colour: MUTED }, name))
    }
  }
}

export function drawReading(flow: Flow): void {
  flow.heading('H2', 'How to read this report', SECTION, { follows: 60, bookmark: 1 })
  flow.space(6)
  flow.list(
    [
      'It tells what one gateway, Countersign, has evidence of: which calls to models were decided, how they ended, what they cost, and whether the record of them is whole. Calls that went to a model by another way are not in it.',
      'It is no legal advice, no certificate, and no finding that a law is kept or broken. What it cannot show has a section of its own, to be read before it is signed.',
      'Days and times are those of UTC. The first and the last day of the period are both in it.',
      'Costs are in euro, rounded to the cent. The report’s JSON has them to the millionth.',
      'All of it is drawn from that JSON, the hash of which is an entry of the organisation’s log. How to check says how somebody can make sure of it who trusts neither this document nor the service.',
    ],
    BODY,
  )
}
