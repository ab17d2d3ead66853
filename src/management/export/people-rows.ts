// Export rows of people: the caller, and an organisation's members. SECURITY: never a password, a token or a hash of one.
import type { Person } from '../../accounts/people/people.store.ts'
import type { Session } from '../../accounts/people/sessions.store.ts'
import type { Passkey, RecoveryCodesLeft, Totp } from '../../accounts/second-factor/factors.store.ts'
import type { NoticeMail } from '../../notifications/member-notices.store.ts'
import type { OwnNotices } from '../../organisation/notifications/notices.target.ts'
import { formatUuid } from '../../platform/ids.ts'
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
  second_factor: ({ secondFactor }) => secondFactor,
  second_factor_at: ({ secondFactorAt }) => timeOrNull(secondFactorAt),
  proved_at: ({ provedAt }) => timeOrNull(provedAt),
  vouched_acr: ({ vouchedAcr }) => vouchedAcr,
  seen_at: ({ seenAt }) => time(seenAt),
  expires_at: ({ expiresAt }) => time(expiresAt),
}

/** SECURITY: never a key, a handle or a secret. */
const PASSKEY: RowKind<Passkey> = {
  id: ({ id }) => id,
  object: () => 'passkey',
  created_at: ({ createdAt }) => time(createdAt),
  name: ({ name }) => name,
  last_used_at: ({ lastUsedAt }) => timeOrNull(lastUsedAt),
  algorithm: ({ algorithm }) => algorithm,
  aaguid: ({ aaguid }) => formatUuid(aaguid),
  backup_eligible: ({ isBackupEligible }) => isBackupEligible,
  backed_up: ({ isBackedUp }) => isBackedUp,
}

const APP: RowKind<Totp> = {
  id: ({ id }) => id,
  object: () => 'totp',
  created_at: ({ confirmedAt, createdAt }) => time(confirmedAt ?? createdAt),
  last_used_at: ({ lastUsedAt }) => timeOrNull(lastUsedAt),
  failures: ({ failures }) => failures,
}

const CODES: RowKind<RecoveryCodesLeft> = {
  id: () => 'recovery_codes',
  object: () => 'recovery_codes',
  created_at: ({ createdAt }) => time(createdAt),
  left: ({ left }) => left,
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

/** The row's id is the organisation's. */
const NOTICES: RowKind<Pick<OwnNotices, 'types'> & { organisationId: string }> = {
  id: ({ organisationId }) => organisationId,
  object: () => 'notices',
  types: ({ types }) => [...types],
}

const NOTICE_MAIL: RowKind<NoticeMail> = {
  id: ({ type, sentAt }) => `${type} ${time(sentAt)}`,
  object: () => 'notice_mail',
  created_at: ({ sentAt }) => time(sentAt),
  type: ({ type }) => type,
  count: ({ count }) => count,
  detail: ({ detail }) => detail,
  outcome: ({ outcome }) => outcome,
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

export const ACCOUNT_COLUMNS = exportColumns(
  PERSON,
  IDENTITY,
  SESSION,
  PASSKEY,
  APP,
  CODES,
  MEMBERSHIP,
  NOTICES,
  NOTICE_MAIL,
)
export const MEMBER_COLUMNS = exportColumns(MEMBER, INVITATION)

export const describePerson = rowOf(PERSON)
export const describeIdentity = rowOf(IDENTITY)
export const describeSession = rowOf(SESSION)
export const describePasskey = rowOf(PASSKEY)
export const describeApp = rowOf(APP)
export const describeCodes = rowOf(CODES)
export const describeMembership = rowOf(MEMBERSHIP)
export const describeNotices = rowOf(NOTICES)
export const describeNoticeMail = rowOf(NOTICE_MAIL)
export const describeMember = rowOf(MEMBER)
export const describeInvitation = rowOf(INVITATION)
