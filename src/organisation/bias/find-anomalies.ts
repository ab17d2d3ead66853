// Finds anomalies in usage counts: hourly rates of a week against the days before it, and daily volume, cost and latency. The
// same counts always give the same anomalies, because nothing is carried over from one search to the next.
import { DAY_MS } from '../../platform/time.ts'
import { COUNTED_GROUPINGS } from '../../platform/groupings.ts'
import { toEur } from '../../platform/money.ts'
import type { Proportion } from '../../reports/statistics/proportions.ts'
import {
  BASELINE_DAYS,
  findUnusualDays,
  type DayFigure,
  UNUSUAL_Z,
  findAlarm,
  rateBaselineOf,
  alarmThreshold,
  CHANGES,
  type RateBaseline,
} from '../../reports/statistics/anomalies.ts'
import { percentileOf, addLatencies, NO_LATENCIES } from '../usage/latency-histogram.ts'
import { RATE_KINDS, type Alarm, type RateKind, countCalls, proportionOf } from './bias-measures.ts'
import { ratedOutcomeOf, type Counts } from '../../reports/statistics/compared-outcomes.ts'
import type { Days } from '../usage/usage-sums.store.ts'
import type { GroupDay, GroupHour, ModelLatencies, CountedDimension, GroupCounts } from './group-counts.ts'

const HOUR_MS = 3_600_000
const YEAR_DAYS = 365
const DAY_HOURS = 24
const WEEK_DAYS = 7

/** The sums of a week go on into the next one, so that a rise at its end is found. */
export const OVERLAP_DAYS = 3

/** One false alarm is meant to come in so many years, of all rates together. */
const YEARS_AN_ALARM = 5

/** Multiplies the calls of a year for the threshold. A call of the overlap is in the sums of two weeks. */
export const THRESHOLD_FACTOR = (YEARS_AN_ALARM * (WEEK_DAYS + OVERLAP_DAYS)) / WEEK_DAYS

/** Fewer calls say nothing about how long a call takes or what it costs. */
const LEAST_DAY_CALLS = 50

/** Rows counted under one name of one dimension. */
export type Series<Row> = { series: string; rows: readonly Row[] }

type WatchedRate = { kind: RateKind; series: string; usual: RateBaseline }

/** Returns the rates that have a usual value, computed from the days before a week. */
export function ratesToWatch(days: readonly Series<GroupDay>[]): WatchedRate[] {
  return days.flatMap(({ series, rows }) =>
    RATE_KINDS.flatMap((kind) => {
      const usual = rateBaselineOf(rows.map((row) => rateIn(row, kind)))
      return usual === null ? [] : [{ kind, series, usual }]
    }),
  )
}

/** Returns the alarm threshold. It depends on the number of all calls in the baseline, how often sums count them, and on the number of sums. */
export function thresholdOf(allDays: readonly GroupDay[], watched: readonly WatchedRate[]): number {
  const calls = allDays.reduce((sum, row) => sum + countCalls(row), 0)
  return alarmThreshold((calls * YEAR_DAYS * THRESHOLD_FACTOR) / BASELINE_DAYS, watched.length * CHANGES.length)
}

/** Returns at most one anomaly for each rate. @param hours of one week, in their order */
export function findRisenRates(
  watched: readonly WatchedRate[],
  hours: ReadonlyMap<string, readonly GroupHour[]>,
  threshold: number,
): Alarm[] {
  return watched.flatMap(({ kind, series, usual }) => {
    const counted = (hours.get(series) ?? []).map((row) => Object.assign(rateIn(row, kind), { hour: row.hour }))
    const alarm = findAlarm(counted, usual, threshold)
    if (alarm === null) return []
    const [value, baseline, statistic] = [alarm.rate, usual.usual, alarm.sum]
    const { change } = alarm
    return [{ kind, series, since: alarm.since * HOUR_MS, value, baseline, statistic, threshold, change }]
  })
}

const rateIn = (counts: Counts, kind: RateKind): Proportion => proportionOf(counts, ratedOutcomeOf(kind) ?? 'failed')

/** Finds days with an unusual number of calls. Weekends are skipped: a quiet Saturday is normal. */
export function findUnusualVolumes(series: readonly Series<GroupDay>[], judged: Days): Alarm[] {
  return series.flatMap(({ series: name, rows }) => {
    const calls = new Map(rows.map((row) => [row.day, countCalls(row)]))
    const figures: DayFigure[] = []
    for (let day = rows[0]?.day ?? Infinity; day <= judged.last; day += 1) {
      if (isWeekend(day)) continue
      const n = calls.get(day) ?? 0
      // A logarithm has no value for a day without calls, so such a day counts as half a call.
      figures.push({ day, value: Math.max(n, 0.5), isUsual: n >= LEAST_DAY_CALLS })
    }
    return unusual('volume', name, figures, judged)
  })
}

export const findUnusualCosts = (series: readonly Series<GroupDay>[], judged: Days): Alarm[] =>
  series.flatMap(({ series: name, rows }) => {
    const figures = rows
      .filter(({ completed, costMicroeur }) => completed >= LEAST_DAY_CALLS && costMicroeur > 0)
      .map(({ day, completed, costMicroeur }) => {
        return { day, value: toEur(costMicroeur) / completed, isUsual: true }
      })
    return unusual('cost_per_call', name, figures, judged)
  })

export function findUnusualLatencies(series: readonly Series<ModelLatencies>[], judged: Days): Alarm[] {
  return series.flatMap(({ series: name, rows }) => {
    const figures = rows
      .filter(({ latencies }) => latencies.reduce((sum, count) => sum + count, 0) >= LEAST_DAY_CALLS)
      // Anything below a millisecond counts as one.
      .map(({ day, latencies }) => ({ day, value: Math.max(1, percentileOf(latencies, 0.95) ?? 1), isUsual: true }))
    return unusual('p95_latency', name, figures, judged)
  })
}

const unusual = (kind: Alarm['kind'], series: string, figures: readonly DayFigure[], judged: Days) =>
  findUnusualDays(figures, judged).map(({ since, value, usual, z }): Alarm => {
    return {
      kind,
      series,
      since: since * DAY_MS,
      value,
      baseline: usual,
      statistic: z,
      threshold: UNUSUAL_Z,
      change: null,
    }
  })

/** Day 0 since the epoch was a Thursday. */
const isWeekend = (day: number): boolean => (day + 4) % 7 === 0 || (day + 4) % 7 === 6

const DIMENSIONS: readonly CountedDimension[] = ['all', ...COUNTED_GROUPINGS]

/**
 * Finds the risen rates of a week and the days of overlap, in steps, so that calls are served in between.
 * @param monday the first day of the week
 * @param until only hours before this one have ended
 */
export function* searchRisenRates(counts: GroupCounts, monday: number, until: number): Generator<Alarm[]> {
  const before = { first: monday - BASELINE_DAYS, last: monday - 1 }
  const all = counts.days('all', before)
  const watched = DIMENSIONS.map((dimension) => ratesToWatch(seriesOf(dimension, counts.days(dimension, before))))
  if (watched.every((rates) => rates.length === 0)) return
  yield []
  const threshold = thresholdOf(all, watched.flat())
  const [from, to] = [monday * DAY_HOURS, Math.min(until, (monday + WEEK_DAYS + OVERLAP_DAYS) * DAY_HOURS)]
  for (const [at, dimension] of DIMENSIONS.entries()) {
    const hours = seriesOf(dimension, counts.hours(dimension, from, to))
    const bySeries = new Map(hours.map(({ series, rows }) => [series, rows]))
    yield findRisenRates(watched[at] ?? [], bySeries, threshold)
  }
}

/**
 * Finds unusual days, in steps, so that calls are served in between.
 * @param last the last full day. The week before it is judged too, because a search may be that late
 */
export function* searchUnusualDays(counts: GroupCounts, last: number): Generator<Alarm[]> {
  const judged = { first: last - WEEK_DAYS, last }
  // A run of unusual days may have begun before the judged days, so one more week is read.
  const range = { first: judged.first - BASELINE_DAYS - WEEK_DAYS, last }
  for (const dimension of DIMENSIONS) {
    const days = seriesOf(dimension, counts.days(dimension, range))
    yield [...findUnusualVolumes(days, judged), ...findUnusualCosts(days, judged)]
  }
  yield findUnusualLatencies(latencySeries(counts, range), judged)
}

function latencySeries(counts: GroupCounts, range: Days): Series<ModelLatencies>[] {
  const rows = counts.latencies(range)
  const all = new Map<number, ModelLatencies>()
  for (const { day, latencies } of rows) {
    const sum = addLatencies(all.get(day)?.latencies ?? NO_LATENCIES, latencies)
    all.set(day, { day, model: '', latencies: sum })
  }
  const byModel = Map.groupBy(rows, ({ model }) => model)
  return [
    { series: 'all', rows: [...all.values()] },
    ...Array.from(byModel, ([model, members]) => ({ series: `model:${model}`, rows: members })),
  ]
}

function seriesOf<Row extends { group: string }>(dimension: CountedDimension, rows: readonly Row[]): Series<Row>[] {
  if (dimension === 'all') return [{ series: 'all', rows }]
  const groups = Map.groupBy(rows, ({ group }) => group)
  return Array.from(groups, ([group, members]) => ({ series: `${dimension}:${group}`, rows: members }))
}
