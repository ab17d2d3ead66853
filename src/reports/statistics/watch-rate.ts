// Watches the rate of an outcome hour by hour against what was usual in the days before, by a cumulative sum.
import { LEAST_BASELINE_CALLS, nextSum, raisedRateOf, usualRateOf, type UsualRate } from './cusum.ts'
import { dispersionOf } from './dispersion.ts'
import { addUp, rateOf, type Proportion } from './proportions.ts'

export type CountedHour = Proportion & { hour: number }

/** `since`: the hour from which on the sum rose to the alarm. `rate`: of the hours from then to the alarm. */
export type Alarm = { since: number; rate: number; sum: number }

/**
 * Null where the days do not say what is usual: too few calls, too few days, or a rate so high that it cannot double.
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

/** The first there is; null where the sum stays below the threshold. */
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
