import { describe, expect, it } from 'vitest'
import { namesShown, layoutFor, ticksOf, valueScale } from '../../../../src/pages/charts/chart-layout.ts'

const ROOM = { height: 100, top: 0, bottom: 0 }

describe('the scale of a chart', () => {
  it('begins at 0 and ends at a round figure that is not below the largest value', () => {
    const scale = valueScale(158, ROOM)
    expect(scale.domain()).toEqual([0, 200])
    expect([scale(0), scale(200)]).toEqual([100, 0])
  })

  it('has whole marks only where all values are whole', () => {
    expect(ticksOf(valueScale(1, ROOM), true)).toEqual([0, 1])
    expect(ticksOf(valueScale(1, ROOM), false)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1])
  })

  it('stands where there is nothing to show', () => {
    expect(valueScale(0, ROOM).domain()).toEqual([0, 1])
  })
})

describe('the room of a chart', () => {
  it('keeps as much beside the axis as the longest figure takes', () => {
    const { left } = layoutFor(320, 13, ['0', '€1,000.00'])
    expect(left).toBeGreaterThan(layoutFor(320, 13, ['0', '1']).left)
  })

  it('grows with the size of the text', () => {
    expect(layoutFor(320, 26, ['10']).height).toBe(2 * layoutFor(320, 13, ['10']).height)
  })
})

describe('the names below a chart', () => {
  const names = Array.from({ length: 30 }, (_, at) => `${at + 1} Nov`)

  it('are shown from the first on, as many as find room', () => {
    expect([...namesShown(names, 600, 13)]).toEqual([0, 4, 8, 12, 16, 20, 24, 28])
    expect([...namesShown(names, 200, 13)]).toEqual([0, 10, 20])
  })

  it('are one at least, and none where there are none', () => {
    expect([...namesShown(names, 1, 13)]).toEqual([0])
    expect([...namesShown([], 600, 13)]).toEqual([])
  })
})
