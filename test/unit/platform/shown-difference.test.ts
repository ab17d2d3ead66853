import { describe, expect, it } from 'vitest'
import { shownDifference, shownRateDifference } from '../../../src/platform/shown-difference.ts'
import { euroColumn, formatEuro, formatMilliseconds, formatPercent } from '../../../src/pages/text/format.ts'
import { percent } from '../../../src/reports/report/drawing/report-formats.ts'

describe('the difference of two shown figures', () => {
  it.each([
    ['4.5% and 1.6%', 0.0452, 0.0164, formatPercent, 0.029],
    ['1,234.51 and 1,200.50 euro', 1234.506, 1200.504, formatEuro, 34.01],
    ['0.0042 and 0 euro', 0.0042, 0, formatEuro, 0.0042],
    ['1.23 s and 994 ms', 1234, 994.4, formatMilliseconds, 236],
    ['1.23 s twice', 1234, 1228, formatMilliseconds, 0],
    ['an exact value beside a bound', 0.02, 0.004, euroColumn(1), 0.016],
    ['a bound twice', 0.002, 0.004, euroColumn(1), 0],
    ['a bound of the report and 0.0%', 0.0004, 0, percent, 0.0004],
  ])('adds up: %s', (_, now, before, format, difference) =>
    expect(shownDifference(now, before, format)).toBe(difference),
  )

  it('is that of the rates of two groups, and none of groups that are not compared', () => {
    const groups = [
      { group: 'en', rate: 0.9452 },
      { group: 'ga', rate: 0.9164 },
    ]
    const compared = { group: 'ga', reference: 'en', difference: -0.0288 }
    expect(shownRateDifference(groups, compared, formatPercent)).toBe(-0.029)
    expect(shownRateDifference(groups, { ...compared, difference: null }, formatPercent)).toBeNull()
    expect(shownRateDifference([], compared, formatPercent)).toBe(-0.0288)
  })
})
