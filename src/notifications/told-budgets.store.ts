// The notifications sent for each budget in its period, so that none is sent twice. A changed amount is another budget.
import { DAY_MS } from '../platform/clock.ts'

export const TOLD_BUDGETS_SCHEMA = `
  CREATE TABLE told_budgets (
    budget TEXT PRIMARY KEY,
    period_start TEXT NOT NULL,
    microeur INTEGER NOT NULL,
    percent INTEGER NOT NULL,
    exhausted INTEGER NOT NULL,
    told_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** No budget period is longer. */
export const TOLD_KEPT_MS = 62 * DAY_MS

/** `budget`: its period and its owner. */
export type ToldOf = { budget: string; periodStart: string; microeur: number }

/** The highest threshold that was notified, in percent, and whether exhaustion was notified. */
export type Told = { percent: number; isExhausted: boolean }

export class ToldBudgetsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  read({ budget, periodStart, microeur }: ToldOf): Told {
    const [row] = this.#sql
      .exec<{ percent: number; exhausted: number }>(
        'SELECT percent, exhausted FROM told_budgets WHERE budget = ? AND period_start = ? AND microeur = ?',
        budget,
        periodStart,
        microeur,
      )
      .toArray()
    return { percent: row?.percent ?? 0, isExhausted: row?.exhausted === 1 }
  }

  write({ budget, periodStart, microeur }: ToldOf, { percent, isExhausted }: Told, now: number): void {
    this.#sql.exec(
      `INSERT OR REPLACE INTO told_budgets (budget, period_start, microeur, percent, exhausted, told_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
      budget,
      periodStart,
      microeur,
      percent,
      isExhausted ? 1 : 0,
      now,
    )
  }

  deleteOld(now: number): void {
    this.#sql.exec('DELETE FROM told_budgets WHERE told_at < ?', now - TOLD_KEPT_MS)
  }

  deleteAll(): void {
    this.#sql.exec('DELETE FROM told_budgets')
  }
}
