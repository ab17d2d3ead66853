// The form of a statement: what happened, the day, and the cause where an anomaly or a difference is explained. The API has no member
// for the cause, so that it is the first line of the text.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/statement'
import { refusalOf } from '../../api/send-request.ts'
import { useUniqueId } from '../../parts/field-frame.view.tsx'
import { AreaField, InputField } from '../../parts/fields.view.tsx'
import { useUnsavedWarning, type FormProps } from '../../parts/form.view.tsx'
import { formatNumber } from '../../text/format.ts'
import { callApi } from '../session.ts'

export const STATEMENTS_PATH = '/api/compliance/statements'
export const statementPath = (subject: string): string => `${STATEMENTS_PATH}/${encodeURIComponent(subject)}`

const CAUSES = ['Provider', 'Our change', 'Expected', 'Not known'] as const

const lineOf = (cause: string): string => (cause === '' ? '' : `Cause: ${cause.toLowerCase()}.\n`)

/** Splits a text into its cause, or '', and the rest. */
function splitCause(text: string): { cause: string; rest: string } {
  const cause = CAUSES.find((one) => text.startsWith(lineOf(one))) ?? ''
  return { cause, rest: text.slice(lineOf(cause).length) }
}

const hasCause = (subject: string): boolean => /^(?:anomaly|disparity):/.test(subject)

type Props = {
  subject: string
  /** What is stated so far. Null if nothing is. */
  before: { text: string; date: string | null } | null
  onDone: () => void
  /** Draws the form, in its place or in a dialog. */
  children: (form: Pick<FormProps, 'button' | 'isReady' | 'ask' | 'children'>) => ComponentChildren
}

export function StatementForm({ subject, before, onDone, children }: Props) {
  const isIncident = subject.startsWith('incident:')
  const written = before?.text ?? ''
  const initial = hasCause(subject) ? splitCause(written) : { cause: '', rest: written }
  const [cause, setCause] = useState(initial.cause)
  const [text, setText] = useState(initial.rest)
  const [date, setDate] = useState(before?.date ?? '')
  useUnsavedWarning(text !== '' && text !== initial.rest)
  const most = (SCHEMA.text.maxLength ?? 0) - lineOf(cause).length
  return children({
    button: isIncident ? 'Mark as incident' : 'Add explanation',
    isReady: text.trim() !== '',
    ask: () => {
      const body = { text: lineOf(cause) + text, ...(date !== '' && { date }) }
      return refusalOf(callApi('PUT', statementPath(subject), { body }), onDone)
    },
    children: (faultOf) => (
      <>
        {hasCause(subject) && <CauseChips cause={cause} onCause={setCause} />}
        <AreaField
          label="What happened"
          hint={`Shown with your id and the time, in compliance reports too. Your log has its hash. Name no patient. At most ${formatNumber(most)} characters.`}
          fault={faultOf('text')}
          required
          class="short"
          maxLength={most}
          value={text}
          onValue={setText}
        />
        <InputField
          label="Day"
          hint="Optional: the day that it is about, such as the last one."
          fault={faultOf('date')}
          type="date"
          value={date}
          onValue={setDate}
        />
      </>
    ),
  })
}

type CauseProps = { cause: string; onCause: (cause: string) => void }

/** The causes to choose from. A second press takes the choice back, since none has to be chosen. */
function CauseChips({ cause, onCause }: CauseProps) {
  const id = useUniqueId()
  return (
    <div class="causes" role="group" aria-labelledby={id}>
      <span id={id} class="only-read">
        Cause
      </span>
      {CAUSES.map((one) => (
        <button key={one} type="button" aria-pressed={one === cause} onClick={() => onCause(one === cause ? '' : one)}>
          {one}
        </button>
      ))}
    </div>
  )
}
