// Stores mailed links (sign-up, password reset, another address) in D1, with a token's hash only, and carries out their effect. The effect and the
// link's deletion are one transaction, so that of several simultaneous uses only one has the effect.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { DAY_MS, MINUTE_MS } from '../../platform/time.ts'
import type { PersonId, SessionId } from '../../platform/ids.ts'
import { EUROPEAN_REGIONS } from '../../platform/config.ts'
import { sql, type Sql } from '../../platform/sql.ts'
import { D1Store } from '../../platform/stores.ts'
import { PROVIDER_IDS } from '../../providers/provider-registry.ts'
import { hashToken, newToken } from '../access/secret-token.ts'
import { emailKeyOf, insertPerson, type Person } from '../people/people.store.ts'
import { removeAllFactors } from '../second-factor/factors.store.ts'

/** The person, and perhaps organisation, to create when a sign-up link is used. */
const SignUpPayloadSchema = once(() =>
  z.strictObject({
    name: z.string(),
    /** A PHC string. */
    password: z.string(),
    organisation: z
      .strictObject({
        name: z.string(),
        enabledProviders: z.array(z.enum(PROVIDER_IDS)).readonly(),
        region: z.enum(EUROPEAN_REGIONS).nullable(),
      })
      .nullable(),
  }),
)

export type PendingSignUp = Infer<typeof SignUpPayloadSchema> & { email: string }

/** `used`: the link was used, has expired, was replaced, or never existed. */
export type Redeemed<T> = T | 'used'

/** The time for which a link is valid, in milliseconds. */
export const LINK_LIFE_MS = { signup: DAY_MS, reset: 30 * MINUTE_MS, change: DAY_MS } as const
type Purpose = keyof typeof LINK_LIFE_MS

type Row = { email: string; payload: string; personId: PersonId | null }

export class MailLinksStore extends D1Store {
  async issueSignUp({ email, ...payload }: PendingSignUp, now: number): Promise<string> {
    return this.#issue('signup', email, JSON.stringify(payload), now)
  }

  async issueReset(email: string, now: number): Promise<string> {
    return this.#issue('reset', email, '{}', now)
  }

  /** @param email the address to confirm */
  async issueChange(email: string, personId: PersonId, now: number): Promise<string> {
    return this.#issue('change', email, '{}', now, personId)
  }

  async findSignUp(token: string, now: number): Promise<PendingSignUp | null> {
    const row = await this.#find('signup', token, now)
    return row === null ? null : { email: row.email, ...SignUpPayloadSchema().parse(JSON.parse(row.payload)) }
  }

  /** Returns the address to which the link was mailed; null if it is not valid. */
  async findReset(token: string, now: number): Promise<string | null> {
    return (await this.#find('reset', token, now))?.email ?? null
  }

  /** Returns the address that the person's link confirms; null if it is not valid, or another person's. */
  async findChange(token: string, personId: PersonId, now: number): Promise<string | null> {
    const row = await this.#find('change', token, now)
    return row?.personId === personId ? row.email : null
  }

  /** Creates the person and deletes all other sign-ups for the address. `taken`: the address has an account. */
  async redeemSignUp(token: string, person: Person, now: number): Promise<Redeemed<'created' | 'taken'>> {
    const [inserted, , used] = await this.db.batch([
      insertPerson(this.db, person, hasValidLink('signup', token, now)),
      this.#othersDeletion('signup', token, person, now),
      this.#deletion('signup', token, now),
    ])
    if (used?.meta.changes !== 1) return 'used'
    return inserted?.meta.changes === 1 ? 'created' : 'taken'
  }

  /**
   * Sets the person's password, marks the address as proven, and deletes all their sessions and other links. SECURITY: it takes no
   * second factor away, but for a first one of the last day: whoever stole the password could have set it up, to shut its owner out.
   */
  async redeemReset(token: string, person: Person, password: string, now: number): Promise<Redeemed<'changed'>> {
    const isValid = hasValidLink('reset', token, now)
    const isFirstFactorYoung = sql`${isValid}
      AND EXISTS (SELECT 1 FROM people WHERE id = ${person.id} AND second_factor_since > ${now - DAY_MS})`
    const [updated] = await this.db.batch([
      this.prepare(sql`UPDATE people SET password = ${password}, password_changed_at = ${now},
        email_proven_at = COALESCE(email_proven_at, ${now}) WHERE id = ${person.id} AND ${isValid}`),
      this.prepare(sql`DELETE FROM sessions WHERE person_id = ${person.id} AND ${isValid}`),
      ...removeAllFactors(this.db, person.id, isFirstFactorYoung),
      this.#othersDeletion('reset', token, person, now),
      this.prepare(sql`DELETE FROM mail_links WHERE person_id = ${person.id} AND ${isValid}`),
      this.#deletion('reset', token, now),
    ])
    return updated?.meta.changes === 1 ? 'changed' : 'used'
  }

  /**
   * Gives the person the address, proven, and deletes their other sessions, and all links to them and to the address.
   * `used`: also if the address has an account by now, so that nobody learns that.
   */
  async redeemChange(
    token: string,
    person: Person,
    email: string,
    sessionToKeep: SessionId,
    now: number,
  ): Promise<Redeemed<'changed'>> {
    const emailKey = emailKeyOf(email)
    const isValid = hasValidLink('change', token, now)
    const isChanged = sql`${isValid} AND EXISTS (SELECT 1 FROM people WHERE id = ${person.id} AND email_key = ${emailKey})`
    const [updated] = await this.db.batch([
      this.prepare(sql`UPDATE OR IGNORE people SET email = ${email}, email_key = ${emailKey}, email_proven_at = ${now}
        WHERE id = ${person.id} AND ${isValid}`),
      this.prepare(
        sql`DELETE FROM sessions WHERE person_id = ${person.id} AND id <> ${sessionToKeep} AND ${isChanged}`,
      ),
      this.prepare(sql`DELETE FROM mail_links
        WHERE (person_id = ${person.id} OR email_key IN (${emailKeyOf(person.email)}, ${emailKey})) AND ${isChanged}`),
    ])
    return updated?.meta.changes === 1 ? 'changed' : 'used'
  }

  async #issue(
    purpose: Purpose,
    email: string,
    payload: string,
    now: number,
    personId: PersonId | null = null,
  ): Promise<string> {
    const token = newToken()
    await this.prepare(sql`INSERT INTO mail_links
        (token_hash, purpose, email, email_key, payload, created_at, expires_at, person_id)
      VALUES (${hashToken(token)}, ${purpose}, ${email}, ${emailKeyOf(email)}, ${payload}, ${now},
        ${now + LINK_LIFE_MS[purpose]}, ${personId})`).run()
    return token
  }

  async #find(purpose: Purpose, token: string, now: number): Promise<Row | null> {
    return this.findCurrent(
      sql`SELECT email, payload, person_id AS personId FROM mail_links WHERE ${isValidLink(purpose, token, now)}`,
    )
  }

  /** Deletes the other links to the person's address for the same purpose, if this link is valid. */
  #othersDeletion(purpose: Purpose, token: string, { email }: Person, now: number): D1PreparedStatement {
    return this.prepare(sql`DELETE FROM mail_links WHERE email_key = ${emailKeyOf(email)} AND purpose = ${purpose}
      AND token_hash <> ${hashToken(token)} AND ${hasValidLink(purpose, token, now)}`)
  }

  #deletion(purpose: Purpose, token: string, now: number): D1PreparedStatement {
    return this.prepare(sql`DELETE FROM mail_links WHERE ${isValidLink(purpose, token, now)}`)
  }
}

const isValidLink = (purpose: Purpose, token: string, now: number): Sql =>
  sql`token_hash = ${hashToken(token)} AND purpose = ${purpose} AND expires_at > ${now}`

const hasValidLink = (...link: Parameters<typeof isValidLink>): Sql =>
  sql`EXISTS (SELECT 1 FROM mail_links WHERE ${isValidLink(...link)})`
