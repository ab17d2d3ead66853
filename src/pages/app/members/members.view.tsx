// Who is in the organisation, who is invited, and what each role may do.
import { useState } from 'preact/hooks'
import type { Session } from '../../api/session.ts'
import { ForRoles } from '../for-roles.view.tsx'
import { Invitations } from './invitations.view.tsx'
import { People } from './people.view.tsx'
import { Roles } from './roles.view.tsx'

export function Members({ session }: { session: Session }) {
  // The invitations of somebody who is removed, or may no longer make such, end with that.
  const [changes, setChanges] = useState(0)
  return (
    <>
      <ForRoles session={session} permission="members:manage" what="the members">
        <People session={session} onChanged={() => setChanges((times) => times + 1)} />
        <Invitations session={session} on={changes} />
      </ForRoles>
      <Roles />
    </>
  )
}
