// Compares an outcome between groups of calls for bias detection: each group with one reference group. It compares the favourable
// rates and the unfavourable ones: near 100%, the first ratio hides a difference that the second shows. It compares like calls too
// (adjust-for-mix.ts), because groups may differ only in what they are used for.
import {
  adjustedRatio,
  adjustedTest,
  commonStrata,
  complementStrata,
  leastExpected,
  type GroupStratum,
  type MixDimension,
} from './adjust-for-mix.ts'
import {
  sumProportions,
  complementOf,
  differenceInterval,
  INDEPENDENT,
  pooledTest,
  rateOf,
  ratioInterval,
  wilsonInterval,
  type Interval,
  type Proportion,
  type Spread,
  type SpreadProportion,
  spreadOf,
} from './proportions.ts'

/**
 * The verdicts of a comparison. `explained`: the groups differ, and like calls do not. `uncertain`: no difference was shown, and
 * none was excluded.
 */
export const VERDICTS = ['not_enough_data', 'disparity', 'explained', 'within', 'uncertain'] as const
export type Verdict = (typeof VERDICTS)[number]

/** Why like calls were not compared. `too_few_like_calls`: too few calls of both groups are alike. */
export const UNADJUSTED_REASONS = ['too_few_calls', 'too_few_like_calls', 'too_many_counts'] as const
export type UnadjustedReason = (typeof UNADJUSTED_REASONS)[number]

/** A group with fewer calls shows no counts, because they may be those of one person. */
export const LEAST_SHOWN_CALLS = 10
const LEAST_CALLS = 100
const LEAST_EXPECTED = 5
/** The share of a group's calls that need like calls in the reference group. */
const LEAST_LIKE_SHARE = 0.8
/** A difference is explained if at most this share of it is left among like calls, on a logarithmic scale. */
const MOST_LEFT = 0.5

/** The four-fifths rule, and its inverse. */
const RATIO_WITHIN: Interval = { lower: 0.8, upper: 1.25 }
/** The accepted share of wrong ones among the differences found. */
const FALSE_DISCOVERY_RATE = 0.05

/** `days`: the days with calls of the group. `strata`: its calls by what they are used for; null if they were not read. */
export type DailyGroup = { group: string; days: readonly Proportion[]; strata: readonly GroupStratum[] | null }

/** `counts`: null if the group has too few calls to show them. `dispersion`: null if it has too few days. */
export type ShownGroup = {
  group: string
  counts: (Proportion & { rate: number; interval: Interval; dispersion: number | null }) | null
}

export type Ratio = { ratio: number | null; interval: Interval }

/** A comparison of like calls. `verdict`: its own. */
export type Adjustment = {
  by: readonly MixDimension[]
  strata: number
  favourable: Ratio
  unfavourable: Ratio
  p: number
  adjustedP: number
  verdict: Verdict
}

/** `shown`: null if a group shows no counts. `p`: null if there are too few calls for a test. */
export type Comparison = {
  group: string
  adjustment: Adjustment | UnadjustedReason
  /** The dimensions that explain the difference; empty unless the verdict is `explained`. */
  explainedBy: readonly MixDimension[]
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
  groups: ShownGroup[]
  comparisons: Comparison[]
  parity: Parity
}

/** `spread`: null if the group has too few days. */
type GroupSums = {
  group: string
  favourable: Proportion
  counted: Proportion
  spread: Spread | null
  favourableStrata: readonly GroupStratum[] | null
}

/** Favourable and unfavourable calls of two groups, measured before p is adjusted for all comparisons together. */
type Measured = { favourable: Ratio; unfavourable: Ratio; p: number }
type MeasuredMix = Measured & { by: readonly MixDimension[]; strata: number }

/** A group and its reference group. `measured`: null if there are too few calls. */
type GroupPair = {
  first: GroupSums
  second: GroupSums
  measured: Measured | null
  mixes: readonly MeasuredMix[]
}

type ComparisonOptions = {
  /** The group that the others are compared with; null for the largest. */
  reference: string | null
  /** Whether callers want the counted outcome. */
  isFavourable: boolean
  /** What like calls have in common: not what the groups are made by. */
  mix: readonly MixDimension[]
}

export function compareGroups(groups: readonly DailyGroup[], options: ComparisonOptions): ParityReport {
  const { reference, isFavourable, mix } = options
  const sums = groups.map((group) => sumsOf(group, isFavourable)).toSorted(largestFirst)
  const second = sums.find(({ group }) => reference === null || group === reference)
  const pairs =
    second === undefined ? [] : sums.filter((one) => one !== second).map((first) => pairOf(first, second, mix))
  const tested = pairs.filter(({ measured }) => measured !== null)
  const adjusted = adjustPValues(tested.map(({ measured }) => measured?.p ?? 1))
  const mixes = judgeMixes(pairs.flatMap((pair) => pair.mixes))
  const comparisons = pairs.map((pair) => comparisonOf(pair, adjusted[tested.indexOf(pair)] ?? null, mixes))
  return {
    reference: second?.group ?? null,
    groups: sums.map(({ group, counted, spread }) => ({
      group,
      counts: isShown(counted) ? countsOf(counted, spread) : null,
    })),
    comparisons,
    parity: parityOf(sums, comparisons),
  }
}

function sumsOf({ group, days, strata }: DailyGroup, isFavourable: boolean): GroupSums {
  const counted = sumProportions(days)
  const favourableOf = <Counted extends Proportion>(one: Counted): Counted =>
    isFavourable ? one : { ...one, ...complementOf(one) }
  return {
    group,
    counted,
    favourable: favourableOf(counted),
    spread: spreadOf(days),
    favourableStrata: strata?.map(favourableOf) ?? null,
  }
}

const largestFirst = (one: GroupSums, other: GroupSums): number =>
  other.counted.n - one.counted.n || (one.group < other.group ? -1 : 1)

const isShown = ({ n }: Proportion): boolean => n >= LEAST_SHOWN_CALLS

function countsOf(counted: Proportion, spread: Spread | null) {
  const interval = wilsonInterval({ ...counted, ...(spread ?? INDEPENDENT) })
  return { ...counted, rate: rateOf(counted), interval, dispersion: spread?.dispersion ?? null }
}

function pairOf(first: GroupSums, second: GroupSums, mix: readonly MixDimension[]): GroupPair {
  if (first.spread === null || second.spread === null || !hasEnoughCalls(first.counted, second.counted))
    return { first, second, measured: null, mixes: [] }
  const [one, other] = [
    { ...first.favourable, ...first.spread },
    { ...second.favourable, ...second.spread },
  ]
  const measured = {
    favourable: ratioOf(one, other),
    unfavourable: ratioOf({ ...one, ...complementOf(one) }, { ...other, ...complementOf(other) }),
    p: pooledTest(one, other).p,
  }
  const spreads = { first: first.spread, second: second.spread }
  return { first, second, measured, mixes: mixesOf(mix).flatMap((by) => measureMix(first, second, by, spreads) ?? []) }
}

/** Returns each dimension alone, then all together. */
const mixesOf = (mix: readonly MixDimension[]): (readonly MixDimension[])[] =>
  mix.length > 1 ? [...mix.map((dimension) => [dimension]), mix] : [mix]

/** Returns null if too few calls of both groups are alike. */
function measureMix(
  { favourableStrata: first }: GroupSums,
  { favourableStrata: second }: GroupSums,
  by: readonly MixDimension[],
  spreads: Readonly<Record<'first' | 'second', Spread>>,
): MeasuredMix | null {
  if (first === null || second === null) return null
  const strata = commonStrata(first, second, by)
  const [one, other] = [sumProportions(strata.map((all) => all.first)), sumProportions(strata.map((all) => all.second))]
  const hasEnough =
    Math.min(one.n, other.n) >= LEAST_CALLS &&
    one.n >= LEAST_LIKE_SHARE * sumProportions(first).n &&
    leastExpected(strata) >= LEAST_EXPECTED
  if (!hasEnough) return null
  return {
    by,
    strata: strata.length,
    favourable: adjustedRatio(strata, spreads),
    unfavourable: adjustedRatio(complementStrata(strata), spreads),
    p: adjustedTest(strata, spreads).p,
  }
}

/** Judges comparisons of like calls. Those of the same dimensions are a family of tests. */
function judgeMixes(mixes: readonly MeasuredMix[]): Map<MeasuredMix, Adjustment> {
  const families = Map.groupBy(mixes, ({ by }) => by.join(' '))
  const judged = [...families.values()].flatMap((family) => {
    const adjusted = adjustPValues(family.map(({ p }) => p))
    return family.map((measured, index): [MeasuredMix, Adjustment] => {
      const adjustedP = adjusted[index] ?? 1
      const verdict = verdictOf(measured.favourable, measured.unfavourable, adjustedP)
      return [measured, { ...measured, adjustedP, verdict }]
    })
  })
  return new Map(judged)
}

/** Returns true if both groups have enough calls, and the test expects enough of either outcome in each. */
function hasEnoughCalls(first: Proportion, second: Proportion): boolean {
  const pooled = (first.k + second.k) / (first.n + second.n)
  const rarer = Math.min(pooled, 1 - pooled)
  return [first, second].every(({ n }) => n >= LEAST_CALLS && n * rarer >= LEAST_EXPECTED)
}

const ratioOf = (first: SpreadProportion, second: SpreadProportion): Ratio => ({
  ratio: second.k === 0 ? null : rateOf(first) / rateOf(second),
  interval: ratioInterval(first, second),
})

function comparisonOf(
  { first, second, measured, mixes }: GroupPair,
  adjustedP: number | null,
  judged: ReadonlyMap<MeasuredMix, Adjustment>,
): Comparison {
  const { favourable = null, unfavourable = null, p = null } = measured ?? {}
  const crude = verdictOf(favourable, unfavourable, adjustedP)
  const adjustments = mixes.flatMap((mix) => judged.get(mix) ?? [])
  const isRead = first.favourableStrata !== null && second.favourableStrata !== null
  const [one, other] = [withSpread(first), withSpread(second)]
  return {
    group: first.group,
    shown:
      isShown(one) && isShown(other)
        ? {
            difference: rateOf(one) - rateOf(other),
            differenceInterval: differenceInterval(one, other),
            favourable,
            unfavourable,
            p,
            adjustedP,
          }
        : null,
    ...judge(crude, measured, adjustments, isRead),
  }
}

const withSpread = ({ counted, spread }: GroupSums): SpreadProportion => ({ ...counted, ...(spread ?? INDEPENDENT) })

/** Decides with the comparisons of like calls. */
function judge(
  crude: Verdict,
  measured: Measured | null,
  adjustments: readonly Adjustment[],
  isRead: boolean,
): Pick<Comparison, 'adjustment' | 'explainedBy' | 'verdict'> {
  const [first, ...others] = adjustments
  if (measured === null || first === undefined) {
    const reason = measured === null ? 'too_few_calls' : isRead ? 'too_few_like_calls' : 'too_many_counts'
    return { adjustment: reason, explainedBy: [], verdict: crude }
  }
  const closest = others.reduce((most, one) => (one.by.length > most.by.length ? one : most), first)
  // The mix may hide a difference, too.
  if (closest.verdict === 'disparity') return { adjustment: closest, explainedBy: [], verdict: 'disparity' }
  const explaining = crude === 'disparity' ? adjustments.filter((one) => isExplainedBy(measured, one)) : []
  const [adjustment] = explaining
  if (adjustment === undefined) return { adjustment: closest, explainedBy: [], verdict: crude }
  const alone = explaining.filter(({ by }) => by.length === 1).flatMap(({ by }) => by)
  return { adjustment, explainedBy: alone.length === 0 ? adjustment.by : alone, verdict: 'explained' }
}

/** Returns true if like calls show no difference, and most of the difference is gone. Fewer calls alone would show none either. */
function isExplainedBy(measured: Measured, adjustment: Adjustment): boolean {
  if (adjustment.verdict === 'disparity') return false
  return (['favourable', 'unfavourable'] as const).every((side) => {
    const [before, after] = [centreOf(measured[side]), centreOf(adjustment[side])]
    return !isOutside(measured[side].interval) || Math.abs(after) <= MOST_LEFT * Math.abs(before)
  })
}

/** Returns the logarithm of a ratio, from its interval: the ratio itself may be 0 or unknown. */
const centreOf = ({ interval: { lower, upper } }: Ratio): number => (Math.log(lower) + Math.log(upper)) / 2

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
  if (verdicts.includes('explained')) return 'explained'
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
