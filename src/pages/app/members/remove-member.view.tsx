// Removing a member, with or without the keys that they have made.
import { useState } from 'preact/hooks'
import type { z } from 'zod'
import type { RemovedMemberSchema } from '../../../accounts/members/members.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { DialogForm } from '../../parts/dialog-form.view.tsx'
import { plural } from '../../text/format.ts'
import { callIn } from '../call-in.ts'
import { namesOf } from '../keys/key-words.ts'
import type { Member } from './member.ts'

type Removed = z.infer<typeof RemovedMemberSchema>

type Given = { session: Session; member: Member; onClose: () => void; onDone: (what: string) => void }

export function RemoveMember({ session, member: { id, name }, onClose, onDone }: Given) {
  const [revokesKeys, setRevokesKeys] = useState(false)
  const remove = async (): Promise<Problem | null> => {
    const query = { revoke_keys: revokesKeys }
    const answer = await callIn<Removed>(session, 'DELETE', `/api/members/${id}`, { query })
    if (answer.outcome === 'refused') return answer.problem
    onDone(`${name} is removed. ${ofKeys(answer.body)}`)
    return null
  }
  return (
    <DialogForm title={`Remove ${name}`} button="Remove" isDanger ask={remove} onClose={onClose}>
      <p>
        They see nothing of the organisation from their next request on, and their approvals of requests that have not
        run count no more. Their account stays, what they did stays in the log by their id, and the invitations that
        they made end. They can be invited again.
      </p>
      <label class="choice">
        <input
          type="checkbox"
          checked={revokesKeys}
          onChange={({ currentTarget: { checked } }) => setRevokesKeys(checked)}
        />
        <span>
          Revoke the keys that they have made, and the keys that those made. They are the organisation’s and go on
          working otherwise; what is revoked stays revoked.
        </span>
      </label>
    </DialogForm>
  )
}

function ofKeys({ keys, keys_revoked: areRevoked }: Removed): string {
  if (keys.length === 0) return 'No key that they had made worked.'
  return `${plural(keys.length, 'key')} of theirs ${areRevoked ? 'revoked' : 'still at work'}: ${namesOf(keys)}.`
}
