import { describe, expect, it } from 'vitest'
import { gridStep, layoutFor, namesShown, ticksOf, valueScale } from '../../../../src/pages/charts/chart-layout.ts'

const ROOM = { height: 100, top: 0, bottom: 0 }

describe('the scale of a chart', () => {
  it('begins at 0 and ends at a line of the grid that is not below the largest value', () => {
    const scale = valueScale(158, true, ROOM)
    expect([scale(0), scale(80), scale(160)]).toEqual([100, 50, 0])
  })

  it('has at most four lines above 0, at round distances', () => {
    expect(ticksOf(158, true)).toEqual([0, 40, 80, 120, 160])
    for (const largest of [1, 3, 4, 5, 7, 11, 26, 99, 101, 450, 1204, 0.03, 0.7, 9.99]) {
      const ticks = ticksOf(largest, false)
      expect(ticks.length, `${largest}`).toBeLessThanOrEqual(5)
      expect(ticks.at(-1), `${largest}`).toBeGreaterThanOrEqual(largest)
    }
  })

  it('has whole distances only where all values are whole', () => {
    expect(ticksOf(1, true)).toEqual([0, 1])
    expect(gridStep(6, true)).toBe(2)
    expect(gridStep(6, false)).toBe(1.5)
    expect(ticksOf(0.4, false)).toEqual([0, 0.1, 0.2, 0.3, 0.4])
  })

  it('ends at 1 if all values are 0', () => {
    const scale = valueScale(0, true, ROOM)
    expect([scale(0), scale(1)]).toEqual([100, 0])
  })
})

describe('the room of a chart', () => {
  const size = { width: 320, em: 12, lines: 20 }

  it('keeps as much beside the axis as the longest figure takes', () => {
    const { left } = layoutFor(size, ['0', '€1,000.00'])
    expect(left).toBeGreaterThan(layoutFor(size, ['0', '1']).left)
  })

  it('grows with the size of the text', () => {
    expect(layoutFor({ ...size, em: 24 }, ['10']).height).toBe(2 * layoutFor(size, ['10']).height)
  })
})

describe('the names below a chart', () => {
  const names = Array.from({ length: 30 }, (_, at) => `${at + 1} Nov`)

  it('are shown from the first on, as many as find room', () => {
    expect([...namesShown(names, 600, 13)]).toEqual([0, 4, 8, 12, 16, 20, 24, 28])
    expect([...namesShown(names, 200, 13)]).toEqual([0, 10, 20])
  })

  it('leave room for the text below a last point that has not ended', () => {
    expect([...namesShown(names, 600, 13, 'Today, so far')]).toEqual([0, 4, 8, 12, 16, 20, 24])
  })

  it('are one at least, and none where there are none', () => {
    expect([...namesShown(names, 1, 13)]).toEqual([0])
    expect([...namesShown([], 600, 13)]).toEqual([])
  })
})
