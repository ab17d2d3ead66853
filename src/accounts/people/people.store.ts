// Stores people in D1: name, e-mail address, and the password's hash.
import type { PersonId, SessionId } from '../../platform/ids.ts'
import { columnsOf } from '../../platform/sql-columns.ts'
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

const PERSON = columnsOf<Person>({
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

/**
 * Returns the statement that inserts the person, unless the address has an account.
 * @param guard a condition that must be true, and the values of its `?`
 */
export function insertPerson(
  db: D1Database,
  person: Person,
  guard: { sql: string; values: readonly (string | number | Uint8Array)[] } = { sql: 'TRUE', values: [] },
): D1PreparedStatement {
  return db
    .prepare(
      `INSERT INTO people (${PERSON.names}, email_key) SELECT ${PERSON.placeholders}, ? WHERE ${guard.sql}
       ON CONFLICT (email_key) DO NOTHING`,
    )
    .bind(...PERSON.valuesOf(person), emailKeyOf(person.email), ...guard.values)
}

export class PeopleStore extends D1Store {
  async find(id: PersonId): Promise<Person | null> {
    return this.#first('id = ?', id)
  }

  async findByEmail(email: string): Promise<Person | null> {
    return this.#first('email_key = ?', emailKeyOf(email))
  }

  /** Does nothing if the person was erased meanwhile. */
  async rename(id: PersonId, name: string): Promise<void> {
    await this.db.prepare('UPDATE people SET name = ? WHERE id = ?').bind(name, id).run()
  }

  /** Stores the same password hashed with other parameters. No session ends. */
  async rehash({ id, password }: Person, rehashed: string): Promise<void> {
    await this.db
      .prepare('UPDATE people SET password = ? WHERE id = ? AND password = ?')
      .bind(rehashed, id, password)
      .run()
  }

  /**
   * Sets another password, and deletes all other sessions and the links for a new password or address, in one transaction. Returns
   * false if the password changed since the person was read.
   * @param password a PHC string
   */
  async changePassword(person: Person, password: string, sessionToKeep: SessionId, now: number): Promise<boolean> {
    const { id, email, password: before } = person
    const isChanged = 'EXISTS (SELECT 1 FROM people WHERE id = ? AND password = ?)'
    const [updated] = await this.db.batch([
      this.db
        .prepare('UPDATE people SET password = ?, password_changed_at = ? WHERE id = ? AND password = ?')
        .bind(password, now, id, before),
      this.db
        .prepare(`DELETE FROM sessions WHERE person_id = ? AND id <> ? AND ${isChanged}`)
        .bind(id, sessionToKeep, id, password),
      this.db
        .prepare(`DELETE FROM mail_links WHERE (email_key = ? AND purpose = 'reset' OR person_id = ?) AND ${isChanged}`)
        .bind(emailKeyOf(email), id, id, password),
    ])
    return updated?.meta.changes === 1
  }

  async #first(where: string, value: string): Promise<Person | null> {
    return this.db
      .withSession('first-primary')
      .prepare(`SELECT ${PERSON.selected} FROM people WHERE ${where}`)
      .bind(value)
      .first<Person>()
  }
}
