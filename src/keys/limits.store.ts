// The counted calls of each subject (a key, or an organisation) in the organisation's database. Written in the turn that
// decides, so nothing can slip between the check and the count. Where a subject stands is held in memory too.
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

type NumberedCall = { at: number; n: number }

/** Where a subject stood when its last call was counted: that call, its day, and the oldest call then in the window. */
type Standing = { last: NumberedCall; day: number; inDay: number; oldest: NumberedCall | null }

/** `n` numbers a subject's calls from 1; `at` is the time this call counts for. */
export type CountedCalls = { counts: Counts; at: number; n: number }

const MOST_HELD = 1_000
/** Calls that have left the window stay until so many have come. */
const PRUNED_EVERY = 64

export class LimitsStore {
  readonly #sql: SqlStorage
  readonly #held = new Map<string, Standing>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /**
   * The counts at `now`. A clock that stepped back is held at the last call's time, or a window could be counted twice.
   * Calls are numbered without gaps, so the oldest one in the window tells how many there are.
   */
  countCalls(subject: string, now: number): CountedCalls {
    const standing = this.#held.get(subject) ?? this.#findStanding(subject)
    if (standing === null) return { counts: { inWindow: 0, oldestAt: null, inDay: 0 }, at: now, n: 1 }
    const { last, day, inDay, oldest: known } = standing
    const at = Math.max(now, last.at)
    // What a mere look finds is not held: after it the clock may step back, but never to before the last call.
    const oldest = known !== null && known.at > at - MINUTE_MS ? known : this.#findOldest(subject, at - MINUTE_MS)
    const counts: Counts = {
      inWindow: oldest === null ? 0 : last.n - oldest.n + 1,
      oldestAt: oldest?.at ?? null,
      inDay: day === utcDay(at) ? inDay : 0,
    }
    return { counts, at, n: last.n + 1 }
  }

  insertCall(subject: string, { counts, at, n }: CountedCalls): void {
    const day = utcDay(at)
    const inDay = counts.inDay + 1
    this.#sql.exec('INSERT INTO calls (subject, at, n) VALUES (?, ?, ?)', subject, at, n)
    this.#sql.exec(
      'INSERT OR REPLACE INTO call_counts (subject, n, last_at, day, in_day) VALUES (?, ?, ?, ?, ?)',
      subject,
      n,
      at,
      day,
      inDay,
    )
    if (n % PRUNED_EVERY === 0) {
      this.#sql.exec('DELETE FROM calls WHERE subject = ? AND at <= ?', subject, at - MINUTE_MS)
    }
    const oldest = counts.oldestAt === null ? { at, n } : { at: counts.oldestAt, n: n - counts.inWindow }
    this.#hold(subject, { last: { at, n }, day, inDay, oldest })
  }

  /** For a turn that was rolled back: what is held may never have been stored. */
  forget(): void {
    this.#held.clear()
  }

  #hold(subject: string, standing: Standing): void {
    if (this.#held.size >= MOST_HELD && !this.#held.has(subject)) this.#held.clear()
    this.#held.set(subject, standing)
  }

  #findStanding(subject: string): Standing | null {
    const [row] = this.#sql
      .exec<CountRow>('SELECT n, last_at, day, in_day FROM call_counts WHERE subject = ?', subject)
      .toArray()
    if (row === undefined) return null
    return { last: { at: row.last_at, n: row.n }, day: row.day, inDay: row.in_day, oldest: null }
  }

  #findOldest(subject: string, after: number): NumberedCall | null {
    const [oldest] = this.#sql
      .exec<NumberedCall>('SELECT at, n FROM calls WHERE subject = ? AND at > ? ORDER BY at, n LIMIT 1', subject, after)
      .toArray()
    return oldest ?? null
  }
}
