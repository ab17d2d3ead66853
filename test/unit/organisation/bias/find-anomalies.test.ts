// Anomalies in what was counted: which series are watched, what the threshold is, and which days are compared.
import { describe, expect, it } from 'vitest'
import {
  findRisenRates,
  findUnusualCosts,
  findUnusualLatencies,
  findUnusualVolumes,
  ratesToWatch,
  thresholdOf,
} from '../../../../src/organisation/bias/find-anomalies.ts'
import type { GroupDay } from '../../../../src/organisation/bias/group-counts.ts'
import { bucketOf } from '../../../../src/organisation/usage/latency.ts'
import { NO_ENDINGS, type Endings } from '../../../../src/organisation/usage/tally.ts'
import { DAY_MS } from '../../../../src/platform/clock.ts'

const counts = (more: Partial<Endings>, refused = 0) => ({ ...NO_ENDINGS, ...more, refused })

const dayOf = (day: number, more: Partial<Endings>, costMicroeur = 0): GroupDay => {
  return { day, group: 'a', costMicroeur, ...counts(more) }
}

/** A Monday. */
const MONDAY = 20_000 + ((4 - (20_000 % 7) + 7) % 7)
const weekday = (day: number): number => new Date(day * DAY_MS).getUTCDay()

const daysBefore = (more: Partial<Endings>, count = 28): GroupDay[] =>
  Array.from({ length: count }, (_, at) => dayOf(MONDAY - count + at, more))

describe('rates', () => {
  it('are watched of series that have calls enough, each by what calls came to', () => {
    const busy = { series: 'key:busy', rows: daysBefore({ completed: 90, failed: 2, blocked: 8 }) }
    const quiet = { series: 'key:quiet', rows: daysBefore({ completed: 17 }) }
    const watched = ratesToWatch([busy, quiet])
    expect(watched.map(({ kind, series }) => `${kind} ${series}`)).toEqual([
      'failed_rate key:busy',
      'blocked_rate key:busy',
      'suppressed_rate key:busy',
      'refused_rate key:busy',
    ])
    expect(watched[1]?.usual.usual).toBeCloseTo((8 * 28 + 0.5) / 2801, 12)
    expect(thresholdOf(busy.rows, watched)).toBeCloseTo(Math.log(((2800 * 365) / 28) * 4), 12)
  })

  it('that have risen are told by series, kind and hour', () => {
    const all = { series: 'all', rows: daysBefore({ completed: 98, failed: 2 }) }
    const watched = ratesToWatch([all])
    const hours = Array.from({ length: 10 }, (_, at) => {
      const failed = at < 4 ? 0 : 10
      return { hour: MONDAY * 24 + at, group: '(none)', ...counts({ completed: 20 - failed, failed }) }
    })
    const found = findRisenRates(watched, new Map([['all', hours]]), thresholdOf(all.rows, watched))
    expect(found).toMatchObject([
      { kind: 'failed_rate', series: 'all', since: (MONDAY * 24 + 4) * 3_600_000, value: 0.5 },
    ])
    expect(found[0]?.statistic).toBeGreaterThanOrEqual(found[0]?.threshold ?? Infinity)
    expect(findRisenRates(watched, new Map(), 1)).toEqual([])
  })
})

describe('the volume of a day', () => {
  const judged = { first: MONDAY, last: MONDAY + 1 }
  const working = (calls: number, weekend: number, then: number[]): GroupDay[] => [
    ...daysBefore({}).map((one, at) => {
      const isFree = weekday(one.day) === 0 || weekday(one.day) === 6
      return Object.assign(one, { completed: isFree ? weekend : calls + (at % 3) })
    }),
    ...then.flatMap((completed, at) => (completed === 0 ? [] : [dayOf(MONDAY + at, { completed })])),
  ]
  const told = (rows: GroupDay[], days = judged) => findUnusualVolumes([{ series: 'all', rows }], days)

  it('is told where it is far above or below that of working days, a day without calls too', () => {
    expect(told(working(200, 0, [900, 950]))).toMatchObject([{ kind: 'volume', since: MONDAY * DAY_MS, value: 950 }])
    expect(told(working(200, 0, [0, 0]))).toMatchObject([{ value: 0.5, baseline: 201 }])
    expect(told(working(200, 0, [205, 190]))).toEqual([])
  })

  it('is not told of a weekend on which nobody works, and a Friday and a Monday are two in a row', () => {
    expect(told(working(200, 0, []), { first: MONDAY - 2, last: MONDAY - 1 })).toEqual([])
    const friday = working(200, 0, [900]).map((one) => Object.assign(one, one.day === MONDAY - 3 && { completed: 900 }))
    expect(told(friday, { first: MONDAY - 3, last: MONDAY })).toMatchObject([{ since: (MONDAY - 3) * DAY_MS }])
  })

  it('is not known of a series that is new', () => {
    expect(told(working(200, 0, [900, 900]).slice(-10))).toEqual([])
    expect(told(working(49, 0, [900, 900]))).toEqual([])
  })
})

describe('what a call costs', () => {
  it('is compared by day, in euro, where there are 50 calls', () => {
    const rows = [
      ...daysBefore({}).map(({ day }) => dayOf(day, { completed: 100 }, 100 * 2000 + day)),
      ...[0, 1].map((at) => dayOf(MONDAY + at, { completed: 60 }, 60 * 9000)),
    ]
    const judged = { first: MONDAY, last: MONDAY + 1 }
    const [found] = findUnusualCosts([{ series: 'model:m', rows }], judged)
    expect(found).toMatchObject({ kind: 'cost_per_call', series: 'model:m', threshold: 3.5 })
    expect(found?.value).toBeCloseTo(0.009, 12)
    expect(found?.baseline).toBeCloseTo(0.0022, 4)
    const few = rows.map((one) => Object.assign(one, one.day >= MONDAY && { completed: 49 }))
    expect(findUnusualCosts([{ series: 'model:m', rows: few }], judged)).toEqual([])
  })
})

describe('how long calls take', () => {
  it('is compared by the 95th percentile of a day', () => {
    const latenciesOf = (milliseconds: number) => {
      const latencies = new Uint32Array(bucketOf(milliseconds) + 1)
      latencies[bucketOf(milliseconds)] = 80
      return latencies
    }
    const rows = Array.from({ length: 30 }, (_, at) => {
      return { day: MONDAY - 28 + at, model: 'm', latencies: latenciesOf(at < 28 ? 400 : 2000) }
    })
    const found = findUnusualLatencies([{ series: 'model:m', rows }], { first: MONDAY, last: MONDAY + 1 })
    expect(found).toMatchObject([{ kind: 'p95_latency', since: MONDAY * DAY_MS, value: 2047, baseline: 415 }])
  })
})
