// Compares an outcome between groups of calls for bias detection: each group with one reference group. It compares the favourable
// rates and the unfavourable ones: near 100%, the first ratio hides a difference that the second shows.
import {
  sumProportions,
  complementOf,
  differenceInterval,
  pooledTest,
  rateOf,
  ratioInterval,
  wilsonInterval,
  type Interval,
  type Proportion,
  dispersionOf,
} from './proportions.ts'

export const GROUPINGS = ['cohort', 'key', 'model', 'use_case'] as const
export type Grouping = (typeof GROUPINGS)[number]

export const OUTCOMES = ['answered', 'refused', 'held', 'blocked', 'suppressed', 'failed', 'approved'] as const
export type Outcome = (typeof OUTCOMES)[number]

/** The verdicts of a comparison. `uncertain`: no difference was shown, and none was excluded. */
export const VERDICTS = ['not_enough_data', 'disparity', 'within', 'uncertain'] as const
export type Verdict = (typeof VERDICTS)[number]

/** A group with fewer calls shows no counts, because they may be those of one person. */
export const LEAST_SHOWN_CALLS = 10
const LEAST_CALLS = 100
const LEAST_EXPECTED = 5

/** The four-fifths rule, and its inverse. */
const RATIO_WITHIN: Interval = { lower: 0.8, upper: 1.25 }
/** The accepted share of wrong ones among the differences found. */
const FALSE_DISCOVERY_RATE = 0.05

/** `days`: the days with calls of the group. */
export type DailyGroup = { group: string; days: readonly Proportion[] }

/** `counts`: null if the group has too few calls to show them. */
export type ShownGroup = { group: string; counts: (Proportion & { rate: number; interval: Interval }) | null }

export type Ratio = { ratio: number | null; interval: Interval }

/** `shown`: null if a group shows no counts. `p`: null if there are too few calls for a test. */
export type Comparison = {
  group: string
  shown: {
    difference: number
    differenceInterval: Interval
    favourable: Ratio | null
    unfavourable: Ratio | null
    p: number | null
    adjustedP: number | null
  } | null
  verdict: Verdict
}

export type Parity = { difference: number | null; ratio: number | null; verdict: Verdict }

export type ParityReport = {
  reference: string | null
  /** The largest dispersion that a comparison used; null if none used one. */
  dispersion: number | null
  groups: ShownGroup[]
  comparisons: Comparison[]
  parity: Parity
}

type GroupSums = { group: string; days: readonly Proportion[]; favourable: Proportion; counted: Proportion }

/** A group and its reference group, measured before p is adjusted for all comparisons together. */
type GroupPair = {
  first: GroupSums
  second: GroupSums
  dispersion: number | null
  favourable: Ratio | null
  unfavourable: Ratio | null
  p: number | null
}

/**
 * Compares every group with the reference group.
 * @param reference the group that the others are compared with; null for the largest
 * @param isFavourable whether callers want the counted outcome
 */
export function compareGroups(
  groups: readonly DailyGroup[],
  { reference, isFavourable }: { reference: string | null; isFavourable: boolean },
): ParityReport {
  const sums = groups.map((group) => sumsOf(group, isFavourable)).toSorted(largestFirst)
  const second = sums.find(({ group }) => reference === null || group === reference)
  const pairs = second === undefined ? [] : sums.filter((one) => one !== second).map((first) => pairOf(first, second))
  const tested = pairs.filter(({ p }) => p !== null)
  const adjusted = adjustPValues(tested.map(({ p }) => p ?? 1))
  const comparisons = pairs.map((pair) => comparisonOf(pair, adjusted[tested.indexOf(pair)] ?? null))
  return {
    reference: second?.group ?? null,
    dispersion: tested.reduce<number | null>((most, { dispersion }) => Math.max(most ?? 1, dispersion ?? 1), null),
    groups: sums.map(({ group, counted }) => ({ group, counts: isShown(counted) ? countsOf(counted) : null })),
    comparisons,
    parity: parityOf(sums, comparisons),
  }
}

function sumsOf({ group, days }: DailyGroup, isFavourable: boolean): GroupSums {
  const counted = sumProportions(days)
  return { group, days, counted, favourable: isFavourable ? counted : complementOf(counted) }
}

const largestFirst = (one: GroupSums, other: GroupSums): number =>
  other.counted.n - one.counted.n || (one.group < other.group ? -1 : 1)

const isShown = ({ n }: Proportion): boolean => n >= LEAST_SHOWN_CALLS

const countsOf = (counted: Proportion) => ({ ...counted, rate: rateOf(counted), interval: wilsonInterval(counted) })

function pairOf(first: GroupSums, second: GroupSums): GroupPair {
  const measured = dispersionOf([first.days, second.days])
  const dispersion = hasEnoughCalls(first.counted, second.counted) ? measured : null
  const [one, other] = [first.favourable, second.favourable]
  return {
    first,
    second,
    dispersion,
    favourable: dispersion === null ? null : ratioOf(one, other, dispersion),
    unfavourable: dispersion === null ? null : ratioOf(complementOf(one), complementOf(other), dispersion),
    p: dispersion === null ? null : pooledTest(one, other, dispersion).p,
  }
}

/** Returns true if both groups have enough calls, and the test expects enough of either outcome in each. */
function hasEnoughCalls(first: Proportion, second: Proportion): boolean {
  const pooled = (first.k + second.k) / (first.n + second.n)
  const rarer = Math.min(pooled, 1 - pooled)
  return [first, second].every(({ n }) => n >= LEAST_CALLS && n * rarer >= LEAST_EXPECTED)
}

const ratioOf = (first: Proportion, second: Proportion, dispersion: number): Ratio => ({
  ratio: second.k === 0 ? null : rateOf(first) / rateOf(second),
  interval: ratioInterval(first, second, dispersion),
})

function comparisonOf({ first, second, favourable, unfavourable, p }: GroupPair, adjustedP: number | null) {
  const isBothShown = isShown(first.counted) && isShown(second.counted)
  return {
    group: first.group,
    shown: isBothShown
      ? {
          difference: rateOf(first.counted) - rateOf(second.counted),
          differenceInterval: differenceInterval(first.counted, second.counted),
          favourable,
          unfavourable,
          p,
          adjustedP,
        }
      : null,
    verdict: verdictOf(favourable, unfavourable, adjustedP),
  }
}

/** Returns the verdict. Each argument is null if there are too few calls for it. */
export function verdictOf(favourable: Ratio | null, unfavourable: Ratio | null, adjustedP: number | null): Verdict {
  if (favourable === null || unfavourable === null || adjustedP === null) return 'not_enough_data'
  const both = [favourable.interval, unfavourable.interval]
  if (both.some(isOutside) && adjustedP < FALSE_DISCOVERY_RATE) return 'disparity'
  return both.every(isInside) ? 'within' : 'uncertain'
}

const isOutside = ({ lower, upper }: Interval): boolean => upper < RATIO_WITHIN.lower || lower > RATIO_WITHIN.upper

const isInside = ({ lower, upper }: Interval): boolean => lower >= RATIO_WITHIN.lower && upper <= RATIO_WITHIN.upper

/** Returns the largest difference and the smallest ratio of favourable rates between any two groups with enough calls. */
function parityOf(sums: readonly GroupSums[], comparisons: readonly Comparison[]): Parity {
  const rates = sums.filter(({ counted }) => counted.n >= LEAST_CALLS).map(({ favourable }) => rateOf(favourable))
  const verdict = verdictOfAll(comparisons.map((one) => one.verdict))
  if (rates.length < 2) return { difference: null, ratio: null, verdict }
  const [least, most] = [Math.min(...rates), Math.max(...rates)]
  return { difference: most - least, ratio: most === 0 ? null : least / most, verdict }
}

/** Returns `within` only if every comparison is. */
function verdictOfAll(verdicts: readonly Verdict[]): Verdict {
  if (verdicts.includes('disparity')) return 'disparity'
  if (verdicts.every((verdict) => verdict === 'not_enough_data')) return 'not_enough_data'
  return verdicts.every((verdict) => verdict === 'within') ? 'within' : 'uncertain'
}

/**
 * Returns Benjamini and Hochberg's adjustment, in the order of `values`. Comparisons with an adjusted p below q are called
 * different. The expected share of wrong ones among these is at most q.
 */
export function adjustPValues(values: readonly number[]): number[] {
  const adjusted = Array.from<number>({ length: values.length })
  const descending = values.map((p, index) => ({ p, index })).toSorted((one, other) => other.p - one.p)
  let least = 1
  for (const [rank, { p, index }] of descending.entries()) {
    least = Math.min(least, (p * values.length) / (values.length - rank))
    adjusted[index] = least
  }
  return adjusted
}
