// Members page: the choice of a role, and a table of each role's permissions, made from the rules themselves.
import { PERMISSIONS, may, ROLES, type Permission, type Role } from '../../../accounts/access/roles.policy.ts'
import { Radio } from '../../parts/fields.view.tsx'
import { Table, type Column } from '../../parts/table.view.tsx'
import { Facts, Section } from '../../parts/page-blocks.view.tsx'
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
  'compliance:state': 'State something about the compliance checklist',
  'receipts:read': 'Read medical receipts',
  'approvals:read': 'See what waits for a person, and how it ended',
  'approvals:decide': 'Decide about it, never about what one asked for',
  'content:read': 'Read the prompts and answers that are kept',
  'content:erase': 'Erase them',
  'organisation:export': 'Export what the role may read',
  'organisation:erase': 'Erase the organisation',
}

const isPermission = (text: string): text is Permission => text in PERMISSIONS

const permissions = Object.keys(PERMISSIONS).filter(isPermission)

const columns: readonly Column<Permission>[] = [
  { name: 'May', cell: (permission) => PERMISSION_WORDS[permission] },
  ...ROLES.map((role) => ({
    name: role,
    cell: (permission: Permission) =>
      may(role, permission) ? (
        <>
          <span aria-hidden="true">✓</span>
          <span class="only-read">yes</span>
        </>
      ) : (
        <span class="only-read">no</span>
      ),
  })),
]

export const Roles = () => (
  <Section title="Roles">
    <Facts facts={ROLES.map((role) => [role, ROLE_DESCRIPTIONS[role]])} />
    <details>
      <summary>What each may do, one by one</summary>
      <div class="stack">
        <p class="soft">
          What concerns owners, and erasing the organisation, asks for a sign-in of the last 15 minutes as well.
        </p>
        <Table isGrid caption="What each role may do" columns={columns} rows={permissions} keyOf={(one) => one} />
      </div>
    </details>
  </Section>
)

type ChoiceProps = { roles: readonly Role[]; chosen: Role | null; onChosen: (role: Role) => void }

export const RoleChoice = ({ roles, chosen, onChosen }: ChoiceProps) => (
  <fieldset class="stack">
    <legend>Role</legend>
    {roles.map((role) => (
      <Radio key={role} name="role" isRequired isChosen={chosen === role} onChoose={() => onChosen(role)}>
        <span>
          <strong>{role}</strong>
          <br />
          <span class="soft small">{ROLE_DESCRIPTIONS[role]}</span>
        </span>
      </Radio>
    ))}
  </fieldset>
)
