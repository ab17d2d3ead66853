// The compliance checklist, statements and reports; or the report that the address names.
import { useState } from 'preact/hooks'
import { useAddress } from '../../parts/address.view.tsx'
import { InputField } from '../../parts/fields.view.tsx'
import { submitting, Submit } from '../../parts/button.view.tsx'
import { Refusal, Skeleton } from '../../parts/notices.view.tsx'
import { Empty } from '../../parts/list.view.tsx'
import { useNames, type NameOf } from '../names.view.tsx'
import { openPage } from '../open-page.tsx'
import { hasPermission, inOrganisation } from '../session.ts'
import { StatementForm, StatementNote, useStatements, type Statements } from '../statements/statements.view.tsx'
import { Checklist } from './checklist.view.tsx'
import { ReportPage } from './report.view.tsx'
import { Reports } from './reports.view.tsx'
import { Section } from '../../parts/blocks.view.tsx'

function Compliance() {
  const [members] = useAddress()
  const report = members.get('report') ?? ''
  return report === '' ? <Overview /> : <ReportPage key={report} id={report} />
}

function Overview() {
  const statements = useStatements()
  const nameOf = useNames()
  return (
    <>
      <Checklist statements={statements} nameOf={nameOf} />
      <OtherStatements statements={statements} nameOf={nameOf} />
      <Reports />
    </>
  )
}

type Given = { statements: Statements; nameOf: NameOf }

const OF_CONTROL = /^X\d$/

/** Statements that are not about a control: about anomalies, disparities and calls that are incidents. */
function OtherStatements({ statements, nameOf }: Given) {
  const { loaded, again } = statements
  return (
    <Section title="What people state">
      <p>
        About anomalies and disparities, which then count as answered, and about calls that are incidents. What is
        stated about a control is beside it.
      </p>
      {hasPermission('compliance:state') && <Incident onDone={again} />}
      {loaded.state === 'loading' && <Skeleton lines={6} />}
      {loaded.state === 'refused' && <Refusal problem={loaded.problem} onRetry={again} />}
      {loaded.state === 'answered' &&
        (loaded.body.data.every(({ subject }) => OF_CONTROL.test(subject)) ? (
          <Empty
            title="Nobody has stated anything"
            action={<a href={inOrganisation('/app/anomalies')}>Look at anomalies and comparisons</a>}
            line={`curl ${location.origin}/api/compliance/statements -H "authorization: Bearer $MANAGEMENT_KEY"`}
          >
            What owners, admins and auditors state is here, with who said it and when.
          </Empty>
        ) : (
          loaded.body.data
            .filter(({ subject }) => !OF_CONTROL.test(subject))
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

function Incident({ onDone }: { onDone: () => void }) {
  const [trace, setTrace] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  return (
    <form
      class="filters no-print"
      onSubmit={submitting(() => {
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

await openPage('/app/compliance', Compliance)
