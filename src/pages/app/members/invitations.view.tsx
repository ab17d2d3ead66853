// Members page: lists the pending invitations, invites people, and cancels invitations.
import { useState } from 'preact/hooks'
import SCHEMA from 'virtual:form-schema/invitation'
import type * as z from 'zod'
import { ROLES, type Role } from '../../../accounts/access/roles.policy.ts'
import { permissionToInvite } from '../../../accounts/members/members.policy.ts'
import type { CreatedInvitationSchema, InvitationSchema } from '../../../accounts/members/members.schema.ts'
import { refusalOf, type Problem } from '../../api/send-request.ts'
import { ActButton, Button } from '../../parts/button.view.tsx'
import { CopyableText } from '../../parts/copy-button.view.tsx'
import { Dialog, DialogForm } from '../../parts/dialog.view.tsx'
import { TextField } from '../../parts/fields.view.tsx'
import { DoneNotice, ProblemNotice } from '../../parts/answer-notices.view.tsx'
import { type Column, EmptyNotice, ListTable } from '../../parts/list-table.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { roleWithArticle } from '../../text/id-labels.ts'
import { callApi, hasPermission, useApiList } from '../session.ts'
import { RoleChoice } from './roles.view.tsx'
import { Section } from '../../parts/page-blocks.view.tsx'

type Invitation = z.infer<typeof InvitationSchema>

const LINE = `curl -s "$URL/api/members/invitations" -b "__Host-session=$SESSION" -H "origin: $URL" \\
  -H 'content-type: application/json' -d '{"email": "dr.mary@example.org", "role": "clinician"}'`

const mayInvite = (role: Role): boolean => hasPermission(permissionToInvite(role).permission)

/** Lists the invitations. @param on a counter of changes elsewhere on the page; each change loads the list again */
export function Invitations({ on }: { on: number }) {
  const listed = useApiList<Invitation>('/api/members/invitations', {}, [on])
  const [isInviting, setInviting] = useState(false)
  const [cancelledInvitation, setCancelledInvitation] = useState<Invitation | null>(null)
  const [problem, setProblem] = useState<Problem | null>(null)

  const cancelInvitation = async ({ id }: Invitation): Promise<void> => {
    const answer = await callApi<Invitation>('DELETE', `/api/members/invitations/${id}`)
    setProblem(answer.outcome === 'refused' ? answer.problem : null)
    setCancelledInvitation(answer.outcome === 'answered' ? answer.body : null)
    // A refusal also loads the list: somebody else may have cancelled the invitation, or the person has joined.
    listed.again()
  }

  const columns: readonly Column<Invitation>[] = [
    { name: 'E-mail address', cell: ({ email }) => email },
    { name: 'Role', cell: ({ role }) => role },
    { name: 'Invited', cell: (row) => <Moment at={row.created_at} /> },
    { name: 'Ends', cell: (row) => <Moment at={row.expires_at} /> },
    {
      name: 'Take back',
      cell: (row) =>
        mayInvite(row.role) && (
          <ActButton act={() => cancelInvitation(row)}>
            Take back<span class="only-read"> the invitation of {row.email}</span>
          </ActButton>
        ),
    },
  ]

  const invite = (
    <p>
      <Button look="first" onClick={() => setInviting(true)}>
        Invite somebody
      </Button>
    </p>
  )

  return (
    <Section title="Invitations">
      {cancelledInvitation !== null && (
        <DoneNotice key={cancelledInvitation.id}>
          <p>The invitation of {cancelledInvitation.email} is taken back. Its link does nothing any more.</p>
        </DoneNotice>
      )}
      {problem !== null && <ProblemNotice problem={problem} />}
      {listed.rows.length > 0 && invite}
      <ListTable
        listed={listed}
        noun="invitation"
        empty={
          <EmptyNotice title="Nobody is invited" action={invite} line={LINE}>
            Whom you invite is here until they join, for seven days.
          </EmptyNotice>
        }
        caption="Invitations that wait, newest first"
        isCaptionHidden
        columns={columns}
        keyOf={({ id }) => id}
      />
      {isInviting && (
        <Invite
          onClose={(isInvited) => {
            setInviting(false)
            if (isInvited) listed.again()
          }}
        />
      )}
    </Section>
  )
}

type Created = z.infer<typeof CreatedInvitationSchema>

function Invite({ onClose }: { onClose: (isInvited: boolean) => void }) {
  const [email, setEmail] = useState('')
  const [role, setRole] = useState<Role | null>(null)
  const [created, setCreated] = useState<Created | null>(null)
  if (created !== null) return <Invited created={created} onClose={() => onClose(true)} />
  return (
    <DialogForm
      title="Invite somebody"
      button="Invite"
      ask={() =>
        refusalOf(callApi<Created>('POST', '/api/members/invitations', { body: { email, role } }), (made) =>
          setCreated(made),
        )
      }
      onClose={() => onClose(false)}
    >
      {(faultOf) => (
        <>
          <TextField
            label="E-mail address"
            fault={faultOf('email')}
            hint="An earlier invitation to it ends."
            type="email"
            most={SCHEMA.email.maxLength}
            value={email}
            onValue={setEmail}
          />
          <RoleChoice roles={ROLES.filter(mayInvite)} chosen={role} onChosen={setRole} />
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
