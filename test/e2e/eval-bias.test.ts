// The simulation of bias detection: what it finds is near to what the method was designed to come to, and it is the same each time.
import { beforeAll, describe, expect, it } from 'vitest'
import { reportBiasSimulation } from '../../scripts/eval/bias.ts'

const ROUNDS = { pairs: 150, years: 6, seed: 1 }

let lines: string[]
beforeAll(() => {
  lines = reportBiasSimulation(ROUNDS).split('\n')
})

/** The figures of the row that begins so: what was found, without what was designed. */
function figuresOf(name: string): number[] {
  const row = lines.find((line) => line.startsWith(name)) ?? ''
  const cells = row.slice(name.length).trim().split(/ {2,}/)
  return cells.map((cell) => Number.parseFloat(cell) / (cell.includes('%') ? 100 : 1))
}

describe('the simulation', () => {
  it('finds few of the pairs different that are the same, where a bare ratio finds many', () => {
    const [, , disparity, within, bare] = figuresOf('equal, 0.1 ')
    expect([disparity, within]).toEqual([expect.closeTo(0, 1), 0])
    expect(bare).toBeGreaterThan(0.2)
  })

  it('finds what a bare ratio hides', () => {
    const [, , disparity, , bare] = figuresOf('0.96 and 0.99')
    expect(disparity).toBeGreaterThan(0.85)
    expect(bare).toBe(0)
  })

  it('finds no difference where calls come in clusters', () => {
    const row = lines.find((line) => line.startsWith('equal, 0.9 ') && / 3 /.test(line)) ?? ''
    expect(Number.parseFloat(row.trim().split(/ {2,}/)[3] ?? '')).toBeLessThan(3)
  })

  it('alarms in every quiet year where the dispersion is left out, and in few where it is not', () => {
    expect(figuresOf('the same, dispersion left out')).toEqual([1, 1])
    expect(figuresOf('a quiet year alarms, dispersion 3')[0]).toBeLessThan(0.6)
    expect(figuresOf('a quiet year alarms, dispersion 1')[0]).toBe(0)
  })

  it('says how many rounds it had and from which seed, and is the same again', () => {
    expect(lines[0]).toContain('150 pairs')
    expect(lines[0]).toContain('Seed 1')
    expect(reportBiasSimulation({ pairs: 2, years: 1, seed: 7 })).toBe(
      reportBiasSimulation({ pairs: 2, years: 1, seed: 7 }),
    )
  })
})
