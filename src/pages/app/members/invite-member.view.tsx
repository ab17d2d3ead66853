// Members page: the form that invites a person, and what it says afterwards.
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/invitation'
import type { Infer } from '../../../platform/once.ts'
import { ROLES, type Role } from '../../../accounts/access/roles.policy.ts'
import { permissionToInvite } from '../../../accounts/members/members.policy.ts'
import type { CreatedInvitationSchema } from '../../../accounts/members/members.schema.ts'
import { refusalOf } from '../../api/send-request.ts'
import { Button } from '../../parts/button.view.tsx'
import { CopyableText } from '../../parts/copy-button.view.tsx'
import { Dialog, DialogForm } from '../../parts/dialog.view.tsx'
import { TextField } from '../../parts/fields.view.tsx'
import { roleWithArticle } from '../../text/id-labels.ts'
import { callApi, hasPermission } from '../session.ts'
import { AccessEndField, defaultLastDay, endOfDay } from './change-member.view.tsx'
import { RoleChoice } from './roles.view.tsx'

/** True if this person may invite somebody to the role, and cancel such an invitation. */
export const mayInvite = (role: Role): boolean => hasPermission(permissionToInvite(role).permission)

type Created = Infer<typeof CreatedInvitationSchema>

export function InviteMember({ onClose }: { onClose: (isInvited: boolean) => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role | null>(null)
  const [lastDay, setLastDay] = useState(defaultLastDay)
  const [created, setCreated] = useState<Created | null>(null)
  if (created !== null) return <Invited created={created} onClose={() => onClose(true)} />
  const body = { email, role, ...(role === 'auditor' && { ends_at: endOfDay(lastDay) }) }
  return (
    <DialogForm
      title="Invite a member"
      button="Send invitation"
      ask={() => refusalOf(callApi<Created>('POST', '/api/members/invitations', { body }), (made) => setCreated(made))}
      onClose={() => onClose(false)}
    >
      {(faultOf) => (
        <>
          <TextField
            label="E-mail address"
            fault={faultOf('email')}
            hint="A new invitation replaces an earlier one to the same address."
            type="email"
            most={SCHEMA.email.maxLength}
            value={email}
            onValue={setEmail}
          />
          <RoleChoice roles={ROLES.filter(mayInvite)} chosen={role} onChosen={setRole} />
          {role === 'auditor' && <AccessEndField fault={faultOf('ends_at')} value={lastDay} onValue={setLastDay} />}
        </>
      )}
    </DialogForm>
  )
}

/** Says that a person was invited. If the service sends no mail, shows the link once, for the inviter to pass on. */
function Invited({ created, onClose }: { created: Created; onClose: () => void }) {
  const { email, role, url, mailed } = created
  const close = (
    <p>
      <Button look="first" onClick={onClose}>
        {url === null ? 'Close' : 'I have handed it over'}
      </Button>
    </p>
  )
  if (url !== null) {
    return (
      <Dialog title="Hand over this link" isLocked onClose={onClose}>
        <p>
          This service sends no mail: give the link to {email} by a way that only they read. Anyone who has it joins as{' '}
          {roleWithArticle(role)}. It works for seven days, once, and is shown only here and now.
        </p>
        <CopyableText line={url} what="the link" />
        {close}
      </Dialog>
    )
  }
  return (
    <Dialog title={mailed ? 'The invitation is on its way' : 'The mail did not leave'} onClose={onClose}>
      <p>
        {mailed
          ? `${email} is mailed a link to join as ${roleWithArticle(role)}. It works for seven days, once.`
          : `The invitation of ${email} waits, but nobody was told of it. Invite them again in a while.`}
      </p>
      {close}
    </Dialog>
  )
}
