// Reads counts to search for anomalies: a week's hours with the days before it, and the last full days with those before.
import { BASELINE_DAYS } from '../../reports/statistics/watch.ts'
import { addLatencies, NO_LATENCIES } from '../usage/latency.ts'
import type { FoundAnomaly } from './anomaly.ts'
import {
  findRisenRates,
  findUnusualCosts,
  findUnusualLatencies,
  findUnusualVolumes,
  ratesToWatch,
  thresholdOf,
  type Series,
} from './find-anomalies.ts'
import type { Days } from '../usage/usage-sums.store.ts'
import type { CountedDimension, GroupCounts, ModelLatencies } from './group-counts.ts'

const DAY_HOURS = 24
const WEEK_DAYS = 7

const DIMENSIONS: readonly CountedDimension[] = ['all', 'key', 'model', 'use_case']

/**
 * Runs in steps, so that calls are served in between.
 * @param monday the first day of the week
 * @param until only hours before this one have ended
 */
export function* risenRates(counts: GroupCounts, monday: number, until: number): Generator<FoundAnomaly[]> {
  const before = { first: monday - BASELINE_DAYS, last: monday - 1 }
  const all = counts.days('all', before)
  const watched = DIMENSIONS.map((dimension) => ratesToWatch(seriesOf(dimension, counts.days(dimension, before))))
  if (watched.every((rates) => rates.length === 0)) return
  yield []
  const threshold = thresholdOf(all, watched.flat())
  const [from, to] = [monday * DAY_HOURS, Math.min(until, (monday + WEEK_DAYS) * DAY_HOURS)]
  for (const [at, dimension] of DIMENSIONS.entries()) {
    const hours = seriesOf(dimension, counts.hours(dimension, from, to))
    const bySeries = new Map(hours.map(({ series, rows }) => [series, rows]))
    yield findRisenRates(watched[at] ?? [], bySeries, threshold)
  }
}

/**
 * Runs in steps too.
 * @param last the last full day. So many before it are judged as well as may have passed since the last look
 */
export function* unusualDays(counts: GroupCounts, last: number): Generator<FoundAnomaly[]> {
  const judged = { first: last - WEEK_DAYS, last }
  // A run may have begun before the judged days, so one more week is read.
  const wanted = { first: judged.first - BASELINE_DAYS - WEEK_DAYS, last }
  for (const dimension of DIMENSIONS) {
    const days = seriesOf(dimension, counts.days(dimension, wanted))
    yield [...findUnusualVolumes(days, judged), ...findUnusualCosts(days, judged)]
  }
  yield findUnusualLatencies(latencySeries(counts, wanted), judged)
}

function latencySeries(counts: GroupCounts, wanted: Days): Series<ModelLatencies>[] {
  const rows = counts.latencies(wanted)
  const all = new Map<number, ModelLatencies>()
  for (const { day, latencies } of rows) {
    const sum = addLatencies(all.get(day)?.latencies ?? NO_LATENCIES, latencies)
    all.set(day, { day, model: '', latencies: sum })
  }
  const byModel = Map.groupBy(rows, ({ model }) => model)
  return [
    { series: 'all', rows: [...all.values()] },
    ...Array.from(byModel, ([model, own]) => ({ series: `model:${model}`, rows: own })),
  ]
}

function seriesOf<Row extends { group: string }>(dimension: CountedDimension, rows: readonly Row[]): Series<Row>[] {
  if (dimension === 'all') return [{ series: 'all', rows }]
  const groups = Map.groupBy(rows, ({ group }) => group)
  return Array.from(groups, ([group, own]) => ({ series: `${dimension}:${group}`, rows: own }))
}
