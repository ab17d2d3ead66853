// Stores resets of second factors in D1. A reset is one row that only moves on. Each move is a condition and the statements that make it,
// so that its acts are written with it, and of several at once one has an effect.
import type { OrganisationId, PersonId } from '../../platform/ids.ts'
import { sql, type Sql } from '../../platform/sql.ts'
import { sqlColumnsOf } from '../../platform/sql-columns.ts'
import { D1Store } from '../../platform/stores.ts'
import { DAY_MS } from '../../platform/time.ts'
import { rolesWith, type Permission } from '../access/roles.policy.ts'
import { hashToken, newToken } from '../access/secret-token.ts'
import type { Person } from '../people/people.store.ts'
import { removeAllFactors } from './factors.store.ts'
import type { ResetState } from './second-factor.schema.ts'

/** `organisationId`: null if the operator asked. `dueAt`: when the person can get a link. `expiresAt`: when it ends by itself, or ended. */
export type FactorReset = {
  readonly id: `rst_${string}`
  readonly personId: PersonId
  readonly organisationId: OrganisationId | null
  readonly askedBy: PersonId | 'operator'
  readonly agreedBy: PersonId | null
  readonly state: ResetState
  readonly createdAt: number
  readonly dueAt: number | null
  readonly expiresAt: number
}

/**
 * A step of a reset. `reset`: as it is then. `held` is true before the statements have run if they will have an effect. The last one
 * says if they had.
 */
export type ResetChange = { reset: FactorReset; held: Sql; statements: D1PreparedStatement[] }

/** Why nobody can ask for a reset of the person's factors in the organisation. */
export type AskFacts = { hasFactor: 0 | 1; isOnlyHere: 0 | 1; hasSecond: 0 | 1; isOpen: 0 | 1 }

/** The time within which a second manager must agree, in milliseconds. */
const AGREE_WITHIN_MS = DAY_MS
const LINK_LIFE_MS = DAY_MS
/** The time after which a reset ends that is due: a week to ask for the link, and its life. */
const DUE_FOR_MS = 7 * DAY_MS + LINK_LIFE_MS

const RESET = sqlColumnsOf<FactorReset>({
  id: 'id',
  personId: 'person_id',
  organisationId: 'organisation_id',
  askedBy: 'asked_by',
  agreedBy: 'agreed_by',
  state: 'state',
  createdAt: 'created_at',
  dueAt: 'due_at',
  expiresAt: 'expires_at',
})

/** SQL that is true if the person is a member of this organisation and no other. */
const onlyIn = (organisation: Sql, person: Sql): Sql =>
  sql`(SELECT group_concat(members.organisation_id) FROM members WHERE members.person_id = ${person}) IS ${organisation}`

/** SECURITY: an organisation's reset ends once its person joins another one, whose managers did not agree to it. */
const isOpen = (now: number): Sql =>
  sql`factor_resets.state IN ('asked', 'agreed') AND factor_resets.expires_at > ${now} AND (factor_resets.organisation_id IS NULL
    OR ${onlyIn(sql`factor_resets.organisation_id`, sql`factor_resets.person_id`)})`

export class FactorResetsStore extends D1Store {
  async findOpen(person: PersonId, now: number): Promise<FactorReset | null> {
    return this.#find(sql`person_id = ${person} AND ${isOpen(now)}`)
  }

  async readAskFacts({ personId, askedBy, organisationId }: FactorReset, needed: Permission, now: number) {
    return this.findCurrent<AskFacts>(
      sql`SELECT second_factor_since IS NOT NULL AS hasFactor, ${onlyIn(sql`${organisationId}`, sql`people.id`)} AS isOnlyHere,
        EXISTS (SELECT 1 FROM members WHERE organisation_id = ${organisationId} AND person_id NOT IN (people.id, ${askedBy})
          AND role IN (SELECT value FROM json_each(${JSON.stringify(rolesWith(needed))}))) AS hasSecond,
        EXISTS (SELECT 1 FROM factor_resets WHERE person_id = people.id AND ${isOpen(now)}) AS isOpen
      FROM people WHERE id = ${personId}`,
    )
  }

  /** Lists the addresses of the person, and of the owners and admins of all of their organisations. */
  async listConcerned(person: PersonId): Promise<{ email: string; isOwn: 0 | 1 }[]> {
    return this.listCurrent(
      sql`SELECT email, id = ${person} AS isOwn FROM people WHERE id = ${person} OR id IN (
        SELECT managers.person_id FROM members JOIN members AS managers ON managers.organisation_id = members.organisation_id
        WHERE members.person_id = ${person}
          AND managers.role IN (SELECT value FROM json_each(${JSON.stringify(rolesWith('members:manage'))})))`,
    )
  }

  /** Needs a person with a factor, and no open reset. */
  ask(reset: FactorReset): ResetChange {
    const { personId, createdAt: now } = reset
    const held = sql`EXISTS (SELECT 1 FROM people WHERE id = ${personId} AND second_factor_since IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM factor_resets WHERE person_id = ${personId} AND ${isOpen(now)})`
    return {
      reset,
      held,
      statements: [
        this.prepare(sql`UPDATE factor_resets SET state = 'cancelled'
          WHERE person_id = ${personId} AND state IN ('asked', 'agreed') AND NOT (${isOpen(now)})`),
        this.prepare(sql`INSERT INTO factor_resets (${RESET.names}) SELECT ${RESET.valuesOf(reset)} WHERE ${held}`),
      ],
    }
  }

  /** @param by neither the person nor who asked */
  agree(reset: FactorReset, by: PersonId, dueAt: number, now: number): ResetChange {
    return this.#move(
      { ...reset, state: 'agreed', agreedBy: by, dueAt, expiresAt: dueAt + DUE_FOR_MS },
      sql`id = ${reset.id} AND state = 'asked' AND ${by} NOT IN (person_id, asked_by) AND ${isOpen(now)}`,
    )
  }

  /** @param also a further condition */
  cancel(reset: FactorReset, now: number, also: Sql = sql`TRUE`): ResetChange {
    return this.#move(
      { ...reset, state: 'cancelled', expiresAt: now },
      sql`id = ${reset.id} AND ${isOpen(now)} AND ${also}`,
    )
  }

  /** Makes a link of a reset that is due, in the place of the one before. Returns null if none is. */
  async issueLink(person: PersonId, now: number): Promise<string | null> {
    const token = newToken()
    const until = now + LINK_LIFE_MS
    const issuing = sql`UPDATE factor_resets SET token_hash = ${hashToken(token)}, token_expires_at = ${until}
      WHERE person_id = ${person} AND state = 'agreed' AND due_at <= ${now} AND ${isOpen(until)}`
    const { meta } = await this.prepare(issuing).run()
    return meta.changes === 1 ? token : null
  }

  /** Finds the reset of a link that is valid. */
  async findByToken(token: string, now: number): Promise<FactorReset | null> {
    return this.#find(byToken(token, now))
  }

  /** Removes all factors and sessions of the person, by a valid link and the password that they still have. */
  finish(reset: FactorReset, token: string, { id: personId, passwordChangedAt }: Person, now: number): ResetChange {
    const move = this.#move(
      { ...reset, state: 'done', expiresAt: now },
      sql`${byToken(token, now)}
        AND EXISTS (SELECT 1 FROM people WHERE people.id = ${personId} AND password_changed_at IS ${passwordChangedAt})`,
    )
    const { held, statements } = move
    const endings = [sql`sessions`, sql`pending_sign_ins`].map((table) =>
      this.prepare(sql`DELETE FROM ${table} WHERE person_id = ${personId} AND ${held}`),
    )
    return { ...move, statements: [...endings, ...removeAllFactors(this.db, personId, held), ...statements] }
  }

  #find(which: Sql): Promise<FactorReset | null> {
    return this.findCurrent(sql`SELECT ${RESET.selected} FROM factor_resets WHERE ${which}`)
  }

  #move(reset: FactorReset, from: Sql): ResetChange {
    const { state, agreedBy, dueAt, expiresAt } = reset
    const moving = sql`UPDATE factor_resets SET state = ${state}, agreed_by = ${agreedBy}, due_at = ${dueAt},
      expires_at = ${expiresAt}, token_hash = NULL WHERE ${from}`
    const held = sql`EXISTS (SELECT 1 FROM factor_resets WHERE ${from})`
    return { reset, held, statements: [this.prepare(moving)] }
  }
}

const byToken = (token: string, now: number): Sql =>
  sql`token_hash = ${hashToken(token)} AND token_expires_at > ${now} AND state = 'agreed' AND ${isOpen(now)}`

type Asked = Pick<FactorReset, 'id' | 'personId' | 'organisationId' | 'askedBy'>

/** Returns a new reset. @param dueAt null if another manager must agree first */
export const newReset = (asked: Asked, dueAt: number | null, now: number): FactorReset => ({
  ...asked,
  agreedBy: null,
  state: dueAt === null ? 'asked' : 'agreed',
  createdAt: now,
  dueAt,
  expiresAt: dueAt === null ? now + AGREE_WITHIN_MS : dueAt + DUE_FOR_MS,
})
