// Asks for a report of a period. It is opened once it is made.
import { useRef, useState } from 'preact/hooks'
import type { z } from 'zod'
import type { MadeReportSchema } from '../../../management/compliance/compliance.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { changeAddress } from '../../api/use-address.ts'
import { Field } from '../../parts/field.view.tsx'
import { Refusal } from '../../parts/refusal.view.tsx'
import { SaveButton } from '../../parts/save-button.view.tsx'
import { callIn, fileIn } from '../call-in.ts'
import { PERIOD_NOTE } from '../evidence/period.ts'

type MadeReport = z.infer<typeof MadeReportSchema>

type Given = { session: Session; onMade: () => void }

export function MakeReport({ session, onMade }: Given) {
  const [period, setPeriod] = useState({ start: '', end: '' })
  const [problem, setProblem] = useState<Problem | null>(null)
  const [isAsking, setAsking] = useState(false)
  const asking = useRef(false)

  const body = Object.fromEntries(Object.entries(period).filter(([, day]) => day !== ''))

  const make = async (): Promise<void> => {
    if (asking.current) return
    asking.current = true
    setAsking(true)
    setProblem(null)
    const answer = await callIn<MadeReport>(session, 'POST', '/api/compliance/report', { body })
    asking.current = false
    setAsking(false)
    if (answer.outcome === 'answered') changeAddress({ report: answer.body.id })
    else setProblem(answer.problem)
  }

  return (
    <form
      class="card stack no-print"
      aria-labelledby="make"
      onSubmit={(event) => {
        event.preventDefault()
        void make()
      }}
    >
      <h3 id="make">Make a report</h3>
      <div class="filters">
        {(['start', 'end'] as const).map((name) => (
          <Field
            key={name}
            label={name === 'start' ? 'From' : 'To'}
            fault={problem?.fields.find(({ path }) => path === name)?.rule ?? null}
          >
            {(control) => (
              <input
                {...control}
                type="date"
                value={period[name]}
                onInput={({ currentTarget: { value } }) => setPeriod({ ...period, [name]: value })}
              />
            )}
          </Field>
        ))}
        <p>
          <button type="submit" class="button first" aria-disabled={isAsking}>
            Make a report
          </button>
        </p>
      </div>
      <p class="soft small">{PERIOD_NOTE} One at a time, and 20 in 24 hours; the ledger says that it was made.</p>
      <p role="status">{isAsking && 'It is being made from the log of these days. It opens when it is there.'}</p>
      {problem !== null && <Refusal problem={problem} />}
      <p>Or only as a PDF, from the tier pro on: a report is made for that too, and kept.</p>
      <SaveButton
        label="Make it, and save it as PDF"
        ask={(onBytes) => fileIn(session, 'POST', '/api/compliance/export', { body }, onBytes)}
        tell={() => {
          onMade()
          return Promise.resolve('The report is in the list above.')
        }}
      />
    </form>
  )
}
