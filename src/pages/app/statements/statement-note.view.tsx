// What a person states about one subject, and for whoever may state: making it, putting another in its place, taking it back.
import { useState } from 'preact/hooks'
import type { Session } from '../../api/session.ts'
import { DialogForm } from '../../parts/dialog-form.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { formatDay } from '../../text/format.ts'
import { mayIn } from '../may-in.ts'
import { StatementForm } from './statement-form.view.tsx'
import { removeStatement, type Statements } from './use-statements.ts'

type Given = {
  session: Session
  statements: Statements
  subject: string
  /** In words: “the anomaly since 20 Nov 2026”. */
  what: string
  nameOf: (id: string) => string
}

export function StatementNote({ session, statements, subject, what, nameOf }: Given) {
  const [open, setOpen] = useState<'form' | 'removal' | null>(null)
  const statement = statements.about(subject)
  const done = (): void => {
    setOpen(null)
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
      {mayIn(session, 'compliance:state') && statements.loaded.state === 'answered' && (
        <p class="row no-print">
          <button type="button" class="button" onClick={() => setOpen('form')}>
            {statement === null ? 'State something' : 'State something else'}
            <span class="only-read"> about {what}</span>
          </button>
          {statement !== null && (
            <button type="button" class="button" onClick={() => setOpen('removal')}>
              Take it back<span class="only-read">, about {what}</span>
            </button>
          )}
        </p>
      )}
      {open === 'form' && (
        <StatementForm
          session={session}
          subject={subject}
          what={what}
          before={statement}
          onClose={() => setOpen(null)}
          onDone={done}
        />
      )}
      {open === 'removal' && (
        <DialogForm
          title="Take the statement back"
          button="Take it back"
          isDanger
          onClose={() => setOpen(null)}
          ask={async () => {
            const problem = await removeStatement(session, subject)
            if (problem === null) done()
            return problem
          }}
        >
          {() => (
            <p>
              What is stated about {what} goes at once. The ledger keeps that it was made, with its hash, and that it
              was taken back; reports that were made with it keep it.
            </p>
          )}
        </DialogForm>
      )}
    </div>
  )
}
