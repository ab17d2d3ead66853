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

type CountRow = {
  n: number
  last_at: number
  day: number
  in_day: number
  oldest_at: number | null
  oldest_n: number | null
}

// One row a subject, with the oldest of its calls still held: the primary key leads to it.
const FIND_COUNTS = `
  SELECT call_counts.n, last_at, day, in_day, oldest.at AS oldest_at, oldest.n AS oldest_n
  FROM call_counts
  LEFT JOIN calls AS oldest ON (oldest.subject, oldest.at, oldest.n) =
    (SELECT subject, at, n FROM calls WHERE subject = ?1 ORDER BY at, n LIMIT 1)
  WHERE call_counts.subject = ?1
`

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
    const found = this.#findCounts(subject)
    if (found === undefined) return { counts: { inWindow: 0, oldestAt: null, inDay: 0 }, at: now, n: 1 }
    const at = Math.max(now, found.last_at)
    const { oldest_at: oldestAt, oldest_n: oldestN } = this.#withoutExpired(subject, found, at - MINUTE_MS)
    const counts: Counts = {
      inWindow: oldestN === null ? 0 : found.n - oldestN + 1,
      oldestAt,
      inDay: found.day === utcDay(at) ? found.in_day : 0,
    }
    return { counts, at, n: found.n + 1 }
  }

  #findCounts(subject: string): CountRow | undefined {
    return this.#sql.exec<CountRow>(FIND_COUNTS, subject).toArray()[0]
  }

  #withoutExpired(subject: string, found: CountRow, expiredAt: number): CountRow {
    if (found.oldest_at === null || found.oldest_at > expiredAt) return found
    this.#sql.exec('DELETE FROM calls WHERE subject = ? AND at <= ?', subject, expiredAt)
    return this.#findCounts(subject) ?? found
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
