// The statistics against values of scipy 1.17.1, statsmodels 0.15.0 and fairlearn 0.15.0.
import { describe, expect, it } from 'vitest'
import {
  differenceInterval,
  pooledTest,
  rateOf,
  ratioInterval,
  wilsonInterval,
  type Interval,
  type Proportion,
  dispersionOf,
  erfc,
} from '../../../../src/reports/statistics/proportions.ts'
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
  ])('of %s', (rate, lower, upper) => expectClose(boundsOf(wilsonInterval(ratioOf(rate))), [lower, upper]))

  it('ends exactly at 0 and at 1', () => {
    expect(wilsonInterval({ k: 0, n: 7 }).lower).toBe(0)
    expect(wilsonInterval({ k: 7, n: 7 }).upper).toBe(1)
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
    const [first, second] = [ratioOf(one), ratioOf(other)]
    if (difference !== null) expectClose(boundsOf(differenceInterval(first, second)), difference)
    expectClose([rateOf(first) / rateOf(second)], [ratio])
    expectClose(boundsOf(ratioInterval(first, second, 1)), interval)
    const test = pooledTest(first, second, 1)
    expectClose([test.z, test.p], [z, p])
  })

  it('differ less where calls come in clusters', () => {
    const test = pooledTest({ k: 812, n: 1000 }, { k: 934, n: 1000 }, DISPERSION)
    expectClose([test.z, test.p], [-5.441999128860874, 5.268593332901025e-8])
    const interval = ratioInterval({ k: 140, n: 200 }, { k: 190, n: 200 }, DISPERSION)
    expectClose(boundsOf(interval), [0.6384260447469586, 0.8520245186432517])
  })

  it('are not found to differ where every call had the outcome, or none', () => {
    expect(pooledTest({ k: 0, n: 100 }, { k: 0, n: 300 }, 1)).toEqual({ z: 0, p: 1 })
    expect(pooledTest({ k: 100, n: 100 }, { k: 300, n: 300 }, 1)).toEqual({ z: 0, p: 1 })
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
    const reference = { k: 934, n: 1000 }
    const ps = ['812/1000', '455/500', '96/120'].map((one) => pooledTest(ratioOf(one), reference, 1).p)
    expectClose(ps, [2.5507815957548587e-16, 0.09415044226671716, 3.3557996206411056e-7])
    expectClose(adjustPValues(ps), [7.652344787264576e-16, 0.09415044226671716, 5.033699430961659e-7])
  })

  it('of none', () => expect(adjustPValues([])).toEqual([]))
})

describe('the dispersion', () => {
  it('of a week', () => expectClose([dispersionOf([DAYS]) ?? 0], [DISPERSION]))

  it('is that of the group in which anything varies, where in the other nothing does', () => {
    const [never, always] = [DAYS.map(({ n }) => ({ k: 0, n })), DAYS.map(({ n }) => ({ k: n, n }))]
    expectClose([dispersionOf([DAYS, never]) ?? 0, dispersionOf([always, DAYS]) ?? 0], [DISPERSION, DISPERSION])
    expect(dispersionOf([never, always])).toBe(1)
  })

  it('is the mean of two groups, and never below that of independent calls', () => {
    const even = DAYS.map(() => ({ k: 5, n: 100 }))
    expectClose([dispersionOf([DAYS, even]) ?? 0], [DISPERSION / 2])
    expect(dispersionOf([even, even])).toBe(1)
  })

  it('is not known of fewer than seven days', () => expect(dispersionOf([DAYS, DAYS.slice(1)])).toBeNull())
})

describe('the cumulative sum', () => {
  const counts = ['2/100', '1/80', '3/120', '2/95', '7/110', '9/105', '8/120', '10/100', '12/115'].map(ratioOf)
  const sumsAt = (dispersion: number): number[] => {
    let sum = 0
    return counts.map((next) => (sum = nextSum(sum, next, { usual: 0.02, raised: raisedRateOf(0.02), dispersion })))
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
    expect([raisedRateOf(0.1), raisedRateOf(0.4)]).toEqual([0.2, 0.5])
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
