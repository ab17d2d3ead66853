// Page's cumulative sum for a rate that has risen: the log-likelihood ratio of the raised rate against the usual one, added up and
// never below 0. Divided by the dispersion, or calls that come in clusters raise an alarm by themselves.
import type { Proportion } from './proportions.ts'

/** A baseline of fewer calls does not say what is usual. */
export const LEAST_BASELINE_CALLS = 500

/** A rate that has doubled is looked for. */
const RAISED_TIMES = 2
const RAISED_AT_MOST = 0.5

export type UsualRate = { usual: number; raised: number; dispersion: number }

/** By Jeffreys' prior: not 0 where nothing was counted. */
export const usualRateOf = ({ k, n }: Proportion): number => (k + 0.5) / (n + 1)

export const raisedRateOf = (usual: number): number => Math.min(RAISED_AT_MOST, RAISED_TIMES * usual)

/** The sum after what was counted next. */
export function nextSum(sum: number, { k, n }: Proportion, { usual, raised, dispersion }: UsualRate): number {
  const gain = k * Math.log(raised / usual) + (n - k) * Math.log((1 - raised) / (1 - usual))
  return Math.max(0, sum + gain / dispersion)
}

/** By Lorden's bound, about one false alarm a year over all series together, where calls are independent. */
export const alarmThreshold = (callsAYear: number, series: number): number => Math.log(callsAYear * series)
