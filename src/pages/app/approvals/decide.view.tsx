// Deciding about a request, with a note. Nothing is shown as decided before the service has said so.
import { useState } from 'preact/hooks'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { DialogForm } from '../../parts/dialog-form.view.tsx'
import { Field } from '../../parts/field.view.tsx'
import { callIn } from '../call-in.ts'
import { titleOf, type Approval, type Decided, type Decision } from './approval-words.ts'

/** `note`: '' where none was given. */
export type Made = { decided: Decided; decision: Decision; note: string }

type Given = {
  session: Session
  subject: Approval
  decision: Decision
  onDecided: (made: Made) => void
  /** It does not wait for this person any more: somebody else was faster, or its time is over. */
  onOver: () => void
  onClose: () => void
}

const MOST_CHARACTERS = 2000

const WORDS: Readonly<Record<Decision, { title: string; button: string; what: string }>> = {
  approve: {
    title: 'Approve',
    button: 'Approve',
    what: 'The very same request may then be sent again by the same key, within an hour, and runs once.',
  },
  deny: { title: 'Deny', button: 'Deny', what: 'The request does not run. Sent again, it asks anew.' },
  escalate: {
    title: 'Pass on',
    button: 'Pass it on',
    what: 'It goes on waiting, and somebody else decides. You cannot decide it afterwards.',
  },
}

export function Decide({ session, subject, decision, onDecided, onOver, onClose }: Given) {
  const [note, setNote] = useState('')
  const { title, button, what } = WORDS[decision]

  const decide = async (): Promise<Problem | null> => {
    const body = { decision, ...(note !== '' && { reason: note }) }
    const answer = await callIn<Decided>(session, 'POST', `/api/approvals/${subject.id}/decision`, { body })
    if (answer.outcome === 'refused') {
      if (answer.problem.code === 'conflict') onOver()
      return answer.problem
    }
    onDecided({ decided: answer.body, decision, note })
    return null
  }

  return (
    <DialogForm
      title={`${title}: ${titleOf(subject)}`}
      button={button}
      isDanger={decision === 'deny'}
      ask={decide}
      onClose={onClose}
    >
      {(faultOf) => (
        <>
          <p>{what}</p>
          <p>
            Your decision is signed and stays in the ledger, with your id and your role. It proves that you decided, not
            that you were right.
          </p>
          <Field
            label="Note"
            hint="The record has a salted hash of it. The text is kept only where your organisation keeps content."
            fault={faultOf('reason')}
          >
            {(control) => (
              <textarea
                {...control}
                rows={4}
                maxLength={MOST_CHARACTERS}
                value={note}
                onInput={({ currentTarget: { value } }) => setNote(value)}
              />
            )}
          </Field>
        </>
      )}
    </DialogForm>
  )
}
