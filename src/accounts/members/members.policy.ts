// Decides which permission a caller needs to change, remove or invite a member. Pure.
import type { Permission, Role } from '../access/roles.policy.ts'

/** The permission needed. `isFresh`: a fresh sign-in is needed too. `nobody`: this caller can never do it. */
export type Needed = { permission: Permission; isFresh: boolean } | 'nobody'

type Target = { isSelf: boolean; role: Role }

/** Nobody can change their own role, except an owner who gives it up. */
export function neededToChangeRole({ isSelf, role }: Target, wanted: Role): Needed {
  if (isSelf && role !== 'owner') return 'nobody'
  return role === 'owner' || wanted === 'owner' ? NAMING_OWNERS : MANAGING
}

/** Any member may leave. An owner needs the permission to name owners. */
export function neededToRemove({ isSelf, role }: Target): Needed {
  if (role === 'owner') return NAMING_OWNERS
  return isSelf ? LEAVING : MANAGING
}

export const neededToInvite = (role: Role): Exclude<Needed, 'nobody'> => (role === 'owner' ? NAMING_OWNERS : MANAGING)

const MANAGING = { permission: 'members:manage', isFresh: false } as const
const NAMING_OWNERS = { permission: 'owners:name', isFresh: true } as const
const LEAVING = { permission: 'organisation:leave', isFresh: false } as const
