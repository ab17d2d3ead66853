// Loads the counts and costs of the analytics page, those of as many days before, and the choices for its filters.
import { bodyOf, fetchAllPages, type Answer } from '../../api/send-request.ts'
import { callApi } from '../session.ts'
import { countedBy, isNarrowed, previousOf, toApiQuery, type AnalyticsQuery } from './analytics-query.ts'
import type { Costs, Requests } from './chart-data.ts'

export type PeriodCounts = {
  /** All calls together, by day or month. */
  requests: Requests
  /** By ending or by the query's group. All together where that would be more than the service counts. */
  costs: Costs
  /** By the query's group. Null without one. */
  grouped: Requests | null
}

export type AnalyticsCounts = PeriodCounts & {
  /** What was counted, because the URL may have changed since. */
  query: AnalyticsQuery
  /** As many days before. Null if they could not be counted, which must not hide what could. */
  previous: PeriodCounts | null
}

const PAGE_ROWS = 1000

export async function loadAnalytics(query: AnalyticsQuery, signal: AbortSignal): Promise<Answer<AnalyticsCounts>> {
  const before = previousOf(query)
  const [counts, previous] = await Promise.all([
    loadPeriod(query, signal),
    before === null ? null : loadPeriod(before, signal),
  ])
  if (counts.outcome === 'refused') return counts
  const body = { ...counts.body, query, previous: bodyOf(previous) }
  return { ...counts, body }
}

async function loadPeriod(query: AnalyticsQuery, signal: AbortSignal): Promise<Answer<PeriodCounts>> {
  const rowsOf = <T extends Requests | Costs>(kind: 'requests' | 'costs', group: string): Promise<Answer<T>> =>
    fetchAllPages((cursor) =>
      callApi<T>('GET', `/api/analytics/${kind}`, {
        query: { ...toApiQuery(query), group_by: group, limit: PAGE_ROWS, cursor },
        signal,
      }),
    )
  const group = countedBy(query.group)
  const [requests, costs, grouped] = await Promise.all([
    rowsOf<Requests>('requests', ''),
    rowsOf<Costs>('costs', group === '' && !isNarrowed(query) ? 'ending' : group),
    group === '' ? null : rowsOf<Requests>('requests', group),
  ])
  if (requests.outcome === 'refused') return requests
  if (costs.outcome === 'refused') return costs
  if (grouped?.outcome === 'refused') return grouped
  return { ...requests, body: { requests: requests.body, costs: costs.body, grouped: grouped?.body ?? null } }
}

export type FilterChoices = { models: string[]; useCases: string[] }

/** Null: the last 30 days. */
type Days = { start: string | null; end: string | null }

export async function loadChoices({ start, end }: Days, signal: AbortSignal): Promise<Answer<FilterChoices>> {
  const named = (group: 'model' | 'use_case'): Promise<Answer<Costs>> =>
    callApi<Costs>('GET', '/api/analytics/costs', {
      query: { start, end, bucket: 'total', group_by: group, limit: PAGE_ROWS },
      signal,
    })
  const [models, useCases] = await Promise.all([named('model'), named('use_case')])
  if (models.outcome === 'refused') return models
  if (useCases.outcome === 'refused') return useCases
  const body = {
    models: names(models.body.data.map(({ model }) => model)),
    useCases: names(useCases.body.data.map(({ use_case: name }) => name)),
  }
  return { ...models, body }
}

const names = (values: readonly (string | null)[]): string[] =>
  values.filter((value) => value !== null).toSorted((one, other) => one.localeCompare(other))
