// Export rows of people: the caller, and an organisation's members. SECURITY: never a password, a token or a hash of one.
import type { Person } from '../../accounts/people/people.store.ts'
import type { Session } from '../../accounts/people/sessions.store.ts'
import type {
  ExportedIdentity,
  ExportedInvitation,
  ExportedMember,
  ExportedMembership,
} from './exported-people.store.ts'
import { exportColumns, RawJson, rowOf, type RowKind } from './export-row.ts'

const time = (at: number): string => new Date(at).toISOString()

const timeOrNull = (at: number | null): string | null => (at === null ? null : time(at))

const PERSON: RowKind<Person> = {
  id: ({ id }) => id,
  object: () => 'user',
  created_at: ({ createdAt }) => time(createdAt),
  email: ({ email }) => email,
  email_verified_at: ({ emailProvenAt }) => timeOrNull(emailProvenAt),
  name: ({ name }) => name,
  has_password: ({ password }) => password !== null,
  password_changed_at: ({ passwordChangedAt }) => timeOrNull(passwordChangedAt),
}

/** The row's id is the issuer's name for the person. */
const IDENTITY: RowKind<ExportedIdentity> = {
  id: ({ subject }) => subject,
  object: () => 'identity',
  email: ({ email }) => email,
  provider: ({ provider }) => provider,
  issuer: ({ issuer }) => issuer,
  linked_at: ({ linkedAt }) => time(linkedAt),
}

const SESSION: RowKind<Session> = {
  id: ({ id }) => id,
  object: () => 'session',
  created_at: ({ createdAt }) => time(createdAt),
  method: ({ method }) => method,
  seen_at: ({ seenAt }) => time(seenAt),
  expires_at: ({ expiresAt }) => time(expiresAt),
}

/** The row's id is the organisation's. */
const MEMBERSHIP: RowKind<ExportedMembership> = {
  id: ({ organisationId }) => organisationId,
  object: () => 'membership',
  role: ({ role }) => role,
  joined_at: ({ joinedAt }) => time(joinedAt),
  invited_by: ({ invitedBy }) => invitedBy,
  ends_at: ({ endsAt }) => timeOrNull(endsAt),
  views: ({ views }) => new RawJson(views),
}

const MEMBER: RowKind<ExportedMember> = {
  id: ({ personId }) => personId,
  object: () => 'member',
  email: ({ email }) => email,
  name: ({ name }) => name,
  role: ({ role }) => role,
  joined_at: ({ joinedAt }) => time(joinedAt),
  invited_by: ({ invitedBy }) => invitedBy,
  ends_at: ({ endsAt }) => timeOrNull(endsAt),
}

const INVITATION: RowKind<ExportedInvitation> = {
  id: ({ id }) => id,
  object: () => 'invitation',
  email: ({ email }) => email,
  role: ({ role }) => role,
  invited_by: ({ invitedBy }) => invitedBy,
  created_at: ({ createdAt }) => time(createdAt),
  expires_at: ({ expiresAt }) => time(expiresAt),
  ends_at: ({ endsAt }) => timeOrNull(endsAt),
}

export const ACCOUNT_COLUMNS = exportColumns(PERSON, IDENTITY, SESSION, MEMBERSHIP)
export const MEMBER_COLUMNS = exportColumns(MEMBER, INVITATION)

export const describePerson = rowOf(PERSON)
export const describeIdentity = rowOf(IDENTITY)
export const describeSession = rowOf(SESSION)
export const describeMembership = rowOf(MEMBERSHIP)
export const describeMember = rowOf(MEMBER)
export const describeInvitation = rowOf(INVITATION)
