// Statistics of proportions of calls: intervals, the test that compares two, and dispersion. Intervals: Wilson's for a rate,
// Newcombe's for a difference (both 1998, "score"), Walter's for a ratio (adjusted logarithms).

/** `k` of `n` calls had the outcome. */
export type Proportion = { k: number; n: number }

export type Interval = { lower: number; upper: number }

export type PooledTest = { z: number; p: number }

export const rateOf = ({ k, n }: Proportion): number => k / n

/** Returns the calls without the outcome. */
export const complementOf = ({ k, n }: Proportion): Proportion => ({ k: n - k, n })

export const sumProportions = (proportions: readonly Proportion[]): Proportion =>
  proportions.reduce((sum, { k, n }) => ({ k: sum.k + k, n: sum.n + n }), { k: 0, n: 0 })

/** Returns the 95% interval of a rate; `n` is at least 1. */
export function wilsonInterval({ k, n }: Proportion): Interval {
  const [p, z2] = [k / n, Z_95 * Z_95]
  const centre = (p + z2 / (2 * n)) / (1 + z2 / n)
  const half = (Z_95 / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))
  // Exact at the ends, where rounding would leave a trace.
  return { lower: k === 0 ? 0 : centre - half, upper: k === n ? 1 : centre + half }
}

/** Returns the 95% interval of the first rate minus the second. */
export function differenceInterval(first: Proportion, second: Proportion): Interval {
  const [p1, p2] = [rateOf(first), rateOf(second)]
  const [one, other] = [wilsonInterval(first), wilsonInterval(second)]
  return {
    lower: p1 - p2 - Math.hypot(p1 - one.lower, other.upper - p2),
    upper: p1 - p2 + Math.hypot(one.upper - p1, p2 - other.lower),
  }
}

/**
 * Returns the 95% interval of the first rate divided by the second. Half a call is added to each count, because of counts of 0.
 * @param dispersion how many times more the counts vary than those of independent calls
 */
export function ratioInterval(first: Proportion, second: Proportion, dispersion: number): Interval {
  const [a, n1, b, n2] = [first.k + 0.5, first.n + 0.5, second.k + 0.5, second.n + 0.5]
  const centre = Math.log(a / n1) - Math.log(b / n2)
  const half = Z_95 * Math.sqrt(dispersion * (1 / a - 1 / n1 + 1 / b - 1 / n2))
  return { lower: Math.exp(centre - half), upper: Math.exp(centre + half) }
}

/** Tests whether two rates are the same. If all calls or none had the outcome, nothing contradicts that. */
export function pooledTest(first: Proportion, second: Proportion, dispersion: number): PooledTest {
  const pooled = (first.k + second.k) / (first.n + second.n)
  const variance = pooled * (1 - pooled) * (1 / first.n + 1 / second.n)
  if (variance === 0) return { z: 0, p: 1 }
  const z = (rateOf(first) - rateOf(second)) / Math.sqrt(dispersion * variance)
  return { z, p: twoSidedP(z) }
}

/** A normal variable lies within this many standard deviations in 95 of 100 cases. */
const Z_95 = 1.959963984540054

/** The power series converges in few terms below this value and loses no digits. The continued fraction does so above. */
const SERIES_BELOW = 2.5
const FRACTION_TERMS = 120

/** Returns the complementary error function. @param x not negative */
export function erfc(x: number): number {
  const density = Math.exp(-x * x) / Math.sqrt(Math.PI)
  if (x < SERIES_BELOW) {
    let [term, sum] = [x, x]
    for (let n = 1; term > sum * Number.EPSILON; n += 1) {
      term *= (2 * x * x) / (2 * n + 1)
      sum += term
    }
    return 1 - 2 * density * sum
  }
  let fraction = x
  for (let n = FRACTION_TERMS; n >= 1; n -= 1) fraction = x + n / 2 / fraction
  return density / fraction
}

/** Returns the probability that a normal variable is at least as far out as `z`, on either side. */
const twoSidedP = (z: number): number => erfc(Math.abs(z) / Math.SQRT2)

// Dispersion is how many times more a day's counts vary than those of independent calls. Calls of one client are not independent,
// since a refused client asks again. An interval or a test that ignores this finds differences that do not exist.

/** Fewer days do not show how days differ. */
const LEAST_DAYS = 7

/** Returns Pearson's statistic over its degrees of freedom, about the group's own rate. Null if nothing varies. */
function statisticOf(days: readonly Proportion[]): number | null {
  const p = rateOf(sumProportions(days))
  if (p === 0 || p === 1) return null
  const sum = days.reduce((total, { k, n }) => total + (k - n * p) ** 2 / (n * p * (1 - p)), 0)
  return sum / (days.length - 1)
}

/**
 * Returns the mean dispersion of the groups in which anything varies, at least 1. Null if a group has calls on too few days.
 * @param groups the days of each group that have calls
 */
export function dispersionOf(groups: readonly (readonly Proportion[])[]): number | null {
  if (groups.some((days) => days.length < LEAST_DAYS)) return null
  const statistics = groups.map(statisticOf).filter((one) => one !== null)
  if (statistics.length === 0) return 1
  return Math.max(1, statistics.reduce((sum, one) => sum + one, 0) / statistics.length)
}
