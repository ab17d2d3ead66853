// What a person's role does not include: said calmly, since nothing has failed.
import type { ComponentChildren } from 'preact'
import type { Session } from '../api/session.ts'
import { may, rolesWith, type Permission } from '../../accounts/access/roles.policy.ts'
import { NoOrganisation } from './no-organisation.view.tsx'

type Given = { session: Session; permission: Permission; what: string; children: ComponentChildren }

/** Its children for whoever may see them; for the others who may. @param what as a sentence ends with it: “the audit trail” */
export function ForRoles({ session, permission, what, children }: Given) {
  const { organisation } = session
  if (organisation === null) return <NoOrganisation session={session} />
  if (may(organisation.role, permission)) return <>{children}</>
  const roles = rolesWith(permission).filter((role) => role !== 'key')
  return (
    <div class="notice stack">
      <p>Your role does not include {what}</p>
      <p>
        You are {organisation.role} of {organisation.name}. The roles that include it: {roles.join(', ')}.
      </p>
    </div>
  )
}
