// An organisation's month: how many requests it made, what they cost, and what those not yet settled may cost at most.
// Whole micro-euro; a bound number is a REAL to SQLite, so every sum casts it to INTEGER first.
import { utcMonth } from '../platform/clock.ts'
import type { MonthSpending } from '../policies/budget.policy.ts'

export const SPENDING_SCHEMA = `
  CREATE TABLE month_usage (
    month INTEGER PRIMARY KEY,
    requests INTEGER NOT NULL CHECK (requests >= 0),
    spent_microeur INTEGER NOT NULL CHECK (spent_microeur >= 0),
    reserved_microeur INTEGER NOT NULL CHECK (reserved_microeur >= 0)
  ) STRICT;
  CREATE TABLE chat_reservations (
    position INTEGER PRIMARY KEY,
    admitted_at INTEGER NOT NULL,
    microeur INTEGER NOT NULL CHECK (microeur >= 0)
  ) STRICT;
`

export type MonthUsage = MonthSpending & { requests: number }

/** A request that was admitted and is not settled. `position` is that of its ledger entry. */
export type Reservation = { position: number; admittedAt: number; microeur: number }

type ReservationRow = { position: number; admitted_at: number; microeur: number }

export class SpendingStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** The UTC month of `now`. */
  readMonth(now: number): MonthUsage {
    const [row] = this.#sql
      .exec<{ requests: number; spent_microeur: number; reserved_microeur: number }>(
        'SELECT requests, spent_microeur, reserved_microeur FROM month_usage WHERE month = ?',
        utcMonth(now),
      )
      .toArray()
    if (row === undefined) return { requests: 0, spentMicroeur: 0, reservedMicroeur: 0 }
    return { requests: row.requests, spentMicroeur: row.spent_microeur, reservedMicroeur: row.reserved_microeur }
  }

  /** Counts an admitted request in its month and holds the most it can cost. */
  insertReservation({ position, admittedAt, microeur }: Reservation): void {
    this.#sql.exec('INSERT INTO chat_reservations VALUES (?, ?, ?)', position, admittedAt, microeur)
    this.#sql.exec(
      `INSERT INTO month_usage VALUES (?, 1, 0, CAST(? AS INTEGER))
       ON CONFLICT (month) DO UPDATE SET
         requests = requests + 1,
         reserved_microeur = reserved_microeur + excluded.reserved_microeur`,
      utcMonth(admittedAt),
      microeur,
    )
  }

  /** Takes the reservation out, so that it is settled once; null when there is none (any more). */
  takeReservation(position: number): Reservation | null {
    const [row] = this.#sql
      .exec<ReservationRow>('DELETE FROM chat_reservations WHERE position = ? RETURNING *', position)
      .toArray()
    return row === undefined ? null : fromRow(row)
  }

  /** Puts the cost in the reservation's place, in the month in which the request was admitted. */
  spend({ admittedAt, microeur }: Reservation, costMicroeur: number): void {
    this.#sql.exec(
      `UPDATE month_usage SET
         reserved_microeur = reserved_microeur - CAST(? AS INTEGER),
         spent_microeur = spent_microeur + CAST(? AS INTEGER)
       WHERE month = ?`,
      microeur,
      costMicroeur,
      utcMonth(admittedAt),
    )
  }

  /** The oldest reservations made at or before `admittedUntil`. */
  listReservations(admittedUntil: number, limit: number): Reservation[] {
    return this.#sql
      .exec<ReservationRow>('SELECT * FROM chat_reservations ORDER BY position LIMIT ?', limit)
      .toArray()
      .map(fromRow)
      .filter(({ admittedAt }) => admittedAt <= admittedUntil)
  }

  /** When the oldest reservation was made. */
  oldestReservationAt(): number | null {
    const [oldest] = this.listReservations(Number.MAX_SAFE_INTEGER, 1)
    return oldest?.admittedAt ?? null
  }
}

const fromRow = ({ position, admitted_at: admittedAt, microeur }: ReservationRow): Reservation => ({
  position,
  admittedAt,
  microeur,
})
