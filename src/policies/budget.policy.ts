// Decides whether a call fits into the rest of a budget, and how many tokens a model may write for it. Finds the alert threshold
// that the spending has reached. Pure; all amounts are whole micro-euro.

export type MonthSpending = {
  spentMicroeur: number
  /** The most that running calls may cost. */
  reservedMicroeur: number
}

/** The thresholds, in percent of a budget, that are notified if the policy names no others. */
export const ALERT_PERCENT = [50, 80, 100] as const

/** The part of a budget at which members are mailed, in percent, whatever the policy says of the webhook. */
export const MAILED_PERCENT = 80

/** Returns the highest threshold, in percent, that the spending has reached; 0 for none. */
export const highestThresholdReached = (
  percents: readonly number[],
  budgetMicroeur: number,
  spentMicroeur: number,
): number => Math.max(0, ...percents.filter((percent) => spentMicroeur * 100 >= budgetMicroeur * percent))

export function assertMicroeur(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 0) throw new RangeError('not a whole number of micro-euro')
}

/** Counts every running call at its highest cost, so that no order of settling can overspend. */
export const fitsBudget = (budgetMicroeur: number | null, month: MonthSpending, reserveMicroeur: number): boolean =>
  budgetMicroeur === null || month.spentMicroeur + month.reservedMicroeur + reserveMicroeur <= budgetMicroeur

export type RequestedOutput = {
  /** The caller's own limit for each choice; null if it set none. */
  tokens: number | null
  most: number
  choices: number
  /** The price of a million tokens, rounded up. */
  microeurPerMillion: number
}

/** `maxTokens` (for each choice) must be sent to the provider, or the call could cost more than was reserved. */
type OutputLimit = { maxTokens: number; microeur: number }

const PER_MILLION = 1_000_000n

/** Returns the output limit and its highest cost. Throws RangeError for a number that is negative or not whole. */
export function decideOutputLimit(asked: RequestedOutput, defaultMaxTokens: number): OutputLimit {
  const maxTokens = Math.min(asked.tokens ?? defaultMaxTokens, asked.most)
  const cost = BigInt(maxTokens) * BigInt(asked.choices) * BigInt(asked.microeurPerMillion)
  if (cost < 0n) throw new RangeError('not a whole number of micro-euro')
  return { maxTokens, microeur: Number((cost + PER_MILLION - 1n) / PER_MILLION) }
}
