// Members page: the form that invites a person, and the dialogs that ask before a role takes rights away or a member is removed.
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/invitation'
import type { Infer } from '../../../platform/once.ts'
import { AUDITOR_DAYS, ROLES, type Role, MOST_AUDITOR_DAYS } from '../../../accounts/access/roles.policy.ts'
import {
  permissionToInvite,
  permissionToChangeRole,
  permissionToRemove,
} from '../../../accounts/members/members.policy.ts'
import type { CreatedInvitationSchema, ChangedMemberSchema } from '../../../accounts/members/members.schema.ts'
import { refusalOf } from '../../api/send-request.ts'
import { Button } from '../../parts/button.view.tsx'
import { CopyableText } from '../../parts/copy-button.view.tsx'
import { Dialog, DialogForm, ShownOnce } from '../../parts/dialog.view.tsx'
import { FormFields, useForm } from '../../parts/schema-form.view.tsx'
import { dayFromToday } from '../../text/day.ts'
import { ROLE_DESCRIPTIONS, roleName, roleWithArticle } from '../../text/id-labels.ts'
import { callApi, hasPermission, session } from '../session.ts'
import { Stack, Text } from '../../parts/layout.view.tsx'
import { Sentences } from '../../parts/page-blocks.view.tsx'
import { formatDay } from '../../text/format.ts'
import type { Member } from '../key-and-person-names.view.tsx'
import { describeKeys, EndingKeys, StayingKeys, useMemberKeys } from './member-keys.view.tsx'
import { lostRights } from './roles.view.tsx'

/** True if this person may invite somebody to the role, and cancel such an invitation. */
export const mayInvite = (role: Role): boolean => hasPermission(permissionToInvite(role))

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

export const isSelf = ({ id }: Member): boolean => id === session().user.id

/** Returns the roles that this person may give to a member. The service uses the same rules. */
export function rolesFor(member: Member): readonly Role[] {
  const target = { isSelf: isSelf(member), role: member.role }
  return ROLES.filter((newRole) => {
    const needed = permissionToChangeRole(target, newRole)
    return newRole !== member.role && needed !== 'nobody' && hasPermission(needed.permission)
  })
}

export function mayRemove(member: Member): boolean {
  const needed = permissionToRemove({ isSelf: isSelf(member), role: member.role })
  return !isSelf(member) && needed !== 'nobody' && hasPermission(needed.permission)
}

type Changed = Infer<typeof ChangedMemberSchema>

/** Gives a member a role. @param rest `ends_at`: when the access of an auditor ends */
export const sendRole = ({ id }: Member, role: Role, rest: { ends_at?: unknown; revoke_keys?: true }) =>
  callApi<Changed>('PATCH', `/api/members/${id}`, { body: { role, ...rest } })

/** The end of an auditor's access, in each form that sets it. */
const accessEnd = () => ({
  label: 'Access ends',
  hint: 'At the end of that day, in UTC.',
  isRequired: true,
  min: dayFromToday(0),
  max: dayFromToday(MOST_AUDITOR_DAYS - 1),
})

/** The field for that end alone. */
const useAccessEnd = (when = true) =>
  useForm({
    schema: SCHEMA,
    words: { ends_at: { ...accessEnd(), when: () => when } },
    start: { ends_at: dayFromToday(AUDITOR_DAYS) },
  })

export const newRoleText = ({ name, role }: Member): string => `${name} is ${roleWithArticle(role)} now.`

type ChangeProps = { member: Member; onClose: () => void; onDone: (what: string) => void }

/** Asks before a role that takes rights away, or makes an owner. */
export function ChangeRole({ member, role, onClose, onDone }: ChangeProps & { role: Role }) {
  const isOwn = isSelf(member)
  const lost = lostRights(member.role, role)
  const form = useAccessEnd(role === 'auditor')
  const [revokesKeys, setRevokesKeys] = useState(false)
  const keys = useMemberKeys(member.id, role)
  const change = () =>
    refusalOf(sendRole(member, role, { ...form.body, ...(revokesKeys && { revoke_keys: true }) }), (changed) => {
      // The page depends on this person's own role, so it is loaded again.
      if (isOwn) location.reload()
      onDone(newRoleText(changed) + describeKeys(changed.keys))
    })
  return (
    <DialogForm
      title={isOwn ? 'Change your own role' : `Change the role of ${member.name}`}
      button={`Make ${isOwn ? 'me' : 'them'} ${roleWithArticle(role)}`}
      isDanger={isOwn}
      isReady={keys !== null}
      ask={change}
      onClose={onClose}
    >
      {(faultOf) => (
        <>
          {isOwn && (
            <p>You give up being an owner: only another owner can make you one again. The last owner stays one.</p>
          )}
          {role === 'owner' && <p>An owner may do everything, and only an owner can take it away again.</p>}
          {lost.length > 0 && (
            <Stack gap={2}>
              <p>{isOwn ? 'You lose' : `${member.name} loses`} from the next request on, in whole or in part:</p>
              <Sentences of={lost} />
            </Stack>
          )}
          {lost.includes('Approve requests') && (
            <Text as="p" tone="soft">
              Their approvals of requests that have not run count no more.
            </Text>
          )}
          <EndingKeys of={keys} />
          <StayingKeys of={keys} isChecked={revokesKeys} onCheck={setRevokesKeys} />
          <FormFields of={form} faultOf={faultOf} />
        </>
      )}
    </DialogForm>
  )
}

/** The dialog that gives an auditor another end, which may be over already. */
export function ChangeAccessEnd({ member, onClose, onDone }: ChangeProps) {
  const form = useAccessEnd()
  const keysNow = useMemberKeys(member.id, member.role)
  const change = () =>
    refusalOf(
      callApi<Changed>('PATCH', `/api/members/${member.id}`, { body: form.body }),
      ({ name, ends_at: end, keys }) =>
        onDone(`The access of ${name} ends ${formatDay(end?.slice(0, 10) ?? form.text.ends_at)}.${describeKeys(keys)}`),
    )
  return (
    <DialogForm title={`Access of ${member.name}`} button="Set end" ask={change} onClose={onClose}>
      {(faultOf) => (
        <>
          <EndingKeys of={keysNow} />
          <FormFields of={form} faultOf={faultOf} />
        </>
      )}
    </DialogForm>
  )
}

/** The dialog that removes a member. Their keys end. */
export function RemoveMember({ member: { id, name }, onClose, onDone }: ChangeProps) {
  const keys = useMemberKeys(id, null)
  const remove = () =>
    refusalOf(callApi<Changed>('DELETE', `/api/members/${id}`), (removed) =>
      onDone(`${name} is removed.${describeKeys(removed.keys)}`),
    )
  return (
    <DialogForm
      title={`Remove ${name}`}
      button="Remove"
      isDanger
      isReady={keys !== null}
      ask={remove}
      onClose={onClose}
    >
      <p>
        They see nothing of the organisation from their next request on, and their approvals of requests that have not
        run count no more. Their account stays, what they did stays in the log by their id, and the invitations that
        they made end. They can be invited again.
      </p>
      <EndingKeys of={keys} />
    </DialogForm>
  )
}
