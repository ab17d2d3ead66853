// How many times more a day's counts vary than those of independent calls would. Calls of one client are not independent: a client
// that is refused asks again. An interval or a test that leaves this out finds differences where there are none.
import { addUp, rateOf, type Proportion } from './proportions.ts'

/** Fewer days say nothing of how days differ. */
export const LEAST_DAYS = 7

/** Pearson's statistic over its degrees of freedom, about the group's own rate. Null where nothing varies. */
function statisticOf(days: readonly Proportion[]): number | null {
  const p = rateOf(addUp(days))
  if (p === 0 || p === 1) return null
  const sum = days.reduce((total, { k, n }) => total + (k - n * p) ** 2 / (n * p * (1 - p)), 0)
  return sum / (days.length - 1)
}

/**
 * The mean over the groups in which anything varies, and at least 1. Null where a group has calls on too few days: how they vary
 * is not known then.
 * @param groups each of them: its days that have calls
 */
export function dispersionOf(groups: readonly (readonly Proportion[])[]): number | null {
  if (groups.some((days) => days.length < LEAST_DAYS)) return null
  const statistics = groups.map(statisticOf).filter((one) => one !== null)
  if (statistics.length === 0) return 1
  return Math.max(1, statistics.reduce((sum, one) => sum + one, 0) / statistics.length)
}
