// The roles that somebody may give, by the rules that the service decides by.
import { ROLES, type Role } from '../../../accounts/access/roles.policy.ts'
import { neededToChangeRole, neededToInvite } from '../../../accounts/members/members.policy.ts'
import type { Session } from '../../api/session.ts'
import { mayIn } from '../may-in.ts'
import type { Member } from './member.ts'

/** To a member: others than they have. */
export function rolesFor(session: Session, { id, role }: Pick<Member, 'id' | 'role'>): readonly Role[] {
  const target = { isSelf: id === session.user.id, role }
  return ROLES.filter((wanted) => {
    const needed = neededToChangeRole(target, wanted)
    return wanted !== role && needed !== 'nobody' && mayIn(session, needed.permission)
  })
}

export const rolesToInviteAs = (session: Session): readonly Role[] =>
  ROLES.filter((role) => mayIn(session, neededToInvite(role).permission))
