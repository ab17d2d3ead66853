// Members page: members and invitations in one list, with the role as a menu in the row.
import type { ComponentChildren } from 'preact'
import type { Infer } from '../../../platform/once.ts'
import { ROLES, type Role } from '../../../accounts/access/roles.policy.ts'
import type { InvitationSchema } from '../../../accounts/members/members.schema.ts'
import { ActButton, Button } from '../../parts/button.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { ask } from '../../parts/icons.ts'
import { formatDay, formatMoment } from '../../text/format.ts'
import { initialsOf, roleName } from '../../text/id-labels.ts'
import type { Member, NameOf } from '../key-and-person-names.view.tsx'
import { isSelf, mayRemove, rolesFor } from './change-member.view.tsx'
import { mayInvite } from './invite-member.view.tsx'

export type Invitation = Infer<typeof InvitationSchema>

type Props = {
  members: readonly Member[]
  invitations: readonly Invitation[]
  nameOf: NameOf
  onRole: (member: Member, role: Role) => void
  onEnd: (member: Member) => void
  onRemove: (member: Member) => void
  onCancel: (invitation: Invitation) => Promise<void>
}

const dayOf = (at: string): string => at.slice(0, 'YYYY-MM-DD'.length)

/** Owners first, as the roles are in their list. */
const byRole = (one: Member, other: Member): number => ROLES.indexOf(one.role) - ROLES.indexOf(other.role)

export const MemberList = ({ members, invitations, nameOf, onRole, onEnd, onRemove, onCancel }: Props) => (
  <div class="table folding people" role="region" aria-label="Members and invitations" tabIndex={0}>
    <table>
      <thead>
        <tr>
          <th scope="col">Member</th>
          <th scope="col">Role</th>
          <th scope="col">Since</th>
          <th scope="col">
            <span class="only-read">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {members.toSorted(byRole).map((member) => (
          <tr key={member.id}>
            <th scope="row">
              <Named face={initialsOf(member.name)} under={member.email}>
                <b>{member.name}</b> {isSelf(member) && <span class="badge">You</span>}
              </Named>
            </th>
            <td>
              <RoleMenu of={member} onRole={onRole} />
              <AccessEnd of={member} />
            </td>
            <td class="people-since">{formatDay(dayOf(member.created_at))}</td>
            <td class="people-acts">
              {member.ends_at !== null && mayRemove(member) && (
                <Button onClick={() => onEnd(member)}>
                  {member.status === 'ended' ? 'Extend' : 'Change end'}
                  <span class="only-read"> of the access of {member.name}</span>
                </Button>
              )}
              {mayRemove(member) && (
                <Button onClick={() => onRemove(member)}>
                  Remove<span class="only-read"> {member.name}</span>
                </Button>
              )}
              {isSelf(member) && (
                <a class="button" href="/app/account">
                  Leave<span class="only-read"> this organisation</span>
                </a>
              )}
            </td>
          </tr>
        ))}
        {invitations.map((invitation) => (
          <tr key={invitation.id}>
            <th scope="row">
              <Named
                face={<Icon of={ask} />}
                under={`Invited by ${nameOf(invitation.invited_by)}, ${formatDay(dayOf(invitation.created_at))}`}
              >
                <b>{invitation.email}</b>
              </Named>
            </th>
            <td>
              <span class="badge warn">Invited as {roleName(invitation.role)}</span>
              <AccessEnd of={{ ...invitation, status: 'active' }} />
            </td>
            <td class="people-since soft">Link works until {formatMoment(new Date(invitation.expires_at), false)}</td>
            <td class="people-acts">
              {mayInvite(invitation.role) && (
                <ActButton act={() => onCancel(invitation)}>
                  Cancel invitation<span class="only-read"> of {invitation.email}</span>
                </ActButton>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)

type NamedProps = { face: ComponentChildren; under: string; children: ComponentChildren }

const Named = ({ face, under, children }: NamedProps) => (
  <span class="person-cell">
    <span class="initials face" aria-hidden="true">
      {face}
    </span>
    <span>
      {children}
      <br />
      <span class="soft small">{under}</span>
    </span>
  </span>
)

/** When the access of an auditor ends or ended. */
function AccessEnd({ of: { ends_at: end, status } }: { of: Pick<Member, 'ends_at' | 'status'> }) {
  if (end === null) return null
  return (
    <p class="small people-end">
      {status === 'ended' ? (
        <span class="badge warn">Ended {formatDay(dayOf(end))}</span>
      ) : (
        <span class="soft">Ends {formatDay(dayOf(end))}</span>
      )}
    </p>
  )
}

type MenuProps = { of: Member; onRole: (member: Member, role: Role) => void }

/** The member's role as a menu, or as a word where this person may change nothing about it. */
function RoleMenu({ of, onRole }: MenuProps) {
  const roles = rolesFor(of)
  if (roles.length === 0) return <>{roleName(of.role)}</>
  return (
    <select
      class="role-menu"
      aria-label={`Role of ${of.name}`}
      value={of.role}
      onChange={({ currentTarget }) => {
        const role = roles.find((one) => one === currentTarget.value)
        // It shows the role that the service has confirmed.
        currentTarget.value = of.role
        if (role !== undefined) onRole(of, role)
      }}
    >
      {[of.role, ...roles].map((role) => (
        <option key={role} value={role}>
          {roleName(role)}
        </option>
      ))}
    </select>
  )
}
