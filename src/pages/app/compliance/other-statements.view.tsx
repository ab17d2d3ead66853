// What people state that is about no control: anomalies, disparities and calls that are incidents.
import { useState } from 'preact/hooks'
import { inOrganisation, type Session } from '../../api/session.ts'
import { Empty } from '../../parts/empty.view.tsx'
import { Field } from '../../parts/field.view.tsx'
import { Refusal } from '../../parts/refusal.view.tsx'
import { Skeleton } from '../../parts/skeleton.view.tsx'
import { mayIn } from '../may-in.ts'
import { StatementForm } from '../statements/statement-form.view.tsx'
import { StatementNote } from '../statements/statement-note.view.tsx'
import type { Statements } from '../statements/use-statements.ts'

type Given = { session: Session; statements: Statements; nameOf: (id: string) => string }

const OF_CONTROL = /^X\d$/

export function OtherStatements({ session, statements, nameOf }: Given) {
  const { loaded, again } = statements
  return (
    <section class="stack" aria-labelledby="statements">
      <h2 id="statements">What people state</h2>
      <p>
        About anomalies and disparities, which then count as answered, and about calls that are incidents. What is
        stated about a control is beside it.
      </p>
      {mayIn(session, 'compliance:state') && <Incident session={session} onDone={again} />}
      {loaded.state === 'loading' && <Skeleton lines={6} />}
      {loaded.state === 'refused' && <Refusal problem={loaded.problem} onRetry={again} />}
      {loaded.state === 'answered' &&
        (loaded.body.data.every(({ subject }) => OF_CONTROL.test(subject)) ? (
          <Empty
            title="Nobody has stated anything"
            action={<a href={inOrganisation(session, '/app/anomalies')}>Look at anomalies and comparisons</a>}
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
                <StatementNote subject={subject} what={subject} {...{ session, statements, nameOf }} />
              </div>
            ))
        ))}
    </section>
  )
}

const TRACE = /^tr_[0-9a-f]{32}$/

function Incident({ session, onDone }: { session: Session; onDone: () => void }) {
  const [trace, setTrace] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [fault, setFault] = useState<string | null>(null)
  return (
    <form
      class="filters no-print"
      onSubmit={(event) => {
        event.preventDefault()
        const isTrace = TRACE.test(trace.trim())
        setFault(isTrace ? null : 'A trace id is tr_ and 32 digits from 0 to f.')
        setOpen(isTrace)
      }}
    >
      <Field label="Trace of a call that is an incident" fault={fault}>
        {(control) => (
          <input
            {...control}
            autocomplete="off"
            spellcheck={false}
            value={trace}
            onInput={({ currentTarget: { value } }) => setTrace(value)}
          />
        )}
      </Field>
      <p>
        <button type="submit" class="button">
          State something about it
        </button>
      </p>
      {isOpen && (
        <StatementForm
          session={session}
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
