// Renaming a key, and changing its end and its own limits. Only what was changed is sent.
import { useState } from 'preact/hooks'
import type { Key } from '../../../keys/key.schema.ts'
import type { UpdateKey } from '../../../management/keys/managed-keys.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { DialogForm } from '../../parts/dialog-form.view.tsx'
import { callIn } from '../call-in.ts'
import { endOf, LimitFields, limitOf, NameField, type KeyText } from './key-fields.view.tsx'

type Given = { session: Session; subject: Key; onDone: () => void; onClose: () => void }

const textOf = (value: number | null): string => (value === null ? '' : String(value))

export function ChangeKey({ session, subject, onDone, onClose }: Given) {
  const before: KeyText = {
    name: subject.name,
    endsOn: subject.expires_at?.slice(0, 'YYYY-MM-DD'.length) ?? '',
    perMinute: textOf(subject.requests_per_minute),
    perDay: textOf(subject.requests_per_day),
  }
  const [text, setText] = useState(before)

  const change = async (): Promise<Problem | null> => {
    const body: UpdateKey = {
      ...(text.name !== before.name && { name: text.name }),
      ...(text.endsOn !== before.endsOn && { expires_at: endOf(text.endsOn) }),
      ...(text.perMinute !== before.perMinute && { requests_per_minute: limitOf(text.perMinute) }),
      ...(text.perDay !== before.perDay && { requests_per_day: limitOf(text.perDay) }),
    }
    const answer = await callIn<Key>(session, 'PATCH', `/api/keys/${subject.id}`, { body })
    if (answer.outcome === 'refused') return answer.problem
    onDone()
    return null
  }

  return (
    <DialogForm title="Change the key" button="Save" ask={change} onClose={onClose}>
      {(faultOf) => (
        <>
          <NameField text={text} onText={setText} faultOf={faultOf} />
          <LimitFields text={text} onText={setText} faultOf={faultOf} isOpen />
        </>
      )}
    </DialogForm>
  )
}
