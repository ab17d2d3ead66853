// Stores in D1 who belongs to which organisation, in which role. Each change also stores an act for the organisation's log.
import type { OrganisationId, PersonId } from '../../platform/ids.ts'
import type { Infer } from '../../platform/once.ts'
import type { Role } from '../access/roles.policy.ts'
import type { MemberFactor } from '../../policies/second-factor.policy.ts'
import { memberFactorSql } from '../second-factor/factor-counts.ts'
import { isAfter, sql, type Sql } from '../../platform/sql.ts'
import { sqlColumnsOf } from '../../platform/sql-columns.ts'
import { D1Store } from '../../platform/stores.ts'
import { ViewsSchema } from './members.schema.ts'
import { ifWritten, insertPendingAct, isActWritten, type PendingAct } from './pending-acts.store.ts'

/** Times are in milliseconds. */
export type Member = {
  readonly organisationId: OrganisationId
  readonly personId: PersonId
  readonly name: string
  readonly email: string
  readonly role: Role
  readonly secondFactor: MemberFactor
  readonly joinedAt: number
  /** usr_… or operator; null for the founder of the organisation. */
  readonly invitedBy: string | null
  /** The end of an auditor's access; null for other roles. */
  readonly endsAt: number | null
}

/** A member who has just joined. */
export type Joiner = Omit<Member, 'secondFactor'>

/** A member's id and role as read when the permission was checked. */
export type MemberRole = { id: PersonId; role: Role }

export type MemberAccess = Pick<Member, 'role' | 'endsAt'>

export type Views = Infer<typeof ViewsSchema>

export type MembersPage = { limit: number; cursor?: string | undefined; secondFactor?: MemberFactor | undefined }

const MEMBER = sqlColumnsOf<Omit<Member, 'secondFactor'>>({
  organisationId: 'members.organisation_id',
  personId: 'members.person_id',
  name: 'people.name',
  email: 'people.email',
  role: 'members.role',
  joinedAt: 'members.joined_at',
  invitedBy: 'members.invited_by',
  endsAt: 'members.ends_at',
})

/** SQL that is true while the member still has that role. */
export const ifSameRole = (organisation: OrganisationId, { id, role }: MemberRole): Sql =>
  sql`EXISTS (SELECT 1 FROM members AS standing
    WHERE standing.organisation_id = ${organisation} AND standing.person_id = ${id} AND standing.role = ${role})`

/** SQL that is true while there is another owner who is not being erased. */
const ifOtherOwner = (organisation: OrganisationId, person: PersonId): Sql =>
  sql`EXISTS (SELECT 1 FROM members AS owners
    WHERE owners.organisation_id = ${organisation} AND owners.person_id <> ${person} AND owners.role = 'owner'
      AND NOT EXISTS (SELECT 1 FROM erasures WHERE erasures.subject = owners.person_id AND erasures.state = 'running'))`

export class MembersStore extends D1Store {
  readonly #factor: Sql
  readonly #select: Sql

  /** @param vouching the identity providers that the operator trusts with a second factor */
  constructor(db: D1Database, vouching: readonly string[]) {
    super(db)
    this.#factor = memberFactorSql(sql`members.person_id`, vouching)
    this.#select = sql`SELECT ${MEMBER.selected}, ${this.#factor} AS secondFactor
      FROM members JOIN people ON people.id = members.person_id`
  }

  /** Lists members, newest accounts first, after `cursor` (a person's id). `secondFactor`: only those with this one. */
  async list(organisation: OrganisationId, { limit, cursor, secondFactor }: MembersPage): Promise<Member[]> {
    const hasFactor = secondFactor === undefined ? sql`TRUE` : sql`${this.#factor} = ${secondFactor}`
    const { results } = await this.prepare(
      sql`${this.#select} WHERE members.organisation_id = ${organisation}
        AND ${isAfter(cursor, sql`members.person_id`)} AND ${hasFactor} ORDER BY members.person_id DESC LIMIT ${limit}`,
    ).all<Member>()
    return results
  }

  async namesOf(organisation: OrganisationId, ids: readonly string[]): Promise<Map<string, string>> {
    const { results } = await this.prepare(
      sql`${this.#select} WHERE members.organisation_id = ${organisation}
        AND members.person_id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
    ).all<Member>()
    return new Map(results.map(({ personId, name }) => [personId, name]))
  }

  async find(organisation: OrganisationId, person: string): Promise<Member | null> {
    return this.findCurrent(
      sql`${this.#select} WHERE members.organisation_id = ${organisation} AND members.person_id = ${person}`,
    )
  }

  /**
   * Changes the access of `of` for the member `by`. Returns false and changes nothing if no owner would remain, or if the access
   * of either changed meanwhile. Deletes open invitations by `of` that the new role does not allow (all, or those to become an owner).
   */
  async change(
    pending: PendingAct,
    by: MemberRole,
    of: MemberRole & MemberAccess,
    { role, endsAt }: MemberAccess,
  ): Promise<boolean> {
    const organisation = pending.organisation.id
    return isActWritten(
      await this.db.batch([
        insertPendingAct(this.db, pending, mayChangeGuard(organisation, by, of)),
        this.prepare(sql`UPDATE members SET role = ${role}, ends_at = ${endsAt}
          WHERE organisation_id = ${organisation} AND person_id = ${of.id} AND ${ifWritten(pending)}`),
        ...(role === 'owner' ? [] : [this.#endInvitations(pending, of.id, role === 'admin' ? 'owner' : null)]),
      ]),
    )
  }

  /** Returns false and changes nothing in the same cases as `change`. Deletes the member's invitations too. */
  async remove(pending: PendingAct, by: MemberRole, of: MemberRole & MemberAccess): Promise<boolean> {
    const organisation = pending.organisation.id
    return isActWritten(
      await this.db.batch([
        insertPendingAct(this.db, pending, mayChangeGuard(organisation, by, of)),
        this.#endInvitations(pending, of.id, null),
        this.prepare(sql`DELETE FROM members
          WHERE organisation_id = ${organisation} AND person_id = ${of.id} AND ${ifWritten(pending)}`),
      ]),
    )
  }

  /** Returns true if the organisation has another owner who is not being erased. */
  async hasOtherOwner(organisation: OrganisationId, person: PersonId): Promise<boolean> {
    return (await this.findCurrent(sql`SELECT 1 AS is_there WHERE ${ifOtherOwner(organisation, person)}`)) !== null
  }

  /** Returns the member's saved views of lists. */
  async readViews(organisation: OrganisationId, person: string): Promise<Views> {
    const row = await this.findCurrent<{ views: string }>(
      sql`SELECT views FROM member_views WHERE organisation_id = ${organisation} AND person_id = ${person}`,
    )
    return ViewsSchema().parse({ views: JSON.parse(row?.views ?? '[]') as unknown })
  }

  /** Replaces the saved views. Changes nothing if the person is no member any more. */
  async replaceViews(organisation: OrganisationId, person: string, { views }: Views): Promise<void> {
    await this.prepare(sql`INSERT INTO member_views (organisation_id, person_id, views)
      SELECT organisation_id, person_id, ${JSON.stringify(views)} FROM members
      WHERE organisation_id = ${organisation} AND person_id = ${person}
      ON CONFLICT (organisation_id, person_id) DO UPDATE SET views = excluded.views`).run()
  }

  /** Deletes the person's invitations for a role, or for any role if it is null. */
  #endInvitations(pending: PendingAct, inviter: PersonId, role: Role | null): D1PreparedStatement {
    return this.prepare(sql`DELETE FROM invitations WHERE organisation_id = ${pending.organisation.id}
      AND invited_by = ${inviter} AND role = coalesce(${role}, role) AND ${ifWritten(pending)}`)
  }
}

/** Allows the change if the access of both is unchanged and an owner remains. One statement, so two owners cannot remove one another. */
const mayChangeGuard = (organisation: OrganisationId, by: MemberRole, of: MemberRole & MemberAccess): Sql =>
  sql`FROM members WHERE organisation_id = ${organisation} AND person_id = ${of.id} AND role = ${of.role}
    AND coalesce(ends_at, 0) = ${of.endsAt ?? 0} AND ${ifSameRole(organisation, by)}
    AND (role <> 'owner' OR ${ifOtherOwner(organisation, of.id)})`
