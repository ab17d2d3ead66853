// The members page: the organisation's members, its invitations, and the permissions of each role.
import { ROLES, type Role } from '../../../accounts/access/roles.policy.ts'
import { permissionToChangeRole, permissionToRemove } from '../../../accounts/members/members.policy.ts'
import type { MemberSchema, RemovedMemberSchema } from '../../../accounts/members/members.schema.ts'
import { refusalOf } from '../../api/send-request.ts'
import { Button } from '../../parts/button.view.tsx'
import { Checkbox } from '../../parts/fields.view.tsx'
import { DialogForm } from '../../parts/dialog.view.tsx'
import { type Column, ListTable } from '../../parts/list-table.view.tsx'
import { DoneNotice } from '../../parts/answer-notices.view.tsx'
import { Moment } from '../../parts/times.view.tsx'
import { plural } from '../../text/format.ts'
import { roleWithArticle } from '../../text/id-labels.ts'
import { namesOf } from '../keys/key-labels.tsx'
import { ForRole, openPage } from '../open-page.tsx'
import { callApi, hasPermission, session, useApiList } from '../session.ts'
import { Invitations } from './invitations.view.tsx'
import { Roles, RoleChoice } from './roles.view.tsx'
import { useState } from 'preact/hooks'
import type * as z from 'zod'
import { Section } from '../../parts/page-blocks.view.tsx'

function Members() {
  // Removing a member cancels their invitations, and a new role may too. Each change loads the invitations again.
  const [changes, setChanges] = useState(0)
  return (
    <>
      <ForRole access={{ needs: 'members:manage', what: 'the members' }}>
        <People onChanged={() => setChanges((times) => times + 1)} />
        <Invitations on={changes} />
      </ForRole>
      <Roles />
    </>
  )
}

type Member = z.infer<typeof MemberSchema>

const isSelf = ({ id }: Member): boolean => id === session().user.id

/** Lists the members, changes their roles, and removes them. */
export function People({ onChanged }: { onChanged: () => void }) {
  const listed = useApiList<Member>('/api/members')
  const [acting, setActing] = useState<{ on: Member; act: 'change_role' | 'remove' } | null>(null)
  const [done, setDone] = useState<{ at: number; text: string } | null>(null)

  const end = (text: string): void => {
    setActing(null)
    setDone({ at: Date.now(), text })
    onChanged()
    listed.again()
  }

  const columns: readonly Column<Member>[] = [
    {
      name: 'Name',
      cell: (row) => (
        <>
          {row.name} {isSelf(row) && <span class="badge soft">you</span>}
          <div class="under-name">{row.email}</div>
        </>
      ),
    },
    { name: 'Role', cell: ({ role }) => role },
    { name: 'Joined', cell: (row) => <Moment at={row.created_at} /> },
    {
      name: 'Change',
      cell: (row) => (
        <span class="row">
          {rolesFor(row).length > 0 && (
            <Button onClick={() => setActing({ on: row, act: 'change_role' })}>
              Role<span class="only-read"> of {row.name}</span>
            </Button>
          )}
          {mayRemove(row) && (
            <Button onClick={() => setActing({ on: row, act: 'remove' })}>
              Remove<span class="only-read"> {row.name}</span>
            </Button>
          )}
          {isSelf(row) && <a href="/app/account">Leave</a>}
        </span>
      ),
    },
  ]

  return (
    <Section title="People">
      {done !== null && (
        <DoneNotice key={done.at}>
          <p>{done.text}</p>
        </DoneNotice>
      )}
      <ListTable
        listed={listed}
        noun="member"
        empty={<p>There is nobody.</p>}
        caption="Members, the newest accounts first"
        isCaptionHidden
        columns={columns}
        keyOf={({ id }) => id}
      />
      {acting?.act === 'change_role' && <ChangeRole member={acting.on} onClose={() => setActing(null)} onDone={end} />}
      {acting?.act === 'remove' && <RemoveMember member={acting.on} onClose={() => setActing(null)} onDone={end} />}
    </Section>
  )
}

/** Returns the roles that this person may give to a member. The service uses the same rules. */
function rolesFor(member: Member): readonly Role[] {
  const target = { isSelf: isSelf(member), role: member.role }
  return ROLES.filter((newRole) => {
    const needed = permissionToChangeRole(target, newRole)
    return newRole !== member.role && needed !== 'nobody' && hasPermission(needed.permission)
  })
}

function mayRemove(member: Member): boolean {
  const needed = permissionToRemove({ isSelf: isSelf(member), role: member.role })
  return !isSelf(member) && needed !== 'nobody' && hasPermission(needed.permission)
}

type Props = { member: Member; onClose: () => void; onDone: (what: string) => void }

function ChangeRole({ member, onClose, onDone }: Props) {
  const [role, setRole] = useState<Role | null>(null)
  const isOwn = isSelf(member)
  const change = () =>
    refusalOf(callApi<Member>('PATCH', `/api/members/${member.id}`, { body: { role } }), (changed) => {
      // The page depends on this person's own role, so it is loaded again.
      if (isOwn) location.reload()
      onDone(`${member.name} is ${roleWithArticle(changed.role)} now.`)
    })
  return (
    <DialogForm
      title={isOwn ? 'Change your own role' : `Change the role of ${member.name}`}
      button="Change the role"
      isDanger={isOwn}
      ask={change}
      onClose={onClose}
    >
      <p>
        {isOwn
          ? 'You give up being an owner: only another owner can make you one again. The last owner stays.'
          : `${member.name} is ${roleWithArticle(member.role)}. Another role holds from the next request on.`}
      </p>
      <RoleChoice roles={rolesFor(member)} chosen={role} onChosen={setRole} />
    </DialogForm>
  )
}

type Removed = z.infer<typeof RemovedMemberSchema>

/** The dialog that removes a member. Their keys continue to work, or are revoked too. */
function RemoveMember({ member: { id, name }, onClose, onDone }: Props) {
  const [revokesKeys, setRevokesKeys] = useState(false)
  const remove = () =>
    refusalOf(callApi<Removed>('DELETE', `/api/members/${id}`, { query: { revoke_keys: revokesKeys } }), (removed) =>
      onDone(`${name} is removed. ${describeKeys(removed)}`),
    )
  return (
    <DialogForm title={`Remove ${name}`} button="Remove" isDanger ask={remove} onClose={onClose}>
      <p>
        They see nothing of the organisation from their next request on, and their approvals of requests that have not
        run count no more. Their account stays, what they did stays in the log by their id, and the invitations that
        they made end. They can be invited again.
      </p>
      <Checkbox isChecked={revokesKeys} onCheck={setRevokesKeys}>
        <span>
          Revoke the keys that they have made, and the keys that those made. Without this they go on working, because
          they are the organisation’s. What is revoked stays revoked.
        </span>
      </Checkbox>
    </DialogForm>
  )
}

function describeKeys({ keys, keys_revoked: areRevoked }: Removed): string {
  if (keys.length === 0) return 'No key that they had made worked.'
  return `${plural(keys.length, 'key')} of theirs ${areRevoked ? 'revoked' : 'still at work'}: ${namesOf(keys)}.`
}

await openPage('/app/members', Members)
