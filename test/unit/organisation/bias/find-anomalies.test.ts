// Anomalies in what was counted: which series are watched, what the threshold is, and which days are compared.
import { describe, expect, it } from 'vitest'
import { alarmSubject, groupAlarms, proportionOf, type Alarm } from '../../../../src/organisation/bias/bias-measures.ts'
import { alarmThreshold, BASELINE_DAYS, CHANGES } from '../../../../src/reports/statistics/anomalies.ts'
import { callsOfDay } from '../../../../scripts/local/demo-year/worker/calls-of-day.ts'
import type { FillYearRequest } from '../../../../scripts/local/demo-year/fill-year-protocol.ts'
import { BAD_DAYS } from '../../../../scripts/local/demo-year/worker/year-table.ts'
import { COMPARED_OUTCOMES, type ComparedCallOutcome } from '../../../../src/reports/statistics/compared-outcomes.ts'
import {
  findRisenRates,
  findUnusualCosts,
  findUnusualLatencies,
  findUnusualVolumes,
  ratesToWatch,
  THRESHOLD_FACTOR,
  thresholdOf,
} from '../../../../src/organisation/bias/find-anomalies.ts'
import type { GroupDay } from '../../../../src/organisation/bias/group-counts.ts'
import { bucketOf } from '../../../../src/organisation/usage/latency-histogram.ts'
import { NO_ENDINGS, type Endings } from '../../../../src/evidence/records/call-endings.ts'
import { DAY_MS } from '../../../../src/platform/time.ts'

const counts = (more: Partial<Endings>, refused = 0) => ({ ...NO_ENDINGS, ...more, refused })

const dayOf = (day: number, more: Partial<Endings>, costMicroeur = 0, refused = 0): GroupDay => {
  return { day, group: 'a', costMicroeur, ...counts(more, refused) }
}

const HOUR_MS = 3_600_000

/** A Monday. */
const MONDAY = 20_000 + ((4 - (20_000 % 7) + 7) % 7)
const weekday = (day: number): number => new Date(day * DAY_MS).getUTCDay()

const daysBefore = (more: Partial<Endings>, count = 28, refused = 0): GroupDay[] =>
  Array.from({ length: count }, (_, at) => dayOf(MONDAY - count + at, more, 0, refused))

describe('an outcome', () => {
  it('is one of all calls, however they ended, and wanted only where it is an answer or an approval', () => {
    const ended = { completed: 10, failed: 2, cancelled: 4, interrupted: 8, cached: 16, blocked: 32, suppressed: 64 }
    const all = (outcome: ComparedCallOutcome) => proportionOf(counts(ended, 3), outcome)
    expect(all('answered')).toEqual({ k: 23, n: 136 })
    expect([all('refused').k, all('blocked').k, all('suppressed').k, all('failed').k]).toEqual([3, 32, 64, 10])
    expect(COMPARED_OUTCOMES.flatMap(({ name, isFavourable }) => (isFavourable ? [name] : []))).toEqual([
      'answered',
      'approved',
    ])
  })
})

it('an anomaly is known by its kind, its series, and the hour of a rate or the day of all else', () => {
  const since = Date.UTC(2091, 2, 15, 12)
  expect(alarmSubject({ kind: 'failed_rate', series: 'all', since })).toBe(
    'anomaly:failed_rate:all:2091-03-15T12:00:00Z',
  )
  expect(alarmSubject({ kind: 'volume', series: 'key:a', since })).toBe('anomaly:volume:key:a:2091-03-15')
})

describe('alarms', () => {
  /** “failed_rate key:a 26” began 26 hours after a Monday. Its value is 0.2, and -1 is below what is usual. */
  const alarmOf = (text: string): Alarm => {
    const [kind = '', series = '', hours = '0', value = '0.2'] = text.split(' ')
    return {
      kind: kind as Alarm['kind'],
      series,
      since: MONDAY * DAY_MS + Number(hours) * HOUR_MS,
      value: Math.abs(Number(value)),
      baseline: 0.1,
      statistic: Math.sign(Number(value)) * 20,
      threshold: 15,
      change: null,
    }
  }

  const textOf = ({ kind, series, since }: Alarm): string => `${kind} ${series} ${(since - MONDAY * DAY_MS) / HOUR_MS}`

  /** Returns the alarms of each anomaly that has several, and checks that no order of the input changes them. */
  function joined(texts: readonly string[]): string[][] {
    const alarms = texts.map(alarmOf)
    const grouped = groupAlarms(alarms)
    expect(groupAlarms(alarms.toReversed())).toEqual(grouped)
    expect(grouped.flatMap((one) => one.alarms.map(textOf)).toSorted()).toEqual(alarms.map(textOf).toSorted())
    return grouped.filter((one) => one.alarms.length > 1).map((one) => one.alarms.map(textOf))
  }

  it.each([
    ['of all calls, a model and a key', ['failed_rate all 0', 'failed_rate key:a 1', 'failed_rate model:m 47']],
    ['of two keys, joined by a model', ['failed_rate key:a 0', 'failed_rate key:b 24', 'failed_rate model:m 30']],
    [
      'of loops, the calls that they are, and their cost',
      ['suppressed_rate key:a 9', 'volume all 0', 'cost_per_call all 24'],
    ],
  ])('%s are one anomaly', (_, texts) => {
    expect(joined(texts)).toMatchObject([{ length: texts.length }])
  })

  it.each([
    ['more than three days apart', ['failed_rate all 0', 'failed_rate model:m 73']],
    ['in a chain that is longer than that', ['failed_rate all 0', 'failed_rate all 168', 'failed_rate key:a 73']],
    ['of calls that were blocked, and of others that failed', ['blocked_rate all 0', 'failed_rate all 0']],
    ['of calls that the model refused, and of loops', ['refused_rate model:m 0', 'suppressed_rate model:m 0']],
    ['of failures and of the number of calls', ['failed_rate all 0', 'volume all 0']],
    ['of two keys', ['failed_rate key:a 0', 'failed_rate key:b 0']],
    ['of two models, with nothing that joins them', ['volume model:m 0 9', 'volume model:n 0 9', 'volume all 80 9']],
    ['of more calls and of fewer', ['volume all 0 9', 'volume key:a 0 -0.05']],
    ['of more loops and of fewer calls', ['suppressed_rate key:a 0', 'volume all 0 -0.05']],
  ])('%s are not', (_, texts) => {
    expect(joined(texts)).toEqual([])
  })

  it('of two models are apart where the second began over a day later, though all calls join them', () => {
    expect(joined(['failed_rate all 0', 'failed_rate model:m 0', 'failed_rate model:n 25'])).toEqual([
      ['failed_rate all 0', 'failed_rate model:m 0'],
    ])
  })

  it('in a chain are one anomaly for three days, and then the next', () => {
    expect(joined([0, 40, 72, 73, 110].map((hours) => `failed_rate all ${hours}`))).toEqual([
      ['failed_rate all 0', 'failed_rate all 40', 'failed_rate all 72'],
      ['failed_rate all 73', 'failed_rate all 110'],
    ])
  })

  it.each([
    ['model:m', ['failed_rate all 0 0.2', 'failed_rate key:a 0 0.3', 'failed_rate model:m 40 0.4']],
    ['use_case:u', ['failed_rate all 0', 'failed_rate key:a 0', 'failed_rate use_case:u 0']],
    ['key:a', ['suppressed_rate key:a 0 0.2', 'volume all 0 90']],
    ['key:a', ['volume all 0 0.4', 'cost_per_call key:a 0 0.9']],
  ])('have %s in front, which changed most', (series, texts) => {
    expect(groupAlarms(texts.map(alarmOf)).map((one) => one.series)).toEqual([series])
  })

  it.each([
    ['of as many keys', (at: number) => `failed_rate key:k${at} 0`],
    ['of keys and models', (at: number) => `failed_rate ${at % 2 === 0 ? 'key' : 'model'}:n${at} 0`],
    ['of two years', (at: number) => `volume key:k${at % 97} ${24 * (at % 730)}`],
  ])('%s are grouped without comparing each with all, because calls wait meanwhile', (_, textAt) => {
    let reads = 0
    const count = 2_000
    const counted = Array.from({ length: count }, (__, at) => {
      const { series, ...alarm } = alarmOf(textAt(at))
      return Object.defineProperty(alarm, 'series', {
        enumerable: true,
        get: () => {
          reads += 1
          return series
        },
      }) as Alarm
    })
    groupAlarms(counted)
    expect(reads).toBeLessThan(100 * count)
  })

  it('of a year of the demonstration are its eight bad days', () => {
    const perHour = (kind: string, hour: number, ...series: string[]) => series.map((one) => `${kind} ${one} ${hour}`)
    const bad = [
      perHour('suppressed_rate', 0, 'all', 'model:a'),
      perHour('blocked_rate', 570, 'all', 'key:k'),
      perHour('suppressed_rate', 1658, 'all', 'model:a'),
      perHour('suppressed_rate', 2708, 'all', 'model:a'),
      [
        ...perHour('failed_rate', 3106, 'all'),
        ...perHour('failed_rate', 3107, 'key:k'),
        ...perHour('failed_rate', 3154, 'model:b', 'use_case:u'),
      ],
      perHour('suppressed_rate', 4746, 'all'),
      perHour('suppressed_rate', 7556, 'all', 'key:c', 'model:c', 'use_case:d'),
      perHour('failed_rate', 7784, 'all', 'key:t', 'model:c', 'use_case:t'),
    ]
    expect(groupAlarms(bad.flat().map(alarmOf)).map((one) => one.alarms.map(textOf))).toEqual(bad)
  })
})

describe('rates', () => {
  it('are watched of series that have calls enough, each by what calls came to', () => {
    const busy = {
      series: 'key:busy',
      rows: daysBefore({ completed: 85, failed: 2, blocked: 8, suppressed: 5 }, 28, 3),
    }
    const quiet = { series: 'key:quiet', rows: daysBefore({ completed: 17 }) }
    const watched = ratesToWatch([busy, quiet])
    expect(watched.map(({ kind, series }) => `${kind} ${series}`)).toEqual([
      'failed_rate key:busy',
      'blocked_rate key:busy',
      'suppressed_rate key:busy',
      'refused_rate key:busy',
    ])
    expect(watched.map(({ usual }) => usual.usual)).toEqual([2, 8, 5, 3].map((k) => (k * 28 + 0.5) / 2801))
    expect(thresholdOf(busy.rows, watched)).toBeCloseTo(Math.log(((2800 * 365) / 28) * 4 * 2 * THRESHOLD_FACTOR), 12)
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
      { kind: 'failed_rate', series: 'all', since: (MONDAY * 24 + 4) * 3_600_000, value: 0.5, change: 8 },
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
      ...[0, 1].map((at) => dayOf(MONDAY + at, { completed: 50 }, 50 * 9000)),
    ]
    const judged = { first: MONDAY, last: MONDAY + 1 }
    const [found] = findUnusualCosts([{ series: 'model:m', rows }], judged)
    expect(found).toMatchObject({ kind: 'cost_per_call', series: 'model:m', threshold: 3.5 })
    expect(found?.value).toBeCloseTo(0.009, 12)
    expect(found?.baseline).toBeCloseTo(0.0022, 4)
    const few = rows.map((one) => Object.assign(one, one.day >= MONDAY && { completed: 49 }))
    expect(findUnusualCosts([{ series: 'model:m', rows: few }], judged)).toEqual([])
  })

  it('is not compared with days on which all calls were free', () => {
    const rows = [
      ...daysBefore({ completed: 100 }, 14),
      ...[0, 1].map((at) => dayOf(MONDAY + at, { completed: 60 }, 9000)),
    ]
    expect(findUnusualCosts([{ series: 'model:m', rows }], { first: MONDAY, last: MONDAY + 1 })).toEqual([])
  })
})

describe('how long calls take', () => {
  const judged = { first: MONDAY, last: MONDAY + 1 }
  /** One in eight calls of a day takes so long. */
  const daysOf = (usual: number, then: number, calls = 80) =>
    Array.from({ length: 16 }, (_, at) => {
      const slow = bucketOf(at < 14 ? usual : then)
      const latencies = new Uint32Array(slow + 1)
      latencies[0] = calls - calls / 8
      latencies[slow] = (latencies[slow] ?? 0) + calls / 8
      return { day: MONDAY - 14 + at, model: 'm', latencies }
    })
  const told = (...days: Parameters<typeof daysOf>) =>
    findUnusualLatencies([{ series: 'model:m', rows: daysOf(...days) }], judged)

  it('is compared by the 95th percentile of a day, where there are 50 calls', () => {
    expect(told(400, 2000)).toMatchObject([{ kind: 'p95_latency', since: MONDAY * DAY_MS, value: 2047, baseline: 415 }])
    expect(told(400, 2000, 48)).toEqual([])
  })

  it('is not unusual where no call takes a millisecond', () => {
    expect(told(0, 0)).toEqual([])
  })
})

/** Three days on which one model fails often, counted from the last day. */
const OUTAGE = BAD_DAYS[0]

describe('the outage of the demo', () => {
  /** The demo begins so many days after day 0, a Thursday, and the outage on each day of the week. */
  it.each([0, 1, 2, 3, 4, 5, 6])('of three days at 80 calls a day is found while it lasts: %i', (begins) => {
    const order = {
      organisationId: 'org_1',
      keys: { triage: 'key_1', letters: 'key_2', portal: 'key_3', coding: 'key_4' },
      owner: 'usr_1',
      approvers: [],
      begins: begins * DAY_MS,
      days: 90,
      callsADay: 80,
    } satisfies FillYearRequest
    const first = order.days - 1 - OUTAGE.to
    const outage = begins + first
    const monday = outage - ((weekday(outage) + 6) % 7)
    const from = first - (outage - monday) - BASELINE_DAYS
    const calls = Array.from({ length: first + 3 - from }, (_, at) => callsOfDay(order, from + at))
      .flat()
      .filter(({ body }) => body.model === OUTAGE.model)
    const endingsOf = (of: typeof calls) => {
      const failed = of.filter(({ ending }) => ending.ended === 'failed').length
      return { completed: of.length - failed, failed }
    }
    const byDay = Map.groupBy(calls, ({ at }) => Math.floor(at / DAY_MS))
    const byHour = Map.groupBy(calls, ({ at }) => Math.floor(at / HOUR_MS))
    const before = Array.from(byDay, ([day, of]) => dayOf(day, endingsOf(of))).filter(({ day }) => day < monday)
    const hours = Array.from({ length: (outage + 3 - monday) * 24 }, (_, at) => {
      const hour = monday * 24 + at
      return { hour, group: OUTAGE.model, ...counts(endingsOf(byHour.get(hour) ?? [])) }
    })
    const series = `model:${OUTAGE.model}`
    // As many rates as the year has: of all calls, four keys, five models and five use cases.
    const threshold = alarmThreshold(order.callsADay * 365 * THRESHOLD_FACTOR, 15 * 4 * CHANGES.length)
    const watched = ratesToWatch([{ series, rows: before }])
    expect(findRisenRates(watched, new Map([[series, hours]]), threshold)).toMatchObject([
      { kind: 'failed_rate', series, change: 8 },
    ])
  })
})
