// Stores sign-in sessions in D1, with what proved them, and lists a person's memberships. SECURITY: only a token's hash is stored, so that a reader of the
// database cannot sign in.
import { DAY_MS, MINUTE_MS } from '../../platform/time.ts'
import { newId, type OrganisationId, type PersonId, type SessionId } from '../../platform/ids.ts'
import type { Jurisdiction } from '../../keys/key-format.ts'
import { SESSION_DAYS } from '../access/session-cookie.ts'
import { hashToken, newToken } from '../access/secret-token.ts'
import type { Role } from '../access/roles.policy.ts'
import type { SecondFactor, SessionProof, VouchedFactor } from '../access/session-proof.policy.ts'
import { columnsOf } from '../../platform/sql-columns.ts'
import { D1Store } from '../../platform/stores.ts'
import type { Requirement } from '../../policies/second-factor.policy.ts'
import type { Person } from './people.store.ts'

/** The time without use after which a session expires, in milliseconds. */
export const IDLE_MS = DAY_MS
/** The maximum number of sessions of a person, so that nobody fills the table by signing in. */
const MOST_SESSIONS = 100
const SEEN_EVERY_MS = 60 * MINUTE_MS

/** A session of one person. Times are in milliseconds. */
export type Session = SessionProof & {
  readonly id: SessionId
  readonly personId: PersonId
  readonly seenAt: number
  readonly expiresAt: number
}

/**
 * A second factor that was right. `statements` use it up, before all others of a batch. `held` is the SQL condition that this
 * use succeeded, so that of several at once one has an effect.
 */
export type Claim = {
  readonly factor: SecondFactor
  readonly statements: readonly D1PreparedStatement[]
  readonly held: Condition
}

export type Condition = { readonly sql: string; readonly values: readonly (string | number | null | Uint8Array)[] }

/** A person's membership. `erasure`: the state of the organisation's erasure, or null. `endsAt`: null if the access has no end. */
export type Membership = Requirement & {
  organisationId: OrganisationId
  jurisdiction: Jurisdiction
  role: Role
  endsAt: number | null
  erasure: 'scheduled' | 'running' | null
}

type SignInFacts = Pick<Session, 'personId' | 'method'>

/** SECURITY: only the person's cookie contains the token. */
export type StartedSession = { token: string; session: Session }

/** `limit`: the number of rows; negative for all. */
type Page = { limit: number; cursor?: string | undefined }

const SESSION = columnsOf<Omit<Session, 'factorSince'>>({
  id: 'id',
  personId: 'person_id',
  method: 'method',
  createdAt: 'created_at',
  seenAt: 'seen_at',
  expiresAt: 'expires_at',
  secondFactor: 'second_factor',
  secondFactorAt: 'second_factor_at',
  provedAt: 'proved_at',
  vouchedAcr: 'vouched_acr',
})

/** SQL of what an organisation requires. Rows from before the setting have none. */
export const REQUIREMENT_SQL = `coalesce(organisations.settings ->> 'second_factor', 'off') AS secondFactor,
  organisations.settings ->> 'second_factor_from' AS secondFactorFrom`

const SELECTED = `${SESSION.selected},
  (SELECT second_factor_since FROM people WHERE people.id = sessions.person_id) AS factorSince`

export class SessionsStore extends D1Store {
  /**
   * Begins a session under a new token and ends the presented one, in one transaction. Returns null if the person was erased
   * or got a second factor meanwhile.
   * @param vouched the second factor that the identity provider proved; null if it did not
   * @param presented the token that the browser had before, or null
   */
  async begin(
    who: SignInFacts,
    presented: string | null,
    now: number,
    vouched: VouchedFactor | null = null,
  ): Promise<StartedSession | null> {
    const proof = vouched === null ? NOT_PROVED : { ...NOT_PROVED, ...proofBy(vouched) }
    return this.#begin(newSession(who, now, proof), presented, {
      sql: 'id = ? AND second_factor_since IS NULL',
      values: [who.personId],
    })
  }

  /**
   * Begins a session like `begin` after a right password. Returns null if the password changed since. SECURITY: the old
   * password must not begin a session after the change has ended all others.
   */
  async beginByPassword(
    { id: personId, passwordChangedAt }: Pick<Person, 'id' | 'passwordChangedAt'>,
    presented: string | null,
    now: number,
  ): Promise<StartedSession | null> {
    return this.#begin(newSession({ personId, method: 'password' }, now), presented, {
      sql: 'id = ? AND password_changed_at IS ? AND second_factor_since IS NULL',
      values: [personId, passwordChangedAt],
    })
  }

  /**
   * Begins a session like `begin` by a second factor. Returns null if the factor was used meanwhile, or the password changed.
   * @param passwordChangedAt when the password that was right was set; undefined if a passkey alone signs in
   * @param last makes statements for after the session's beginning
   */
  async beginProved(
    { passwordChangedAt, ...who }: SignInFacts & Partial<Pick<Person, 'passwordChangedAt'>>,
    claim: Claim,
    presented: string | null,
    now: number,
    last: After = () => [],
  ): Promise<StartedSession | null> {
    const proof = { ...NOT_PROVED, secondFactor: claim.factor, secondFactorAt: now, provedAt: now, factorSince: now }
    const whose =
      passwordChangedAt === undefined
        ? { sql: 'id = ?', values: [who.personId] }
        : { sql: 'id = ? AND password_changed_at IS ?', values: [who.personId, passwordChangedAt] }
    return this.#begin(newSession(who, now, proof), presented, whose, { claim, last })
  }

  /**
   * Gives a session a new token once more was proved. Returns the token; null if the factor was used meanwhile.
   * @param claim null if the person has no factor
   */
  async confirm(
    { id }: Session,
    { secondFactor, secondFactorAt, provedAt, vouchedAcr }: Omit<SessionProof, 'method' | 'createdAt' | 'factorSince'>,
    claim: Claim | null,
  ): Promise<string | null> {
    const token = newToken()
    const { sql, values } = claim?.held ?? ALWAYS
    const results = await this.db.batch([
      ...(claim?.statements ?? []),
      this.db
        .prepare(
          `UPDATE sessions SET token_hash = ?, second_factor = ?, second_factor_at = ?, proved_at = ?, vouched_acr = ?
           WHERE id = ? AND ${sql}`,
        )
        .bind(hashToken(token), secondFactor, secondFactorAt, provedAt, vouchedAcr, id, ...values),
    ])
    return results.at(-1)?.meta.changes === 1 ? token : null
  }

  /** Confirms a session like `confirm` by an identity provider. Returns null if the person has a factor here meanwhile. */
  confirmThere(session: Session, proof: Parameters<SessionsStore['confirm']>[1]): Promise<string | null> {
    const held = {
      sql: 'EXISTS (SELECT 1 FROM people WHERE people.id = ? AND second_factor_since IS NULL)',
      values: [session.personId],
    }
    return this.confirm(session, proof, { factor: 'provider', statements: [], held })
  }

  /** Returns statements for a new factor: its session is proved by it, unless a passkey proves it, and all others end. */
  lift(
    { id, personId }: Session,
    factor: SecondFactor,
    { sql, values }: Condition,
    now: number,
  ): D1PreparedStatement[] {
    return [
      this.db
        .prepare(
          `UPDATE sessions SET second_factor = ?, second_factor_at = ?, proved_at = ?
           WHERE id = ? AND (second_factor IS NOT 'passkey' OR ? = 'passkey') AND ${sql}`,
        )
        .bind(factor, now, now, id, factor, ...values),
      this.endOthers(personId, id, { sql, values }),
    ]
  }

  /** Returns the statement that ends all other sessions of a person if the condition holds. */
  endOthers(personId: PersonId, staying: SessionId, { sql, values }: Condition): D1PreparedStatement {
    return this.db
      .prepare(`DELETE FROM sessions WHERE person_id = ? AND id <> ? AND ${sql}`)
      .bind(personId, staying, ...values)
  }

  /** Returns the session of a token if it is valid. Reads the primary, because a replica may still have an ended session. */
  async findByToken(token: string, now: number): Promise<Session | null> {
    return this.db
      .withSession('first-primary')
      .prepare(`SELECT ${SELECTED} FROM sessions WHERE token_hash = ? AND expires_at > ? AND seen_at > ?`)
      .bind(hashToken(token), now, now - IDLE_MS)
      .first<Session>()
  }

  /** Updates when the session was last used, at most once an hour. */
  async touch(session: Session, now: number): Promise<void> {
    if (now - session.seenAt < SEEN_EVERY_MS) return
    await this.db.prepare('UPDATE sessions SET seen_at = ? WHERE id = ?').bind(now, session.id).run()
  }

  /** Lists the valid sessions of a person, newest first, after `cursor` (an id). */
  async list(personId: PersonId, now: number, { limit, cursor }: Page = { limit: -1 }): Promise<Session[]> {
    return this.listCurrent(
      `SELECT ${SELECTED} FROM sessions
       WHERE person_id = ?1 AND expires_at > ?2 AND seen_at > ?3 AND (?4 IS NULL OR id < ?4)
       ORDER BY id DESC LIMIT ?5`,
      personId,
      now,
      now - IDLE_MS,
      cursor ?? null,
      limit,
    )
  }

  async endByToken(token: string): Promise<void> {
    await this.db.prepare('DELETE FROM sessions WHERE token_hash = ?').bind(hashToken(token)).run()
  }

  /** Ends a session. Returns false if the person has no such session. */
  async end(personId: PersonId, id: string): Promise<boolean> {
    const { meta } = await this.db
      .prepare('DELETE FROM sessions WHERE id = ? AND person_id = ?')
      .bind(id, personId)
      .run()
    return meta.changes > 0
  }

  async endAll(personId: PersonId, staying: SessionId | null): Promise<void> {
    await this.db
      .prepare('DELETE FROM sessions WHERE person_id = ?1 AND (?2 IS NULL OR id <> ?2)')
      .bind(personId, staying)
      .run()
  }

  /** Lists the person's memberships, ended ones too, in the order of the organisations' founding. */
  async listMemberships(personId: PersonId): Promise<Membership[]> {
    return this.listCurrent(
      `SELECT organisations.id AS organisationId, organisations.jurisdiction AS jurisdiction, members.role AS role,
         members.ends_at AS endsAt,
         ${REQUIREMENT_SQL},
         (SELECT state FROM erasures
          WHERE erasures.subject = organisations.id AND state IN ('scheduled', 'running')) AS erasure
       FROM members JOIN organisations ON organisations.id = members.organisation_id
       WHERE members.person_id = ? ORDER BY organisations.id`,
      personId,
    )
  }

  /** Returns null and ends no session if `whose` finds nobody. @param whose the SQL condition that finds the person */
  async #begin(
    begun: StartedSession,
    presented: string | null,
    whose: Condition,
    { claim, last = () => [] }: { claim?: Claim; last?: After } = {},
  ): Promise<StartedSession | null> {
    const { sql, values } = claim?.held ?? ALWAYS
    const insert = this.db
      .prepare(
        `INSERT INTO sessions (token_hash, ${SESSION.names}) SELECT ?, ${SESSION.placeholders}
         WHERE EXISTS (SELECT 1 FROM people WHERE ${whose.sql}) AND ${sql}`,
      )
      .bind(hashToken(begun.token), ...SESSION.valuesOf(begun.session), ...whose.values, ...values)
    const uses = claim?.statements ?? []
    const results = await this.db.batch([
      ...uses,
      insert,
      ...last(begun.session.id),
      ...this.#deletions(begun.session, presented),
    ])
    return results[uses.length]?.meta.changes === 1 ? begun : null
  }

  /** Returns the deletions for a new session: of the presented one, and of the oldest above the limit. */
  #deletions({ id, personId }: Session, presented: string | null): D1PreparedStatement[] {
    const oldest = this.db
      .prepare(
        `DELETE FROM sessions WHERE person_id = ?1 AND id NOT IN
           (SELECT id FROM sessions WHERE person_id = ?1 ORDER BY id DESC LIMIT ${MOST_SESSIONS})`,
      )
      .bind(personId)
    if (presented === null) return [oldest]
    const before = this.db
      .prepare('DELETE FROM sessions WHERE token_hash = ? AND EXISTS (SELECT 1 FROM sessions WHERE id = ?)')
      .bind(hashToken(presented), id)
    return [before, oldest]
  }
}

type After = (session: SessionId) => readonly D1PreparedStatement[]

/** The condition that is true. */
const ALWAYS: Condition = { sql: 'TRUE', values: [] }

const NOT_PROVED = { secondFactor: null, secondFactorAt: null, provedAt: null, vouchedAcr: null, factorSince: null }

/** Returns what a session proves by a provider that is trusted with the second factor. */
export const proofBy = ({ at, acr }: VouchedFactor) =>
  ({ secondFactor: 'provider', secondFactorAt: at, provedAt: at, vouchedAcr: acr }) as const

function newSession(
  { personId, method }: SignInFacts,
  now: number,
  proof: Pick<Session, keyof typeof NOT_PROVED> = NOT_PROVED,
): StartedSession {
  const expiresAt = now + SESSION_DAYS * DAY_MS
  const session = { id: newId('ses_', now), personId, method, createdAt: now, seenAt: now, expiresAt, ...proof }
  return { token: newToken(), session }
}
