// Counts tries (sign-in, sign-up …) in D1. Each subject has one row, and is a hash of act, account and network. Its tries count in a
// window that begins with the first. A row without tries remembers until a given time that the account's person uses the network.
import { D1Store } from '../../platform/stores.ts'

/** `endsAt`: the end of the window, in milliseconds. A try after that is counted. */
export type TryOutcome = { isCounted: true } | { isCounted: false; endsAt: number }

/** `most`: how many tries are counted in a window. */
export type TryWindow = { most: number; windowMs: number }

/** Writes and returns no row if the limit is reached in a window that has not ended. */
const COUNT_TRY = `
  INSERT INTO attempts (subject, tries, window_ends_at) VALUES (?1 /* subject */, 1, ?2 /* end of a new window */)
  ON CONFLICT (subject) DO UPDATE SET
    tries = CASE WHEN window_ends_at <= ?3 /* now */ THEN 1 ELSE tries + 1 END,
    window_ends_at = CASE WHEN window_ends_at <= ?3 THEN ?2 ELSE window_ends_at END
  WHERE tries < ?4 /* most */ OR window_ends_at <= ?3
  RETURNING tries`

export class AttemptsStore extends D1Store {
  /** Counts a try, unless the limit is reached. One statement, so that simultaneous tries are counted one by one. */
  async countTry(subject: string, { most, windowMs }: TryWindow, now: number): Promise<TryOutcome> {
    const written = await this.db
      .prepare(COUNT_TRY)
      .bind(subject, now + windowMs, now, most)
      .first()
    return written === null ? { isCounted: false, endsAt: (await this.#endOf(subject)) ?? now } : { isCounted: true }
  }

  /** Uncounts tries that turned out not to be guesses. */
  async uncountTries(subjects: readonly string[]): Promise<void> {
    if (subjects.length === 0) return
    const statement = this.db.prepare('UPDATE attempts SET tries = tries - 1 WHERE subject = ? AND tries > 0')
    await this.db.batch(subjects.map((subject) => statement.bind(subject)))
  }

  async forget(subject: string): Promise<void> {
    await this.db.prepare('DELETE FROM attempts WHERE subject = ?').bind(subject).run()
  }

  /** Remembers a subject until `endsAt`, without counting a try. */
  async remember(subject: string, endsAt: number): Promise<void> {
    await this.db
      .prepare(
        `INSERT INTO attempts (subject, tries, window_ends_at) VALUES (?, 0, ?)
         ON CONFLICT (subject) DO UPDATE SET window_ends_at = excluded.window_ends_at`,
      )
      .bind(subject, endsAt)
      .run()
  }

  async isRemembered(subject: string, now: number): Promise<boolean> {
    return ((await this.#endOf(subject)) ?? 0) > now
  }

  async #endOf(subject: string): Promise<number | null> {
    return this.db
      .prepare('SELECT window_ends_at FROM attempts WHERE subject = ?')
      .bind(subject)
      .first<number>('window_ends_at')
  }
}
