// The counted calls of each subject (a key, later an organisation) in the organisation's database. Written in the turn
// that decides, so nothing can slip between the check and the count.
import { MINUTE_MS, utcDay } from '../platform/clock.ts'
import type { Counts } from './limits.policy.ts'

export const LIMITS_SCHEMA = `
  CREATE TABLE calls (
    subject TEXT NOT NULL,
    at INTEGER NOT NULL,
    n INTEGER NOT NULL,
    PRIMARY KEY (subject, at, n)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE call_counts (
    subject TEXT PRIMARY KEY,
    n INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    day INTEGER NOT NULL,
    in_day INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

type CountRow = { n: number; last_at: number; day: number; in_day: number }

/** `n` numbers a subject's calls from 1; `at` is the time this call counts for. */
export type CountedCalls = { counts: Counts; at: number; n: number }

export class LimitsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /**
   * The counts at `now`. A clock that stepped back is held at the last call's time, or a window could be counted twice.
   * Calls are numbered without gaps and leave oldest first, so the oldest one left tells how many there are.
   */
  countCalls(subject: string, now: number): CountedCalls {
    const [last] = this.#sql
      .exec<CountRow>('SELECT n, last_at, day, in_day FROM call_counts WHERE subject = ?', subject)
      .toArray()
    if (last === undefined) return { counts: { inWindow: 0, oldestAt: null, inDay: 0 }, at: now, n: 1 }
    const at = Math.max(now, last.last_at)
    this.#sql.exec('DELETE FROM calls WHERE subject = ? AND at <= ?', subject, at - MINUTE_MS)
    const [oldest] = this.#sql
      .exec<{ at: number; n: number }>('SELECT at, n FROM calls WHERE subject = ? ORDER BY at, n LIMIT 1', subject)
      .toArray()
    const counts: Counts = {
      inWindow: oldest === undefined ? 0 : last.n - oldest.n + 1,
      oldestAt: oldest?.at ?? null,
      inDay: last.day === utcDay(at) ? last.in_day : 0,
    }
    return { counts, at, n: last.n + 1 }
  }

  insertCall(subject: string, { counts, at, n }: CountedCalls): void {
    this.#sql.exec('INSERT INTO calls (subject, at, n) VALUES (?, ?, ?)', subject, at, n)
    this.#sql.exec(
      'INSERT OR REPLACE INTO call_counts (subject, n, last_at, day, in_day) VALUES (?, ?, ?, ?, ?)',
      subject,
      n,
      at,
      utcDay(at),
      counts.inDay + 1,
    )
  }
}
