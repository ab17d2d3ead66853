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

type Reservation = { position: number; subject: string; day: number; microeur: number }

export class CostsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Spent and reserved in the UTC day of `now`. */
  spentInDay(subject: string, now: number): number {
    const [row] = this.#sql
      .exec<{ microeur: number }>('SELECT microeur FROM costs WHERE subject = ? AND day = ?', subject, utcDay(now))
      .toArray()
    return row?.microeur ?? 0
  }

  /** `position` is that of the ledger entry which the reservation is for. */
  reserve({ position, subject, microeur }: Omit<Reservation, 'day'>, now: number): void {
    const day = utcDay(now)
    this.#sql.exec('INSERT INTO reservations VALUES (?, ?, ?, ?)', position, subject, day, microeur)
    this.#setSpent(subject, day, this.spentInDay(subject, now) + microeur)
  }

  /** Puts the cost in place of the reservation. False where there is none: settled already, or never made. */
  settle({ position, subject, microeur }: Omit<Reservation, 'day'>): boolean {
    const [reserved] = this.#sql
      .exec<Reservation>('DELETE FROM reservations WHERE position = ? AND subject = ? RETURNING *', position, subject)
      .toArray()
    if (reserved === undefined) return false
    this.#sql.exec(
      'UPDATE costs SET microeur = microeur + ? WHERE subject = ? AND day = ?',
      microeur - reserved.microeur,
      subject,
      reserved.day,
    )
    return true
  }

  /** Forgets the reservations of earlier days than yesterday, which nothing will settle any more, and says which. */
  takeAbandoned(now: number): Pick<Reservation, 'position' | 'subject'>[] {
    return this.#sql
      .exec<Pick<Reservation, 'position' | 'subject'>>(
        'DELETE FROM reservations WHERE day < ? RETURNING position, subject',
        utcDay(now) - 1,
      )
      .toArray()
  }

  #setSpent(subject: string, day: number, microeur: number): void {
    this.#sql.exec('INSERT OR REPLACE INTO costs (subject, day, microeur) VALUES (?, ?, ?)', subject, day, microeur)
  }
}
