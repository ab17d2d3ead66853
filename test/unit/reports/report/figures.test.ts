// The numbers of a report before they are drawn: sums by month, amounts, marks of an axis.
import { describe, expect, it } from 'vitest'
import {
  callCost,
  count,
  euro,
  threeDigits,
  period,
  share,
  percent,
} from '../../../../src/reports/report/drawing/report-formats.ts'
import { axisMarks } from '../../../../src/reports/report/drawing/draw-chart.ts'
import { periodsOf, sumOf } from '../../../../src/reports/report/drawing/usage-section.ts'

const daysFrom = (start: string, days: number) =>
  Array.from({ length: days }, (_, index) => ({
    date: new Date(Date.parse(start) + index * 86_400_000).toISOString().slice(0, 10),
    requests: 100 + index,
    held: 4,
    blocked: 1,
    suppressed: 2,
    failed: 3,
    cost_eur: 0.1,
  }))

describe('periods', () => {
  it('are days where there are few', () => {
    const days = periodsOf(daysFrom('2026-02-27', 3))
    expect(days.map(({ label, title }) => [label, title])).toEqual([
      ['27 Feb', '27 February 2026'],
      ['28 Feb', '28 February 2026'],
      ['1 Mar', '1 March 2026'],
    ])
  })

  it('are months where there are many, and those that are not whole say so', () => {
    const months = periodsOf(daysFrom('2026-01-30', 93))
    expect(months.map(({ label, title }) => [label, title])).toEqual([
      ['Jan 26', 'January 2026, 30 to 31'],
      ['Feb 26', 'February 2026'],
      ['Mar 26', 'March 2026'],
      ['Apr 26', 'April 2026'],
      ['May 26', 'May 2026, 1 to 2'],
    ])
    expect(months[0]?.counts).toEqual({
      requests: 201,
      held: 8,
      blocked: 2,
      suppressed: 4,
      failed: 6,
      stopped: 0,
      cost_eur: 0.2,
    })
  })

  it('sum up to the millionth of a euro', () => {
    expect(sumOf(daysFrom('2026-01-01', 30)).cost_eur).toBe(3)
  })
})

describe('amounts', () => {
  it.each([
    [0, '€0.00'],
    [0.000001, '< €0.01'],
    [0.004999, '< €0.01'],
    [0.005, '€0.01'],
    [1.005, '€1.01'],
    [1234567.891, '€1,234,567.89'],
  ])('%d is %s', (value, shown) => expect(euro(value)).toBe(shown))
})

describe('words', () => {
  it('group digits, and tell of nothing what part it is', () => {
    expect([count(999), count(1000), count(1_234_567)]).toEqual(['999', '1,000', '1,234,567'])
    expect([share(1, 3), share(0, 0)]).toEqual(['33.3%', '–'])
    expect([share(0, 9), share(1, 9999), share(9998, 9999), share(9, 9)]).toEqual([
      '0.0%',
      '< 0.1%',
      '> 99.9%',
      '100.0%',
    ])
    expect([threeDigits(-0.0432), threeDigits(1.3124), threeDigits(0.000_01), threeDigits(-12)]).toEqual([
      '−0.0432',
      '1.31',
      '0.00001',
      '−12',
    ])
  })

  it('tell what is very little of a rate, and of what one call costs', () => {
    expect([percent(0), percent(0.000_179), percent(0.1951)]).toEqual(['0.0%', '< 0.1%', '19.5%'])
    expect([callCost(0), callCost(0.000_01), callCost(0.012_34)]).toEqual(['€0.0000', '< €0.0001', '€0.0123'])
  })

  it('tell one day as one', () => {
    expect(period({ start: '2026-11-20', end: '2026-11-20' })).toBe('20 November 2026')
  })
})

describe('the marks of an axis', () => {
  it.each([
    [0, true, [0, 1]],
    [1, true, [0, 1]],
    [3, true, [0, 1, 2, 3]],
    [7, true, [0, 2, 4, 6, 8]],
    [154, true, [0, 50, 100, 150, 200]],
    [0.77, false, [0, 0.2, 0.4, 0.6, 0.8]],
    [18.3, false, [0, 5, 10, 15, 20]],
  ])('of %d (whole: %s) are %j', (most, isWhole, marks) => expect(axisMarks(most, isWhole)).toEqual(marks))
})
