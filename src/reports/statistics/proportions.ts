// Statistics of proportions of calls: intervals, the test that compares two, and dispersion. Intervals: Wilson's for a rate,
// Newcombe's for a difference (both 1998, "score"), Walter's for a ratio (adjusted logarithms). Each group has its own dispersion.
import { quantile95, twoSidedP, Z_95 } from './distributions.ts'

/** `k` of `n` calls had the outcome. */
export type Proportion = { k: number; n: number }

export type Interval = { lower: number; upper: number }

export type PooledTest = { z: number; p: number }

export const rateOf = ({ k, n }: Proportion): number => k / n

/** Returns the calls without the outcome. */
export const complementOf = ({ k, n }: Proportion): Proportion => ({ k: n - k, n })

export const sumProportions = (proportions: readonly Proportion[]): Proportion =>
  proportions.reduce((sum, { k, n }) => ({ k: sum.k + k, n: sum.n + n }), { k: 0, n: 0 })

/**
 * How much a group's counts vary. `dispersion`: how many times more than those of independent calls. `freedom`: the degrees of
 * freedom that it was estimated with.
 */
export type Spread = { dispersion: number; freedom: number }

export type SpreadProportion = Proportion & Spread

export const INDEPENDENT: Spread = { dispersion: 1, freedom: Infinity }

/** Returns the 95% interval of a rate; `n` is at least 1. The dispersion divides the calls. */
export function wilsonInterval({ k, n: calls, dispersion }: SpreadProportion): Interval {
  const n = calls / dispersion
  const [p, z2] = [k / calls, Z_95 * Z_95]
  const centre = (p + z2 / (2 * n)) / (1 + z2 / n)
  const half = (Z_95 / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))
  // Exact at the ends, where rounding would leave a trace.
  return { lower: k === 0 ? 0 : centre - half, upper: k === calls ? 1 : centre + half }
}

/** Returns the 95% interval of the first rate minus the second. */
export function differenceInterval(first: SpreadProportion, second: SpreadProportion): Interval {
  const [p1, p2] = [rateOf(first), rateOf(second)]
  const [one, other] = [wilsonInterval(first), wilsonInterval(second)]
  return {
    lower: p1 - p2 - Math.hypot(p1 - one.lower, other.upper - p2),
    upper: p1 - p2 + Math.hypot(one.upper - p1, p2 - other.lower),
  }
}

/** Returns the 95% interval of the first rate divided by the second. Half a call is added to each count, because of counts of 0. */
export function ratioInterval(first: SpreadProportion, second: SpreadProportion): Interval {
  const [a, n1, b, n2] = [first.k + 0.5, first.n + 0.5, second.k + 0.5, second.n + 0.5]
  const terms = [
    { ...first, variance: 1 / a - 1 / n1 },
    { ...second, variance: 1 / b - 1 / n2 },
  ]
  return logInterval((a / n1) * (n2 / b), sumVariances(terms))
}

/** Tests whether two rates are the same. If all calls or none had the outcome, nothing contradicts that. */
export function pooledTest(first: SpreadProportion, second: SpreadProportion): PooledTest {
  const pooled = (first.k + second.k) / (first.n + second.n)
  const variance = pooled * (1 - pooled)
  const terms = [
    { ...first, variance: variance / first.n },
    { ...second, variance: variance / second.n },
  ]
  return testOf(rateOf(first) - rateOf(second), sumVariances(terms))
}

type Variance = { variance: number; freedom: number }

/** Adds the variances of independent groups, each times its dispersion. Degrees of freedom: Welch and Satterthwaite. */
export function sumVariances(groups: readonly (Spread & { variance: number })[]): Variance {
  const terms = groups.map(({ variance, dispersion, freedom }) => ({ term: variance * dispersion, freedom }))
  const variance = terms.reduce((sum, { term }) => sum + term, 0)
  const uncertainty = terms.reduce((sum, { term, freedom }) => sum + term ** 2 / freedom, 0)
  return { variance, freedom: uncertainty === 0 ? Infinity : variance ** 2 / uncertainty }
}

export function logInterval(ratio: number, { variance, freedom }: Variance): Interval {
  const half = quantile95(freedom) * Math.sqrt(variance)
  return { lower: ratio * Math.exp(-half), upper: ratio * Math.exp(half) }
}

export function testOf(difference: number, { variance, freedom }: Variance): PooledTest {
  if (variance === 0) return { z: 0, p: 1 }
  const z = difference / Math.sqrt(variance)
  return { z, p: twoSidedP(z, freedom) }
}

// Dispersion is how many times more a day's counts vary than those of independent calls. Calls of one client are not independent,
// since a refused client asks again. An interval or a test that ignores this finds differences that do not exist.

/** Fewer days do not show how days differ. */
const LEAST_DAYS = 7

/** Days on which all calls ended alike do not show the dispersion, so a moderate one is assumed. */
const ASSUMED_DISPERSION = 2

/**
 * Returns a group's dispersion, at least 1: Pearson's statistic of its days about its own rate, over its degrees of freedom. Null
 * if there are too few days with calls.
 */
export function spreadOf(all: readonly Proportion[]): Spread | null {
  // A day of the usage may have only calls that wait for a person, which are not counted.
  const days = all.filter(({ n }) => n > 0)
  if (days.length < LEAST_DAYS) return null
  const counted = sumProportions(days)
  const p = rateOf(counted)
  if (p === 0 || p === 1) return { dispersion: ASSUMED_DISPERSION, freedom: Infinity }
  const sum = days.reduce((total, { k, n }) => total + (k - n * p) ** 2 / (n * p * (1 - p)), 0)
  // Days without the rarer outcome hardly show how it clusters.
  const showing = days.filter(({ k, n }) => (2 * counted.k < counted.n ? k > 0 : k < n)).length
  return { dispersion: Math.max(1, sum / (days.length - 1)), freedom: Math.max(1, showing - 1) }
}
