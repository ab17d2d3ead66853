// People in D1: who has an account, and what proves who they are.
import type { PersonId, SessionId } from '../../platform/ids.ts'

/** Times in milliseconds. */
export type Person = {
  readonly id: PersonId
  readonly email: string
  /** When the address was last proven to be this person's, by mail or by an identity provider. */
  readonly emailProvenAt: number | null
  readonly name: string
  /** A PHC string; null if the person signs in by an identity provider only. */
  readonly password: string | null
  readonly passwordChangedAt: number | null
  readonly createdAt: number
}

type Row = {
  id: PersonId
  email: string
  email_proven_at: number | null
  name: string
  password: string | null
  password_changed_at: number | null
  created_at: number
}

const COLUMNS = 'id, email, email_proven_at, name, password, password_changed_at, created_at'

/** Addresses that differ in case or in compatibility forms are one person's (Unicode NFKC). */
export const emailKeyOf = (email: string): string => email.normalize('NFKC').toLowerCase()

export class PeopleStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async find(id: PersonId): Promise<Person | null> {
    return this.#first('id = ?', id)
  }

  async findByEmail(email: string): Promise<Person | null> {
    return this.#first('email_key = ?', emailKeyOf(email))
  }

  /** Returns false if the address is taken. */
  async insert(person: Person): Promise<boolean> {
    const { id, email, emailProvenAt, name, password, passwordChangedAt, createdAt } = person
    const { meta } = await this.#db
      .prepare(
        `INSERT INTO people (${COLUMNS}, email_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (email_key) DO NOTHING`,
      )
      .bind(id, email, emailProvenAt, name, password, passwordChangedAt, createdAt, emailKeyOf(email))
      .run()
    return meta.changes > 0
  }

  /** Stores the same password hashed with other parameters. No session ends. */
  async rehash({ id, password }: Person, rehashed: string): Promise<void> {
    await this.#db
      .prepare('UPDATE people SET password = ? WHERE id = ? AND password = ?')
      .bind(rehashed, id, password)
      .run()
  }

  /**
   * Sets another password, and ends all other sessions and mailed links for a new password, in one transaction. Returns
   * false if the password changed since the person was read.
   * @param password a PHC string
   */
  async changePassword(person: Person, password: string, staying: SessionId, now: number): Promise<boolean> {
    const { id, email, password: before } = person
    const isChanged = 'EXISTS (SELECT 1 FROM people WHERE id = ? AND password = ?)'
    const [updated] = await this.#db.batch([
      this.#db
        .prepare('UPDATE people SET password = ?, password_changed_at = ? WHERE id = ? AND password = ?')
        .bind(password, now, id, before),
      this.#db
        .prepare(`DELETE FROM sessions WHERE person_id = ? AND id <> ? AND ${isChanged}`)
        .bind(id, staying, id, password),
      this.#db
        .prepare(`DELETE FROM mail_links WHERE email_key = ? AND purpose = 'reset' AND ${isChanged}`)
        .bind(emailKeyOf(email), id, password),
    ])
    return updated?.meta.changes === 1
  }

  async #first(where: string, value: string): Promise<Person | null> {
    const row = await this.#db
      .withSession('first-primary')
      .prepare(`SELECT ${COLUMNS} FROM people WHERE ${where}`)
      .bind(value)
      .first<Row>()
    return row === null ? null : fromRow(row)
  }
}

const fromRow = (row: Row): Person => ({
  id: row.id,
  email: row.email,
  emailProvenAt: row.email_proven_at,
  name: row.name,
  password: row.password,
  passwordChangedAt: row.password_changed_at,
  createdAt: row.created_at,
})
