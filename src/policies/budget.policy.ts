// Whether a request fits into what is left of a month's budget. Pure; all amounts are whole micro-euro.

export type MonthSpending = {
  /** What settled calls cost. */
  spentMicroeur: number
  /** What calls not yet settled may cost at most. */
  reservedMicroeur: number
}

/** The parts of a budget, in percent, that are told of where the policy names no others. */
export const ALERT_PERCENT = [50, 80, 100] as const

/** The highest of these parts that is spent; 0 for none. */
export const partSpent = (percents: readonly number[], budgetMicroeur: number, spentMicroeur: number): number =>
  Math.max(0, ...percents.filter((percent) => spentMicroeur * 100 >= budgetMicroeur * percent))

export function assertMicroeur(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError('not a whole number of micro-euro')
}

/** Counts every call under way at its worst case, so that no order of settling can overspend. */
export function fitsBudget(budgetMicroeur: number | null, month: MonthSpending, reserveMicroeur: number): boolean {
  return budgetMicroeur === null || month.spentMicroeur + month.reservedMicroeur + reserveMicroeur <= budgetMicroeur
}
