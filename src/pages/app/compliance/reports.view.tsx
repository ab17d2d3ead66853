// Makes reports of a period, lists and opens them, and saves them as PDF.
import { useState } from 'preact/hooks'
import type { z } from 'zod'
import type { KeptReportSchema, MadeReportSchema } from '../../../management/compliance/compliance.schema.ts'
import { useAct } from '../../api/use-act.ts'
import { changeAddress, OpenLink } from '../../parts/address.view.tsx'
import { Exact } from '../../parts/copy.view.tsx'
import { InputField } from '../../parts/fields.view.tsx'
import { faultsIn } from '../../parts/form.view.tsx'
import { submitting, Submit } from '../../parts/button.view.tsx'
import { Refusal } from '../../parts/notices.view.tsx'
import { SaveButton } from '../../parts/save.view.tsx'
import { Empty, ListTable } from '../../parts/list.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatDay } from '../../text/format.ts'
import { PERIOD_NOTE } from '../evidence/ledger-list.view.tsx'
import { callApi, fetchFile, useApiList } from '../session.ts'
import { Section } from '../../parts/blocks.view.tsx'

type KeptReport = z.infer<typeof KeptReportSchema>

export function Reports() {
  const listed = useApiList<KeptReport>('/api/compliance/reports', { limit: 50 })
  return (
    <Section title="Reports">
      <p>
        A report tells of a period how each control came out, what was asked and found for it, how calls ended and what
        they cost. Its hash goes into the log, and the PDF is drawn from it alone: the same report gives the same bytes.
      </p>
      <ListTable
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
        caption="Reports that are kept, the newest first"
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
      {listed.problem?.code !== 'tier_required' && <MakeReport onMade={listed.again} />}
    </Section>
  )
}

type MadeReport = z.infer<typeof MadeReportSchema>

/** Makes a report of a period, and opens it. */
function MakeReport({ onMade }: { onMade: () => void }) {
  const [period, setPeriod] = useState({ start: '', end: '' })
  const body = Object.fromEntries(Object.entries(period).filter(([, day]) => day !== ''))
  const { ask, isAsking, problem } = useAct(
    () => callApi<MadeReport>('POST', '/api/compliance/report', { body }),
    ({ id }) => changeAddress({ report: id }),
  )
  return (
    <form class="card stack no-print" aria-labelledby="make" onSubmit={submitting(ask)}>
      <h3 id="make">Make a report</h3>
      <div class="filters">
        {(['start', 'end'] as const).map((name) => (
          <InputField
            key={name}
            label={name === 'start' ? 'From' : 'To'}
            fault={faultsIn(problem)(name)}
            type="date"
            value={period[name]}
            onValue={(value) => setPeriod({ ...period, [name]: value })}
          />
        ))}
        <p>
          <Submit label="Make a report" isDisabled={isAsking} />
        </p>
      </div>
      <p class="soft small">{PERIOD_NOTE} One at a time, and 20 in 24 hours; the ledger says that it was made.</p>
      <p role="status">{isAsking && 'It is being made from the log of these days. It opens when it is there.'}</p>
      {problem !== null && <Refusal problem={problem} />}
      <p>Or only as a PDF, from the tier pro on: a report is made for that too, and kept.</p>
      <SaveButton
        label="Make it, and save it as PDF"
        ask={(onBytes) => fetchFile('POST', '/api/compliance/export', { body }, onBytes)}
        tell={() => {
          onMade()
          return Promise.resolve('The report is in the list above.')
        }}
      />
    </form>
  )
}
