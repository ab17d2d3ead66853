// What each role may do in an organisation, in words: all that roles.policy.ts says of it.
import type { Role } from '../../accounts/access/roles.policy.ts'

export const ROLE_WORDS: Readonly<Record<Role, string>> = {
  owner: 'Everything, and alone names owners and erases the organisation.',
  admin: 'Everything but that: members, settings, policies, keys, approvals, evidence.',
  developer: 'Makes keys and manages those; reads settings, policies, usage and approvals.',
  auditor: 'Reads everything but the members, and states compliance; decides and changes nothing.',
  clinician: 'Decides about approvals; reads medical receipts.',
}

/** “an owner”, “a developer”. */
export const asRole = (role: Role): string => `${/^[aeiou]/.test(role) ? 'an' : 'a'} ${role}`
