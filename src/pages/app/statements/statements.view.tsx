// Loads statements and shows the one about a subject, such as an anomaly. Some roles can write, replace or remove it.
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/statement'
import type * as z from 'zod'
import type { StatementSchema } from '../../../management/compliance/compliance.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { refusalOf } from '../../api/send-request.ts'
import type { Loaded } from '../../api/use-answer.ts'
import { Button } from '../../parts/button.view.tsx'
import { AreaField, InputField } from '../../parts/fields.view.tsx'
import { DialogForm } from '../../parts/dialog.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatDay } from '../../text/format.ts'
import type { NameOf } from '../key-and-person-names.view.tsx'
import { callApi, hasPermission, useApi } from '../session.ts'

type Statement = z.infer<typeof StatementSchema>

export type Statements = {
  loaded: Loaded<List<Statement>>
  about: (subject: string) => Statement | null
  again: () => void
}

const PATH = '/api/compliance/statements'
const pathOf = (subject: string): string => `${PATH}/${encodeURIComponent(subject)}`

/** Loads the statements. A subject has at most one: a new one replaces it. */
export function useStatements(): Statements {
  const [loaded, again] = useApi<List<Statement>>(PATH)
  const all = loaded.state === 'answered' ? loaded.body.data : []
  return { loaded, again, about: (subject) => all.find((one) => one.subject === subject) ?? null }
}

type NoteProps = {
  statements: Statements
  subject: string
  /** The subject in words: “the anomaly since 20 Nov 2026”. */
  what: string
  nameOf: NameOf
}

export function StatementNote({ statements, subject, what, nameOf }: NoteProps) {
  const [open, setOpen] = useState<'form' | 'removal' | null>(null)
  const statement = statements.about(subject)
  const close = (): void => setOpen(null)
  const done = (): void => {
    close()
    statements.again()
  }
  return (
    <div class="stack">
      {statement !== null && (
        <blockquote class="notice stack">
          <p class="lines">{statement.text}</p>
          <p class="soft small">
            Stated by {nameOf(statement.stated_by)}, <Moment at={statement.stated_at} />
            {statement.date !== null && `, about ${formatDay(statement.date)}`}. It is a person’s word, and never counts
            in the score.
          </p>
        </blockquote>
      )}
      {hasPermission('compliance:state') && statements.loaded.state === 'answered' && (
        <p class="row no-print">
          <Button onClick={() => setOpen('form')}>
            {statement === null ? 'State something' : 'State something else'}
            <span class="only-read"> about {what}</span>
          </Button>
          {statement !== null && (
            <Button onClick={() => setOpen('removal')}>
              Take it back<span class="only-read">, about {what}</span>
            </Button>
          )}
        </p>
      )}
      {open === 'form' && (
        <StatementForm subject={subject} what={what} before={statement} onClose={close} onDone={done} />
      )}
      {open === 'removal' && (
        <DialogForm
          title="Take the statement back"
          button="Take it back"
          isDanger
          onClose={close}
          ask={() => refusalOf(callApi('DELETE', pathOf(subject)), done)}
        >
          <p>
            What is stated about {what} goes at once. The ledger keeps that it was made, with its hash, and that it was
            taken back; reports that were made with it keep it.
          </p>
        </DialogForm>
      )}
    </div>
  )
}

/** A card about a subject that people may explain. */
export const StatementCard = ({ title, ...note }: NoteProps & { title: string }) => (
  <div class="card stack">
    <h3>{title}</h3>
    <StatementNote {...note} />
  </div>
)

type FormProps = {
  subject: string
  what: string
  before: Statement | null
  onClose: () => void
  onDone: () => void
}

export function StatementForm({ subject, what, before, onClose, onDone }: FormProps) {
  const [text, setText] = useState(before?.text ?? '')
  const [date, setDate] = useState(before?.date ?? '')
  const state = () => {
    const body = { text, ...(date !== '' && { date }) }
    return refusalOf(callApi('PUT', pathOf(subject), { body }), onDone)
  }
  return (
    <DialogForm
      title={`State something about ${what}`}
      button="State it"
      isReady={text.trim() !== ''}
      onClose={onClose}
      ask={state}
    >
      {(faultOf) => (
        <>
          <p>
            It is listed with your id and the time, in reports too, and the ledger has the hash of it. It is your word:
            it shows nothing by itself. Name no patient.
          </p>
          <AreaField
            label="What you state"
            hint={`At most ${SCHEMA.text.maxLength} characters.`}
            fault={faultOf('text')}
            required
            maxLength={SCHEMA.text.maxLength}
            value={text}
            onValue={setText}
          />
          <InputField
            label="The day that it is about, if there is one"
            hint="Such as that of a training."
            fault={faultOf('date')}
            type="date"
            value={date}
            onValue={setDate}
          />
        </>
      )}
    </DialogForm>
  )
}
