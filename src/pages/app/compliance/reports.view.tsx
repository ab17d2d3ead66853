// Reports: made for a period, listed, opened, and saved as PDF.
import type { z } from 'zod'
import type { KeptReportSchema } from '../../../management/compliance/compliance.schema.ts'
import type { List } from '../../../platform/list.schema.ts'
import type { Session } from '../../api/session.ts'
import { useList } from '../../api/use-list.ts'
import { Empty } from '../../parts/empty.view.tsx'
import { Exact } from '../../parts/exact.view.tsx'
import { ListOf } from '../../parts/list.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { OpenLink } from '../../parts/open-link.view.tsx'
import { Table } from '../../parts/table.view.tsx'
import { formatDay } from '../../text/format.ts'
import { callIn } from '../call-in.ts'
import { MakeReport } from './make-report.view.tsx'

type KeptReport = z.infer<typeof KeptReportSchema>

export function Reports({ session }: { session: Session }) {
  const listed = useList(
    (cursor, signal) =>
      callIn<List<KeptReport>>(session, 'GET', '/api/compliance/reports', { query: { limit: 50, cursor }, signal }),
    [session],
  )
  return (
    <section class="stack" aria-labelledby="reports">
      <h2 id="reports">Reports</h2>
      <p>
        A report tells of a period how each control came out, what was asked and found for it, how calls ended and what
        they cost. Its hash goes into the log, and the PDF is drawn from it alone: the same report gives the same bytes.
      </p>
      <ListOf
        listed={listed}
        noun="report"
        empty={
          <Empty
            title="No report yet"
            line={`curl ${location.origin}/api/compliance/report -H "authorization: Bearer $MANAGEMENT_KEY" -H "content-type: application/json" -d '{}'`}
          >
            A report that is made below is kept here, to be read, printed, saved as PDF and signed.
          </Empty>
        }
      >
        {(rows) => (
          <Table
            caption="Reports that are kept, the newest first"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Period',
                cell: ({ id, start, end }) => (
                  <OpenLink change={{ report: id }}>
                    {formatDay(start)} to {formatDay(end)}
                  </OpenLink>
                ),
              },
              { name: 'Made', cell: ({ created_at }) => <Moment at={created_at} /> },
              { name: 'Kept until', cell: ({ expires_at }) => <Moment at={expires_at} /> },
              { name: 'SHA-256', cell: ({ sha256 }) => <Exact value={sha256} what="the SHA-256 of the report" /> },
            ]}
          />
        )}
      </ListOf>
      {listed.problem?.code !== 'tier_required' && <MakeReport session={session} onMade={listed.again} />}
    </section>
  )
}
