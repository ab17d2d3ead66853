// The compliance page: the checklist, statements and reports, or one report if the URL names it.
import { useState } from 'preact/hooks'
import { useUrlParameters, changeUrlParameters, ParameterLink } from '../../parts/url-parameters.view.tsx'
import { InputField } from '../../parts/fields.view.tsx'
import { submitHandler, Submit } from '../../parts/button.view.tsx'
import { RefusalNotice, Skeleton } from '../../parts/answer-notices.view.tsx'
import { EmptyNotice, ListTable } from '../../parts/list-table.view.tsx'
import { useNamesOrIds, type NameOf } from '../key-and-person-names.view.tsx'
import { LackingPart } from '../frame/lacking.view.tsx'
import { openPage } from '../open-page.tsx'
import { callApi, fetchFile, hasPermission, hasTierFeature, inOrganisation, useApiList } from '../session.ts'
import { StatementForm, StatementNote, useStatements, type Statements } from '../statements/statements.view.tsx'
import { Checklist } from './checklist.view.tsx'
import { ReportPage } from './compliance-report.view.tsx'
import { Section } from '../../parts/page-blocks.view.tsx'
import type * as z from 'zod'
import type { KeptReportSchema, MadeReportSchema } from '../../../management/compliance/compliance.schema.ts'
import { useButtonRequest } from '../../api/use-button-request.ts'
import { CopyableValue } from '../../parts/copy-button.view.tsx'
import { faultsIn } from '../../parts/form.view.tsx'
import { SaveButton } from '../../parts/save-button.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatDay } from '../../text/format.ts'
import { PERIOD_NOTE } from '../evidence/log-list.view.tsx'

function Compliance() {
  const [members] = useUrlParameters()
  const report = members.get('report') ?? ''
  return report === '' ? <Overview /> : <ReportPage key={report} id={report} />
}

function Overview() {
  const statements = useStatements()
  const nameOf = useNamesOrIds()
  return (
    <>
      <Checklist statements={statements} nameOf={nameOf} />
      <OtherStatements statements={statements} nameOf={nameOf} />
      <Reports />
    </>
  )
}

const CONTROL_ID = /^X\d$/

/** Lists statements that are not about a control: about anomalies, disparities and calls that are incidents. */
function OtherStatements({ statements, nameOf }: { statements: Statements; nameOf: NameOf }) {
  const { loaded, again } = statements
  return (
    <Section title="What people state">
      <p>
        About anomalies and disparities, which then count as answered, and about calls that are incidents. What is
        stated about a control is beside it.
      </p>
      {hasPermission('compliance:state') && <IncidentForm onDone={again} />}
      {loaded.state === 'loading' && <Skeleton lines={6} />}
      {loaded.state === 'refused' && <RefusalNotice problem={loaded.problem} onRetry={again} />}
      {loaded.state === 'answered' &&
        (loaded.body.data.every(({ subject }) => CONTROL_ID.test(subject)) ? (
          <EmptyNotice
            title="Nobody has stated anything"
            action={<a href={inOrganisation('/app/anomalies')}>Look at anomalies and comparisons</a>}
            line={`curl ${location.origin}/api/compliance/statements -H "authorization: Bearer $MANAGEMENT_KEY"`}
          >
            What owners, admins and auditors state is here, with who said it and when.
          </EmptyNotice>
        ) : (
          loaded.body.data
            .filter(({ subject }) => !CONTROL_ID.test(subject))
            .map(({ subject }) => (
              <div key={subject} class="card stack">
                <h3 class="hash">{subject}</h3>
                <StatementNote subject={subject} what={subject} {...{ statements, nameOf }} />
              </div>
            ))
        ))}
    </Section>
  )
}

const TRACE = /^tr_[0-9a-f]{32}$/

function IncidentForm({ onDone }: { onDone: () => void }) {
  const [trace, setTrace] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  return (
    <form
      class="filters no-print"
      onSubmit={submitHandler(() => {
        const isTrace = TRACE.test(trace.trim())
        setFault(isTrace ? null : 'A trace id is tr_ and 32 digits from 0 to f.')
        setOpen(isTrace)
      })}
    >
      <InputField
        label="Trace of a call that is an incident"
        fault={fault}
        autocomplete="off"
        spellcheck={false}
        value={trace}
        onValue={setTrace}
      />
      <p>
        <Submit label="State something about it" look="" />
      </p>
      {isOpen && (
        <StatementForm
          subject={`incident:${trace.trim()}`}
          what={`the call ${trace.trim()}`}
          before={null}
          onClose={() => setOpen(false)}
          onDone={() => {
            setOpen(false)
            setTrace('')
            onDone()
          }}
        />
      )}
    </form>
  )
}

type KeptReport = z.infer<typeof KeptReportSchema>

function Reports() {
  if (hasTierFeature('pdf_report')) return <StoredReports />
  return (
    <Section title="Reports">
      <LackingPart feature="pdf_report" />
    </Section>
  )
}

function StoredReports() {
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
          <EmptyNotice
            title="No report yet"
            line={`curl ${location.origin}/api/compliance/report -H "authorization: Bearer $MANAGEMENT_KEY" -H "content-type: application/json" -d '{}'`}
          >
            A report that is made below is kept here, to be read, printed, saved as PDF and signed.
          </EmptyNotice>
        }
        caption="Reports that are kept, the newest first"
        keyOf={({ id }) => id}
        columns={[
          {
            name: 'Period',
            cell: ({ id, start, end }) => (
              <ParameterLink change={{ report: id }}>
                {formatDay(start)} to {formatDay(end)}
              </ParameterLink>
            ),
          },
          { name: 'Made', cell: ({ created_at }) => <Moment at={created_at} /> },
          { name: 'Kept until', cell: ({ expires_at }) => <Moment at={expires_at} /> },
          { name: 'SHA-256', cell: ({ sha256 }) => <CopyableValue value={sha256} what="the SHA-256 of the report" /> },
        ]}
      />
      <MakeReport onMade={listed.again} />
    </Section>
  )
}

type MadeReport = z.infer<typeof MadeReportSchema>

/** The form that makes a report of a period and opens it. */
function MakeReport({ onMade }: { onMade: () => void }) {
  const [period, setPeriod] = useState({ start: '', end: '' })
  const body = Object.fromEntries(Object.entries(period).filter(([, day]) => day !== ''))
  const { ask, isAsking, problem } = useButtonRequest(
    () => callApi<MadeReport>('POST', '/api/compliance/report', { body }),
    ({ id }) => changeUrlParameters({ report: id }),
  )
  return (
    <form class="card stack no-print" aria-labelledby="make" onSubmit={submitHandler(ask)}>
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
      {problem !== null && <RefusalNotice problem={problem} />}
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

await openPage('/app/compliance', Compliance)
