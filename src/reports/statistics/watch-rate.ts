// Compares the hourly rate of an outcome with the usual rate of the days before, by a cumulative sum.
import { addUp, rateOf, type Proportion, dispersionOf } from './proportions.ts'

export type CountedHour = Proportion & { hour: number }

/** `since`: the hour from which the sum rose to the alarm. `rate`: the rate from that hour to the alarm. */
export type Alarm = { since: number; rate: number; sum: number }

/**
 * Returns null if there is no baseline: too few calls, too few days, or a rate too high to double.
 * @param days those that have calls
 */
export function usualOf(days: readonly Proportion[]): UsualRate | null {
  const counted = addUp(days)
  const dispersion = dispersionOf([days])
  if (dispersion === null || counted.n < LEAST_BASELINE_CALLS) return null
  const usual = usualRateOf(counted)
  const raised = raisedRateOf(usual)
  return raised > usual ? { usual, raised, dispersion } : null
}

/** Returns the first alarm; null if the sum stays below the threshold. */
export function findAlarm(hours: Iterable<CountedHour>, usual: UsualRate, threshold: number): Alarm | null {
  let sum = 0
  let rise = null as CountedHour | null
  for (const { hour, ...counted } of hours) {
    sum = nextSum(sum, counted, usual)
    if (sum === 0) rise = null
    else rise = { hour: rise === null ? hour : rise.hour, ...addUp(rise === null ? [counted] : [rise, counted]) }
    if (rise !== null && sum >= threshold) return { since: rise.hour, rate: rateOf(rise), sum }
  }
  return null
}

/** A baseline needs at least this many calls. */
export const LEAST_BASELINE_CALLS = 500

/** The alarm looks for a rate that has doubled. */
const RAISED_TIMES = 2
const RAISED_AT_MOST = 0.5

export type UsualRate = { usual: number; raised: number; dispersion: number }

/** Uses Jeffreys' prior, so that the rate is above 0 even if nothing was counted. */
export const usualRateOf = ({ k, n }: Proportion): number => (k + 0.5) / (n + 1)

export const raisedRateOf = (usual: number): number => Math.min(RAISED_AT_MOST, RAISED_TIMES * usual)

/**
 * The sum after the next counts: Page's cumulative sum of the log-likelihood ratio of the raised rate, never below 0. The
 * dispersion divides it, because clustered calls would otherwise raise an alarm by themselves.
 */
export function nextSum(sum: number, { k, n }: Proportion, { usual, raised, dispersion }: UsualRate): number {
  const gain = k * Math.log(raised / usual) + (n - k) * Math.log((1 - raised) / (1 - usual))
  return Math.max(0, sum + gain / dispersion)
}

/** By Lorden's bound: about one false alarm a year over all series together, if calls are independent. */
export const alarmThreshold = (callsAYear: number, series: number): number => Math.log(callsAYear * series)
