// Tests what a comparison of groups says, and when it says nothing.
import { describe, expect, it } from 'vitest'
import { compareGroups, verdictOf, type DailyGroup } from '../../../../src/reports/statistics/compare-groups.ts'
import { pooledTest, ratioInterval, dispersionOf } from '../../../../src/reports/statistics/proportions.ts'

const DAYS = 10

/** As even over ten days as whole calls can be: the least dispersion there is. */
function evenly(group: string, k: number, n: number, days = DAYS): DailyGroup {
  const share = (total: number, day: number): number =>
    Math.floor((total * (day + 1)) / days) - Math.floor((total * day) / days)
  return { group, days: Array.from({ length: days }, (_, day) => ({ k: share(k, day), n: share(n, day) })) }
}

/** The same counts, all of them on two of ten days. */
function clustered(group: string, k: number, n: number): DailyGroup {
  const days = Array.from({ length: DAYS }, (_, day) => ({ k: day < 2 ? k / 2 : 0, n: n / DAYS }))
  return { group, days }
}

const ANSWERED = { reference: null, isFavourable: true }
const REFUSED = { reference: null, isFavourable: false }

const verdictsOf = (groups: DailyGroup[], options: Parameters<typeof compareGroups>[1] = ANSWERED) =>
  compareGroups(groups, options).comparisons.map(({ group, verdict }) => [group, verdict])

describe('groups that are compared', () => {
  it('have their difference, ratio and family as fairlearn and statsmodels tell them', () => {
    const groups = [evenly('a', 934, 1000), evenly('b', 812, 1000), evenly('c', 455, 500), evenly('d', 96, 120)]
    const report = compareGroups(groups, { reference: 'a', isFavourable: true })
    expect(report.parity.difference).toBeCloseTo(0.134, 12)
    expect(report.parity.ratio).toBeCloseTo(0.8565310492505354, 12)
    const adjusted = Object.fromEntries(report.comparisons.map(({ group, shown }) => [group, shown?.adjustedP]))
    expect(adjusted['b']).toBeCloseTo(7.652344787264576e-16, 20)
    expect(adjusted['c']).toBeCloseTo(0.09415044226671716, 12)
    expect(adjusted['d']).toBeCloseTo(5.033699430961659e-7, 15)
    expect(report.dispersion).toBe(1)
    const b = report.comparisons.find(({ group }) => group === 'b')?.shown?.differenceInterval
    expect(b?.lower).toBeCloseTo(-0.15089486540465752, 12)
    expect(b?.upper).toBeCloseTo(-0.09332996868926045, 12)
  })

  it('have the largest as their reference where none is named, and the one that is', () => {
    const groups = [evenly('few', 90, 100), evenly('many', 900, 1000), evenly('some', 450, 500)]
    expect(compareGroups(groups, ANSWERED).reference).toBe('many')
    expect(compareGroups(groups, { ...ANSWERED, reference: 'few' }).reference).toBe('few')
    expect(compareGroups(groups, { ...ANSWERED, reference: 'none' })).toMatchObject({
      reference: null,
      comparisons: [],
      parity: { verdict: 'not_enough_data' },
    })
  })

  it('are judged by the rate of what is not favourable too', () => {
    const groups = [evenly('a', 9950, 10_000), evenly('b', 960, 1000)]
    const [comparison] = compareGroups(groups, ANSWERED).comparisons
    expect(comparison?.shown?.favourable?.ratio).toBeGreaterThan(0.96)
    expect(comparison?.shown?.unfavourable?.ratio).toBeCloseTo(8, 9)
    expect(comparison?.verdict).toBe('disparity')
  })

  it('have no ratio to a rate of 0', () => {
    const { comparisons, parity } = compareGroups([evenly('a', 0, 1000), evenly('b', 40, 200)], ANSWERED)
    expect(comparisons[0]?.shown).toMatchObject({ favourable: { ratio: null }, unfavourable: { ratio: 0.8 } })
    expect(parity).toMatchObject({ difference: 0.2, ratio: 0 })
    expect(compareGroups([evenly('a', 0, 200), evenly('b', 0, 200)], ANSWERED).parity.ratio).toBeNull()
  })

  it('come to the same whichever side is counted', () => {
    const answered = compareGroups([evenly('a', 9950, 10_000), evenly('b', 960, 1000)], ANSWERED)
    const refused = compareGroups([evenly('a', 50, 10_000), evenly('b', 40, 1000)], REFUSED)
    const [one, other] = [answered.comparisons[0], refused.comparisons[0]]
    expect(other?.verdict).toBe(one?.verdict)
    expect(other?.shown?.unfavourable?.ratio).toBeCloseTo(one?.shown?.unfavourable?.ratio ?? 0, 9)
    expect(other?.shown?.difference).toBeCloseTo(-(one?.shown?.difference ?? 0), 12)
  })

  it('are within where both intervals are', () => {
    expect(verdictsOf([evenly('a', 5000, 10_000), evenly('b', 5020, 10_000)])).toEqual([['b', 'within']])
  })

  it('are uncertain where nothing is shown and nothing excluded', () => {
    expect(verdictsOf([evenly('a', 180, 200), evenly('b', 175, 200)])).toEqual([['b', 'uncertain']])
  })

  it('are not called different where the same difference comes from a day’s cluster', () => {
    const [even, inClusters] = [evenly('b', 100, 200), clustered('b', 40, 200)]
    expect(verdictsOf([evenly('a', 280, 400), even])).toEqual([['b', 'disparity']])
    expect(verdictsOf([clustered('a', 28 * 4, 400), inClusters], REFUSED)[0]?.[1]).not.toBe('disparity')
  })

  it('have their test and their intervals widened by the dispersion of the two, and the largest is told', () => {
    const [a, b, c] = [evenly('a', 250, 500), clustered('b', 40, 200), evenly('c', 60, 200)]
    const { comparisons, dispersion } = compareGroups([a, b, c], ANSWERED)
    const [one, other] = [
      { k: 40, n: 200 },
      { k: 250, n: 500 },
    ]
    const wanted = dispersionOf([a.days, b.days]) ?? 0
    expect(wanted).toBeGreaterThan(2)
    expect(dispersion).toBe(wanted)
    expect(comparisons.find(({ group }) => group === 'b')?.shown).toMatchObject({
      favourable: { interval: ratioInterval(one, other, wanted) },
      unfavourable: { interval: ratioInterval({ k: 160, n: 200 }, { k: 250, n: 500 }, wanted) },
      p: pooledTest(one, other, wanted).p,
    })
    expect(comparisons.find(({ group }) => group === 'c')?.shown?.p).toBe(pooledTest({ k: 60, n: 200 }, other, 1).p)
  })
})

describe('not enough data', () => {
  it.each([
    ['a group of 99 calls', evenly('b', 50, 99)],
    ['fewer than seven days', evenly('b', 500, 1000, 6)],
  ])('is %s', (_, group) => {
    const report = compareGroups([evenly('a', 500, 1000), group], ANSWERED)
    expect(report.comparisons).toMatchObject([
      { verdict: 'not_enough_data', shown: { p: null, adjustedP: null, favourable: null, unfavourable: null } },
    ])
    expect(report.parity.verdict).toBe('not_enough_data')
    expect(verdictsOf([evenly('a', 500, 1000), evenly('b', 50, 100, 7)])).not.toEqual([['b', 'not_enough_data']])
  })

  it('is fewer than five calls expected on the rarer side', () => {
    expect(verdictsOf([evenly('a', 9930, 10_000), evenly('b', 990, 1000)])).not.toEqual([['b', 'not_enough_data']])
    expect(verdictsOf([evenly('a', 9999, 10_000), evenly('b', 998, 1000)])).toEqual([['b', 'not_enough_data']])
    expect(verdictsOf([evenly('a', 1, 10_000), evenly('b', 2, 1000)])).toEqual([['b', 'not_enough_data']])
    const [a, four, five] = [evenly('a', 50, 1000), evenly('b', 4, 100), evenly('b', 5, 100)]
    expect(verdictsOf([a, five])).not.toEqual([['b', 'not_enough_data']])
    expect(verdictsOf([a, four], { ...ANSWERED, reference: 'b' })).toEqual([['a', 'not_enough_data']])
  })

  it('hides the counts of a group of nine calls, and whatever they could be worked out from', () => {
    const report = compareGroups([evenly('a', 500, 1000), evenly('b', 3, 9), evenly('c', 3, 10)], ANSWERED)
    expect(report.groups.map(({ group, counts }) => [group, counts?.n ?? null])).toEqual([
      ['a', 1000],
      ['c', 10],
      ['b', null],
    ])
    expect(report.comparisons.find(({ group }) => group === 'b')).toEqual({
      group: 'b',
      shown: null,
      verdict: 'not_enough_data',
    })
    const withFew = compareGroups([evenly('a', 500, 1000), evenly('b', 3, 9)], { ...ANSWERED, reference: 'b' })
    expect(withFew.comparisons).toEqual([{ group: 'a', shown: null, verdict: 'not_enough_data' }])
  })

  it('leaves a group of 99 calls out of the rates of all', () => {
    const parityWith = (n: number) => compareGroups([evenly('a', 500, 1000), evenly('b', 9, n)], ANSWERED).parity
    expect(parityWith(99)).toMatchObject({ difference: null, ratio: null })
    expect(parityWith(100)).toMatchObject({ difference: 0.5 - 0.09, ratio: 0.18 })
  })

  it('leaves a comparison out of the family', () => {
    const two = compareGroups([evenly('a', 500, 1000), evenly('b', 440, 1000)], ANSWERED)
    const three = compareGroups([evenly('a', 500, 1000), evenly('b', 440, 1000), evenly('c', 1, 50)], ANSWERED)
    expect(three.comparisons[0]?.shown?.adjustedP).toBe(two.comparisons[0]?.shown?.adjustedP)
    const large = compareGroups([evenly('a', 500, 1000), evenly('b', 440, 1000), evenly('c', 900, 2000, 6)], {
      ...ANSWERED,
      reference: 'a',
    })
    expect(large.comparisons.map(({ shown }) => shown?.adjustedP)).toEqual([null, two.comparisons[0]?.shown?.adjustedP])
  })

  it('keeps the whole from being called within, and one difference makes it a disparity', () => {
    const [a, b] = [evenly('a', 5000, 10_000), evenly('b', 5020, 10_000)]
    const verdictOfAll = (...groups: DailyGroup[]) => compareGroups(groups, ANSWERED).parity.verdict
    expect(verdictOfAll(a, b)).toBe('within')
    expect(verdictOfAll(a, b, evenly('c', 20, 50))).toBe('uncertain')
    expect(verdictOfAll(a, b, evenly('c', 200, 1000))).toBe('disparity')
    expect(verdictOfAll(a)).toBe('not_enough_data')
  })
})

describe('a verdict', () => {
  const ratio = (lower: number, upper: number) => ({ ratio: 1, interval: { lower, upper } })

  it('takes both an interval wholly outside and a difference that is no chance', () => {
    expect(verdictOf(ratio(0.5, 0.79), ratio(1.3, 2), 0.01)).toBe('disparity')
    expect(verdictOf(ratio(0.5, 0.79), ratio(1.3, 2), 0.05)).toBe('uncertain')
    expect(verdictOf(ratio(0.5, 0.81), ratio(1.2, 2), 0.01)).toBe('uncertain')
    expect(verdictOf(ratio(0.95, 1.05), ratio(1.26, 2), 0.01)).toBe('disparity')
    expect(verdictOf(ratio(0.95, 1.05), ratio(0.8, 1.25), 0.01)).toBe('within')
    expect(verdictOf(ratio(0.95, 1.05), ratio(0.7, 1.1), 1)).toBe('uncertain')
  })
})
