// Export rows of people: the caller, and an organisation's members. SECURITY: never a password, a token or a hash of one.
import type { Person } from '../../accounts/people/people.store.ts'
import type { Session } from '../../accounts/people/sessions.store.ts'
import type {
  ExportedIdentity,
  ExportedInvitation,
  ExportedMember,
  ExportedMembership,
} from './exported-people.store.ts'
import type { Row } from './row.ts'

export const ACCOUNT_COLUMNS = [
  'id',
  'object',
  'created_at',
  'email',
  'email_verified_at',
  'name',
  'has_password',
  'password_changed_at',
  'provider',
  'issuer',
  'linked_at',
  'method',
  'seen_at',
  'expires_at',
  'role',
  'joined_at',
  'invited_by',
]

export const MEMBER_COLUMNS = [
  'id',
  'object',
  'email',
  'name',
  'role',
  'joined_at',
  'invited_by',
  'created_at',
  'expires_at',
]

export const describePerson = (person: Person): Row => ({
  id: person.id,
  object: 'user',
  created_at: timeText(person.createdAt),
  email: person.email,
  email_verified_at: timeText(person.emailProvenAt),
  name: person.name,
  has_password: person.password !== null,
  password_changed_at: timeText(person.passwordChangedAt),
})

/** An identity's row. Its id is the issuer's name for the person. */
export const describeIdentity = (identity: ExportedIdentity): Row => ({
  id: identity.subject,
  object: 'identity',
  email: identity.email,
  provider: identity.provider,
  issuer: identity.issuer,
  linked_at: timeText(identity.linkedAt),
})

export const describeSession = (session: Session): Row => ({
  id: session.id,
  object: 'session',
  created_at: timeText(session.createdAt),
  method: session.method,
  seen_at: timeText(session.seenAt),
  expires_at: timeText(session.expiresAt),
})

/** A membership's row. Its id is the organisation's. */
export const describeMembership = (membership: ExportedMembership): Row => ({
  id: membership.organisationId,
  object: 'membership',
  role: membership.role,
  joined_at: timeText(membership.joinedAt),
  invited_by: membership.invitedBy,
})

export const describeMember = (member: ExportedMember): Row => ({
  id: member.personId,
  object: 'member',
  email: member.email,
  name: member.name,
  role: member.role,
  joined_at: timeText(member.joinedAt),
  invited_by: member.invitedBy,
})

export const describeInvitation = (invitation: ExportedInvitation): Row => ({
  id: invitation.id,
  object: 'invitation',
  email: invitation.email,
  role: invitation.role,
  invited_by: invitation.invitedBy,
  created_at: timeText(invitation.createdAt),
  expires_at: timeText(invitation.expiresAt),
})

export function timeText(at: number): string
export function timeText(at: number | null): string | null
export function timeText(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
