// Stores invitations in D1: to one address, in one role, until a time. Accepting one makes the person a member. Only the hash of
// a token is stored.
import type { InvitationId, OrganisationId, PersonId } from '../../platform/ids.ts'
import type { Role } from '../access/roles.policy.ts'
import { MOST_OPEN_INVITATIONS } from '../../policies/organisation-limits.policy.ts'
import { emailKeyOf, insertPerson, type Person } from '../people/people.store.ts'
import type { Jurisdiction } from '../../keys/key-format.ts'
import { columnsOf } from '../../platform/sql-columns.ts'
import { D1Store } from '../../platform/stores.ts'
import { IF_SAME_ROLE, type MemberRole } from './members.store.ts'
import { isActWritten, IF_ACT_WRITTEN, insertPendingAct, type PendingAct } from './pending-acts.store.ts'

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

const INVITATION = columnsOf<Invitation>(
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

/** SQL that is true if no member has the address. Takes the organisation and the address's key. */
const IF_NO_MEMBER = `NOT EXISTS (SELECT 1 FROM members JOIN people ON people.id = members.person_id
  WHERE members.organisation_id = ? AND people.email_key = ?)`

/** Returns SQL that is true if the organisation's erasure is scheduled or running. */
const isClosing = (organisation: string): string =>
  `EXISTS (SELECT 1 FROM erasures WHERE erasures.subject = ${organisation} AND erasures.state IN ('scheduled', 'running'))`

export class InvitationsStore extends D1Store {
  /** Lists open invitations, newest first, after `cursor` (an id). */
  async list(
    organisation: OrganisationId,
    page: { limit: number; cursor: string | undefined },
    now: number,
  ): Promise<Invitation[]> {
    const { results } = await this.db
      .prepare(
        `SELECT ${INVITATION.selected} FROM invitations
         WHERE organisation_id = ?1 AND expires_at > ?2 AND (?3 IS NULL OR id < ?3)
         ORDER BY invitations.id DESC LIMIT ?4`,
      )
      .bind(organisation, now, page.cursor ?? null, page.limit)
      .all<Invitation>()
    return results
  }

  async find(organisation: OrganisationId, id: string, now: number): Promise<Invitation | null> {
    return this.#findOne('id', [organisation, id, now])
  }

  async findByEmail(organisation: OrganisationId, email: string, now: number): Promise<Invitation | null> {
    return this.#findOne('email_key', [organisation, emailKeyOf(email), now])
  }

  #findOne(column: 'id' | 'email_key', values: readonly (string | number)[]): Promise<Invitation | null> {
    return this.db
      .withSession('first-primary')
      .prepare(
        `SELECT ${INVITATION.selected} FROM invitations WHERE organisation_id = ? AND ${column} = ? AND expires_at > ?`,
      )
      .bind(...values)
      .first<Invitation>()
  }

  async findByToken(tokenHash: Uint8Array, now: number): Promise<FoundInvitation | null> {
    const row = await this.db
      .withSession('first-primary')
      .prepare(
        `SELECT ${INVITATION.selected}, organisations.name AS name, organisations.jurisdiction AS jurisdiction,
           ${isClosing('organisations.id')} AS is_closing
         FROM invitations JOIN organisations ON organisations.id = invitations.organisation_id
         WHERE invitations.token_hash = ? AND invitations.expires_at > ?`,
      )
      .bind(tokenHash, now)
      .first<Invitation & { name: string; jurisdiction: Jurisdiction; is_closing: 0 | 1 }>()
    if (row === null) return null
    const { name, jurisdiction, is_closing, ...invitation } = row
    return { invitation, to: { id: invitation.organisationId, name, jurisdiction }, isClosing: is_closing === 1 }
  }

  /** Returns true if any organisation has an open invitation for this address. */
  async isInvited(email: string, now: number): Promise<boolean> {
    const found = await this.db
      .withSession('first-primary')
      .prepare('SELECT 1 AS found FROM invitations WHERE email_key = ? AND expires_at > ? LIMIT 1')
      .bind(emailKeyOf(email), now)
      .first<number>('found')
    return found !== null
  }

  async countOpen(organisation: OrganisationId, now: number): Promise<number> {
    const row = await this.db
      .prepare('SELECT count(*) AS waiting FROM invitations WHERE organisation_id = ? AND expires_at > ?')
      .bind(organisation, now)
      .first<{ waiting: number }>()
    return row?.waiting ?? 0
  }

  /** Returns the organisation's name, or an empty text if there is no such organisation. */
  async nameOf(organisation: OrganisationId): Promise<string> {
    const row = await this.db
      .prepare('SELECT name FROM organisations WHERE id = ?')
      .bind(organisation)
      .first<{ name: string }>()
    return row?.name ?? ''
  }

  async isMember(organisation: OrganisationId, email: string): Promise<boolean> {
    const row = await this.db
      .withSession('first-primary')
      .prepare(`SELECT 1 AS is_member WHERE NOT ${IF_NO_MEMBER}`)
      .bind(organisation, emailKeyOf(email))
      .first()
    return row !== null
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
    const { organisationId, createdAt } = invitation
    const emailKey = emailKeyOf(invitation.email)
    const guard = {
      sql: `FROM organisations WHERE id = ? AND ${IF_NO_MEMBER}
        AND (SELECT count(*) FROM invitations WHERE organisation_id = ? AND email_key <> ? AND expires_at > ?) < ?
        AND NOT EXISTS (SELECT 1 FROM invitations AS other WHERE other.organisation_id = ? AND other.email_key = ?
          AND other.expires_at > ? AND other.id <> ?)${by === null ? '' : ` AND ${IF_SAME_ROLE}`}`,
      values: [
        [organisationId, organisationId, emailKey],
        [organisationId, emailKey, createdAt, MOST_OPEN_INVITATIONS],
        [organisationId, emailKey, createdAt, replaced ?? ''],
        by === null ? [] : [organisationId, by.id, by.role],
      ].flat(),
    }
    const insertion = this.db
      .prepare(
        `INSERT INTO invitations (token_hash, email_key, ${INVITATION.names})
         SELECT ?, ?, ${INVITATION.placeholders} WHERE ${IF_ACT_WRITTEN}
         ON CONFLICT (organisation_id, email_key) DO UPDATE SET id = excluded.id, token_hash = excluded.token_hash,
           email = excluded.email, role = excluded.role, invited_by = excluded.invited_by,
           created_at = excluded.created_at, expires_at = excluded.expires_at, ends_at = excluded.ends_at`,
      )
      .bind(tokenHash, emailKey, ...INVITATION.valuesOf(invitation), pending.id)
    return isActWritten(await this.db.batch([insertPendingAct(this.db, pending, guard), insertion]))
  }

  /** Returns false and changes nothing if the invitation no longer exists or the caller's membership changed. */
  async revoke(pending: PendingAct, id: InvitationId, by: MemberRole): Promise<boolean> {
    const organisation = pending.organisation.id
    const guard = {
      sql: `FROM invitations WHERE organisation_id = ? AND id = ? AND ${IF_SAME_ROLE}`,
      values: [organisation, id, organisation, by.id, by.role],
    }
    const deletion = this.db
      .prepare(`DELETE FROM invitations WHERE organisation_id = ? AND id = ? AND ${IF_ACT_WRITTEN}`)
      .bind(organisation, id, pending.id)
    return isActWritten(await this.db.batch([insertPendingAct(this.db, pending, guard), deletion]))
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
    const guard = {
      sql: `FROM invitations JOIN people ON people.email_key = invitations.email_key
        WHERE invitations.token_hash = ? AND invitations.expires_at > ? AND people.id = ?
          AND NOT ${isClosing('invitations.organisation_id')}
          AND NOT EXISTS (SELECT 1 FROM members WHERE members.organisation_id = invitations.organisation_id
            AND members.person_id = people.id)`,
      values: [tokenHash, now, person],
    }
    const proof = this.db
      .prepare(`UPDATE people SET email_proven_at = coalesce(email_proven_at, ?) WHERE id = ? AND ${IF_ACT_WRITTEN}`)
      .bind(now, person, pending.id)
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
    const guard = {
      sql: `FROM invitations WHERE token_hash = ? AND expires_at > ? AND email_key = ?
        AND NOT ${isClosing('invitations.organisation_id')}
        AND NOT EXISTS (SELECT 1 FROM people WHERE people.email_key = invitations.email_key)`,
      values: [tokenHash, pending.createdAt, emailKey],
    }
    const signUpDeletion = this.db
      .prepare(`DELETE FROM mail_links WHERE email_key = ? AND purpose = 'signup' AND ${IF_ACT_WRITTEN}`)
      .bind(emailKey, pending.id)
    return isActWritten(
      await this.db.batch([
        insertPendingAct(this.db, pending, guard),
        insertPerson(this.db, person, { sql: IF_ACT_WRITTEN, values: [pending.id] }),
        ...this.#useUp(pending, { tokenHash, endsAt }, person.id),
        ...(person.emailProvenAt === null ? [] : [signUpDeletion]),
      ]),
    )
  }

  #useUp(pending: PendingAct, { tokenHash, endsAt }: UsedInvitation, person: PersonId): D1PreparedStatement[] {
    const membership = this.db
      .prepare(
        `INSERT INTO members (organisation_id, person_id, role, joined_at, invited_by, ends_at)
         SELECT organisation_id, ?, role, ?, invited_by, ? FROM invitations WHERE token_hash = ? AND ${IF_ACT_WRITTEN}`,
      )
      .bind(person, pending.createdAt, endsAt, tokenHash, pending.id)
    const deletion = this.db
      .prepare(`DELETE FROM invitations WHERE token_hash = ? AND ${IF_ACT_WRITTEN}`)
      .bind(tokenHash, pending.id)
    return [membership, deletion]
  }
}
