// Loads what is known about one anomaly: its figure day by day, the calls it consists of by model or use case, and the versions of the
// policy around its start. Each is null if it cannot be had, which must not hide the anomaly.
import { countCompared, ratedOutcomeOf } from '../../../reports/statistics/compared-outcomes.ts'
import type { RequestsRow } from '../../../management/analytics/analytics.schema.ts'
import type { ShownPolicyVersion } from '../../../management/policies/policies.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { answered, bodyOf, type Answer, type Query } from '../../api/send-request.ts'
import type { Costs, Requests } from '../analytics/chart-data.ts'
import { callApi, hasPermission, hasCounts } from '../session.ts'
import { daysOf, isRate, seriesFilter, seriesOf, type Anomaly } from './anomaly-words.ts'
import { DAY_MS, dayAfter, dayFromToday } from '../../text/day.ts'

export type DayFigure = { date: string; value: number | null }
export type CallGroup = { name: string; count: number }

export type Figures = {
  days: readonly DayFigure[] | null
  where: readonly CallGroup[]
  /** The versions of the policy that were put in force around the start. */
  versions: readonly ShownPolicyVersion[] | null
}

/** The days before the start that an anomaly is compared with. */
const USUAL_DAYS = 28
const MOST_ROWS = 1_000
const MOST_VERSIONS = 100
/** How far from the start a change may lie. */
export const DAYS_AROUND = 2

export async function loadFigures(anomaly: Anomaly, signal: AbortSignal): Promise<Answer<Figures>> {
  const [days, where, versions] = await Promise.all([
    loadDays(anomaly, signal),
    loadWhere(anomaly, signal),
    loadVersions(anomaly, signal),
  ])
  return answered({ days, where, versions })
}

/** Returns the filter of the series, or null if nothing can be counted for it. */
const countedFilter = (anomaly: Anomaly): Query | null => (hasCounts() ? seriesFilter(anomaly, 'key_id') : null)

async function loadDays(anomaly: Anomaly, signal: AbortSignal): Promise<readonly DayFigure[] | null> {
  const filter = countedFilter(anomaly)
  if (filter === null) return null
  const { from, to } = daysOf(anomaly)
  const today = dayFromToday(0)
  const days = { start: dayAfter(from, -USUAL_DAYS), end: to < today ? to : today }
  const query = { ...filter, ...days, limit: MOST_ROWS }
  if (anomaly.kind === 'cost_per_call') {
    const costs = await callApi<Costs>('GET', '/api/analytics/costs', {
      query: { ...query, group_by: 'ending' },
      signal,
    })
    return bodyOf(costs)?.data.flatMap(costOfDay) ?? null
  }
  const requests = await callApi<Requests>('GET', '/api/analytics/requests', { query, signal })
  const rows = bodyOf(requests)?.data.flatMap((row) => figureOfDay(anomaly.kind, row)) ?? []
  return rows.some(({ value }) => value !== null) ? rows : null
}

/** The cost of a completed call. Others cost nothing, or little. */
const costOfDay = ({ date, ending, requests, cost_eur: cost }: Costs['data'][number]): DayFigure[] =>
  date === null || ending !== 'completed' ? [] : [{ date, value: requests === 0 ? null : cost / requests }]

function figureOfDay(kind: string, row: RequestsRow): DayFigure[] {
  const { date, requests, awaiting_approval: waiting } = row
  if (date === null) return []
  if (kind === 'volume') return [{ date, value: requests }]
  if (kind === 'p95_latency') return [{ date, value: row.response_ms?.p95 ?? null }]
  const ended = requests - waiting
  return [{ date, value: ended === 0 ? null : countOf(kind, row) / ended }]
}

const countOf = (kind: string, row: RequestsRow): number => countCompared(row, ratedOutcomeOf(kind) ?? 'failed')

async function loadWhere(anomaly: Anomaly, signal: AbortSignal): Promise<readonly CallGroup[]> {
  const filter = countedFilter(anomaly)
  if (filter === null || !isRate(anomaly)) return []
  const { from, to } = daysOf(anomaly)
  const group = seriesOf(anomaly).by === 'model' ? 'use_case' : 'model'
  const query = { ...filter, start: from, end: to, bucket: 'total', group_by: group, limit: MOST_ROWS }
  const requests = bodyOf(await callApi<Requests>('GET', '/api/analytics/requests', { query, signal }))
  return (requests?.data ?? [])
    .map((row) => ({ name: row[group] ?? 'no use case', count: countOf(anomaly.kind, row) }))
    .filter(({ count }) => count > 0)
    .toSorted((one, other) => other.count - one.count)
}

async function loadVersions(anomaly: Anomaly, signal: AbortSignal): Promise<readonly ShownPolicyVersion[] | null> {
  if (!hasPermission('policies:read')) return null
  const query = { limit: MOST_VERSIONS }
  const listed = bodyOf(await callApi<List<ShownPolicyVersion>>('GET', '/api/policies/history', { query, signal }))
  const oldest = listed?.data.at(-1)
  // The versions before the oldest one may have been put in force around then too.
  if (listed === null || (listed.next_cursor !== null && oldest !== undefined && !isBefore(oldest.created_at, anomaly)))
    return null
  return listed.data.filter(({ created_at: at }) => isAround(at, anomaly))
}

const startOf = ({ since }: Anomaly): number => Date.parse(since)
const AROUND_MS = DAYS_AROUND * DAY_MS

const isBefore = (at: string, anomaly: Anomaly): boolean => Date.parse(at) < startOf(anomaly) - AROUND_MS

/** True if the time is at most two days before or after the start. */
export const isAround = (at: string, anomaly: Anomaly): boolean =>
  Math.abs(Date.parse(at) - startOf(anomaly)) <= AROUND_MS
