// Keys page: loads the keys, the policy in force, and the figures that the tier and the role include.
import type { Key } from '../../../keys/key.schema.ts'
import type { KeyFiguresList } from '../../../management/analytics/analytics.schema.ts'
import type { Call } from '../../../management/calls/calls.schema.ts'
import type { Policy } from '../../../management/policies/policies.schema.ts'
import type { Provider } from '../../../management/providers.schema.ts'
import type * as RuleWords from '../../../policies/rules/words.ts'
import type { Settings } from '../../../management/settings/settings.schema.ts'
import type { List } from '../../../platform/pagination.schema.ts'
import { isWithin, narrowestRegion, type DataRegion } from '../../../platform/data-region.ts'
import { answered, bodyOf, fetchAllPages, type Answer, type Query } from '../../api/send-request.ts'
import type { Costs, Requests } from '../analytics/chart-data.ts'
import { callApi, hasPermission, loadWholeList, organisation, seesAllCalls, hasCounts } from '../session.ts'
import { DAY_MS } from '../../text/day.ts'
import { formatMonth } from '../../text/format.ts'

export type KeyFigures = KeyFiguresList['data'][number]

/** The figures of all keys. Null if the tier or the role does not include them, or they cannot be had now. */
type CountedKeys = {
  /** The last 30 days, by key. */
  figures: ReadonlyMap<string, KeyFigures>
  /** Calls of each of the last 30 days, by key. */
  days: ReadonlyMap<string, readonly number[]>
  /** The cost of the current month, by key. */
  month: ReadonlyMap<string, number>
  costs: Costs
}

export type KeyList = { keys: List<Key>; policy: Policy; counted: CountedKeys | null }

const currentMonth = (): string => new Date().toISOString().slice(0, 'YYYY-MM'.length)

export const monthName = (): string => formatMonth(currentMonth()).replace(/ \d+$/, '')

const ofMonth = (): Query => ({ start: `${currentMonth()}-01`, bucket: 'total' })

export async function loadKeyList(signal: AbortSignal): Promise<Answer<KeyList>> {
  const [keys, policy, counted] = await Promise.all([
    loadWholeList<Key>('/api/keys', { status: 'all', limit: 100 }, signal),
    callApi<Policy>('GET', '/api/policies', { signal }),
    hasCounts() ? loadCounted(signal) : null,
  ])
  if (keys.outcome === 'refused') return keys
  if (policy.outcome === 'refused') return policy
  return answered({ keys: keys.body, policy: policy.body, counted })
}

const MOST_ROWS = 1_000
const MOST_PAGES = 3

async function loadCounted(signal: AbortSignal): Promise<CountedKeys | null> {
  const byKey = { group_by: 'key', limit: MOST_ROWS }
  const [figures, requests, costs] = await Promise.all([
    callApi<KeyFiguresList>('GET', '/api/analytics/keys', { signal }),
    fetchAllPages<Requests['data'][number], Requests>(
      (cursor) => callApi('GET', '/api/analytics/requests', { query: { ...byKey, cursor }, signal }),
      MOST_PAGES,
    ),
    callApi<Costs>('GET', '/api/analytics/costs', { query: { ...byKey, ...ofMonth() }, signal }),
  ])
  if (figures.outcome === 'refused' || requests.outcome === 'refused' || costs.outcome === 'refused') return null
  return {
    figures: new Map(figures.body.data.map((one) => [one.key_id, one])),
    // Bars of a part of the days would look like all of them.
    days: requests.body.next_cursor === null ? daysByKey(requests.body) : new Map(),
    month: new Map(costs.body.data.flatMap(({ key_id: id, cost_eur: cost }) => (id === null ? [] : [[id, cost]]))),
    costs: costs.body,
  }
}

function daysByKey({ start, end, data }: Requests): ReadonlyMap<string, readonly number[]> {
  const dayOf = (date: string): number => Math.round((Date.parse(date) - Date.parse(start)) / DAY_MS)
  const days = new Map<string, number[]>()
  for (const { key_id: id, date, requests } of data) {
    if (id === null || date === null) continue
    const counts = days.get(id) ?? Array.from({ length: dayOf(end) + 1 }, () => 0)
    counts[dayOf(date)] = requests
    days.set(id, counts)
  }
  return days
}

/** What rules a key, and what may be called. */
export type Ruling = {
  policy: Policy
  /** The models that the tier includes at the enabled providers, each with the regions of its routes there. */
  models: ReadonlyMap<string, readonly DataRegion[]>
  settings: Settings
  /** The words for rules, which are many: loaded where rules are shown. Null if a newer version has taken them away. */
  words: Pick<typeof RuleWords, 'STOPPING_RULES' | 'wordsOf'> | null
}

export async function loadRuling(signal: AbortSignal): Promise<Answer<Ruling>> {
  const [words, policy, providers, settings] = await Promise.all([
    import('../../../policies/rules/words.ts').catch(() => null),
    callApi<Policy>('GET', '/api/policies', { signal }),
    callApi<List<Provider>>('GET', '/api/providers', { signal }),
    callApi<Settings>('GET', '/api/settings', { signal }),
  ])
  if (policy.outcome === 'refused') return policy
  if (providers.outcome === 'refused') return providers
  if (settings.outcome === 'refused') return settings
  const { enabled_providers: enabled } = settings.body
  const { tier } = organisation()
  const models = new Map<string, DataRegion[]>()
  const served = providers.body.data.flatMap((provider) => (enabled.includes(provider.id) ? provider.models : []))
  for (const { id, tiers, routes } of served) {
    const regions = routes.filter(({ configured }) => configured).map(({ data_region: region }) => region)
    if (tiers.includes(tier)) models.set(id, [...(models.get(id) ?? []), ...regions])
  }
  return answered({ policy: policy.body, models, settings: settings.body, words })
}

/** Returns the region in which calls with a key must stay. */
export const regionOfKey = (
  { policy: { document } }: Ruling,
  { data_region: own }: Pick<Key, 'data_region'>,
): DataRegion => narrowestRegion(document.data_region?.within, own)

/** Returns the models with a route that a key's calls may take. */
export function modelsInRegion(ruling: Ruling, key: Pick<Key, 'data_region'>): string[] {
  const limit = regionOfKey(ruling, key)
  return [...ruling.models].flatMap(([id, regions]) =>
    limit === 'any' || regions.some((region) => isWithin(region, limit)) ? [id] : [],
  )
}

/** The figures and calls of one key. Each is null if the tier or the role does not include it. */
export type KeyUse = Ruling & {
  figures: KeyFigures | null
  days: Requests | null
  month: Costs | null
  calls: readonly Call[] | null
}

export async function loadKeyUse(id: string, signal: AbortSignal): Promise<Answer<KeyUse>> {
  const counts = hasCounts()
  const byDay = { query: { key_id: id }, signal }
  const byMonth = { query: { key_id: id, ...ofMonth() }, signal }
  const [ruling, figures, days, month, calls] = await Promise.all([
    loadRuling(signal),
    counts ? callApi<KeyFiguresList>('GET', '/api/analytics/keys', { query: { key_id: id }, signal }) : null,
    counts ? callApi<Requests>('GET', '/api/analytics/requests', byDay) : null,
    counts ? callApi<Costs>('GET', '/api/analytics/costs', byMonth) : null,
    hasPermission('usage:read') ? latestCalls(id, signal) : null,
  ])
  if (ruling.outcome === 'refused') return ruling
  return answered({
    ...ruling.body,
    figures: bodyOf(figures)?.data.find(({ key_id: one }) => one === id) ?? null,
    days: bodyOf(days),
    month: bodyOf(month),
    calls: bodyOf(calls),
  })
}

const SHOWN_CALLS = 5

/** The key's latest calls: of all, or of the organisation's last 50 if the person may see only those. */
export async function latestCalls(id: string, signal: AbortSignal): Promise<Answer<readonly Call[]>> {
  const query = seesAllCalls() ? { key_id: id, limit: SHOWN_CALLS } : { limit: 50 }
  const calls = await callApi<List<Call>>('GET', '/api/calls', { query, signal })
  if (calls.outcome === 'refused') return calls
  return answered(calls.body.data.filter(({ key_id: one }) => one === id))
}
