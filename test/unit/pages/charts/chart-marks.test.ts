import { describe, expect, it } from 'vitest'
import { sumOfBefore, totalOf, valuesText, type Mark, type Point } from '../../../../src/pages/charts/chart-marks.ts'
import { formatNumber } from '../../../../src/pages/text/format.ts'

const MARKS: readonly Mark[] = [
  { name: 'Passed', style: 1 },
  { name: 'Held', style: 2 },
]
const POINTS: readonly Point[] = [
  { name: '1 Nov 2026', values: [3, 1] },
  { name: '2 Nov 2026', values: [4, null] },
]

describe('the totals of a chart', () => {
  it('add up each mark over all points, and a missing value is no value', () => {
    expect(totalOf(POINTS, MARKS)).toEqual({ name: 'In all', values: [7, 1] })
    expect(totalOf([], MARKS).values).toEqual([0, 0])
  })

  it('are in words what a screen reader says', () => {
    expect(valuesText(totalOf(POINTS, MARKS), MARKS, formatNumber)).toBe('Passed: 7, Held: 1')
    expect(valuesText({ name: '2 Nov 2026', values: [4, null] }, MARKS, formatNumber)).toBe('Passed: 4, Held: none')
  })

  it('are also of the period before', () => {
    expect(sumOfBefore({ name: 'Before', values: [1, null, 2] })).toBe(3)
  })
})
