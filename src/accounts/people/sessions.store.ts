// Sessions in D1. A token is stored as its hash, so that whoever reads the database can sign nobody in.
import { DAY_MS, MINUTE_MS } from '../../platform/clock.ts'
import { newId, type OrganisationId, type PersonId, type SessionId } from '../../platform/ids.ts'
import type { Jurisdiction } from '../../keys/key-format.ts'
import { SESSION_DAYS } from '../access/session-cookie.ts'
import { hashToken, newToken } from '../access/token.ts'
import type { Role } from '../access/roles.policy.ts'

/** A session that nobody uses for so long is over. */
const IDLE_MS = DAY_MS
/** How long after signing in the most far-reaching acts may be done. */
const FRESH_MS = 15 * MINUTE_MS
const SEEN_EVERY_MS = 60 * MINUTE_MS

/** Of one person who has signed in. Times in milliseconds. */
export type Session = {
  readonly id: SessionId
  readonly personId: PersonId
  /** `password`, or the name of an identity provider. */
  readonly method: string
  readonly createdAt: number
  readonly seenAt: number
  readonly expiresAt: number
}

type Row = {
  id: SessionId
  person_id: PersonId
  method: string
  created_at: number
  seen_at: number
  expires_at: number
}

/** An organisation that a person is a member of. */
export type Membership = { organisationId: OrganisationId; jurisdiction: Jurisdiction; role: Role }

const COLUMNS = 'id, person_id, method, created_at, seen_at, expires_at'

export class SessionsStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /**
   * Begins a session under a new token and ends the one that was presented, in one transaction.
   * @param presented the token that the browser had before, if any
   */
  async begin(
    { personId, method }: Pick<Session, 'personId' | 'method'>,
    presented: string | null,
    now: number,
  ): Promise<{ token: string; session: Session }> {
    const token = newToken()
    const session: Session = {
      id: newId('ses_', now),
      personId,
      method,
      createdAt: now,
      seenAt: now,
      expiresAt: now + SESSION_DAYS * DAY_MS,
    }
    const insert = this.#db
      .prepare(`INSERT INTO sessions (token_hash, ${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`)
      .bind(hashToken(token), session.id, personId, method, now, now, session.expiresAt)
    await this.#db.batch(presented === null ? [insert] : [insert, this.#deletion(presented)])
    return { token, session }
  }

  /** The session of a token, if it holds. Read where it was written: a replica may still have one that was ended. */
  async findByToken(token: string, now: number): Promise<Session | null> {
    const row = await this.#db
      .withSession('first-primary')
      .prepare(`SELECT ${COLUMNS} FROM sessions WHERE token_hash = ? AND expires_at > ? AND seen_at > ?`)
      .bind(hashToken(token), now, now - IDLE_MS)
      .first<Row>()
    return row === null ? null : fromRow(row)
  }

  /** At most once an hour. */
  async touch(session: Session, now: number): Promise<void> {
    if (now - session.seenAt < SEEN_EVERY_MS) return
    await this.#db.prepare('UPDATE sessions SET seen_at = ? WHERE id = ?').bind(now, session.id).run()
  }

  /** Those of a person that hold, newest first. */
  async list(personId: PersonId, now: number): Promise<Session[]> {
    const { results } = await this.#db
      .prepare(
        `SELECT ${COLUMNS} FROM sessions WHERE person_id = ? AND expires_at > ? AND seen_at > ? ORDER BY id DESC`,
      )
      .bind(personId, now, now - IDLE_MS)
      .all<Row>()
    return results.map(fromRow)
  }

  async endByToken(token: string): Promise<void> {
    await this.#deletion(token).run()
  }

  /** Whether the person had this session. */
  async end(personId: PersonId, id: string): Promise<boolean> {
    const { meta } = await this.#db
      .prepare('DELETE FROM sessions WHERE id = ? AND person_id = ?')
      .bind(id, personId)
      .run()
    return meta.changes > 0
  }

  /** All of a person's sessions, but for the one that is to stay. */
  async endAll(personId: PersonId, staying: SessionId | null): Promise<void> {
    await this.#db
      .prepare('DELETE FROM sessions WHERE person_id = ?1 AND (?2 IS NULL OR id <> ?2)')
      .bind(personId, staying)
      .run()
  }

  /** What the person is a member of, in the order of the organisations' founding. */
  async listMemberships(personId: PersonId): Promise<Membership[]> {
    const { results } = await this.#db
      .withSession('first-primary')
      .prepare(
        `SELECT organisations.id AS organisation_id, organisations.jurisdiction AS jurisdiction, members.role AS role
         FROM members JOIN organisations ON organisations.id = members.organisation_id
         WHERE members.person_id = ? ORDER BY organisations.id`,
      )
      .bind(personId)
      .all<{ organisation_id: OrganisationId; jurisdiction: Jurisdiction; role: Role }>()
    return results.map((row) => ({
      organisationId: row.organisation_id,
      jurisdiction: row.jurisdiction,
      role: row.role,
    }))
  }

  #deletion(token: string): D1PreparedStatement {
    return this.#db.prepare('DELETE FROM sessions WHERE token_hash = ?').bind(hashToken(token))
  }
}

export const isFresh = (session: Session, now: number): boolean =>
  now - session.createdAt < FRESH_MS && session.createdAt <= now

const fromRow = (row: Row): Session => ({
  id: row.id,
  personId: row.person_id,
  method: row.method,
  createdAt: row.created_at,
  seenAt: row.seen_at,
  expiresAt: row.expires_at,
})
