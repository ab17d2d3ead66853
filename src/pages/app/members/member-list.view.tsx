// Members page: members and invitations in one list, with the role as a menu in the row.
import type { Infer } from '../../../platform/once.ts'
import type { Role } from '../../../accounts/access/roles.policy.ts'
import type { InvitationSchema } from '../../../accounts/members/members.schema.ts'
import type { LoadedList } from '../../api/use-list.ts'
import { ActButton, Button } from '../../parts/button.view.tsx'
import { columnsOf, type Column, type View } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { ask } from '../../parts/icons.ts'
import { formatMinute } from '../../text/format.ts'
import { initialsOf, roleName } from '../../text/id-labels.ts'
import type { Member, NameOf } from '../key-and-person-names.view.tsx'
import { useView } from '../use-view.ts'
import { isSelf, mayRemove, rolesFor } from './change-member.view.tsx'
import { mayInvite } from './invite-member.view.tsx'

export type Invitation = Infer<typeof InvitationSchema>
export type Person = Member | Invitation

type Acts = {
  onRole: (member: Member, role: Role) => void
  onEnd: (member: Member) => void
  onRemove: (member: Member) => void
  onCancel: (invitation: Invitation) => Promise<void>
}

type Props = Acts & { listed: LoadedList<Person>; nameOf: NameOf }

export const MemberList = ({ listed, nameOf, ...acts }: Props) => (
  <DataGrid
    label="Members, owners first, and open invitations"
    noun="person"
    nouns="people"
    file="members"
    columns={columnsFor(acts)}
    rows={listed}
    keyOf={({ id }) => id}
    view={useView(nameOf)}
    empty={null}
  />
)

const person = columnsOf<Person>()

const titleOf = (of: Person): string => (of.object === 'member' ? of.name : of.email)

const columnsFor = (acts: Acts): readonly Column<Person>[] => [
  person.own({
    id: 'name',
    head: 'Member',
    kind: 'name',
    cell: (of, view) => <Named of={of} view={view} />,
    plain: titleOf,
  }),
  person.own({
    id: 'role',
    head: 'Role',
    kind: 'text',
    phone: 'line',
    cell: (of, view) => <RoleAndEnd {...{ of, view, ...acts }} />,
    plain: ({ object, role }) => (object === 'member' ? roleName(role) : `Invited as ${roleName(role)}`),
  }),
  person.moment({ id: 'since', head: 'Since', of: 'created_at', phone: 'line', phoneWord: 'Since' }),
  person.text({ id: 'email', head: 'E-mail', of: 'email', isOptional: true }),
  person.moment({ id: 'end', head: 'Access ends', of: 'ends_at', phoneWord: 'Access ends', isOptional: true }),
  person.named({ id: 'by', head: 'Invited by', of: 'invited_by', phoneWord: 'Invited by', isOptional: true }),
  person.own({
    id: 'act',
    head: 'Action',
    kind: 'act',
    phone: 'line-end',
    cell: (of) => <Act {...{ of, ...acts }} />,
    plain: () => '',
  }),
]

const Named = ({ of, view }: { of: Person; view: View }) => (
  <span class="with-face">
    <span class="initials face" aria-hidden="true">
      {of.object === 'member' ? initialsOf(of.name) : <Icon of={ask} />}
    </span>
    <span>
      {titleOf(of)} {of.object === 'member' && isSelf(of) && <span class="badge">You</span>}
      <span class="soft small">
        {of.object === 'member' ? of.email : `${view.nameOf(of.invited_by) ?? 'Somebody'} invited them`}
      </span>
    </span>
  </span>
)

/** The role, as a menu where this person may change it; below it when an auditor's access ends, or until when a link works. */
function RoleAndEnd({ of, view: { isLocal }, onRole, onEnd }: Acts & { of: Person; view: View }) {
  const { ends_at: end } = of
  const hasEnded = of.object === 'member' && of.status === 'ended'
  return (
    <div class="stack-s">
      {of.object === 'member' ? (
        <RoleMenu of={of} onRole={onRole} />
      ) : (
        <>
          <span class="badge warn">Invited as {roleName(of.role)}</span>
          <p class="soft small">Link works until {formatMinute(of.expires_at, isLocal)}</p>
        </>
      )}
      {end !== null && (
        <p class="row soft small">
          <span>
            {hasEnded ? <span class="badge warn">Ended</span> : 'Ends'} {formatMinute(end, isLocal)}
          </span>
          {of.object === 'member' && mayRemove(of) && (
            <Button onClick={() => onEnd(of)}>
              {hasEnded ? 'Extend' : 'Change end'}
              <span class="only-read"> of the access of {of.name}</span>
            </Button>
          )}
        </p>
      )}
    </div>
  )
}

type MenuProps = { of: Member; onRole: Acts['onRole'] }

/** The member's role as a menu, or as a word where this person may change nothing about it. */
function RoleMenu({ of, onRole }: MenuProps) {
  const roles = rolesFor(of)
  if (roles.length === 0) return <>{roleName(of.role)}</>
  return (
    <select
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

function Act({ of, onRemove, onCancel }: Acts & { of: Person }) {
  if (of.object === 'invitation') {
    if (!mayInvite(of.role)) return null
    return (
      <ActButton act={() => onCancel(of)}>
        Cancel<span class="only-read"> invitation of {of.email}</span>
      </ActButton>
    )
  }
  if (isSelf(of))
    return (
      <a class="button" href="/app/account">
        Leave<span class="only-read"> this organisation</span>
      </a>
    )
  if (!mayRemove(of)) return null
  return (
    <Button onClick={() => onRemove(of)}>
      Remove<span class="only-read"> {of.name}</span>
    </Button>
  )
}
