// Tests what a comparison of groups says, and when it says nothing.
import { describe, expect, it } from 'vitest'
import { compareGroups, verdictOf, type DailyGroup } from '../../../../src/reports/statistics/compare-groups.ts'
import {
  complementOf,
  pooledTest,
  ratioInterval,
  spreadOf,
  sumProportions,
} from '../../../../src/reports/statistics/proportions.ts'

const DAYS = 10

/** As even over ten days as whole calls can be: the least dispersion there is. */
function evenly(group: string, k: number, n: number, days = DAYS): DailyGroup {
  const share = (total: number, day: number): number =>
    Math.floor((total * (day + 1)) / days) - Math.floor((total * day) / days)
  return { group, days: Array.from({ length: days }, (_, day) => ({ k: share(k, day), n: share(n, day) })), strata: [] }
}

/** The same counts, all of them on two of ten days. */
function clustered(group: string, k: number, n: number): DailyGroup {
  const days = Array.from({ length: DAYS }, (_, day) => ({ k: day < 2 ? k / 2 : 0, n: n / DAYS }))
  return { group, days, strata: [] }
}

const MIX = ['use_case', 'model'] as const
const ANSWERED = { reference: null, isFavourable: true, mix: MIX }
const REFUSED = { reference: null, isFavourable: false, mix: MIX }

const verdictsOf = (groups: DailyGroup[], options: Parameters<typeof compareGroups>[1] = ANSWERED) =>
  compareGroups(groups, options).comparisons.map(({ group, verdict }) => [group, verdict])

describe('groups that are compared', () => {
  it('have their difference, ratio and family as fairlearn and statsmodels tell them', () => {
    const groups = [evenly('a', 934, 1000), evenly('b', 812, 1000), evenly('c', 455, 500), evenly('d', 96, 120)]
    const report = compareGroups(groups, { ...ANSWERED, reference: 'a' })
    expect(report.parity.difference).toBeCloseTo(0.134, 12)
    expect(report.parity.ratio).toBeCloseTo(0.8565310492505354, 12)
    const adjusted = Object.fromEntries(report.comparisons.map(({ group, shown }) => [group, shown?.adjustedP]))
    // Computed with scipy's t of Welch's degrees of freedom, nine for each group.
    expect(adjusted['b']).toBeCloseTo(5.2282203598e-7, 15)
    expect(adjusted['c']).toBeCloseTo(0.11334570239826328, 12)
    expect(adjusted['d']).toBeCloseTo(4.9568135994e-4, 12)
    expect(report.groups.map(({ counts }) => counts?.dispersion)).toEqual([1, 1, 1, 1])
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

  it('have their test and their intervals widened by the dispersion of each, and it is told', () => {
    const [a, b] = [evenly('a', 250, 500), clustered('b', 40, 200)]
    const report = compareGroups([a, b], ANSWERED)
    const [even, inClusters] = [a, b].map(({ days }) => {
      const spread = spreadOf(days) ?? expect.fail('seven days show it')
      return Object.assign(sumProportions(days), spread)
    })
    if (even === undefined || inClusters === undefined) throw new Error('there are two groups')
    expect(inClusters.dispersion).toBeGreaterThan(2)
    expect(report.groups.map(({ counts }) => counts?.dispersion)).toEqual([1, inClusters.dispersion])
    const complement = (one: typeof even) => ({ ...one, ...complementOf(one) })
    expect(report.comparisons[0]?.shown).toMatchObject({
      favourable: { interval: ratioInterval(inClusters, even) },
      unfavourable: { interval: ratioInterval(complement(inClusters), complement(even)) },
      p: pooledTest(inClusters, even).p,
    })
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
      adjustment: 'too_few_calls',
      explainedBy: [],
      verdict: 'not_enough_data',
    })
    const withFew = compareGroups([evenly('a', 500, 1000), evenly('b', 3, 9)], { ...ANSWERED, reference: 'b' })
    expect(withFew.comparisons).toMatchObject([{ group: 'a', shown: null, verdict: 'not_enough_data' }])
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

type Use = readonly [useCase: string, model: string, k: number, n: number]

/** A group whose calls are used for different things, as even over ten days as can be. */
function used(group: string, ...uses: Use[]): DailyGroup {
  const { k, n } = sumProportions(uses.map(([, , had, calls]) => ({ k: had, n: calls })))
  const strata = uses.map(([useCase, model, had, calls]) => ({ use_case: useCase, model, k: had, n: calls }))
  return { ...evenly(group, k, n), strata }
}

const withStrata = (group: DailyGroup, strata: DailyGroup['strata']): DailyGroup => ({ ...group, strata })

const judge = (groups: DailyGroup[], options = ANSWERED) => {
  const [comparison] = compareGroups(groups, options).comparisons
  return comparison ?? expect.fail('there are two groups')
}

/** Of letters 70% are answered, of notes 98%. Group b writes mostly letters. */
const NOTES = [
  used('a', ['letters', 'm', 210, 300], ['notes', 'm', 2646, 2700]),
  used('b', ['letters', 'm', 560, 800], ['notes', 'm', 196, 200]),
]

describe('like calls', () => {
  it('explain a difference that they do not show, by what they have in common', () => {
    const comparison = judge(NOTES)
    expect(comparison).toMatchObject({
      verdict: 'explained',
      explainedBy: ['use_case'],
      adjustment: { by: ['use_case'], verdict: 'within', strata: 2 },
    })
    expect(comparison.shown?.unfavourable?.ratio).toBeGreaterThan(5)
    expect(compareGroups(NOTES, ANSWERED).parity.verdict).toBe('explained')
    expect(compareGroups([...NOTES, evenly('c', 100, 200)], ANSWERED).parity.verdict).toBe('disparity')
  })

  it('explain it by both dimensions where neither suffices alone', () => {
    const both = judge([
      used('a', ['u', 'm', 990, 1000], ['v', 'n', 990, 1000], ['u', 'n', 70, 100], ['v', 'm', 70, 100]),
      used('b', ['u', 'm', 99, 100], ['v', 'n', 99, 100], ['u', 'n', 350, 500], ['v', 'm', 350, 500]),
    ])
    expect(both).toMatchObject({
      verdict: 'explained',
      explainedBy: ['use_case', 'model'],
      adjustment: { by: ['use_case', 'model'] },
    })
  })

  it('show a difference that the mix hides', () => {
    const hidden = [
      used('a', ['letters', 'm', 1350, 1500], ['notes', 'm', 1485, 1500]),
      used('b', ['letters', 'm', 68, 100], ['notes', 'm', 878, 900]),
    ]
    const withoutMix = judge(hidden.map((group) => withStrata(group, [])))
    expect(withoutMix.verdict).not.toBe('disparity')
    expect(judge(hidden)).toMatchObject({ verdict: 'disparity', explainedBy: [], adjustment: { verdict: 'disparity' } })
  })

  it('do not explain a difference that is in each of them', () => {
    const each = [
      used('a', ['letters', 'm', 180, 200], ['notes', 'm', 1960, 2000]),
      used('b', ['letters', 'm', 560, 800], ['notes', 'm', 188, 200]),
    ]
    expect(judge(each)).toMatchObject({ verdict: 'disparity', explainedBy: [], adjustment: { verdict: 'disparity' } })
  })

  it('do not explain a difference of which most is left, only not shown by so few calls', () => {
    const half = [used('a', ['letters', 'm', 940, 1000]), used('b', ['letters', 'm', 88, 100], ['rare', 'n', 10, 20])]
    expect(judge(half)).toMatchObject({ verdict: 'disparity', explainedBy: [], adjustment: { verdict: 'uncertain' } })
  })

  it.each([
    [
      'too_few_like_calls',
      'a fifth of the group has no like calls',
      [used('a', ['letters', 'm', 900, 1000]), used('b', ['letters', 'm', 500, 790], ['notes', 'n', 200, 210])],
    ],
    [
      'too_few_like_calls',
      'the reference has 99 like calls',
      [used('a', ['letters', 'm', 90, 99], ['notes', 'n', 980, 1000]), used('b', ['letters', 'm', 300, 500])],
    ],
    ['too_many_counts', 'they were not read', NOTES.map((group) => withStrata(group, null))],
    [
      'too_few_calls',
      'the group has 99 calls',
      [used('a', ['letters', 'm', 900, 1000]), used('b', ['letters', 'm', 60, 99])],
    ],
  ])('are not compared: %s, as %s', (reason, _, groups) => {
    expect(judge(groups)).toMatchObject({ adjustment: reason, explainedBy: [] })
    expect(judge(groups).verdict).toBe(reason === 'too_few_calls' ? 'not_enough_data' : 'disparity')
  })
})
