// Calls that waited for a person.
import type { Flow } from '../../pdf/layout/flow.ts'
import { drawTable } from '../../pdf/layout/table.ts'
import type { ComplianceReport } from '../report.schema.ts'
import type { Sections } from './sections.ts'
import { BODY, GAP, TABLE } from './styles.ts'
import { count } from './words.ts'

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
