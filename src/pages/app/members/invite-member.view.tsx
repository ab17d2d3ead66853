// Members page: the form that invites a person, and what it says afterwards.
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/invitation'
import type { Infer } from '../../../platform/once.ts'
import { AUDITOR_DAYS, ROLES, type Role } from '../../../accounts/access/roles.policy.ts'
import { permissionToInvite } from '../../../accounts/members/members.policy.ts'
import type { CreatedInvitationSchema } from '../../../accounts/members/members.schema.ts'
import { refusalOf } from '../../api/send-request.ts'
import { Button } from '../../parts/button.view.tsx'
import { CopyableText } from '../../parts/copy-button.view.tsx'
import { Dialog, DialogForm, ShownOnce } from '../../parts/dialog.view.tsx'
import { FormFields, useForm } from '../../parts/schema-form.view.tsx'
import { dayFromToday } from '../../text/day.ts'
import { ROLE_DESCRIPTIONS, roleName, roleWithArticle } from '../../text/id-labels.ts'
import { callApi, hasPermission } from '../session.ts'
import { accessEnd } from './change-member.view.tsx'

/** True if this person may invite somebody to the role, and cancel such an invitation. */
export const mayInvite = (role: Role): boolean => hasPermission(permissionToInvite(role).permission)

type Created = Infer<typeof CreatedInvitationSchema>

type Props = { onClose: (isInvited: boolean) => void }

export function InviteMember({ onClose }: Props) {
  const [created, setCreated] = useState<Created | null>(null)
  if (created !== null) return <Invited created={created} onClose={() => onClose(true)} />
  return <InvitationForm onMade={setCreated} onClose={onClose} />
}

function InvitationForm({ onMade, onClose }: Props & { onMade: (created: Created) => void }) {
  const form = useForm({
    schema: SCHEMA,
    words: {
      email: {
        label: 'E-mail address',
        hint: 'A new invitation replaces an earlier one to the same address.',
        isRequired: true,
      },
      role: {
        label: 'Role',
        cards: ROLES.filter(mayInvite).map((role) => [role, roleName(role), ROLE_DESCRIPTIONS[role]]),
        isRequired: true,
      },
      ends_at: { ...accessEnd(), when: ({ role }) => role === 'auditor' },
    },
    start: { ends_at: dayFromToday(AUDITOR_DAYS) },
  })
  const { body } = form
  return (
    <DialogForm
      title="Invite a member"
      button="Send invitation"
      ask={() => refusalOf(callApi<Created>('POST', '/api/members/invitations', { body }), onMade)}
      onClose={() => onClose(false)}
    >
      {(faultOf) => <FormFields of={form} faultOf={faultOf} />}
    </DialogForm>
  )
}

/** Says that a person was invited. If the service sends no mail, shows the link once, for the inviter to pass on. */
function Invited({ created, onClose }: { created: Created; onClose: () => void }) {
  const { email, role, url, mailed } = created
  if (url !== null) {
    return (
      <ShownOnce title="Hand over this link" button="I have handed it over" onDone={onClose}>
        <p>
          This service sends no mail: give the link to {email} by a way that only they read. Anyone who has it joins as{' '}
          {roleWithArticle(role)}. It works for seven days, once, and is shown only here and now.
        </p>
        <CopyableText line={url} what="the link" />
      </ShownOnce>
    )
  }
  return (
    <Dialog title={mailed ? 'The invitation is on its way' : 'The mail did not leave'} onClose={onClose}>
      <p>
        {mailed
          ? `${email} is mailed a link to join as ${roleWithArticle(role)}. It works for seven days, once.`
          : `The invitation of ${email} waits, but nobody was told of it. Invite them again in a while.`}
      </p>
      <p>
        <Button look="first" onClick={onClose}>
          Close
        </Button>
      </p>
    </Dialog>
  )
}
