// Whether somebody's role in the organisation of the page includes something.
import { may, type Permission } from '../../accounts/access/roles.policy.ts'
import type { Session } from '../api/session.ts'

export const mayIn = ({ organisation }: Session, permission: Permission): boolean =>
  organisation !== null && may(organisation.role, permission)
