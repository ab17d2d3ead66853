// Counts tries (sign-in, sign-up …) in D1: one row per subject (a hash of act, account and network), in a window that begins with
// the first try. Also remembers a subject until a given time.

export type TryOutcome = { taken: true } | { taken: false; endsAt: number }

export type TryWindow = { most: number; windowMs: number }

export class AttemptsStore {
  readonly #db: D1Database

  constructor(db: D1Database) {
    this.#db = db
  }

  /** Counts a try. One statement, so that simultaneous tries are counted one by one. A try beyond the limit is not counted. */
  async countTry(subject: string, { most, windowMs }: TryWindow, now: number): Promise<TryOutcome> {
    const row = await this.#db
      .prepare(
        `INSERT INTO attempts (subject, tries, window_ends_at) VALUES (?1, 1, ?2)
         ON CONFLICT (subject) DO UPDATE SET
           tries = CASE WHEN window_ends_at <= ?3 THEN 1 ELSE tries + 1 END,
           window_ends_at = CASE WHEN window_ends_at <= ?3 THEN ?2 ELSE window_ends_at END
         WHERE tries < ?4 OR window_ends_at <= ?3
         RETURNING tries`,
      )
      .bind(subject, now + windowMs, now, most)
      .first()
    return row === null ? { taken: false, endsAt: (await this.#endOf(subject)) ?? now } : { taken: true }
  }

  /** Uncounts tries that turned out not to be guesses. */
  async giveBack(subjects: readonly string[]): Promise<void> {
    if (subjects.length === 0) return
    const statement = this.#db.prepare('UPDATE attempts SET tries = tries - 1 WHERE subject = ? AND tries > 0')
    await this.#db.batch(subjects.map((subject) => statement.bind(subject)))
  }

  async forget(subject: string): Promise<void> {
    await this.#db.prepare('DELETE FROM attempts WHERE subject = ?').bind(subject).run()
  }

  /** Remembers a subject until `endsAt`, without counting a try. */
  async remember(subject: string, endsAt: number): Promise<void> {
    await this.#db
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
    return this.#db
      .prepare('SELECT window_ends_at FROM attempts WHERE subject = ?')
      .bind(subject)
      .first<number>('window_ends_at')
  }
}
