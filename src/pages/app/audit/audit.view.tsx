// The audit trail: what became of each call, the latest first; one of them in a drawer; and the log of all days as a file.
import type { Session } from '../../api/session.ts'
import { useAddress } from '../../api/use-address.ts'
import { ForRoles } from '../for-roles.view.tsx'
import { Trail } from './trail.view.tsx'

export function Audit({ session }: { session: Session }) {
  const [members] = useAddress()
  return (
    <ForRoles session={session} permission="audit:read" what="the audit trail">
      <Trail session={session} members={members} />
    </ForRoles>
  )
}
