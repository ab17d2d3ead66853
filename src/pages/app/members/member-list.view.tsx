// Members page: members and invitations in one list, with the role as a menu in the row.
import type { Infer } from '../../../platform/once.ts'
import type { Role } from '../../../accounts/access/roles.policy.ts'
import type { InvitationSchema } from '../../../accounts/members/members.schema.ts'
import type { LoadedList } from '../../api/use-list.ts'
import { ActButton, Button } from '../../parts/button.view.tsx'
import { Face } from '../../parts/faces.view.tsx'
import { columnsOf, type Column, type View } from '../../parts/grid/columns.tsx'
import { DataGrid } from '../../parts/grid/data-grid.view.tsx'
import { ask } from '../../parts/icons.ts'
import { OnlyRead, Note, Row, Stack } from '../../parts/layout.view.tsx'
import { ButtonLink } from '../../parts/surfaces.view.tsx'
import { Badge } from '../../parts/badge.view.tsx'
import { formatMinute } from '../../text/format.ts'
import { roleName } from '../../text/id-labels.ts'
import type { Member, NameOf } from '../key-and-person-names.view.tsx'
import { useView } from '../use-view.ts'
import { isSelf, mayRemove, rolesFor, mayInvite } from './invite-member.view.tsx'

export type Invitation = Infer<typeof InvitationSchema>
export type Person = Member | Invitation

type Acts = {
  onRole: (member: Member, role: Role) => void
  onEnd: (member: Member) => void
  onRemove: (member: Member) => void
  onReset: (member: Member) => void
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
    opened={location.hash.slice(1)}
    view={useView(nameOf)}
    empty={null}
  />
)

const person = columnsOf<Person>()

const titleOf = (of: Person): string => (of.object === 'member' ? of.name : of.email)

const FACTORS = { passkey: 'Passkey', totp: 'App', provider: 'Identity provider', none: 'None' } as const

const factorOf = (of: Person): string => (of.object === 'member' ? FACTORS[of.second_factor] : '')

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
  person.own({
    id: 'factor',
    head: 'Second factor',
    kind: 'text',
    phone: 'line',
    phoneWord: 'Second factor',
    cell: (of) => <Factor {...{ of, ...acts }} />,
    plain: factorOf,
  }),
  person.moment({ id: 'since', head: 'Since', of: 'created_at', phone: 'line', phoneWord: 'Since' }),
  person.text({ id: 'email', head: 'E-mail', of: 'email', isOptional: true }),
  person.moment({ id: 'end', head: 'Access ends', of: 'ends_at', phoneWord: 'Access ends', isOptional: true }),
  person.named({ id: 'by', head: 'Invited by', of: 'invited_by', phoneWord: 'Invited by', isOptional: true }),
  person.act((of) => <Act {...{ of, ...acts }} />, 'line-end'),
]

const Named = ({ of, view }: { of: Person; view: View }) => (
  <Row as="span" gap={3} isSingle>
    <Face name={of.object === 'member' ? of.name : null} icon={ask} />
    <span>
      {titleOf(of)} {of.object === 'member' && isSelf(of) && <Badge>You</Badge>}
      <Note>{of.object === 'member' ? of.email : `${view.nameOf(of.invited_by) ?? 'Somebody'} invited them`}</Note>
    </span>
  </Row>
)

/** The role, as a menu where this person may change it; below it when an auditor's access ends, or until when a link works. */
function RoleAndEnd({ of, view: { isLocal }, onRole, onEnd }: Acts & { of: Person; view: View }) {
  const { ends_at: end } = of
  const hasEnded = of.object === 'member' && of.status === 'ended'
  return (
    <Stack gap={2}>
      {of.object === 'member' ? (
        <RoleMenu of={of} onRole={onRole} />
      ) : (
        <>
          <Badge tone="warn">Invited as {roleName(of.role)}</Badge>
          <Note as="p">Link works until {formatMinute(of.expires_at, isLocal)}</Note>
        </>
      )}
      {end !== null && (
        <Row as="p" tone="soft" size="small">
          <span>
            {hasEnded ? <Badge tone="warn">Ended</Badge> : 'Ends'} {formatMinute(end, isLocal)}
          </span>
          {of.object === 'member' && mayRemove(of) && (
            <Button onClick={() => onEnd(of)}>
              {hasEnded ? 'Extend' : 'Change end'}
              <OnlyRead> of the access of {of.name}</OnlyRead>
            </Button>
          )}
        </Row>
      )}
    </Stack>
  )
}

/** The member's role as a menu, or as a word where this person may change nothing about it. */
function RoleMenu({ of, onRole }: Pick<Acts, 'onRole'> & { of: Member }) {
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

function Factor({ of, onReset }: Pick<Acts, 'onReset'> & { of: Person }) {
  if (of.object === 'invitation' || of.second_factor === 'none' || !mayRemove(of)) return <>{factorOf(of) || '–'}</>
  return (
    <Row as="span" gap={2}>
      {factorOf(of)}
      <Button onClick={() => onReset(of)}>
        Reset…<OnlyRead> second factor of {of.name}</OnlyRead>
      </Button>
    </Row>
  )
}

function Act({ of, onRemove, onCancel }: Acts & { of: Person }) {
  if (of.object === 'invitation') {
    if (!mayInvite(of.role)) return null
    return (
      <ActButton act={() => onCancel(of)}>
        Cancel<OnlyRead> invitation of {of.email}</OnlyRead>
      </ActButton>
    )
  }
  if (isSelf(of))
    return (
      <ButtonLink href="/app/account">
        Leave<OnlyRead> this organisation</OnlyRead>
      </ButtonLink>
    )
  if (!mayRemove(of)) return null
  return (
    <Button onClick={() => onRemove(of)}>
      Remove<OnlyRead> {of.name}</OnlyRead>
    </Button>
  )
}
