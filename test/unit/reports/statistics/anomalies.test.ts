// A rate that has risen, and a figure that is unusual: when they are told, and when they are not.
import { describe, expect, it } from 'vitest'
import {
  findUnusualDays,
  type DayFigure,
  findAlarm,
  rateBaselineOf,
} from '../../../../src/reports/statistics/anomalies.ts'

const DAYS = Array.from({ length: 28 }, (_, day) => ({ k: day % 2 === 0 ? 2 : 3, n: 100 }))
const usual = rateBaselineOf(DAYS)
if (usual === null) throw new Error('the days say what is usual')
const THRESHOLD = 10

const hoursOf = (...counts: number[]) => counts.map((k, at) => ({ hour: 100 + at, k, n: 50 }))

describe('a usual rate', () => {
  it('is that of all days, with half a call added', () => {
    expect(usual.usual).toBeCloseTo(70.5 / 2801, 12)
    expect(usual.dispersion).toBe(1)
  })

  it('is not known of fewer than 500 calls, of fewer than seven days, or where it could not double', () => {
    expect(rateBaselineOf(DAYS.slice(0, 7).map(({ k }) => ({ k, n: 71 })))).toBeNull()
    expect(rateBaselineOf(DAYS.slice(0, 10).map(({ k }) => ({ k, n: 50 })))).not.toBeNull()
    expect(rateBaselineOf(DAYS.slice(0, 6))).toBeNull()
    expect(rateBaselineOf(DAYS.map(({ n }) => ({ k: n / 2, n })))).toBeNull()
    expect(rateBaselineOf(DAYS.map(({ n }) => ({ k: 0, n })))?.usual).toBeCloseTo(0.5 / 2801, 12)
  })
})

describe('an alarm', () => {
  it('is told at the first hour at which the sum is over the threshold, from the hour at which it began to rise', () => {
    const alarm = findAlarm(hoursOf(1, 1, 1, 6, 6, 6, 6, 6), usual, THRESHOLD)
    expect(alarm).toMatchObject({ since: 103 })
    expect(alarm?.sum).toBeGreaterThanOrEqual(THRESHOLD)
    expect(alarm?.rate).toBeCloseTo(6 / 50, 12)
  })

  it('has the rate of all hours from then on, the one with the alarm included', () => {
    expect(findAlarm(hoursOf(1, 6, 9, 9, 1), usual, THRESHOLD)).toMatchObject({ since: 101, at: 102, rate: 15 / 100 })
  })

  it('is not told of a single bad hour, nor of hours as usual', () => {
    expect(findAlarm(hoursOf(1, 7, 1, 1, 1, 1), usual, THRESHOLD)).toBeNull()
    expect(findAlarm(hoursOf(1, 2, 1, 1, 2, 1, 1, 1), usual, THRESHOLD)).toBeNull()
    expect(findAlarm([], usual, THRESHOLD)).toBeNull()
  })

  it('takes longer where calls come in clusters', () => {
    const hours = hoursOf(...Array.from({ length: 24 }, () => 4))
    const alarmAt = (dispersion: number): number =>
      hours.findIndex((_, at) => findAlarm(hours.slice(0, at + 1), { ...usual, dispersion }, THRESHOLD) !== null)
    expect(alarmAt(1)).toBeGreaterThan(0)
    expect(alarmAt(3)).toBeGreaterThan(alarmAt(1) * 2)
  })
})

describe('an outage of few calls', () => {
  const outage = hoursOf(...Array.from({ length: 6 }, () => 1)).map(({ hour, k }) => ({ hour, k, n: 2 }))

  it('is found by the sum for eight times the usual rate, long before that for twice', () => {
    expect(findAlarm(outage, { usual: 0.012, dispersion: 1 }, THRESHOLD)).toMatchObject({
      change: 8,
      since: 100,
      at: 105,
    })
  })

  it('is told as what was found first, and a doubled rate as that', () => {
    const doubled = hoursOf(...Array.from({ length: 40 }, () => 3))
    expect(findAlarm(doubled, usual, THRESHOLD)).toMatchObject({ change: 2 })
  })
})

describe('unusual days', () => {
  const baseline: DayFigure[] = Array.from({ length: 28 }, (_, day) => {
    return { day, value: 100 + (day % 5) * 5, isUsual: true }
  })
  const withThen = (...values: number[]): DayFigure[] => [
    ...baseline,
    ...values.map((value, at) => ({ day: 28 + at, value, isUsual: true })),
  ]
  const sinceOf = (figures: DayFigure[], first = 28, last = 50): number[] =>
    findUnusualDays(figures, { first, last }).map(({ since }) => since)

  it('are told from the second in a row on, once', () => {
    expect(sinceOf(withThen(300))).toEqual([])
    expect(sinceOf(withThen(300, 310))).toEqual([28])
    expect(sinceOf(withThen(300, 310, 320, 330))).toEqual([28])
    expect(sinceOf(withThen(300, 110, 320))).toEqual([])
    expect(sinceOf(withThen(300, 300, 110, 20, 20))).toEqual([28, 31])
  })

  it('are not two that are unusual in opposite directions', () => {
    expect(sinceOf(withThen(300, 20))).toEqual([])
  })

  it('are not told again by whoever looks from the middle of them', () => {
    expect(sinceOf(withThen(300, 310, 320, 330), 29)).toEqual([])
    expect(sinceOf(withThen(300, 310, 320, 330), 28, 28)).toEqual([])
    expect(sinceOf(withThen(20, 310, 320), 29)).toEqual([29])
  })

  it('say what is usual and how far the second is from it', () => {
    expect(findUnusualDays(withThen(300, 330), { first: 28, last: 40 })).toMatchObject([{ value: 330, usual: 110 }])
    const [found] = findUnusualDays(withThen(300, 330), { first: 28, last: 40 })
    expect(found?.z).toBeGreaterThan(3.5)
  })

  it('are not told where fewer than fourteen days before say what is usual', () => {
    const few = (usualDays: number) =>
      withThen(300, 310).map((one) => Object.assign({}, one, { isUsual: one.day >= 28 - usualDays && one.day < 28 }))
    expect(sinceOf(few(13))).toEqual([])
    expect(sinceOf(few(14))).toEqual([28])
  })

  it('are compared with those of 28 days before, and with none of an earlier time', () => {
    const after = (days: number) =>
      withThen(300, 310).map((one) => (one.day < 28 ? one : Object.assign(one, { day: one.day + days })))
    expect(sinceOf(after(14))).toEqual([42])
    expect(sinceOf(after(15))).toEqual([])
  })
})
