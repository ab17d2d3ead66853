// Where a person writes what they state about a subject.
import { useState } from 'preact/hooks'
import type { Session } from '../../api/session.ts'
import { DialogForm } from '../../parts/dialog-form.view.tsx'
import { Field } from '../../parts/field.view.tsx'
import { putStatement, type Statement } from './use-statements.ts'

type Given = {
  session: Session
  subject: string
  what: string
  before: Statement | null
  onClose: () => void
  onDone: () => void
}

const MOST_CHARACTERS = 2_000

export function StatementForm({ session, subject, what, before, onClose, onDone }: Given) {
  const [text, setText] = useState(before?.text ?? '')
  const [date, setDate] = useState(before?.date ?? '')
  return (
    <DialogForm
      title={`State something about ${what}`}
      button="State it"
      isReady={text.trim() !== ''}
      onClose={onClose}
      ask={async () => {
        const problem = await putStatement(session, { subject, text, date: date === '' ? null : date })
        if (problem === null) onDone()
        return problem
      }}
    >
      {(faultOf) => (
        <>
          <p>
            It is listed with your id and the time, in reports too, and the ledger has the hash of it. It is your word:
            it shows nothing by itself. Name no patient.
          </p>
          <Field label="What you state" hint={`At most ${MOST_CHARACTERS} characters.`} fault={faultOf('text')}>
            {(control) => (
              <textarea
                {...control}
                required
                maxLength={MOST_CHARACTERS}
                value={text}
                onInput={({ currentTarget: { value } }) => setText(value)}
              />
            )}
          </Field>
          <Field
            label="The day that it is about, if there is one"
            hint="Such as that of a training."
            fault={faultOf('date')}
          >
            {(control) => (
              <input {...control} type="date" value={date} onInput={({ currentTarget: { value } }) => setDate(value)} />
            )}
          </Field>
        </>
      )}
    </DialogForm>
  )
}
