// Stores a notice of the budget alerts that were sent in a period, so that none is sent twice. A budget with a changed amount
// counts as new. Alerts that are sent once in some seconds have a notice too.
import { DAY_MS } from '../platform/time.ts'
import { sql } from '../platform/sql.ts'
import { ObjectStore } from '../platform/stores.ts'

export const BUDGET_NOTICES_SCHEMA = `
  CREATE TABLE budget_notices (
    budget TEXT PRIMARY KEY,
    period_start TEXT NOT NULL,
    microeur INTEGER NOT NULL,
    percent INTEGER NOT NULL,
    exhausted INTEGER NOT NULL,
    notified_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** Longer than any budget period, so that no alert is sent twice in one. */
export const NOTICES_KEPT_MS = 62 * DAY_MS

/** `budget`: names the period and the owner. */
export type NotifiedBudget = { budget: string; periodStart: string; microeur: number }

/** The alerts that were sent: the highest threshold, in percent, and whether one said that the budget is exhausted. */
type BudgetNotice = { percent: number; isExhausted: boolean }

export class BudgetNoticesStore extends ObjectStore {
  read({ budget, periodStart, microeur }: NotifiedBudget): BudgetNotice {
    const [row] = this.rows<{ percent: number; exhausted: number }>(sql`SELECT percent, exhausted FROM budget_notices
      WHERE budget = ${budget} AND period_start = ${periodStart} AND microeur = ${microeur}`)
    return { percent: row?.percent ?? 0, isExhausted: row?.exhausted === 1 }
  }

  write({ budget, periodStart, microeur }: NotifiedBudget, { percent, isExhausted }: BudgetNotice, now: number): void {
    this.run(sql`INSERT OR REPLACE INTO budget_notices (budget, period_start, microeur, percent, exhausted, notified_at)
      VALUES (${budget}, ${periodStart}, ${microeur}, ${percent}, ${isExhausted ? 1 : 0}, ${now})`)
  }

  /** Notes an alert about something else. Returns false if one of this name was noted within the time before. */
  noteUnlessRecent(name: string, withinMs: number, now: number): boolean {
    const [recent] = this.rows(sql`SELECT 1 FROM budget_notices
      WHERE budget = ${name} AND notified_at > ${now - withinMs}`)
    if (recent !== undefined) return false
    this.write({ budget: name, periodStart: '', microeur: 0 }, { percent: 0, isExhausted: false }, now)
    return true
  }

  deleteOld(now: number): void {
    this.run(sql`DELETE FROM budget_notices WHERE notified_at < ${now - NOTICES_KEPT_MS}`)
  }

  deleteAll(): void {
    this.run(sql`DELETE FROM budget_notices`)
  }
}
