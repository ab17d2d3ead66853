// Reads from D1 for a data export: a person's identities and memberships, and, page by page, an organisation's members and
// invitations.
import type { Role } from '../../accounts/access/roles.policy.ts'
import type { InvitationId, OrganisationId, PersonId } from '../../platform/ids.ts'
import { sql } from '../../platform/sql.ts'
import { D1Store } from '../../platform/stores.ts'

/** Times are in milliseconds. */
export type ExportedIdentity = { issuer: string; subject: string; provider: string; email: string; linkedAt: number }

export type ExportedMembership = {
  organisationId: OrganisationId
  role: Role
  joinedAt: number
  invitedBy: string | null
  endsAt: number | null
  /** JSON. */
  views: string
}

export type ExportedMember = {
  personId: PersonId
  email: string
  name: string
  role: Role
  joinedAt: number
  invitedBy: string | null
  endsAt: number | null
}

export type ExportedInvitation = {
  id: InvitationId
  email: string
  role: Role
  invitedBy: string
  createdAt: number
  expiresAt: number
  endsAt: number | null
}

export const PEOPLE_AT_ONCE = 500

export class ExportedPeopleStore extends D1Store {
  listIdentities(personId: PersonId): Promise<ExportedIdentity[]> {
    return this.listCurrent(
      sql`SELECT issuer, subject, provider, email, linked_at AS linkedAt FROM identities
        WHERE person_id = ${personId} ORDER BY issuer, subject`,
    )
  }

  listMemberships(personId: PersonId): Promise<ExportedMembership[]> {
    return this.listCurrent(
      sql`SELECT organisation_id AS organisationId, role, joined_at AS joinedAt, invited_by AS invitedBy, ends_at AS endsAt,
          coalesce(views, '[]') AS views
        FROM members LEFT JOIN member_views USING (organisation_id, person_id)
        WHERE person_id = ${personId} ORDER BY organisation_id`,
    )
  }

  /** Returns a page of members after `cursor` (a person's id), or the first page if it is empty. */
  listMembers(organisationId: OrganisationId, cursor: string): Promise<ExportedMember[]> {
    return this.listCurrent(
      sql`SELECT people.id AS personId, people.email AS email, people.name AS name, members.role AS role,
          members.joined_at AS joinedAt, members.invited_by AS invitedBy, members.ends_at AS endsAt
        FROM members JOIN people ON people.id = members.person_id
        WHERE members.organisation_id = ${organisationId} AND members.person_id > ${cursor}
        ORDER BY members.person_id LIMIT ${PEOPLE_AT_ONCE}`,
    )
  }

  /** Returns a page of unexpired invitations after `cursor` (an invitation's id), or the first page if it is empty. */
  listInvitations(organisationId: OrganisationId, cursor: string, now: number): Promise<ExportedInvitation[]> {
    return this.listCurrent(
      sql`SELECT id, email, role, invited_by AS invitedBy, created_at AS createdAt, expires_at AS expiresAt,
          ends_at AS endsAt
        FROM invitations WHERE organisation_id = ${organisationId} AND id > ${cursor} AND expires_at > ${now}
        ORDER BY id LIMIT ${PEOPLE_AT_ONCE}`,
    )
  }
}
