// Decides which permission a caller needs to change, remove or invite a member. Pure.
import type { Permission, Role } from '../access/roles.policy.ts'
import type { Proof } from '../access/session-proof.policy.ts'

/** The permission and the proof needed. `nobody`: this caller can never do it. */
export type RequiredPermission = { permission: Permission; proof?: Proof } | 'nobody'

type AffectedMember = { isSelf: boolean; role: Role }

/** Nobody can change their own role, except an owner who gives it up. */
export function permissionToChangeRole({ isSelf, role }: AffectedMember, wanted: Role): RequiredPermission {
  if (isSelf && role !== 'owner') return 'nobody'
  return role === 'owner' || wanted === 'owner' ? NAMING_OWNERS : MANAGING
}

/** Any member may leave. An owner needs the permission to name owners. */
export function permissionToRemove({ isSelf, role }: AffectedMember): RequiredPermission {
  if (role === 'owner') return NAMING_OWNERS
  return isSelf ? LEAVING : MANAGING
}

export const permissionToInvite = (role: Role): Permission => (role === 'owner' ? 'owners:name' : 'members:manage')

const MANAGING = { permission: 'members:manage', proof: 'fresh' } as const
const NAMING_OWNERS = { permission: 'owners:name', proof: 'fresh' } as const
const LEAVING = { permission: 'organisation:leave' } as const
