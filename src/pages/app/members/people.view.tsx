// The members of the organisation: changing the role of one, removing one.
import { useState } from 'preact/hooks'
import { neededToRemove } from '../../../accounts/members/members.policy.ts'
import type { List } from '../../../platform/list.schema.ts'
import type { Session } from '../../api/session.ts'
import { useList } from '../../api/use-list.ts'
import { Done } from '../../parts/done.view.tsx'
import { ListOf } from '../../parts/list.view.tsx'
import { Moment } from '../../parts/moment.view.tsx'
import { Table, type Column } from '../../parts/table.view.tsx'
import { callIn } from '../call-in.ts'
import { mayIn } from '../may-in.ts'
import { ChangeRole } from './change-role.view.tsx'
import type { Member } from './member.ts'
import { RemoveMember } from './remove-member.view.tsx'
import { rolesFor } from './roles-for.ts'

type Given = { session: Session; onChanged: () => void }

export function People({ session, onChanged }: Given) {
  const listed = useList<Member>(
    (cursor, signal) => callIn<List<Member>>(session, 'GET', '/api/members', { query: { cursor }, signal }),
    [],
  )
  const [acting, setActing] = useState<{ on: Member; act: 'change_role' | 'remove' } | null>(null)
  const [done, setDone] = useState<{ at: number; text: string } | null>(null)

  const end = (text: string): void => {
    setActing(null)
    setDone({ at: Date.now(), text })
    onChanged()
    listed.again()
  }

  const mayRemove = ({ id, role }: Member): boolean => {
    const isSelf = id === session.user.id
    const needed = neededToRemove({ isSelf, role })
    return !isSelf && needed !== 'nobody' && mayIn(session, needed.permission)
  }

  const columns: readonly Column<Member>[] = [
    {
      name: 'Name',
      cell: ({ id, name, email }) => (
        <>
          {name} {id === session.user.id && <span class="badge soft">you</span>}
          <div class="under-name">{email}</div>
        </>
      ),
    },
    { name: 'Role', cell: ({ role }) => role },
    { name: 'Joined', cell: (row) => <Moment at={row.created_at} /> },
    {
      name: 'Change',
      cell: (row) => (
        <span class="row">
          {rolesFor(session, row).length > 0 && (
            <button type="button" class="button" onClick={() => setActing({ on: row, act: 'change_role' })}>
              Role<span class="only-read"> of {row.name}</span>
            </button>
          )}
          {mayRemove(row) && (
            <button type="button" class="button" onClick={() => setActing({ on: row, act: 'remove' })}>
              Remove<span class="only-read"> {row.name}</span>
            </button>
          )}
          {row.id === session.user.id && <a href="/app/account">Leave</a>}
        </span>
      ),
    },
  ]

  return (
    <section class="stack">
      <h2>People</h2>
      {done !== null && (
        <Done key={done.at}>
          <p>{done.text}</p>
        </Done>
      )}
      <ListOf listed={listed} noun="member" empty={<p>There is nobody.</p>}>
        {(rows) => (
          <Table
            caption="Members, the newest accounts first"
            isCaptionHidden
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
          />
        )}
      </ListOf>
      {acting?.act === 'change_role' && (
        <ChangeRole session={session} member={acting.on} onClose={() => setActing(null)} onDone={end} />
      )}
      {acting?.act === 'remove' && (
        <RemoveMember session={session} member={acting.on} onClose={() => setActing(null)} onDone={end} />
      )}
    </section>
  )
}
