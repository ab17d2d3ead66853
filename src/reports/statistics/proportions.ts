// Two proportions: their intervals, their ratio's, and the test of whether they differ. The interval of a rate is Wilson's, that of a
// difference Newcombe's (both 1998, "score"), that of a ratio Walter's by adjusted logarithms.
import { twoSidedP, Z_95 } from './normal.ts'

/** `k` of `n` calls had the outcome. */
export type Proportion = { k: number; n: number }

export type Interval = { lower: number; upper: number }

export type PooledTest = { z: number; p: number }

export const rateOf = ({ k, n }: Proportion): number => k / n

/** What is not `k`: where this counts what was answered, what was not. */
export const complementOf = ({ k, n }: Proportion): Proportion => ({ k: n - k, n })

export const addUp = (proportions: readonly Proportion[]): Proportion =>
  proportions.reduce((sum, { k, n }) => ({ k: sum.k + k, n: sum.n + n }), { k: 0, n: 0 })

/** Of a rate of at least one call. */
export function wilsonInterval({ k, n }: Proportion): Interval {
  const [p, z2] = [k / n, Z_95 * Z_95]
  const centre = (p + z2 / (2 * n)) / (1 + z2 / n)
  const half = (Z_95 / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n))
  // Exact at the ends, where rounding would leave a trace.
  return { lower: k === 0 ? 0 : centre - half, upper: k === n ? 1 : centre + half }
}

/** Of the first rate less the second. */
export function differenceInterval(first: Proportion, second: Proportion): Interval {
  const [p1, p2] = [rateOf(first), rateOf(second)]
  const [one, other] = [wilsonInterval(first), wilsonInterval(second)]
  return {
    lower: p1 - p2 - Math.hypot(p1 - one.lower, other.upper - p2),
    upper: p1 - p2 + Math.hypot(one.upper - p1, p2 - other.lower),
  }
}

/**
 * Of the first rate over the second. Half a call is added everywhere, so that there is an interval where a count is 0.
 * @param dispersion how many times more the counts vary than those of independent calls
 */
export function ratioInterval(first: Proportion, second: Proportion, dispersion: number): Interval {
  const [a, n1, b, n2] = [first.k + 0.5, first.n + 0.5, second.k + 0.5, second.n + 0.5]
  const centre = Math.log(a / n1) - Math.log(b / n2)
  const half = Z_95 * Math.sqrt(dispersion * (1 / a - 1 / n1 + 1 / b - 1 / n2))
  return { lower: Math.exp(centre - half), upper: Math.exp(centre + half) }
}

/** Of whether the two rates are the same: where all calls or none had the outcome, nothing speaks against it. */
export function pooledTest(first: Proportion, second: Proportion, dispersion: number): PooledTest {
  const pooled = (first.k + second.k) / (first.n + second.n)
  const variance = pooled * (1 - pooled) * (1 / first.n + 1 / second.n)
  if (variance === 0) return { z: 0, p: 1 }
  const z = (rateOf(first) - rateOf(second)) / Math.sqrt(dispersion * variance)
  return { z, p: twoSidedP(z) }
}
