// Defines the roles in an organisation and their permissions. Pure. The table of docs/roles.md is made from it.

export const ROLES = ['owner', 'admin', 'developer', 'auditor', 'clinician'] as const
export type Role = (typeof ROLES)[number]

/** A kind of caller: a member by their role, or `key` for a key of the organisation with the scope `manage`. */
export type Who = Role | 'key'

/** `keys:own` covers the caller's own keys only. `owners:name` and `organisation:erase` also need a fresh sign-in. */
export const PERMISSIONS = {
  'members:manage': ['owner', 'admin'],
  'owners:name': ['owner'],
  'organisation:leave': ['owner', 'admin', 'developer', 'auditor', 'clinician'],
  'settings:read': ['owner', 'admin', 'developer', 'auditor', 'key'],
  'settings:change': ['owner', 'admin', 'key'],
  'policies:read': ['owner', 'admin', 'developer', 'auditor', 'key'],
  'policies:change': ['owner', 'admin', 'key'],
  'keys:read': ['owner', 'admin', 'developer', 'auditor', 'key'],
  'keys:own': ['owner', 'admin', 'developer', 'key'],
  'keys:all': ['owner', 'admin', 'key'],
  'usage:read': ['owner', 'admin', 'developer', 'auditor', 'key'],
  'audit:read': ['owner', 'admin', 'auditor', 'key'],
  'compliance:state': ['owner', 'admin', 'auditor'],
  'receipts:read': ['owner', 'admin', 'auditor', 'clinician', 'key'],
  'approvals:read': ['owner', 'admin', 'developer', 'auditor', 'clinician', 'key'],
  'approvals:decide': ['owner', 'admin', 'clinician'],
  'content:read': ['owner', 'admin', 'auditor'],
  'content:erase': ['owner', 'admin'],
  'organisation:export': ['owner', 'admin', 'developer', 'auditor', 'clinician', 'key'],
  'organisation:erase': ['owner'],
} as const satisfies Record<string, readonly Who[]>

export type Permission = keyof typeof PERMISSIONS

export const may = (who: Who, permission: Permission): boolean => rolesWith(permission).includes(who)

export const rolesWith = (permission: Permission): readonly Who[] => PERMISSIONS[permission]
