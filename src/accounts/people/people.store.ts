// Stores people in D1: name, e-mail address, and the password's hash.
import type { PersonId, SessionId } from '../../platform/ids.ts'
import { prepare, sql, type Sql } from '../../platform/sql.ts'
import { sqlColumnsOf } from '../../platform/sql-columns.ts'
import { D1Store } from '../../platform/stores.ts'

/** Times are in milliseconds. */
export type Person = {
  readonly id: PersonId
  readonly email: string
  /** The time when the address was proven, by mail or by an identity provider; null if it was not. */
  readonly emailProvenAt: number | null
  readonly name: string
  /** A PHC string; null if the person signs in by an identity provider only. */
  readonly password: string | null
  readonly passwordChangedAt: number | null
  /** When the person got their first second factor; null if they have none. */
  readonly secondFactorSince: number | null
  readonly createdAt: number
}

const PERSON = sqlColumnsOf<Person>({
  id: 'id',
  email: 'email',
  emailProvenAt: 'email_proven_at',
  name: 'name',
  password: 'password',
  passwordChangedAt: 'password_changed_at',
  secondFactorSince: 'second_factor_since',
  createdAt: 'created_at',
})

/** Returns the key by which an address is compared: case and compatibility forms (Unicode NFKC) make no difference. */
export const emailKeyOf = (email: string): string => email.normalize('NFKC').toLowerCase()

/** Returns the statement that inserts the person if the guard is true, unless the address has an account. */
export const insertPerson = (db: D1Database, person: Person, guard: Sql = sql`TRUE`): D1PreparedStatement =>
  prepare(
    db,
    sql`INSERT INTO people (${PERSON.names}, email_key) SELECT ${PERSON.valuesOf(person)}, ${emailKeyOf(person.email)}
      WHERE ${guard} ON CONFLICT (email_key) DO NOTHING`,
  )

export class PeopleStore extends D1Store {
  async find(id: PersonId): Promise<Person | null> {
    return this.#first(sql`id = ${id}`)
  }

  async findByEmail(email: string): Promise<Person | null> {
    return this.#first(sql`email_key = ${emailKeyOf(email)}`)
  }

  /** Does nothing if the person was erased meanwhile. */
  async rename(id: PersonId, name: string): Promise<void> {
    await this.prepare(sql`UPDATE people SET name = ${name} WHERE id = ${id}`).run()
  }

  /** Stores the same password hashed with other parameters. No session ends. */
  async rehash({ id, password }: Person, rehashed: string): Promise<void> {
    await this.prepare(sql`UPDATE people SET password = ${rehashed} WHERE id = ${id} AND password = ${password}`).run()
  }

  /**
   * Sets another password, and deletes all other sessions and the links for a new password or address, in one transaction. Returns
   * false if the password changed since the person was read.
   * @param password a PHC string
   */
  async changePassword(person: Person, password: string, sessionToKeep: SessionId, now: number): Promise<boolean> {
    const { id, email, password: before } = person
    const isChanged = sql`EXISTS (SELECT 1 FROM people WHERE id = ${id} AND password = ${password})`
    const [updated] = await this.db.batch([
      this.prepare(sql`UPDATE people SET password = ${password}, password_changed_at = ${now}
        WHERE id = ${id} AND password = ${before}`),
      this.prepare(sql`DELETE FROM sessions WHERE person_id = ${id} AND id <> ${sessionToKeep} AND ${isChanged}`),
      this.prepare(sql`DELETE FROM mail_links
        WHERE (email_key = ${emailKeyOf(email)} AND purpose = 'reset' OR person_id = ${id}) AND ${isChanged}`),
    ])
    return updated?.meta.changes === 1
  }

  async #first(where: Sql): Promise<Person | null> {
    return this.findCurrent(sql`SELECT ${PERSON.selected} FROM people WHERE ${where}`)
  }
}
