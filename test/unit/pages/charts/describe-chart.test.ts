import { describe, expect, it } from 'vitest'
import type { Point } from '../../../../src/pages/charts/chart-marks.ts'
import { describeFirstLine, describeOverTime, describeShares } from '../../../../src/pages/charts/describe-chart.ts'
import { formatEuro, formatMilliseconds, formatNumber } from '../../../../src/pages/text/format.ts'

const point = (name: string, ...values: (number | null)[]): Point => ({ name, values })

describe('what a chart over time says', () => {
  const say = (points: Point[]): string =>
    describeOverTime({ total: '7 calls', points, pointName: 'day', format: formatNumber })

  it('names the total, the time, the day with the most and the days without any', () => {
    expect(say([point('1 Nov 2026', 1, 0), point('2 Nov 2026', 2, 4), point('3 Nov 2026', 0, 0)])).toBe(
      '7 calls from 1 Nov 2026 to 3 Nov 2026. Most on 2 Nov 2026: 6. 1 day without any.',
    )
  })

  it('names the first of two days with as many', () => {
    expect(say([point('1 Nov 2026', 3), point('2 Nov 2026', 3)])).toBe(
      '7 calls from 1 Nov 2026 to 2 Nov 2026. Most on 1 Nov 2026: 3.',
    )
  })

  it('says of one point no more than the total', () => {
    expect(say([point('All of it', 7)])).toBe('7 calls in all.')
  })

  it('says nothing of the most where there is none', () => {
    expect(say([point('1 Nov 2026', 0), point('2 Nov 2026', 0)])).toBe('7 calls from 1 Nov 2026 to 2 Nov 2026.')
    expect(say([])).toBe('7 calls.')
  })
})

describe('what bars beside names say', () => {
  const say = (rows: { name: string; value: number }[]): string =>
    describeShares({ rows, noun: 'model', format: formatEuro })

  it('names the two with the most and their shares, and counts the others that have any', () => {
    expect(
      say([
        { name: 'small', value: 1 },
        { name: 'large', value: 6 },
        { name: 'other', value: 3 },
        { name: 'unused', value: 0 },
      ]),
    ).toBe('large €6.00, 60% of €10.00; other €3.00, 30%; 1 more model.')
  })

  it('says that there is nothing', () => {
    expect(say([{ name: 'unused', value: 0 }])).toBe('Nothing in this time.')
    expect(say([])).toBe('Nothing in this time.')
  })
})

describe('what a line says', () => {
  it('names the highest value and the last, whatever days have none', () => {
    const points = [
      point('1 Nov 2026', null),
      point('2 Nov 2026', 1204),
      point('3 Nov 2026', 410),
      point('4 Nov 2026', null),
    ]
    expect(describeFirstLine({ name: 'Median', points, format: formatMilliseconds })).toBe(
      'Median: at most 1.2\u00A0s, 2 Nov 2026; last 410\u00A0ms, 3 Nov 2026.',
    )
  })

  it('says that there is nothing', () => {
    expect(describeFirstLine({ name: 'Median', points: [point('1 Nov 2026', null)], format: formatNumber })).toBe(
      'Median: nothing in this time.',
    )
  })
})
