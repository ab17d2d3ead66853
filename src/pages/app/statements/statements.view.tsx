// Loads statements and shows the one about a subject: an explanation of an anomaly, a difference or a control, or the mark of a call
// as an incident. Some roles can write, replace or remove it.
import { useState } from 'preact/hooks'
import type { List } from '../../../platform/pagination.schema.ts'
import { refusalOf } from '../../api/send-request.ts'
import type { Loaded } from '../../api/use-answer.ts'
import { Button } from '../../parts/button.view.tsx'
import { DialogForm } from '../../parts/dialog.view.tsx'
import { OnlyRead, Row, Stack, Text } from '../../parts/layout.view.tsx'
import { Quote } from '../../parts/surfaces.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { formatDay } from '../../text/format.ts'
import type { NameOf } from '../key-and-person-names.view.tsx'
import { callApi, hasPermission, useApi } from '../session.ts'
import { CAUSE_NAMES } from '../../../reports/controls/stated-cause.policy.ts'
import { lazy } from '../../parts/lazy.view.tsx'
import { isFinding, statementPath, STATEMENTS_PATH, type Statement } from './statement-paths.ts'

export const StatementForm = lazy(16, async () => (await import('./statement-form.view.tsx')).StatementForm)

export type Statements = {
  loaded: Loaded<List<Statement>>
  about: (subject: string) => Statement | null
  again: () => void
}

/** Loads the statements. A subject has at most one: a new one replaces it. */
export function useStatements(): Statements {
  const [loaded, again] = useApi<List<Statement>>(STATEMENTS_PATH)
  const all = loaded.state === 'answered' ? loaded.body.data : []
  return { loaded, again, about: (subject) => all.find((one) => one.subject === subject) ?? null }
}

/** `joint`: between the act and its subject. */
type Words = { add: string; joint: string; remove: string; title: string; noun: string }

const EXPLANATION: Words = {
  add: 'Add an explanation',
  joint: ' of ',
  remove: 'Remove',
  title: 'Remove the explanation',
  noun: 'explanation',
}

const INCIDENT: Words = {
  add: 'Mark as incident',
  joint: ': ',
  remove: 'Remove the mark',
  title: 'Remove the mark',
  noun: 'mark',
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
  const words = subject.startsWith('incident:') ? INCIDENT : EXPLANATION
  const close = (): void => setOpen(null)
  const done = (): void => {
    close()
    statements.again()
  }
  return (
    <Stack gap={2}>
      {statement !== null && <Stated statement={statement} nameOf={nameOf} />}
      {hasPermission('compliance:state') && statements.loaded.state === 'answered' && (
        <Row isOffPaper>
          <Button onClick={() => setOpen('form')}>
            {statement === null ? words.add : 'Change it'}
            <OnlyRead>{statement === null ? `${words.joint}${what}` : ` (${words.noun} of ${what})`}</OnlyRead>
          </Button>
          {statement !== null && (
            <Button onClick={() => setOpen('removal')}>
              {words.remove}
              <OnlyRead> of {what}</OnlyRead>
            </Button>
          )}
        </Row>
      )}
      {open === 'form' && (
        <DialogStatementForm {...{ subject, what }} before={statement} onClose={close} onDone={done} />
      )}
      {open === 'removal' && (
        <DialogForm
          title={words.title}
          button={words.remove}
          isDanger
          onClose={close}
          ask={() => refusalOf(callApi('DELETE', statementPath(subject)), done)}
        >
          <p>
            The {words.noun} of {what} is deleted at once. Your log keeps that it was made, with its hash, and that it
            was removed. Reports that were made with it keep it.
          </p>
        </DialogForm>
      )}
    </Stack>
  )
}

const Stated = ({
  statement: { subject, text, looked_at: lookedAt, cause, stated_by: by, stated_at: at, date },
  nameOf,
}: Pick<NoteProps, 'nameOf'> & { statement: Statement }) => (
  <Quote
    title={cause === null ? null : `Cause: ${CAUSE_NAMES[cause].toLowerCase()}.`}
    by={
      <>
        By {nameOf(by)}, <Moment at={at} />
        {date !== null && `, ${isFinding(subject) ? 'over since' : 'about'} ${formatDay(date)}`}. A person’s word: it
        never raises the score.
      </>
    }
  >
    <Text as="p" isAsWritten>
      {text}
    </Text>
    <Text as="p" size="small">
      Looked at: {lookedAt}
    </Text>
  </Quote>
)

type DialogProps = Pick<NoteProps, 'subject' | 'what'> & {
  before: Statement | null
  onClose: () => void
  onDone: () => void
}

export const DialogStatementForm = ({ subject, what, before, onClose, onDone }: DialogProps) => (
  <StatementForm {...{ subject, before, onDone }}>
    {(form) => (
      <DialogForm
        title={subject.startsWith('incident:') ? `Mark ${what} as incident` : `Explanation of ${what}`}
        onClose={onClose}
        {...form}
      />
    )}
  </StatementForm>
)
