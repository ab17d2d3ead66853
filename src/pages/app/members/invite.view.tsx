// Inviting somebody. Where the service sends no mail, the link is shown this once, to be handed over.
import { useState } from 'preact/hooks'
import type { z } from 'zod'
import type { Role } from '../../../accounts/access/roles.policy.ts'
import type { CreatedInvitationSchema } from '../../../accounts/members/members.schema.ts'
import type { Problem } from '../../api/call.ts'
import type { Session } from '../../api/session.ts'
import { Command } from '../../parts/command.view.tsx'
import { Dialog } from '../../parts/dialog.view.tsx'
import { DialogForm } from '../../parts/dialog-form.view.tsx'
import { TextField } from '../../parts/text-field.view.tsx'
import { asRole } from '../../text/roles.ts'
import { callIn } from '../call-in.ts'
import { RoleChoice } from './role-choice.view.tsx'
import { rolesToInviteAs } from './roles-for.ts'

type Created = z.infer<typeof CreatedInvitationSchema>

type Given = { session: Session; onClose: (isInvited: boolean) => void }

export function Invite({ session, onClose }: Given) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role | null>(null)
  const [created, setCreated] = useState<Created | null>(null)
  const invite = async (): Promise<Problem | null> => {
    const asked = { body: { email, role } }
    const answer = await callIn<Created>(session, 'POST', '/api/members/invitations', asked)
    if (answer.outcome === 'refused') return answer.problem
    setCreated(answer.body)
    return null
  }
  if (created !== null) return <Invited created={created} onClose={() => onClose(true)} />
  return (
    <DialogForm title="Invite somebody" button="Invite" ask={invite} onClose={() => onClose(false)}>
      {(faultOf) => (
        <>
          <TextField
            label="E-mail address"
            fault={faultOf('email')}
            hint="An earlier invitation to it ends."
            type="email"
            most={254}
            value={email}
            onValue={setEmail}
          />
          <RoleChoice roles={rolesToInviteAs(session)} chosen={role} onChosen={setRole} />
        </>
      )}
    </DialogForm>
  )
}

function Invited({ created, onClose }: { created: Created; onClose: () => void }) {
  const { email, role, url, mailed } = created
  const close = (
    <p>
      <button type="button" class="button first" onClick={onClose}>
        {url === null ? 'Close' : 'I have handed it over'}
      </button>
    </p>
  )
  if (url !== null) {
    return (
      <Dialog title="Hand over this link" isHeld onClose={onClose}>
        <p>
          This service sends no mail: give the link to {email} by a way that only they read. Whoever has it joins as{' '}
          {asRole(role)}. It works for seven days, once, and is shown only here and now.
        </p>
        <Command line={url} what="the link" />
        {close}
      </Dialog>
    )
  }
  return (
    <Dialog title={mailed ? 'The invitation is on its way' : 'The mail did not leave'} onClose={onClose}>
      <p>
        {mailed
          ? `${email} is mailed a link to join as ${asRole(role)}. It works for seven days, once.`
          : `The invitation of ${email} waits, but nobody was told of it. Invite them again in a while.`}
      </p>
      {close}
    </Dialog>
  )
}
