// Ending a key for good: its name is typed first.
import { useState } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { DialogForm } from '../../parts/dialog-form.view.tsx'
import { Field } from '../../parts/field.view.tsx'
import { asSeen } from '../../text/as-seen.ts'
import { callIn } from '../call-in.ts'
import { stub, type RevokedKey } from './key-words.ts'

type Given = { session: Session; subject: Key; onDone: (revoked: RevokedKey) => void; onClose: () => void }

export function RevokeKey({ session, subject, onDone, onClose }: Given) {
  const [typed, setTyped] = useState('')

  const revoke = async (): Promise<Problem | null> => {
    const answer = await callIn<RevokedKey>(session, 'DELETE', `/api/keys/${subject.id}`)
    if (answer.outcome === 'refused') return answer.problem
    onDone(answer.body)
    return null
  }

  return (
    <DialogForm
      title={`Revoke ${subject.name}`}
      button="Revoke the key"
      isDanger
      isReady={asSeen(typed) === asSeen(subject.name)}
      ask={revoke}
      onClose={onClose}
    >
      {() => (
        <>
          <ul>
            <li>
              {stub(subject)} is refused from its next request on. What waits for approval of its requests is withdrawn.
            </li>
            {subject.scopes.includes('manage') && (
              <li>The keys that it made, and those that these made, are revoked with it. You are told which.</li>
            )}
            <li>Its calls stay in the audit trail, with their receipts.</li>
            <li>
              <strong>This cannot be undone.</strong> Whatever uses it needs another key.
            </li>
          </ul>
          <Field label={`Type the key’s name: ${subject.name}`}>
            {(control) => (
              <input
                {...control}
                autocomplete="off"
                value={typed}
                onInput={({ currentTarget: { value } }) => setTyped(value)}
              />
            )}
          </Field>
        </>
      )}
    </DialogForm>
  )
}
