// An organisation's month: how many requests it made, what they cost, and what those not yet settled may cost at most.
// Whole micro-euro; a bound number is a REAL to SQLite, so every sum casts it to INTEGER first. The month in use is held in
// memory too, as the database last told it.
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

/** `month`: whole UTC months since the epoch. */
export type UsedMonth = MonthUsage & { month: number }

/** A request that was admitted and is not settled. `position` is that of its ledger entry. */
export type Reservation = { position: number; admittedAt: number; microeur: number }

type ReservationRow = { position: number; admitted_at: number; microeur: number }
type MonthRow = { month: number; requests: number; spent_microeur: number; reserved_microeur: number }

const MONTH_COLUMNS = 'month, requests, spent_microeur, reserved_microeur'
const RESERVATION_COLUMNS = 'position, admitted_at, microeur'
const SELECT_MONTH = `SELECT ${MONTH_COLUMNS} FROM month_usage WHERE month = ?`
const INSERT_RESERVATION = `INSERT INTO chat_reservations (${RESERVATION_COLUMNS}) VALUES (?, ?, ?)`
const ADD_LATER_MONTHS = `
  INSERT INTO month_usage (${MONTH_COLUMNS})
  SELECT ?, SUM(requests), SUM(spent_microeur), SUM(reserved_microeur) FROM month_usage WHERE month > ?
  HAVING COUNT(*) > 0
  ON CONFLICT (month) DO UPDATE SET
    requests = requests + excluded.requests,
    spent_microeur = spent_microeur + excluded.spent_microeur,
    reserved_microeur = reserved_microeur + excluded.reserved_microeur
`

export class SpendingStore {
  readonly #sql: SqlStorage
  #held: MonthRow | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** The UTC month of `now`. */
  readMonth(now: number): MonthUsage {
    const month = utcMonth(now)
    if (this.#held?.month !== month) {
      this.#held = this.#sql.exec<MonthRow>(SELECT_MONTH, month).toArray()[0] ?? null
    }
    if (this.#held === null) return { requests: 0, spentMicroeur: 0, reservedMicroeur: 0 }
    const { requests, spent_microeur: spentMicroeur, reserved_microeur: reservedMicroeur } = this.#held
    return { requests, spentMicroeur, reservedMicroeur }
  }

  /** All months in which there was any, the latest first. */
  listMonths(): UsedMonth[] {
    return this.#sql
      .exec<MonthRow>(`SELECT ${MONTH_COLUMNS} FROM month_usage ORDER BY month DESC`)
      .toArray()
      .map(({ month, requests, spent_microeur: spentMicroeur, reserved_microeur: reservedMicroeur }) => ({
        month,
        requests,
        spentMicroeur,
        reservedMicroeur,
      }))
  }

  /** Counts an admitted request in its month and holds the most it can cost. */
  insertReservation({ position, admittedAt, microeur }: Reservation): void {
    this.#sql.exec(INSERT_RESERVATION, position, admittedAt, microeur)
    this.#changeMonth(
      `INSERT INTO month_usage (month, requests, spent_microeur, reserved_microeur) VALUES (?, 1, 0, CAST(? AS INTEGER))
       ON CONFLICT (month) DO UPDATE SET
         requests = requests + 1,
         reserved_microeur = reserved_microeur + excluded.reserved_microeur
       RETURNING ${MONTH_COLUMNS}`,
      utcMonth(admittedAt),
      microeur,
    )
  }

  /** Takes the reservation out, so that it is settled once; null when there is none (any more). */
  takeReservation(position: number): Reservation | null {
    const [row] = this.#sql
      .exec<ReservationRow>(
        `DELETE FROM chat_reservations WHERE position = ? RETURNING ${RESERVATION_COLUMNS}`,
        position,
      )
      .toArray()
    return row === undefined ? null : fromRow(row)
  }

  /** Puts the cost in the reservation's place, in the month in which the request was admitted. */
  spend({ admittedAt, microeur }: Reservation, costMicroeur: number): void {
    this.#changeMonth(
      `UPDATE month_usage SET
         reserved_microeur = reserved_microeur - CAST(? AS INTEGER),
         spent_microeur = spent_microeur + CAST(? AS INTEGER)
       WHERE month = ?
       RETURNING ${MONTH_COLUMNS}`,
      microeur,
      costMicroeur,
      utcMonth(admittedAt),
    )
  }

  /** A month that is not the one in use takes its place until the next call asks. */
  #changeMonth(statement: string, ...values: number[]): void {
    this.#held = this.#sql.exec<MonthRow>(statement, ...values).toArray()[0] ?? null
  }

  /** For a turn that was rolled back: what is held may never have been stored. */
  forget(): void {
    this.#held = null
  }

  /** What was counted for later months than that of `now` belongs to this one: the clock was ahead. */
  takeBack(now: number): void {
    const month = utcMonth(now)
    this.#sql.exec(ADD_LATER_MONTHS, month, month)
    this.#sql.exec('DELETE FROM month_usage WHERE month > ?', month)
    this.#sql.exec('UPDATE chat_reservations SET admitted_at = ? WHERE admitted_at > ?', now, now)
    this.forget()
  }

  /** The oldest reservations made at or before `admittedUntil`. */
  listReservations(admittedUntil: number, limit: number): Reservation[] {
    return this.#sql
      .exec<ReservationRow>(`SELECT ${RESERVATION_COLUMNS} FROM chat_reservations ORDER BY position LIMIT ?`, limit)
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
