// Compares two groups among like calls only, for bias detection: of the same use case, of the same model, or of both. Ratio: Mantel
// and Haenszel, with the variance of Greenland and Robins (1985). Test: Cochran, Mantel and Haenszel. Each group has its dispersion.
import {
  complementOf,
  logInterval,
  rateOf,
  sumProportions,
  sumVariances,
  testOf,
  type Interval,
  type PooledTest,
  type Proportion,
  type Spread,
} from './proportions.ts'

export const MIX_DIMENSIONS = ['use_case', 'model'] as const
export type MixDimension = (typeof MIX_DIMENSIONS)[number]

/** A group's calls of one use case and model. */
export type GroupStratum = Proportion & Readonly<Record<MixDimension, string>>

/** Like calls of both groups. */
export type Stratum = { first: Proportion; second: Proportion }

export type Spreads = { first: Spread; second: Spread }

/** Returns the strata in which both groups have calls. */
export function commonStrata(
  first: readonly GroupStratum[],
  second: readonly GroupStratum[],
  by: readonly MixDimension[],
): Stratum[] {
  const nameOf = (stratum: GroupStratum): string => JSON.stringify(by.map((dimension) => stratum[dimension]))
  const others = Map.groupBy(second, nameOf)
  return Array.from(Map.groupBy(first, nameOf), ([name, members]) => ({
    first: sumProportions(members),
    second: sumProportions(others.get(name) ?? []),
  })).filter((stratum) => stratum.first.n > 0 && stratum.second.n > 0)
}

export const complementStrata = (strata: readonly Stratum[]): Stratum[] =>
  strata.map(({ first, second }) => ({ first: complementOf(first), second: complementOf(second) }))

/** Returns the first group's rate divided by the second's, among like calls. Null if the second's is 0. */
export function adjustedRatio(
  strata: readonly Stratum[],
  spreads: Spreads,
): { ratio: number | null; interval: Interval } {
  const { numerator, denominator } = sumsOf(strata)
  return {
    ratio: denominator === 0 ? null : numerator / denominator,
    interval: adjustedInterval(withHalfCalls(strata), spreads),
  }
}

/** Adds half a call to each group, as Walter does for one stratum, in proportion to the calls of each stratum. */
function withHalfCalls(strata: readonly Stratum[]): Stratum[] {
  const totalOf = (side: keyof Stratum): number => sumProportions(strata.map((stratum) => stratum[side])).n
  const [firstCalls, secondCalls] = [totalOf('first'), totalOf('second')]
  return strata.map(({ first, second }) => ({
    first: withShare(first, firstCalls),
    second: withShare(second, secondCalls),
  }))
}

const withShare = ({ k, n }: Proportion, calls: number): Proportion => ({
  k: k + n / calls / 2,
  n: n + n / calls / 2,
})

function adjustedInterval(strata: readonly Stratum[], spreads: Spreads): Interval {
  const { numerator, denominator, spread, firstVariance, secondVariance } = sumsOf(strata)
  // Greenland and Robins give one variance. Each group's share of it is its share where the strata are large.
  const firstShare = firstVariance / numerator ** 2
  const secondShare = secondVariance / denominator ** 2
  const variance = spread / (numerator * denominator) / (firstShare + secondShare)
  const terms = [
    { ...spreads.first, variance: firstShare * variance },
    { ...spreads.second, variance: secondShare * variance },
  ]
  return logInterval(numerator / denominator, sumVariances(terms))
}

function sumsOf(strata: readonly Stratum[]) {
  const sums = { numerator: 0, denominator: 0, spread: 0, firstVariance: 0, secondVariance: 0 }
  for (const { first, second } of strata) {
    const all = first.n + second.n
    sums.numerator += (first.k * second.n) / all
    sums.denominator += (second.k * first.n) / all
    sums.spread += ((first.k + second.k) * first.n * second.n - first.k * second.k * all) / all ** 2
    sums.firstVariance += (second.n / all) ** 2 * first.n * rateOf(first) * (1 - rateOf(first))
    sums.secondVariance += (first.n / all) ** 2 * second.n * rateOf(second) * (1 - rateOf(second))
  }
  return sums
}

/** Tests whether the rates of like calls are the same. A stratum of two calls or more counts. */
export function adjustedTest(strata: readonly Stratum[], spreads: Spreads): PooledTest {
  const sums = { excess: 0, first: 0, second: 0 }
  for (const { first, second } of strata) {
    const [calls, had] = [first.n + second.n, first.k + second.k]
    const variance = (first.n * second.n * had * (calls - had)) / (calls ** 2 * (calls - 1))
    sums.excess += first.k - (first.n * had) / calls
    // The rate of the smaller group varies more, so its dispersion counts for more.
    sums.first += (variance * second.n) / calls
    sums.second += (variance * first.n) / calls
  }
  const terms = [
    { ...spreads.first, variance: sums.first },
    { ...spreads.second, variance: sums.second },
  ]
  return testOf(sums.excess, sumVariances(terms))
}

/** Returns how many calls of either kind each group would have if like calls had like rates: the least of the four. */
export function leastExpected(strata: readonly Stratum[]): number {
  const expected = (side: keyof Stratum, isOutcome: boolean): number =>
    strata.reduce((sum, stratum) => {
      const { k, n } = sumProportions([stratum.first, stratum.second])
      return sum + (stratum[side].n * (isOutcome ? k : n - k)) / n
    }, 0)
  return Math.min(...[true, false].flatMap((is) => [expected('first', is), expected('second', is)]))
}
