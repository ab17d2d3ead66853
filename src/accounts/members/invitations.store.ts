// Stores invitations in D1: to one address, in one role, until a time. Accepting one makes the person a member. Only the hash of
// a token is stored.
import type { InvitationId, OrganisationId, PersonId } from '../../platform/ids.ts'
import type { Role } from '../access/roles.policy.ts'
import { MOST_OPEN_INVITATIONS } from '../../policies/organisation-limits.policy.ts'
import { emailKeyOf, insertPerson, type Person } from '../people/people.store.ts'
import type { Jurisdiction } from '../../keys/key-format.ts'
import { isAfter, sql, type Sql } from '../../platform/sql.ts'
import { sqlColumnsOf } from '../../platform/sql-columns.ts'
import { D1Store } from '../../platform/stores.ts'
import { ifSameRole, type MemberRole } from './members.store.ts'
import { ifWritten, insertPendingAct, isActWritten, type PendingAct } from './pending-acts.store.ts'

/** Times are in milliseconds. */
export type Invitation = {
  readonly id: InvitationId
  readonly organisationId: OrganisationId
  readonly email: string
  readonly role: Role
  /** usr_… or operator. */
  readonly invitedBy: string
  readonly createdAt: number
  readonly expiresAt: number
  /** The end of an auditor's access; null for other roles, or if it counts from the acceptance. */
  readonly endsAt: number | null
}

/** The inviting organisation as the bearer of the token sees it. */
export type Inviting = { id: OrganisationId; name: string; jurisdiction: Jurisdiction }

/** `endsAt`: when the access of the new member ends; null for roles without an end. */
type UsedInvitation = { tokenHash: Uint8Array; endsAt: number | null }

/** `isClosing`: the organisation's erasure is scheduled or running. */
type FoundInvitation = { invitation: Invitation; to: Inviting; isClosing: boolean }

const INVITATION = sqlColumnsOf<Invitation>(
  {
    id: 'id',
    organisationId: 'organisation_id',
    email: 'email',
    role: 'role',
    invitedBy: 'invited_by',
    createdAt: 'created_at',
    expiresAt: 'expires_at',
    endsAt: 'ends_at',
  },
  'invitations',
)

/** SQL that is true if a member has the address. */
const hasMember = (organisation: OrganisationId, email: string): Sql =>
  sql`EXISTS (SELECT 1 FROM members JOIN people ON people.id = members.person_id
    WHERE members.organisation_id = ${organisation} AND people.email_key = ${emailKeyOf(email)})`

/** SQL that is true if the organisation's erasure is scheduled or running. */
const isClosing = (organisation: Sql): Sql =>
  sql`EXISTS (SELECT 1 FROM erasures WHERE erasures.subject = ${organisation} AND erasures.state IN ('scheduled', 'running'))`

export class InvitationsStore extends D1Store {
  /** Lists open invitations, newest first, after `cursor` (an id). */
  async list(
    organisation: OrganisationId,
    page: { limit: number; cursor: string | undefined },
    now: number,
  ): Promise<Invitation[]> {
    const { results } = await this.prepare(
      sql`SELECT ${INVITATION.selected} FROM invitations
        WHERE organisation_id = ${organisation} AND expires_at > ${now} AND ${isAfter(page.cursor)}
        ORDER BY invitations.id DESC LIMIT ${page.limit}`,
    ).all<Invitation>()
    return results
  }

  async find(organisation: OrganisationId, id: string, now: number): Promise<Invitation | null> {
    return this.#findOne(organisation, sql`id = ${id}`, now)
  }

  async findByEmail(organisation: OrganisationId, email: string, now: number): Promise<Invitation | null> {
    return this.#findOne(organisation, sql`email_key = ${emailKeyOf(email)}`, now)
  }

  #findOne(organisation: OrganisationId, which: Sql, now: number): Promise<Invitation | null> {
    return this.findCurrent(
      sql`SELECT ${INVITATION.selected} FROM invitations
        WHERE organisation_id = ${organisation} AND ${which} AND expires_at > ${now}`,
    )
  }

  async findByToken(tokenHash: Uint8Array, now: number): Promise<FoundInvitation | null> {
    const row = await this.findCurrent<Invitation & { name: string; jurisdiction: Jurisdiction; is_closing: 0 | 1 }>(
      sql`SELECT ${INVITATION.selected}, organisations.name AS name, organisations.jurisdiction AS jurisdiction,
          ${isClosing(sql`organisations.id`)} AS is_closing
        FROM invitations JOIN organisations ON organisations.id = invitations.organisation_id
        WHERE invitations.token_hash = ${tokenHash} AND invitations.expires_at > ${now}`,
    )
    if (row === null) return null
    const { name, jurisdiction, is_closing, ...invitation } = row
    return { invitation, to: { id: invitation.organisationId, name, jurisdiction }, isClosing: is_closing === 1 }
  }

  /** Returns true if any organisation has an open invitation for this address. */
  async isInvited(email: string, now: number): Promise<boolean> {
    const found = await this.findCurrent(
      sql`SELECT 1 AS found FROM invitations WHERE email_key = ${emailKeyOf(email)} AND expires_at > ${now} LIMIT 1`,
    )
    return found !== null
  }

  async countOpen(organisation: OrganisationId, now: number): Promise<number> {
    const waiting = await this.prepare(
      sql`SELECT count(*) AS waiting FROM invitations WHERE organisation_id = ${organisation} AND expires_at > ${now}`,
    ).first<number>('waiting')
    return waiting ?? 0
  }

  /** Returns the organisation's name, or an empty text if there is no such organisation. */
  async nameOf(organisation: OrganisationId): Promise<string> {
    const name = await this.prepare(sql`SELECT name FROM organisations WHERE id = ${organisation}`).first<string>(
      'name',
    )
    return name ?? ''
  }

  async isMember(organisation: OrganisationId, email: string): Promise<boolean> {
    return (await this.findCurrent(sql`SELECT 1 AS is_member WHERE ${hasMember(organisation, email)}`)) !== null
  }

  /**
   * Stores the invitation, which replaces one to the same address. Returns false and changes nothing in four cases: the inviter's
   * membership changed, a member has the address, too many are open, or the open one to the address is not `replaced`.
   * @param by null for the operator
   */
  async put(
    pending: PendingAct,
    {
      invitation,
      tokenHash,
      by,
      replaced,
    }: {
      invitation: Invitation
      tokenHash: Uint8Array
      by: MemberRole | null
      replaced: InvitationId | null
    },
  ): Promise<boolean> {
    const { organisationId, email, createdAt } = invitation
    const emailKey = emailKeyOf(email)
    const open = sql`organisation_id = ${organisationId} AND expires_at > ${createdAt}`
    const guard = sql`FROM organisations WHERE id = ${organisationId} AND NOT ${hasMember(organisationId, email)}
      AND (SELECT count(*) FROM invitations WHERE ${open} AND email_key <> ${emailKey}) < ${MOST_OPEN_INVITATIONS}
      AND NOT EXISTS (SELECT 1 FROM invitations
        WHERE ${open} AND email_key = ${emailKey} AND invitations.id <> ${replaced ?? ''})
      AND ${by === null ? sql`TRUE` : ifSameRole(organisationId, by)}`
    const insertion = sql`INSERT INTO invitations (token_hash, email_key, ${INVITATION.names})
      SELECT ${tokenHash}, ${emailKey}, ${INVITATION.valuesOf(invitation)} WHERE ${ifWritten(pending)}
      ON CONFLICT (organisation_id, email_key) DO UPDATE SET id = excluded.id, token_hash = excluded.token_hash,
        email = excluded.email, role = excluded.role, invited_by = excluded.invited_by,
        created_at = excluded.created_at, expires_at = excluded.expires_at, ends_at = excluded.ends_at`
    return isActWritten(await this.db.batch([insertPendingAct(this.db, pending, guard), this.prepare(insertion)]))
  }

  /** Returns false and changes nothing if the invitation no longer exists or the caller's membership changed. */
  async revoke(pending: PendingAct, id: InvitationId, by: MemberRole): Promise<boolean> {
    const organisation = pending.organisation.id
    const invitation = sql`FROM invitations WHERE organisation_id = ${organisation} AND id = ${id}`
    return isActWritten(
      await this.db.batch([
        insertPendingAct(this.db, pending, sql`${invitation} AND ${ifSameRole(organisation, by)}`),
        this.prepare(sql`DELETE ${invitation} AND ${ifWritten(pending)}`),
      ]),
    )
  }

  /**
   * Makes a person with an account a member. Returns false and changes nothing if the invitation is used, expired or to another
   * address. Also returns false if the person is a member already, or the organisation is to be erased.
   * @param isProven true if the token proves that they read mail at the address
   */
  async acceptAs(
    pending: PendingAct,
    { tokenHash, person, isProven, endsAt }: UsedInvitation & { person: PersonId; isProven: boolean },
  ): Promise<boolean> {
    const now = pending.createdAt
    const guard = sql`FROM invitations JOIN people ON people.email_key = invitations.email_key
      WHERE invitations.token_hash = ${tokenHash} AND invitations.expires_at > ${now} AND people.id = ${person}
        AND NOT ${isClosing(sql`invitations.organisation_id`)}
        AND NOT EXISTS (SELECT 1 FROM members WHERE members.organisation_id = invitations.organisation_id
          AND members.person_id = people.id)`
    const proof = this.prepare(sql`UPDATE people SET email_proven_at = coalesce(email_proven_at, ${now})
      WHERE id = ${person} AND ${ifWritten(pending)}`)
    return isActWritten(
      await this.db.batch([
        insertPendingAct(this.db, pending, guard),
        ...this.#useUp(pending, { tokenHash, endsAt }, person),
        ...(isProven ? [proof] : []),
      ]),
    )
  }

  /**
   * Creates a member's account, and deletes unconfirmed sign-ups with its address if that is proven. Returns false and changes
   * nothing if the invitation is invalid, the address has an account, or the organisation is closing.
   */
  async acceptAsNew(pending: PendingAct, { tokenHash, endsAt }: UsedInvitation, person: Person): Promise<boolean> {
    const emailKey = emailKeyOf(person.email)
    const guard = sql`FROM invitations
      WHERE token_hash = ${tokenHash} AND expires_at > ${pending.createdAt} AND email_key = ${emailKey}
        AND NOT ${isClosing(sql`invitations.organisation_id`)}
        AND NOT EXISTS (SELECT 1 FROM people WHERE people.email_key = invitations.email_key)`
    const signUpDeletion = this.prepare(sql`DELETE FROM mail_links
      WHERE email_key = ${emailKey} AND purpose = 'signup' AND ${ifWritten(pending)}`)
    return isActWritten(
      await this.db.batch([
        insertPendingAct(this.db, pending, guard),
        insertPerson(this.db, person, ifWritten(pending)),
        ...this.#useUp(pending, { tokenHash, endsAt }, person.id),
        ...(person.emailProvenAt === null ? [] : [signUpDeletion]),
      ]),
    )
  }

  #useUp(pending: PendingAct, { tokenHash, endsAt }: UsedInvitation, person: PersonId): D1PreparedStatement[] {
    const invitation = sql`FROM invitations WHERE token_hash = ${tokenHash} AND ${ifWritten(pending)}`
    return [
      this.prepare(sql`INSERT INTO members (organisation_id, person_id, role, joined_at, invited_by, ends_at)
        SELECT organisation_id, ${person}, role, ${pending.createdAt}, invited_by, ${endsAt} ${invitation}`),
      this.prepare(sql`DELETE ${invitation}`),
    ]
  }
}
