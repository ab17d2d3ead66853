// Stores sign-in sessions in D1, with what proved them, and lists a person's memberships. SECURITY: only a token's hash is stored, so that a reader of the
// database cannot sign in.
import { DAY_MS, MINUTE_MS } from '../../platform/time.ts'
import { newId, type OrganisationId, type PersonId, type SessionId } from '../../platform/ids.ts'
import type { Jurisdiction } from '../../keys/key-format.ts'
import { SESSION_DAYS } from '../access/session-cookie.ts'
import { hashToken, newToken } from '../access/secret-token.ts'
import type { Role } from '../access/roles.policy.ts'
import type { SecondFactor, SessionProof, VouchedFactor } from '../access/session-proof.policy.ts'
import { isAfter, sql, type Sql } from '../../platform/sql.ts'
import { sqlColumnsOf } from '../../platform/sql-columns.ts'
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
  readonly held: Sql
}

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

const SESSION = sqlColumnsOf<Omit<Session, 'factorSince'>>({
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
export const REQUIREMENT_SQL = sql`coalesce(organisations.settings ->> 'second_factor', 'off') AS secondFactor,
  organisations.settings ->> 'second_factor_from' AS secondFactorFrom`

const SELECTED = sql`${SESSION.selected},
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
    const whose = sql`id = ${who.personId} AND second_factor_since IS NULL`
    return this.#begin(newSession(who, now, proof), presented, whose)
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
    const whose = sql`id = ${personId} AND password_changed_at IS ${passwordChangedAt} AND second_factor_since IS NULL`
    return this.#begin(newSession({ personId, method: 'password' }, now), presented, whose)
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
    const isSame = passwordChangedAt === undefined ? sql`TRUE` : sql`password_changed_at IS ${passwordChangedAt}`
    const whose = sql`id = ${who.personId} AND ${isSame}`
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
    const confirming = sql`UPDATE sessions SET token_hash = ${hashToken(token)}, second_factor = ${secondFactor},
        second_factor_at = ${secondFactorAt}, proved_at = ${provedAt}, vouched_acr = ${vouchedAcr}
      WHERE id = ${id} AND ${claim?.held ?? sql`TRUE`}`
    const results = await this.db.batch([...(claim?.statements ?? []), this.prepare(confirming)])
    return results.at(-1)?.meta.changes === 1 ? token : null
  }

  /** Confirms a session like `confirm` by an identity provider. Returns null if the person has a factor here meanwhile. */
  confirmThere(session: Session, proof: Parameters<SessionsStore['confirm']>[1]): Promise<string | null> {
    const held = sql`EXISTS (SELECT 1 FROM people WHERE people.id = ${session.personId} AND second_factor_since IS NULL)`
    return this.confirm(session, proof, { factor: 'provider', statements: [], held })
  }

  /** Returns statements for a new factor: its session is proved by it, unless a passkey proves it, and all others end. */
  lift({ id, personId }: Session, factor: SecondFactor, held: Sql, now: number): D1PreparedStatement[] {
    return [
      this.prepare(sql`UPDATE sessions SET second_factor = ${factor}, second_factor_at = ${now}, proved_at = ${now}
        WHERE id = ${id} AND (second_factor IS NOT 'passkey' OR ${factor} = 'passkey') AND ${held}`),
      this.endOthers(personId, id, held),
    ]
  }

  /** Returns the statement that ends all other sessions of a person if the condition holds. */
  endOthers(personId: PersonId, staying: SessionId, held: Sql): D1PreparedStatement {
    return this.prepare(sql`DELETE FROM sessions WHERE person_id = ${personId} AND id <> ${staying} AND ${held}`)
  }

  /** Returns the session of a token if it is valid. Reads the primary, because a replica may still have an ended session. */
  async findByToken(token: string, now: number): Promise<Session | null> {
    return this.findCurrent(
      sql`SELECT ${SELECTED} FROM sessions WHERE token_hash = ${hashToken(token)} AND ${isValid(now)}`,
    )
  }

  /** Updates when the session was last used, at most once an hour. */
  async touch(session: Session, now: number): Promise<void> {
    if (now - session.seenAt < SEEN_EVERY_MS) return
    await this.prepare(sql`UPDATE sessions SET seen_at = ${now} WHERE id = ${session.id}`).run()
  }

  /** Lists the valid sessions of a person, newest first, after `cursor` (an id). */
  async list(personId: PersonId, now: number, { limit, cursor }: Page = { limit: -1 }): Promise<Session[]> {
    return this.listCurrent(
      sql`SELECT ${SELECTED} FROM sessions WHERE person_id = ${personId} AND ${isValid(now)} AND ${isAfter(cursor)}
        ORDER BY id DESC LIMIT ${limit}`,
    )
  }

  async endByToken(token: string): Promise<void> {
    await this.prepare(sql`DELETE FROM sessions WHERE token_hash = ${hashToken(token)}`).run()
  }

  /** Ends a session. Returns false if the person has no such session. */
  async end(personId: PersonId, id: string): Promise<boolean> {
    const { meta } = await this.prepare(sql`DELETE FROM sessions WHERE id = ${id} AND person_id = ${personId}`).run()
    return meta.changes > 0
  }

  async endAll(personId: PersonId, staying: SessionId | null): Promise<void> {
    await this.prepare(sql`DELETE FROM sessions WHERE person_id = ${personId} AND id IS NOT ${staying}`).run()
  }

  /** Lists the person's memberships, ended ones too, in the order of the organisations' founding. */
  async listMemberships(personId: PersonId): Promise<Membership[]> {
    return this.listCurrent(
      sql`SELECT organisations.id AS organisationId, organisations.jurisdiction AS jurisdiction, members.role AS role,
         members.ends_at AS endsAt,
         ${REQUIREMENT_SQL},
         (SELECT state FROM erasures
          WHERE erasures.subject = organisations.id AND state IN ('scheduled', 'running')) AS erasure
       FROM members JOIN organisations ON organisations.id = members.organisation_id
       WHERE members.person_id = ${personId} ORDER BY organisations.id`,
    )
  }

  /** Returns null and ends no session if `whose` finds nobody. @param whose the SQL condition that finds the person */
  async #begin(
    begun: StartedSession,
    presented: string | null,
    whose: Sql,
    { claim, last = () => [] }: { claim?: Claim; last?: After } = {},
  ): Promise<StartedSession | null> {
    const uses = claim?.statements ?? []
    const results = await this.db.batch([
      ...uses,
      this.prepare(sql`INSERT INTO sessions (token_hash, ${SESSION.names})
        SELECT ${hashToken(begun.token)}, ${SESSION.valuesOf(begun.session)}
        WHERE EXISTS (SELECT 1 FROM people WHERE ${whose}) AND ${claim?.held ?? sql`TRUE`}`),
      ...last(begun.session.id),
      ...this.#deletions(begun.session, presented),
    ])
    return results[uses.length]?.meta.changes === 1 ? begun : null
  }

  /** Returns the deletions for a new session: of the presented one, and of the oldest above the limit. */
  #deletions({ id, personId }: Session, presented: string | null): D1PreparedStatement[] {
    const oldest = sql`DELETE FROM sessions WHERE person_id = ${personId} AND id NOT IN
      (SELECT id FROM sessions WHERE person_id = ${personId} ORDER BY id DESC LIMIT ${MOST_SESSIONS})`
    if (presented === null) return [this.prepare(oldest)]
    const before = sql`DELETE FROM sessions
      WHERE token_hash = ${hashToken(presented)} AND EXISTS (SELECT 1 FROM sessions WHERE id = ${id})`
    return [this.prepare(before), this.prepare(oldest)]
  }
}

type After = (session: SessionId) => readonly D1PreparedStatement[]

const isValid = (now: number): Sql => sql`expires_at > ${now} AND seen_at > ${now - IDLE_MS}`

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
