// What a key's readings cost in a UTC day: reserved before any text leaves, settled afterwards, both in the turn that
// writes the ledger entry. A reservation that is never settled stays counted until the day turns.
import { utcDay } from '../platform/clock.ts'

/** EUR 20 of reading a day, for a live key. */
export const DAILY_READING_MICROEUR = 20_000_000

export const COSTS_SCHEMA = `
  CREATE TABLE costs (
    subject TEXT PRIMARY KEY,
    day INTEGER NOT NULL,
    microeur INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE reservations (
    position INTEGER PRIMARY KEY,
    subject TEXT NOT NULL,
    day INTEGER NOT NULL,
    microeur INTEGER NOT NULL
  ) STRICT;
`

/** A row a day, so that a day is still known when the clock comes back to it. `costs` stays for a Worker from before. */
export const DAY_COSTS_SCHEMA = `
  CREATE TABLE day_costs (
    subject TEXT NOT NULL,
    day INTEGER NOT NULL,
    microeur INTEGER NOT NULL,
    PRIMARY KEY (subject, day)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO day_costs (subject, day, microeur) SELECT subject, day, microeur FROM costs;
`

const KEPT_DAYS = 7

const ADD = `
  INSERT INTO day_costs (subject, day, microeur) VALUES (?, ?, ?)
  ON CONFLICT (subject, day) DO UPDATE SET microeur = microeur + excluded.microeur
`
const ADD_LATER_DAYS = `
  INSERT INTO day_costs (subject, day, microeur)
  SELECT subject, ?, SUM(microeur) FROM day_costs WHERE day > ? GROUP BY subject
  ON CONFLICT (subject, day) DO UPDATE SET microeur = microeur + excluded.microeur
`

/** What readings cost a key in a UTC day, those that are under way at their most. */
export type DayCost = { keyId: string; day: number; microeur: number }

type Reservation = { position: number; subject: string; microeur: number }

export class CostsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Spent and reserved in the UTC day of `at`. */
  spentInDay(subject: string, at: number): number {
    const [row] = this.#sql
      .exec<{ microeur: number }>('SELECT microeur FROM day_costs WHERE subject = ? AND day = ?', subject, utcDay(at))
      .toArray()
    return row?.microeur ?? 0
  }

  /** The days that are still known, the latest first. */
  listDays(): DayCost[] {
    return this.#sql
      .exec<{ subject: string; day: number; microeur: number }>(
        'SELECT subject, day, microeur FROM day_costs ORDER BY day DESC, subject',
      )
      .toArray()
      .map(({ subject, day, microeur }) => ({ keyId: subject, day, microeur }))
  }

  /** `position` is that of the ledger entry which the reservation is for; `at` the time its call counts for. */
  reserve({ position, subject, microeur }: Reservation, at: number): void {
    const day = utcDay(at)
    this.#sql.exec(
      'INSERT INTO reservations (position, subject, day, microeur) VALUES (?, ?, ?, ?)',
      position,
      subject,
      day,
      microeur,
    )
    this.#sql.exec(ADD, subject, day, microeur)
  }

  /** Puts the cost in place of the reservation. False where there is none: settled already, or never made. */
  settle({ position, subject, microeur }: Reservation): boolean {
    const [reserved] = this.#sql
      .exec<{ day: number; microeur: number }>(
        'DELETE FROM reservations WHERE position = ? AND subject = ? RETURNING day, microeur',
        position,
        subject,
      )
      .toArray()
    if (reserved === undefined) return false
    this.#sql.exec(
      'UPDATE day_costs SET microeur = microeur + ? WHERE subject = ? AND day = ?',
      microeur - reserved.microeur,
      subject,
      reserved.day,
    )
    return true
  }

  /** Forgets the reservations of earlier days than yesterday, which nothing will settle any more, and says which. */
  takeAbandoned(now: number): Omit<Reservation, 'microeur'>[] {
    this.#sql.exec('DELETE FROM day_costs WHERE day < ?', utcDay(now) - KEPT_DAYS)
    return this.#sql
      .exec<Omit<Reservation, 'microeur'>>(
        'DELETE FROM reservations WHERE day < ? RETURNING position, subject',
        utcDay(now) - 1,
      )
      .toArray()
  }

  /** Whether there is a reservation that nobody has settled. */
  hasOpen(): boolean {
    return this.#sql.exec('SELECT position FROM reservations LIMIT 1').toArray().length > 0
  }

  /** Forgets all reservations, and says which there were: nothing is to be settled here any more. */
  takeOpen(): Omit<Reservation, 'microeur'>[] {
    return this.#sql
      .exec<Omit<Reservation, 'microeur'>>('DELETE FROM reservations RETURNING position, subject')
      .toArray()
  }

  /** What later days than that of `now` cost was spent in this one: the clock was ahead. */
  takeBack(now: number): void {
    const today = utcDay(now)
    this.#sql.exec(ADD_LATER_DAYS, today, today)
    this.#sql.exec('DELETE FROM day_costs WHERE day > ?', today)
    this.#sql.exec('UPDATE reservations SET day = ? WHERE day > ?', today, today)
  }
}
