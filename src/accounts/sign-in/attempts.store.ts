// Counts tries (sign-in, sign-up …) in D1. Each subject has one row, and is a hash of act, account and network. Its tries count in a
// window that begins with the first. A row without tries remembers until a given time that the account's person uses the network.
import { sql } from '../../platform/sql.ts'
import { D1Store } from '../../platform/stores.ts'

/** `endsAt`: the end of the window, in milliseconds. A try after that is counted. */
export type TryOutcome = { isCounted: true } | { isCounted: false; endsAt: number }

/** `most`: how many tries are counted in a window. */
export type TryWindow = { most: number; windowMs: number }

export class AttemptsStore extends D1Store {
  /** Counts a try, unless the limit is reached. One statement, so that simultaneous tries are counted one by one. */
  async countTry(subject: string, { most, windowMs }: TryWindow, now: number): Promise<TryOutcome> {
    // Writes and returns no row if the limit is reached in a window that has not ended.
    const written = await this.prepare(sql`
      INSERT INTO attempts (subject, tries, window_ends_at) VALUES (${subject}, 1, ${now + windowMs})
      ON CONFLICT (subject) DO UPDATE SET
        tries = CASE WHEN window_ends_at <= ${now} THEN 1 ELSE tries + 1 END,
        window_ends_at = CASE WHEN window_ends_at <= ${now} THEN excluded.window_ends_at ELSE window_ends_at END
      WHERE tries < ${most} OR window_ends_at <= ${now}
      RETURNING tries`).first()
    return written === null ? { isCounted: false, endsAt: (await this.#endOf(subject)) ?? now } : { isCounted: true }
  }

  /** Uncounts tries that turned out not to be guesses. */
  async uncountTries(subjects: readonly string[]): Promise<void> {
    if (subjects.length === 0) return
    const uncounting = subjects.map(
      (one) => sql`UPDATE attempts SET tries = tries - 1 WHERE subject = ${one} AND tries > 0`,
    )
    await this.db.batch(uncounting.map((statement) => this.prepare(statement)))
  }

  async forget(subject: string): Promise<void> {
    await this.prepare(sql`DELETE FROM attempts WHERE subject = ${subject}`).run()
  }

  /** Remembers a subject until `endsAt`, without counting a try. */
  async remember(subject: string, endsAt: number): Promise<void> {
    await this.prepare(sql`INSERT INTO attempts (subject, tries, window_ends_at) VALUES (${subject}, 0, ${endsAt})
      ON CONFLICT (subject) DO UPDATE SET window_ends_at = excluded.window_ends_at`).run()
  }

  async isRemembered(subject: string, now: number): Promise<boolean> {
    return ((await this.#endOf(subject)) ?? 0) > now
  }

  async #endOf(subject: string): Promise<number | null> {
    return this.prepare(sql`SELECT window_ends_at FROM attempts WHERE subject = ${subject}`).first('window_ends_at')
  }
}
