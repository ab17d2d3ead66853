// Deletes expired rows of people's tables in D1. They have no effect any more; this keeps the tables small.
import { IDLE_MS } from './people/sessions.store.ts'

export const EXPIRING_TABLES = ['sessions', 'mail_links', 'invitations', 'oauth_flows', 'attempts'] as const
type Table = (typeof EXPIRING_TABLES)[number]

/** So many rows a statement, which the database does in well under the time that a statement may take. */
const AT_ONCE = 5_000

/** What has expired by `?1`; `?2`: how long ago a session must have been used. */
const EXPIRED: Readonly<Record<Table, string>> = {
  sessions: 'expires_at <= ?1 OR seen_at <= ?1 - ?2',
  mail_links: 'expires_at <= ?1',
  invitations: 'expires_at <= ?1',
  oauth_flows: 'expires_at <= ?1',
  attempts: 'window_ends_at <= ?1',
}

export class ExpiredStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  async deleteFrom(table: Table, now: number): Promise<void> {
    const statement = this.#db
      .prepare(
        `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} WHERE ${EXPIRED[table]} LIMIT ${AT_ONCE})`,
      )
      .bind(...(table === 'sessions' ? [now, IDLE_MS] : [now]))
    let deleted = AT_ONCE
    while (deleted >= AT_ONCE) deleted = (await statement.run()).meta.changes
  }
}
