// The daily upkeep of all accounts, step by step. A failed step does not stop the others. Expired rows of people's tables
// are deleted, which keeps the tables small.
import { describeThrown, log } from '../platform/log.ts'
import { IDLE_MS } from './people/sessions.store.ts'

/** `name`: the step's name in the log if it fails. It is tried again the next day. */
export type UpkeepStep = { name: string; run: (now: number) => Promise<void> }

/** Runs all steps. Throws at the end if any failed, so that the platform counts the run as failed. */
export async function runUpkeep(steps: readonly UpkeepStep[], now: number): Promise<void> {
  const failed: string[] = []
  for (const { name, run } of steps) {
    try {
      await run(now)
    } catch (thrown) {
      failed.push(name)
      log({
        level: 'error',
        event: 'upkeep_failed',
        outcome: name,
        ...describeThrown(thrown),
      })
    }
  }
  if (failed.length > 0) throw new Error(`failed: ${failed.join(', ')}`)
}

export const EXPIRING_TABLES = ['sessions', 'mail_links', 'invitations', 'oauth_flows', 'attempts'] as const
type Table = (typeof EXPIRING_TABLES)[number]

/** The rows that one statement deletes, well within the time limit of a statement. */
const AT_ONCE = 5_000

/** The condition for expired rows. `?1`: now; `?2`: the idle time of a session. Milliseconds. */
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
