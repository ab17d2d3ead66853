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

/** The day before the last on which calls were counted, so that it is still known when the clock comes back to it. */
export const DAY_BEFORE_SCHEMA = `
  ALTER TABLE call_counts ADD COLUMN day_before INTEGER NOT NULL DEFAULT -1;
  ALTER TABLE call_counts ADD COLUMN in_day_before INTEGER NOT NULL DEFAULT 0;
`

const COUNT_COLUMNS = 'n, last_at, day, in_day, day_before, in_day_before'

type CountRow = {
  n: number
  last_at: number
  day: number
  in_day: number
  day_before: number
  in_day_before: number
}

type NumberedCall = { at: number; n: number }

type DayCount = { day: number; calls: number }

/** Where a subject stood when its last call was counted: that call, its days, and the oldest call then in the window. */
type Standing = { last: NumberedCall; today: DayCount; before: DayCount; oldest: NumberedCall | null }

/** `n` numbers a subject's calls from 1; `at` is the time this call counts for; `before`: the last other day with calls. */
export type CountedCalls = { counts: Counts; at: number; n: number; before: DayCount }

const NO_DAY: DayCount = { day: -1, calls: 0 }

const MOST_HELD = 1_000
/** Calls that have left the window stay until so many have come. */
const PRUNED_EVERY = 64

const REPLACE_COUNT = `
  INSERT INTO call_counts (subject, ${COUNT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT (subject) DO UPDATE SET
    (${COUNT_COLUMNS}) = (${COUNT_COLUMNS.replaceAll(/\w+/g, 'excluded.$&')})
`
const TAKE_COUNTS_BACK = `
  UPDATE call_counts SET
    last_at = ?1,
    day = MIN(day, ?2),
    in_day = in_day + CASE WHEN day > ?2 AND day_before >= ?2 THEN in_day_before ELSE 0 END,
    in_day_before = CASE WHEN day > ?2 AND day_before >= ?2 THEN 0 ELSE in_day_before END
  WHERE last_at > ?1
`

export class LimitsStore {
  readonly #sql: SqlStorage
  readonly #held = new Map<string, Standing>()
  /** Of all subjects' calls the latest; undefined when it is not known. */
  #latestAt: number | null | undefined

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /**
   * The counts at `now`. A clock that stepped back is held at the last call's time, or a window could be counted twice.
   * Calls are numbered without gaps, so the oldest one in the window tells how many there are.
   */
  countCalls(subject: string, now: number): CountedCalls {
    const standing = this.#held.get(subject) ?? this.#findStanding(subject)
    if (standing === null) return { counts: { inWindow: 0, oldestAt: null, inDay: 0 }, at: now, n: 1, before: NO_DAY }
    const { last, today, oldest: known } = standing
    const at = Math.max(now, last.at)
    // What a mere look finds is not held: after it the clock may step back, but never to before the last call.
    const oldest = known !== null && known.at > at - MINUTE_MS ? known : this.#findOldest(subject, at - MINUTE_MS)
    const isToday = today.day === utcDay(at)
    const counts: Counts = {
      inWindow: oldest === null ? 0 : last.n - oldest.n + 1,
      oldestAt: oldest?.at ?? null,
      inDay: isToday ? today.calls : 0,
    }
    return { counts, at, n: last.n + 1, before: isToday ? standing.before : today }
  }

  insertCall(subject: string, { counts, at, n, before }: CountedCalls): void {
    const today = { day: utcDay(at), calls: counts.inDay + 1 }
    this.#sql.exec('INSERT INTO calls (subject, at, n) VALUES (?, ?, ?)', subject, at, n)
    this.#sql.exec(REPLACE_COUNT, subject, n, at, today.day, today.calls, before.day, before.calls)
    if (n % PRUNED_EVERY === 0) {
      this.#sql.exec('DELETE FROM calls WHERE subject = ? AND at <= ?', subject, at - MINUTE_MS)
    }
    const oldest = counts.oldestAt === null ? { at, n } : { at: counts.oldestAt, n: n - counts.inWindow }
    this.#hold(subject, { last: { at, n }, today, before, oldest })
    if (this.#latestAt !== undefined) this.#latestAt = Math.max(this.#latestAt ?? at, at)
  }

  /** The latest time that a call was counted for; null before the first. */
  latestAt(): number | null {
    this.#latestAt ??= this.#sql.exec<{ at: number | null }>('SELECT MAX(last_at) AS at FROM call_counts').one().at
    return this.#latestAt
  }

  /** What was counted for later times counts for `now`: no call that was made within the minute is left out of it. */
  takeBack(now: number): void {
    this.#sql.exec('UPDATE calls SET at = ? WHERE at > ?', now, now)
    this.#sql.exec(TAKE_COUNTS_BACK, now, utcDay(now))
    this.forget()
  }

  /** For a turn that was rolled back: what is held may never have been stored. */
  forget(): void {
    this.#held.clear()
    this.#latestAt = undefined
  }

  #hold(subject: string, standing: Standing): void {
    if (this.#held.size >= MOST_HELD && !this.#held.has(subject)) this.#held.clear()
    this.#held.set(subject, standing)
  }

  #findStanding(subject: string): Standing | null {
    const [row] = this.#sql
      .exec<CountRow>(`SELECT ${COUNT_COLUMNS} FROM call_counts WHERE subject = ?`, subject)
      .toArray()
    if (row === undefined) return null
    return {
      last: { at: row.last_at, n: row.n },
      today: { day: row.day, calls: row.in_day },
      before: { day: row.day_before, calls: row.in_day_before },
      oldest: null,
    }
  }

  #findOldest(subject: string, after: number): NumberedCall | null {
    const [oldest] = this.#sql
      .exec<NumberedCall>('SELECT at, n FROM calls WHERE subject = ? AND at > ? ORDER BY at, n LIMIT 1', subject, after)
      .toArray()
    return oldest ?? null
  }
}
