// The statistics against values of scipy 1.17.1, statsmodels 0.15.0 and fairlearn 0.15.0.
import { describe, expect, it } from 'vitest'
import {
  differenceInterval,
  pooledTest,
  rateOf,
  ratioInterval,
  wilsonInterval,
  type Interval,
  INDEPENDENT,
  spreadOf,
  type Proportion,
  type Spread,
} from '../../../../src/reports/statistics/proportions.ts'
import {
  adjustedRatio,
  adjustedTest,
  commonStrata,
  leastExpected,
} from '../../../../src/reports/statistics/adjust-for-mix.ts'
import { erfc, quantile95, twoSidedP } from '../../../../src/reports/statistics/distributions.ts'
import { adjustPValues } from '../../../../src/reports/statistics/compare-groups.ts'
import {
  alarmThreshold,
  nextSum,
  raisedRateOf,
  medianOf,
  robustZ,
} from '../../../../src/reports/statistics/anomalies.ts'

/** To 1e-9 of the value, or of 1 where that is more. */
function expectClose(found: readonly number[], wanted: readonly number[]): void {
  expect(found.length).toBe(wanted.length)
  for (const [index, value] of wanted.entries()) {
    expect(
      Math.abs((found[index] ?? Number.NaN) - value) / Math.max(1e-300, Math.min(1, Math.abs(value) || 1)),
    ).toBeLessThan(1e-9)
  }
}

const boundsOf = ({ lower, upper }: Interval): [number, number] => [lower, upper]

const ratioOf = (text: string): Proportion => {
  const [k = 0, n = 0] = text.split('/').map(Number)
  return { k, n }
}

/** A group whose calls are independent, or vary as much as is given. */
const withSpread = (rate: string, spread: Spread = INDEPENDENT) => ({ ...ratioOf(rate), ...spread })

const DAYS = ['2/100', '5/120', '1/90', '9/110', '3/100', '4/105', '0/95'].map(ratioOf)
const DISPERSION = 2.2664949992536205

describe('erfc', () => {
  it.each([
    [0.1, 0.8875370839817152],
    [0.5, 0.4795001221869535],
    [1, 0.15729920705028516],
    [2, 0.004677734981047266],
    [3, 2.2090496998585445e-5],
    [5, 1.5374597944280347e-12],
  ])('of %d', (x, wanted) => expectClose([erfc(x)], [wanted]))

  it('is the same on both sides of where its method changes', () => {
    const [below, above] = [erfc(2.5 - 1e-12), erfc(2.5)]
    expect(Math.abs(below / above - 1)).toBeLessThan(1e-10)
  })

  it('is 1 at 0', () => expect(erfc(0)).toBe(1))
})

describe('the interval of a rate', () => {
  it.each([
    ['0/100', 0, 0.03699349820698569],
    ['3/100', 0.01025452402403891, 0.08451936429052763],
    ['812/1000', 0.7866068125887822, 0.8350052901162315],
    ['1/10', 0.017876213095072924, 0.40415002679523854],
    ['100/100', 0.9630065017930143, 1],
  ])('of %s', (rate, lower, upper) => expectClose(boundsOf(wilsonInterval(withSpread(rate))), [lower, upper]))

  it('ends exactly at 0 and at 1', () => {
    expect(wilsonInterval(withSpread('0/7')).lower).toBe(0)
    expect(wilsonInterval(withSpread('7/7')).upper).toBe(1)
  })
})

describe('two rates', () => {
  it.each([
    [
      '812/1000',
      '934/1000',
      [-0.15089486540465752, -0.09332996868926045],
      0.8693790149892934,
      [0.8403403068225148, 0.8995657938375757],
      -8.192865977016492,
      2.5507815957548587e-16,
    ],
    [
      '140/200',
      '190/200',
      [-0.32051624034764276, -0.1787448607607598],
      0.7368421052631579,
      [0.6701208907361338, 0.8117261392452687],
      -6.579516949597689,
      4.7197910629773414e-11,
    ],
    [
      '48/60',
      '52/60',
      [-0.20083722338951665, 0.06901744706313803],
      0.9230769230769231,
      [0.7877472547658094, 1.0833729106868104],
      -0.9797958971132712,
      0.32718687779030575,
    ],
    [
      '10/100',
      '30/100',
      [-0.30578929058543936, -0.09000209070489976],
      0.3333333333333333,
      [0.18071529926858765, 0.6558190053347865],
      -3.535533905932737,
      0.00040695201744495973,
    ],
    [
      '0/120',
      '6/120',
      [-0.10480288536236737, -0.008950930751728772],
      0,
      [0.004381843503501029, 1.3503813540090803],
      -2.4806946917841692,
      0.013112663265155899,
    ],
    ['40/1000', '5/1000', null, 8, [3.034972840379771, 17.866104030467287], 5.277198185372175, 1.3117399886104248e-7],
  ])('%s and %s', (one, other, difference, ratio, interval, z, p) => {
    const [first, second] = [withSpread(one), withSpread(other)]
    if (difference !== null) expectClose(boundsOf(differenceInterval(first, second)), difference)
    expectClose([rateOf(first) / rateOf(second)], [ratio])
    expectClose(boundsOf(ratioInterval(first, second)), interval)
    const test = pooledTest(first, second)
    expectClose([test.z, test.p], [z, p])
  })

  it('differ less where calls come in clusters in both', () => {
    const spread = { dispersion: DISPERSION, freedom: Infinity }
    const test = pooledTest(withSpread('812/1000', spread), withSpread('934/1000', spread))
    expectClose([test.z, test.p], [-5.441999128860874, 5.268593332901025e-8])
    const interval = ratioInterval(withSpread('140/200', spread), withSpread('190/200', spread))
    expectClose(boundsOf(interval), [0.6384260447469586, 0.8520245186432517])
  })

  it('have each its own dispersion, and Welch’s degrees of freedom', () => {
    const [one, other] = [
      { dispersion: DISPERSION, freedom: 6 },
      { dispersion: 1.4, freedom: 26 },
    ]
    const test = pooledTest(withSpread('812/1000', one), withSpread('934/1000', other))
    expectClose([test.z, test.p], [-6.050974181107379, 2.619153602606942e-5])
    const interval = ratioInterval(withSpread('140/200', one), withSpread('190/200', other))
    expectClose(boundsOf(interval), [0.6217744388563266, 0.8748424017966652])
    expectClose(boundsOf(wilsonInterval(withSpread('812/1000', one))), [0.7729077697644403, 0.8457061768451363])
    const difference = differenceInterval(withSpread('812/1000', one), withSpread('934/1000', other))
    expectClose(boundsOf(difference), [-0.16423423781963045, -0.08248243097789117])
  })

  it('are not found to differ where every call had the outcome, or none', () => {
    expect(pooledTest(withSpread('0/100'), withSpread('0/300'))).toEqual({ z: 0, p: 1 })
    expect(pooledTest(withSpread('100/100'), withSpread('300/300'))).toEqual({ z: 0, p: 1 })
  })
})

describe('the adjustment of a family', () => {
  it('of five', () => {
    expectClose(adjustPValues([0.01, 0.04, 0.03, 0.005, 0.55]), [0.025, 0.05, 0.05, 0.025, 0.55])
  })

  it('is never more than that of a larger p', () => {
    expectClose(adjustPValues([0.02, 0.9, 0.01, 0.022]), [0.088 / 3, 0.9, 0.088 / 3, 0.088 / 3])
  })

  it('of the comparisons of three groups with a fourth', () => {
    const reference = withSpread('934/1000')
    const ps = ['812/1000', '455/500', '96/120'].map((one) => pooledTest(withSpread(one), reference).p)
    expectClose(ps, [2.5507815957548587e-16, 0.09415044226671716, 3.3557996206411056e-7])
    expectClose(adjustPValues(ps), [7.652344787264576e-16, 0.09415044226671716, 5.033699430961659e-7])
  })

  it('of none', () => expect(adjustPValues([])).toEqual([]))
})

describe('the dispersion', () => {
  it('of a week, with a degree of freedom for each day that has the rarer outcome, less one', () => {
    const { dispersion = 0, freedom } = spreadOf(DAYS) ?? {}
    expectClose([dispersion], [DISPERSION])
    expect(freedom).toBe(5)
    expect(spreadOf(DAYS.map(({ k, n }) => ({ k: n - k, n })))?.freedom).toBe(5)
  })

  it('is never below that of independent calls, and moderate where nothing varies', () => {
    expect(spreadOf(DAYS.map(() => ({ k: 5, n: 100 })))).toEqual({ dispersion: 1, freedom: 6 })
    expect(spreadOf(DAYS.map(({ n }) => ({ k: 0, n })))).toEqual({ dispersion: 2, freedom: Infinity })
    expect(spreadOf(DAYS.map(({ n }) => ({ k: n, n })))?.dispersion).toBe(2)
  })

  it('is not known of fewer than seven days with calls', () => {
    expect(spreadOf([{ k: 0, n: 0 }, ...DAYS.slice(1)])).toBeNull()
  })

  it('is that of the days with calls', () => {
    expect(spreadOf([{ k: 0, n: 0 }, ...DAYS])).toEqual(spreadOf(DAYS))
  })
})

describe('Student’s t', () => {
  it('has its probabilities', () => {
    expectClose(
      [twoSidedP(0.5, 1), twoSidedP(-2.2, 6), twoSidedP(8, 3.3), twoSidedP(5.4, 40)],
      [0.7048327646991335, 0.0701021863431719, 0.002859720598161304, 3.285542502559631e-6],
    )
  })

  it('has its quantiles', () => {
    expectClose(
      [1, 2.5, 6, 27, 180.5, Infinity].map(quantile95),
      [
        12.706204736174694, 3.5746548420036817, 2.4469118511449786, 2.0518305164802846, 1.973193829750838,
        1.959963984540054,
      ],
    )
  })
})

describe('like calls', () => {
  const strata = [
    ['40/200', '10/100'],
    ['15/300', '30/500'],
    ['9/60', '70/400'],
  ].map(([first = '', second = '']) => ({ first: ratioOf(first), second: ratioOf(second) }))
  const independent = { first: INDEPENDENT, second: INDEPENDENT }
  const spreads = { first: { dispersion: DISPERSION, freedom: 6 }, second: { dispersion: 1.4, freedom: 26 } }

  it('have the ratio and the test of statsmodels’ StratifiedTable', () => {
    const { ratio } = adjustedRatio(strata, independent)
    const { z, p } = adjustedTest(strata, independent)
    expectClose([ratio ?? 0, z, p], [1.1289350301406564, 0.6749713873037634, 0.499693943748421])
  })

  it('have the variance of Greenland and Robins, shared between the groups', () => {
    expectClose(boundsOf(adjustedRatio(strata, independent).interval), [0.7937087502553071, 1.614920448990775])
    expectClose(boundsOf(adjustedRatio(strata, spreads).interval), [0.6591539294972393, 1.944578396593744])
  })

  it('of one kind are compared as all calls are', () => {
    const [one, other] = [withSpread('140/200', spreads.first), withSpread('190/200', spreads.second)]
    const { ratio, interval } = adjustedRatio([{ first: one, second: other }], spreads)
    expectClose([ratio ?? 0, ...boundsOf(interval)], [140 / 190, ...boundsOf(ratioInterval(one, other))])
  })

  it('are those of kinds that both groups have', () => {
    const of = (use_case: string, model: string, rate: string) => ({ use_case, model, ...ratioOf(rate) })
    const first = [of('a', 'm', '1/10'), of('a', 'n', '2/10'), of('b', 'm', '3/10'), of('e', 'm', '0/0')]
    const second = [of('a', 'm', '4/10'), of('c', 'm', '5/10'), of('e', 'm', '6/10')]
    expect(commonStrata(first, second, ['use_case', 'model'])).toEqual([
      { first: ratioOf('1/10'), second: ratioOf('4/10') },
    ])
    expect(commonStrata(first, second, ['use_case'])).toEqual([{ first: ratioOf('3/20'), second: ratioOf('4/10') }])
  })

  it('are too few where either kind is expected in too few of them', () => {
    expect(leastExpected([{ first: ratioOf('0/100'), second: ratioOf('30/900') }])).toBeCloseTo(3, 12)
    expect(leastExpected([{ first: ratioOf('97/100'), second: ratioOf('873/900') }])).toBeCloseTo(3, 12)
  })
})

describe('the cumulative sum', () => {
  const counts = ['2/100', '1/80', '3/120', '2/95', '7/110', '9/105', '8/120', '10/100', '12/115'].map(ratioOf)
  const sumsAt = (dispersion: number): number[] => {
    let sum = 0
    return counts.map((next) => (sum = nextSum(sum, next, { usual: 0.02, dispersion }, 2)))
  }

  it('of nine hours', () => {
    const wanted = [2.7282436820378395, 6.98711673561472, 10.222934013387885, 15.298669970741125, 21.49264955557869]
    expectClose(sumsAt(1), [0, 0, 0, 0, ...wanted])
  })

  it('rises less where calls come in clusters', () => {
    expectClose(sumsAt(DISPERSION).slice(-1), [9.482769457976493])
  })

  it('alarms above the logarithm of the calls of a year in all series', () => {
    expectClose([alarmThreshold(365 * 2400, 1)], [13.683121369918528])
  })

  it('looks for no rate above one half', () => {
    expect([raisedRateOf(0.1, 2), raisedRateOf(0.4, 2), raisedRateOf(0.02, 8), raisedRateOf(0.1, 8)]).toEqual([
      0.2, 0.5, 0.16, 0.5,
    ])
  })
})

describe('the robust z', () => {
  it('of a value far above a week', () => {
    expectClose([robustZ(640, [412, 398, 431, 405, 420, 399, 415])], [4.9002453531294154])
  })

  it('has the mean of the two in the middle for the median of an even number', () => {
    expect(medianOf([4, 1, 9, 2])).toBe(3)
  })

  it('takes no difference within a latency bucket for an unusual one', () => {
    expect(
      Math.abs(
        robustZ(
          103,
          Array.from({ length: 20 }, () => 100),
        ),
      ),
    ).toBeLessThan(0.5)
  })
})
