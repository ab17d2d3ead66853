import { describe, expect, it } from 'vitest'
import {
  daysOf,
  isNarrowed,
  lastDays,
  toApiQuery,
  presetPeriodOf,
  previousOf,
  readUrlQuery,
  explainRefusedPeriod,
} from '../../../../src/pages/app/analytics/analytics-query.ts'
import {
  callsByWeekday,
  changeText,
  chartByGroup,
  NO_NAME,
  pointOf,
  sumsByGroup,
} from '../../../../src/pages/app/analytics/chart-data.ts'
import { costOfMonth, expectedCost } from '../../../../src/pages/app/overview/forecast.ts'
import { dayAfter } from '../../../../src/pages/text/day.ts'
import { euroColumn, formatEuro, formatNumber, formatPercent } from '../../../../src/pages/text/format.ts'

const NOW = Date.UTC(2026, 10, 21, 23, 59)

const KEY = 'key_0198f3a0-5b7e-7c41-9d1e-2f6a8c0b4d11'

const asked = (query: string) => readUrlQuery(new URLSearchParams(query), NOW)

describe('what an address asks of analytics', () => {
  it('is the last 30 days by day where it says nothing', () => {
    expect(asked('')).toMatchObject({ start: '2026-10-23', end: '2026-11-21', bucket: 'day', group: '' })
  })

  it('is what it says, and is asked of the service so', () => {
    const found = asked(`start=2026-01-01&end=2026-06-30&bucket=month&group=key&model=m&key=${KEY}&use_case=u`)
    expect(toApiQuery(found)).toEqual({
      start: '2026-01-01',
      end: '2026-06-30',
      bucket: 'month',
      group_by: 'key',
      model: 'm',
      key_id: KEY,
      use_case: 'u',
    })
  })

  it('leaves out a bucket, a group, days and names that no call can have', () => {
    expect(asked('bucket=hour&group=person&start=yesterday&end=2026-02-30')).toEqual(asked(''))
    expect(asked(`start=0202-03-15&key=<script>&use_case=A b&model=${'m'.repeat(101)}`)).toEqual(asked(''))
    expect(asked('use_case=(other)').useCase).toBe('(other)')
  })

  it('has 30 days to the last one where only that is named', () => {
    expect(asked('end=2026-01-30')).toMatchObject({ start: '2026-01-01', end: '2026-01-30' })
  })

  it('has no number of days where the first is after the last', () => {
    expect(daysOf(asked('start=2026-11-02&end=2026-11-01'))).toBeNull()
    expect(daysOf(asked('start=2026-11-01&end=2026-11-02'))).toBe(2)
  })

  it('counts today among the last days, also at the end of a month', () => {
    expect(lastDays(1, NOW)).toEqual({ start: '2026-11-21', end: '2026-11-21' })
    expect(lastDays(365, NOW)).toEqual({ start: '2025-11-22', end: '2026-11-21' })
  })
})

describe('what is narrowed down', () => {
  it('is what counts only some calls', () => {
    expect(isNarrowed(asked('group=key&bucket=month&show=cost'))).toBe(false)
    for (const query of ['model=m', `key=${KEY}`, 'use_case=u']) expect(isNarrowed(asked(query)), query).toBe(true)
  })

  it('has a range by name if its days have one', () => {
    expect(presetPeriodOf(asked('start=2025-11-22&end=2026-11-21'), NOW)?.name).toBe('12 months')
    expect(presetPeriodOf(asked('start=2026-11-01'), NOW)).toBeUndefined()
  })
})

describe('the period before', () => {
  it('has as many days and ends the day before', () => {
    expect(previousOf(asked(''))).toMatchObject({ start: '2026-09-23', end: '2026-10-22' })
    expect(previousOf(asked('start=2026-03-01&end=2026-03-01&model=m'))).toMatchObject({
      start: '2026-02-28',
      end: '2026-02-28',
      model: 'm',
    })
  })

  it('is none of days that are not in order', () => {
    expect(previousOf(asked('start=2026-03-02&end=2026-03-01'))).toBeNull()
  })
})

describe('a change', () => {
  it('is the difference in the unit of its column, whatever was before', () => {
    const say = (now: number, before: number): string => changeText(now, before, formatNumber)
    expect([say(105, 100), say(90, 100), say(5, 5), say(14, 0)]).toEqual(['+5', '−10', '–', '+14'])
    expect(changeText(0.0452, 0.0164, formatPercent)).toBe('+2.9%')
    expect(changeText(1.004, 1.001, euroColumn(9), formatEuro)).toBe('–')
  })
})

describe('a day', () => {
  it('has not ended while it is today, and a month while it is this one', () => {
    expect(pointOf('2026-11-21', [1], NOW).soFar).toBe('Today, so far')
    expect(pointOf('2026-11', [1], NOW).soFar).toBe('This month, so far')
    expect(pointOf('2026-11-20', [1], NOW).soFar).toBeUndefined()
  })
})

describe('what is not counted', () => {
  const why = (rule: string, query: string, path = 'start') =>
    explainRefusedPeriod({ code: 'invalid_request', fields: [{ path, rule }] }, asked(query))

  it('is said without the words of the API, with what makes it fewer', () => {
    expect(why('at most 92 days', 'group=key')).toMatchObject({
      words: expect.stringContaining('Key by key and day by day') as string,
      isLessByMonth: true,
    })
    expect(why('at most 92 days', 'group=key&model=m&bucket=month')).toMatchObject({ isLessByMonth: false })
    expect(why('expected a day that exists', '', 'end')?.words).toContain('cannot be read')
  })

  it('is another matter where something else was wrong, or failed', () => {
    expect(why('at most 100', '', 'model')).toBeNull()
    expect(explainRefusedPeriod({ code: 'internal_error', fields: [] }, asked(''))).toBeNull()
  })
})

describe('the mean calls of a weekday', () => {
  const days = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ date: dayAfter('2026-11-20', 1 - count + at), requests: at }))

  it('are of days that have ended, Monday first', () => {
    const means = callsByWeekday(days(15), '2026-11-20')
    expect(means.map(({ name, value }) => `${name} ${value}`)).toEqual([
      'Monday 6.5',
      'Tuesday 7.5',
      'Wednesday 8.5',
      'Thursday 9.5',
      'Friday 3.5',
      'Saturday 4.5',
      'Sunday 5.5',
    ])
  })

  it('are none before each weekday was there, or by month', () => {
    expect(callsByWeekday(days(7), '2026-11-20')).toEqual([])
    const months = Array.from({ length: 12 }, (_, at) => ({ date: `2025-${at + 10}`, requests: 1 }))
    expect(callsByWeekday(months, '2026-11-20')).toEqual([])
  })
})

describe('a chart by group', () => {
  const rows = [
    { date: '2026-11-20', group: 'a', value: 1 },
    { date: '2026-11-20', group: null, value: 2 },
    { date: '2026-11-21', group: 'b', value: 5 },
    { date: '2026-11-21', group: 'a', value: 1 },
  ]

  it('begins with the group that has the most, and gives those without a name one', () => {
    expect(sumsByGroup(rows)).toEqual([
      { name: 'b', value: 5 },
      { name: 'a', value: 2 },
      { name: NO_NAME, value: 2 },
    ])
  })

  it('has a value for each mark on each day', () => {
    const { marks, points } = chartByGroup(rows, ['b', 'a', NO_NAME], (group) => group.toUpperCase())
    expect(marks.map(({ name }) => name)).toEqual(['B', 'A', NO_NAME.toUpperCase()])
    expect(points.map(({ name, values }) => ({ name, values }))).toEqual([
      { name: '20 Nov 2026', values: [0, 1, 2] },
      { name: '21 Nov 2026', values: [5, 1, 0] },
    ])
  })

  it('draws what more than five have together with the fifth mark, and loses none of it', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const many = names.map((group) => ({ date: '2026-11-20', group, value: 1 }))
    const { marks, points } = chartByGroup(many, names, (group) => group)
    expect(marks.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', '2 others'])
    expect(points[0]?.values).toEqual([1, 1, 1, 1, 2])
  })
})

describe('the cost that is expected of a month', () => {
  /** Every day of 40 to today: €1 on days of November, €3 on the last 7 full ones, €2 today. */
  const days = (today: string, calls = 40) =>
    Array.from({ length: 40 }, (_, at) => {
      const date = dayAfter(today, at - 39)
      const cost = date === today ? 2 : date >= dayAfter(today, -7) ? 3 : 1
      return { date, requests: at >= 40 - calls ? 1 : 0, cost_eur: at >= 40 - calls ? cost : 0 }
    })

  it('is that so far, and the mean of the last 7 full days for each that remains', () => {
    const today = '2026-11-20'
    expect(costOfMonth(days(today), today)).toBe(12 + 7 * 3 + 2)
    expect(expectedCost(days(today), today)).toBe(35 + 10 * 3)
    expect(expectedCost(days('2026-11-30'), '2026-11-30')).toBe(22 + 7 * 3 + 2)
    expect(expectedCost(days('2026-12-03'), '2026-12-03')).toBe(2 * 3 + 2 + 28 * 3)
  })

  it('is none before the third day, or where the first call is less than 7 full days ago', () => {
    expect(expectedCost(days('2026-12-02'), '2026-12-02')).toBeNull()
    expect(expectedCost(days('2026-11-20', 7), '2026-11-20')).toBeNull()
    expect(expectedCost(days('2026-11-20', 8), '2026-11-20')).not.toBeNull()
  })
})
