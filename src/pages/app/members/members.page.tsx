// The people of the organisation, those who are invited, and what each role may do.
import { useState } from 'preact/hooks'
import { ForRole, openPage } from '../open-page.tsx'
import { Invitations } from './invitations.view.tsx'
import { People } from './people.view.tsx'
import { Roles } from './roles.view.tsx'

function Members() {
  // The invitations of somebody who is removed, or may no longer make such, end with that.
  const [changes, setChanges] = useState(0)
  return (
    <>
      <ForRole needs="members:manage" what="the members">
        <People onChanged={() => setChanges((times) => times + 1)} />
        <Invitations on={changes} />
      </ForRole>
      <Roles />
    </>
  )
}

await openPage('/app/members', Members)
