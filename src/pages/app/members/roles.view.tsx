// Members page: the choice of a role, and what each role may do: in eight lines, and permission by permission. Made from the rules
// themselves.
import { PERMISSIONS, may, ROLES, type Permission, type Role } from '../../../accounts/access/roles.policy.ts'
import { Radio } from '../../parts/fields.view.tsx'
import { Icon } from '../../parts/icon.view.tsx'
import { check } from '../../parts/icons.ts'
import { Table, type Column } from '../../parts/table.view.tsx'
import { ROLE_DESCRIPTIONS } from '../../text/id-labels.ts'

const PERMISSION_WORDS: Readonly<Record<Permission, string>> = {
  'members:manage': 'See, invite, change and remove members who are no owners',
  'owners:name': 'Name, demote and remove owners',
  'organisation:leave': 'Leave the organisation',
  'settings:read': 'Read the settings',
  'settings:change': 'Change the settings',
  'policies:read': 'Read the policy and its history',
  'policies:change': 'Change the policy, and try one on the latest calls',
  'keys:read': 'List and look up keys',
  'keys:own': 'Make keys, and change and revoke those that one has made',
  'keys:all': 'Change and revoke all keys',
  'usage:read': 'See usage, costs and analytics',
  'audit:read': 'Read the audit trail, log exports, anomalies and reports',
  'compliance:state': 'Explain anomalies and controls, and mark incidents',
  'receipts:read': 'Read medical receipts',
  'approvals:read': 'See what waits for a person, and how it ended',
  'approvals:decide': 'Decide about it, never about a request of a key of one’s own',
  'content:read': 'Read the prompts and answers that are kept',
  'content:erase': 'Erase them',
  'organisation:export': 'Export what the role may read',
  'organisation:erase': 'Erase the organisation',
}

const isPermission = (text: string): text is Permission => text in PERMISSIONS

const permissions = Object.keys(PERMISSIONS).filter(isPermission)

/** The role as a word of its own: “Clinician”. */
export const roleName = (role: Role): string => role.charAt(0).toUpperCase() + role.slice(1)

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

/** Returns `yes`, `no`, or the words for the part that the role may do. */
function shareOf(role: Role, { needs, partly }: RoleRight): string {
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

export const Roles = () => (
  <section class="card parts" aria-labelledby="roles">
    <div class="head">
      <h2 id="roles">What each role may do</h2>
    </div>
    <div class="table roles" role="region" aria-label="Roles and what they may do" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="only-read">Right</span>
            </th>
            {ROLES.map((role) => (
              <th key={role} scope="col">
                {roleName(role)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {ROLE_RIGHTS.map((right) => (
            <tr key={right.words}>
              <th scope="row">
                {right.words}
                <span class="role-names soft small">{rolesWithPart(right)}</span>
              </th>
              {ROLES.map((role) => (
                <td key={role}>
                  <Share of={shareOf(role, right)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
    <div class="foot-line stack">
      <p>
        Nobody decides about a request of a key that they made. A changed role counts from the next request on. What
        concerns owners, and erasing the organisation, asks for a sign-in of the last 15 minutes as well.
      </p>
      <details>
        <summary>All {permissions.length} permissions</summary>
        <Table isGrid caption="Permissions by role" columns={columns} rows={permissions} keyOf={(one) => one} />
      </details>
    </div>
  </section>
)

const rolesWithPart = (right: RoleRight): string =>
  ROLES.filter((role) => shareOf(role, right) !== 'no')
    .map((role) => {
      const share = shareOf(role, right)
      return share === 'yes' ? roleName(role) : `${roleName(role)} (${share.toLowerCase()})`
    })
    .join(', ')

function Share({ of }: { of: string }) {
  if (of === 'yes')
    return (
      <>
        <Icon of={check} />
        <span class="only-read">yes</span>
      </>
    )
  return <span class={of === 'no' ? 'only-read' : 'small'}>{of}</span>
}

const columns: readonly Column<Permission>[] = [
  { name: 'Permission', cell: (permission) => PERMISSION_WORDS[permission] },
  ...ROLES.map((role) => ({
    name: roleName(role),
    cell: (permission: Permission) => <Share of={may(role, permission) ? 'yes' : 'no'} />,
  })),
]

type ChoiceProps = { roles: readonly Role[]; chosen: Role | null; onChosen: (role: Role) => void }

export const RoleChoice = ({ roles, chosen, onChosen }: ChoiceProps) => (
  <fieldset class="stack">
    <legend>Role</legend>
    {roles.map((role) => (
      <Radio key={role} name="role" isRequired isChosen={chosen === role} onChoose={() => onChosen(role)}>
        <span>
          <strong>{roleName(role)}</strong>
          <br />
          <span class="soft small">{ROLE_DESCRIPTIONS[role]}</span>
        </span>
      </Radio>
    ))}
  </fieldset>
)
