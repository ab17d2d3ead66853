// Makes the table of docs/roles.md from the permissions that the code declares.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { may, PERMISSIONS, ROLES, type Permission, type Who } from '../../src/accounts/access/roles.policy.ts'
import { markdownTable, withTable } from '../support/markdown-table.ts'

const COLUMNS: readonly Who[] = [...ROLES, 'key']

const WORDS: Readonly<Record<Permission, string>> = {
  'members:manage': 'see, invite, change and remove members who are not owners',
  'owners:name': 'make, demote and remove owners',
  'organisation:leave': 'leave the organisation',
  'preferences:own': 'save views of lists, choose mails',
  'settings:read': 'read the settings',
  'settings:change': 'change the settings',
  'policies:read': 'read the policy and its history',
  'policies:change': 'change the policy, and try one on the latest calls',
  'keys:read': 'list and look up keys',
  'keys:own': 'create keys, and change and revoke one’s own',
  'keys:all': 'change and revoke all keys',
  'usage:read': 'see the list of calls and open each; see usage, costs and analytics',
  'audit:read': 'read the audit trail, log exports, comparisons and reports',
  'compliance:state': 'add explanations to the checklist',
  'costs:correct': 'correct the cost of an interrupted call',
  'receipts:read': 'read medical receipts',
  'approvals:read': 'see approvals and their decisions',
  'approvals:decide': 'decide about approvals of others',
  'content:read': 'read stored prompts and answers',
  'content:erase': 'erase stored prompts and answers',
  'organisation:export': 'export what the role may read',
  'organisation:erase': 'erase the organisation',
}

it('docs/roles.md has every permission, and who has it', async () => {
  const rows = (Object.keys(PERMISSIONS) as Permission[]).map((permission) =>
    [`\`${permission}\`: ${WORDS[permission]}`].concat(COLUMNS.map((who) => (may(who, permission) ? '✓' : ''))),
  )
  const page = readFileSync('docs/roles.md', 'utf8')
  const made = withTable(page, 'permissions', markdownTable(['permission', ...COLUMNS], rows))
  await expect(made).toMatchFileSnapshot('../../docs/roles.md')
})
