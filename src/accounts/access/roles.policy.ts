// Defines the roles in an organisation, their permissions, and when the access of an auditor ends. Pure. The table of docs/roles.md
// is made from it.
import { DAY_MS } from '../../platform/time.ts'

export const ROLES = ['owner', 'admin', 'developer', 'auditor', 'clinician'] as const
export type Role = (typeof ROLES)[number]

/** A kind of caller: a member by their role, or `key` for a key of the organisation with the scope `manage`. */
export type Who = Role | 'key'

/** `keys:own` covers the caller's own keys only. `owners:name` and `organisation:erase` also need a fresh sign-in. */
export const PERMISSIONS = {
  'members:manage': ['owner', 'admin'],
  'owners:name': ['owner'],
  'organisation:leave': ['owner', 'admin', 'developer', 'auditor', 'clinician'],
  'preferences:own': ['owner', 'admin', 'developer', 'auditor', 'clinician'],
  'settings:read': ['owner', 'admin', 'developer', 'auditor', 'key'],
  'settings:change': ['owner', 'admin', 'key'],
  'policies:read': ['owner', 'admin', 'developer', 'auditor', 'key'],
  'policies:change': ['owner', 'admin', 'key'],
  'keys:read': ['owner', 'admin', 'developer', 'auditor', 'key'],
  'keys:own': ['owner', 'admin', 'developer', 'key'],
  'keys:all': ['owner', 'admin', 'key'],
  'usage:read': ['owner', 'admin', 'developer', 'auditor', 'key'],
  'audit:read': ['owner', 'admin', 'auditor', 'key'],
  'compliance:state': ['owner', 'admin'],
  'costs:correct': ['owner'],
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

/** Returns the keys that the role may make and change: all, only their own, or none. */
export const keysReachOf = (role: Role): 'all' | 'own' | null =>
  may(role, 'keys:all') ? 'all' : may(role, 'keys:own') ? 'own' : null

/** The days of an auditor's access if nobody chooses its end. */
export const AUDITOR_DAYS = 90
export const MOST_AUDITOR_DAYS = 366

export type AccessEndFault = 'other_role' | 'past' | 'too_far'

/** Returns why the access cannot end then, or null if it can. Times are in milliseconds; undefined: nobody chose an end. */
export function faultOfAccessEnd(role: Role, endsAt: number | undefined, now: number): AccessEndFault | null {
  if (endsAt === undefined) return null
  if (role !== 'auditor') return 'other_role'
  if (endsAt <= now) return 'past'
  return endsAt > now + MOST_AUDITOR_DAYS * DAY_MS ? 'too_far' : null
}

/** Returns when access that begins now ends, in milliseconds: the chosen time or the default; null if the role has no end. */
export const accessEndOf = (role: Role, chosen: number | null | undefined, now: number): number | null =>
  role === 'auditor' ? (chosen ?? now + AUDITOR_DAYS * DAY_MS) : null

export const isAccessOver = (endsAt: number | null, now: number): boolean => endsAt !== null && endsAt <= now
