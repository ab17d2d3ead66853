// Decides which permission a caller needs to change, remove or invite a member. Pure.
import type { Permission, Role } from '../access/roles.policy.ts'

/** The permission needed. `isFresh`: a fresh sign-in is needed too. `nobody`: this caller can never do it. */
export type RequiredPermission = { permission: Permission; isFresh: boolean } | 'nobody'

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

export const permissionToInvite = (role: Role): Exclude<RequiredPermission, 'nobody'> =>
  role === 'owner' ? NAMING_OWNERS : MANAGING

const MANAGING = { permission: 'members:manage', isFresh: false } as const
const NAMING_OWNERS = { permission: 'owners:name', isFresh: true } as const
const LEAVING = { permission: 'organisation:leave', isFresh: false } as const
