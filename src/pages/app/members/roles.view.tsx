// Members page: what each role may do, in eight lines, and permission by permission. Made from the rules
// themselves.
import { PERMISSIONS, may, ROLES, type Permission, type Role } from '../../../accounts/access/roles.policy.ts'
import { namesOf } from '../../parts/form-values.ts'
import { Matrix, type MatrixRow, type Share } from '../../parts/matrix.view.tsx'
import { Foldable } from '../../parts/foldable.view.tsx'
import { HeadedCard, Help } from '../../parts/surfaces.view.tsx'
import { roleName } from '../../text/id-labels.ts'

const PERMISSION_WORDS: Readonly<Record<Permission, string>> = {
  'members:manage': 'See, invite, change and remove members who are not owners',
  'owners:name': 'Name, change and remove owners',
  'organisation:leave': 'Leave the organisation',
  'preferences:own': 'Save one’s own views of lists, choose one’s mails',
  'settings:read': 'Read the settings',
  'settings:change': 'Change the settings',
  'policies:read': 'Read the policy and its history',
  'policies:change': 'Change the policy, and try one on the latest calls',
  'keys:read': 'See keys',
  'keys:own': 'Create keys, and change and revoke one’s own',
  'keys:all': 'Change and revoke all keys',
  'usage:read': 'See calls, costs and analytics',
  'audit:read': 'Read records, evidence, anomalies, concordance and reports',
  'compliance:state': 'Explain anomalies and controls, and mark incidents',
  'costs:correct': 'Correct the cost of an interrupted call',
  'receipts:read': 'Read records of medical calls',
  'approvals:read': 'See approvals, open and ended',
  'approvals:decide': 'Approve and deny requests, but for those of one’s own keys',
  'content:read': 'Read the prompts and answers that are kept',
  'content:erase': 'Erase the prompts and answers that are kept',
  'organisation:export': 'Export what the role may read',
  'organisation:erase': 'Erase the organisation',
}

const permissions = namesOf(PERMISSIONS)

type RoleRight = {
  words: string
  /** Who has all of these may do it. */
  needs: readonly Permission[]
  /** Who has only this may do a part of it. */
  partly?: readonly [permission: Permission, words: string]
}

/** What roles may do, in as few lines as tell them apart. */
const ROLE_RIGHTS: readonly RoleRight[] = [
  { words: 'See calls, costs and analytics', needs: ['usage:read'] },
  { words: 'Create and revoke keys', needs: ['keys:all'], partly: ['keys:own', 'Own only'] },
  { words: 'Change the policy and settings', needs: ['policies:change', 'settings:change'] },
  { words: 'Approve requests', needs: ['approvals:decide'] },
  { words: 'Read records, evidence and reports', needs: ['audit:read'], partly: ['receipts:read', 'Medical only'] },
  { words: 'Explain anomalies and controls', needs: ['compliance:state'] },
  { words: 'Invite and remove members', needs: ['members:manage'] },
  { words: 'Name owners, erase the organisation', needs: ['owners:name', 'organisation:erase'] },
]

function shareOf(role: Role, { needs, partly }: RoleRight): Share {
  if (needs.every((permission) => may(role, permission))) return 'yes'
  return partly !== undefined && may(role, partly[0]) ? partly[1] : 'no'
}

/** Returns what a person loses with the new role, in words. Empty: nothing. */
export function lostRights(role: Role, newRole: Role): readonly string[] {
  if (permissions.every((permission) => !may(role, permission) || may(newRole, permission))) return []
  return ROLE_RIGHTS.filter(
    (right) => shareOf(role, right) !== 'no' && shareOf(newRole, right) !== shareOf(role, right),
  ).map(({ words }) => words)
}

const RIGHT_ROWS: readonly MatrixRow<Role>[] = ROLE_RIGHTS.map((right) => ({
  words: right.words,
  shareOf: (role) => shareOf(role, right),
}))

const PERMISSION_ROWS: readonly MatrixRow<Role>[] = permissions.map((permission) => ({
  words: PERMISSION_WORDS[permission],
  shareOf: (role) => (may(role, permission) ? 'yes' : 'no'),
}))

export const Roles = () => (
  <HeadedCard title="What each role may do" act={<Help of="roles" to="/docs/roles" />} isList>
    <RoleMatrix label="Roles and what they may do" rows={RIGHT_ROWS} />
    <Foldable look="foot" summary={`All ${permissions.length} permissions`}>
      {() => <RoleMatrix label="Permissions by role" rows={PERMISSION_ROWS} />}
    </Foldable>
  </HeadedCard>
)

const RoleMatrix = (given: { label: string; rows: readonly MatrixRow<Role>[] }) => (
  <Matrix {...given} noun="Right" columns={ROLES} nameOf={roleName} />
)
