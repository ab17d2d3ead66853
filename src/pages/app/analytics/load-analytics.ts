// Loads the counts and costs of the analytics page, and the choices for its filters.
import type { Key } from '../../../keys/key.schema.ts'
import { fetchAllPages, type Answer } from '../../api/send-request.ts'
import { callApi, loadWholeList } from '../session.ts'
import { toApiQuery, type AnalyticsQuery } from './analytics-query.ts'
import type { Costs, Requests } from './chart-data.ts'

/** The counts with their query, because the URL may have changed since. */
export type AnalyticsCounts = { query: AnalyticsQuery; requests: Requests; costs: Costs }

const PAGE_ROWS = 1000
export async function loadAnalytics(query: AnalyticsQuery, signal: AbortSignal): Promise<Answer<AnalyticsCounts>> {
  const rowsOf = <T extends Requests | Costs>(path: string): Promise<Answer<T>> =>
    fetchAllPages((cursor) =>
      callApi<T>('GET', path, { query: { ...toApiQuery(query), limit: PAGE_ROWS, cursor }, signal }),
    )
  const [requests, costs] = await Promise.all([
    rowsOf<Requests>('/api/analytics/requests'),
    rowsOf<Costs>('/api/analytics/costs'),
  ])
  if (requests.outcome === 'refused') return requests
  if (costs.outcome === 'refused') return costs
  return { ...requests, body: { query, requests: requests.body, costs: costs.body } }
}

export type FilterChoices = { models: string[]; useCases: string[]; keys: Key[] }

/** Loads the models and use cases of the period, and all keys. */
export async function loadChoices({ start, end }: AnalyticsQuery, signal: AbortSignal): Promise<Answer<FilterChoices>> {
  const named = (group: 'model' | 'use_case'): Promise<Answer<Costs>> =>
    callApi<Costs>('GET', '/api/analytics/costs', {
      query: { start, end, bucket: 'total', group_by: group, limit: PAGE_ROWS },
      signal,
    })
  const [models, useCases, keys] = await Promise.all([
    named('model'),
    named('use_case'),
    loadWholeList<Key>('/api/keys', { status: 'all', limit: 100 }, signal),
  ])
  if (models.outcome === 'refused') return models
  if (useCases.outcome === 'refused') return useCases
  if (keys.outcome === 'refused') return keys
  const body = {
    models: names(models.body.data.map(({ model }) => model)),
    useCases: names(useCases.body.data.map(({ use_case: name }) => name)),
    keys: keys.body.data,
  }
  return { ...models, body }
}

const names = (values: readonly (string | null)[]): string[] =>
  values.filter((value) => value !== null).toSorted((one, other) => one.localeCompare(other))
