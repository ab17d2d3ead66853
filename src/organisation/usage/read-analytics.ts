// Answers an analytics query: a page of rows, one for each bucket of days and each value (such as a model), and totals. Days
// without a call are included. The caller's turn must first have counted every entry.
import { budgetsOf } from '../../policies/rules/budget-guard.rule.ts'
import { monthAt } from '../journal/state/monthly-usage.ts'
import type { State } from '../journal/state/organisation-state.ts'
import { NO_ENDINGS, type Endings } from '../../evidence/records/call-endings.ts'
import { addUp, NO_SUMS, type Sums } from './tally.ts'
import { countLatencies, percentileOf, type Latencies } from './latency-histogram.ts'
import {
  bucketsOf,
  storedDimensionFor,
  type Days,
  type UsageBucket,
  type UsageFilter,
  type UsageSum,
  type UsageSumsStore,
  type UsageSumsQuery,
} from './usage-sums.store.ts'

/** The last row of the page before: its bucket's first day and the number of its value. The next page begins after this row. */
export type AnalyticsCursor = { readonly day: number; readonly number: number }

export type WantedAnalytics = UsageSumsQuery & {
  /** True to include latencies, for the groupings that they are stored by. */
  readonly latencies: boolean
  readonly limit: number
  readonly after: AnalyticsCursor | null
}

/** Milliseconds. Null if so few calls were timed that the percentile is only the slowest one. */
export type Percentiles = Record<'p50' | 'p95' | 'p99', number | null>

const LEAST_FOR_P95 = 20
const LEAST_FOR_P99 = 100

/** `percentiles`: null if no call was timed, or if latencies are not stored for this grouping. */
export type AnalyticsRow = UsageSum & { percentiles: Percentiles | null }

export type Analytics = {
  outcome: 'answered'
  rows: AnalyticsRow[]
  hasMore: boolean
  totals: Sums & Endings & { percentiles: Percentiles | null }
  inFlight: number
  unreadable: number
  budget: { limitMicroeur: number | null; spentMicroeur: number; reservedMicroeur: number }
}

export type AnalyticsAnswer = Analytics | { outcome: 'too_many_rows'; rows: number } | { outcome: 'too_much_to_read' }

/** The most rows of an answer, over all its pages, because they are computed at once. */
export const MOST_ROWS = 25_000

/** Sums by two dimensions are read row by row: a range longer than ALWAYS_READ_DAYS may have only this many rows. */
const MOST_READ_ROWS = 100_000
const ALWAYS_READ_DAYS = 92

export function readAnalytics(
  counted: UsageSumsStore,
  state: State,
  now: number,
  wanted: WantedAnalytics,
): AnalyticsAnswer {
  const { days, bucket, by, filter = {} } = wanted
  const isByRow = storedDimensionFor(by, filter) === null
  if (isByRow && days.last - days.first >= ALWAYS_READ_DAYS) {
    if (counted.countRows(days, MOST_READ_ROWS) > MOST_READ_ROWS) return { outcome: 'too_much_to_read' }
  }
  // Sums by two dimensions are read once, for the whole range. Sums by one are read only for the page.
  const sums = isByRow ? counted.sums({ days, bucket, by, filter }) : null
  const numbers = by === 'all' ? ALL : sums === null ? counted.values({ days, by, filter }) : valuesIn(sums)
  const buckets = bucketsIn(days, bucket)
  const count = buckets.length * numbers.size
  if (count > MOST_ROWS) return { outcome: 'too_many_rows', rows: count }
  const page = pageOf({ buckets, numbers, limit: wanted.limit, after: wanted.after })
  const total = sums ?? counted.sums({ days, bucket: 'total', by: 'all', filter })
  const modelFilter = wanted.latencies && areLatenciesStored(wanted) ? pickModel(filter) : null
  const latencies = modelFilter && counted.latencies(days, 'total', modelFilter)
  return {
    outcome: 'answered',
    rows: rowsOf(counted, wanted, { places: page.places, sums, modelFilter }),
    hasMore: page.hasMore,
    totals: { ...addUp(total), percentiles: percentilesOf(latencies?.values().next().value?.get(0)) },
    inFlight: counted.inFlight(days, filter),
    unreadable: counted.unreadable(),
    budget: budgetOf(state, now),
  }
}

/** The one value that every call has. */
const ALL: ReadonlyMap<number, string | null> = new Map([[0, null]])

const areLatenciesStored = ({ by, filter = {} }: UsageSumsQuery): boolean =>
  (by === 'all' || by === 'model') && filter.key === undefined && filter.use_case === undefined

type ModelFilter = { model?: string }

const pickModel = ({ model }: UsageFilter): ModelFilter => (model === undefined ? {} : { model })

const bucketsIn = (days: Days, bucket: UsageBucket): Days[] =>
  bucket === 'day'
    ? Array.from({ length: days.last - days.first + 1 }, (_, at) => ({ first: days.first + at, last: days.first + at }))
    : bucketsOf(days, bucket)

type Place = { bucket: Days; number: number; value: string | null }

type PageQuery = {
  buckets: readonly Days[]
  numbers: ReadonlyMap<number, string | null>
  limit: number
  after: AnalyticsCursor | null
}

function pageOf({ buckets, numbers, limit, after }: PageQuery): { places: Place[]; hasMore: boolean } {
  const places: Place[] = []
  for (const bucket of buckets) {
    if (after !== null && bucket.first < after.day) continue
    for (const [number, value] of numbers) {
      if (after !== null && bucket.first === after.day && number <= after.number) continue
      if (places.length === limit) return { places, hasMore: true }
      places.push({ bucket, number, value })
    }
  }
  return { places, hasMore: false }
}

/** Reads only the days of the page. */
function rowsOf(
  counted: UsageSumsStore,
  { bucket, by, filter = {} }: WantedAnalytics,
  {
    places,
    sums: known,
    modelFilter,
  }: { places: readonly Place[]; sums: UsageSum[] | null; modelFilter: ModelFilter | null },
): AnalyticsRow[] {
  const [first, last] = [places[0]?.bucket.first, places.at(-1)?.bucket.last]
  if (first === undefined || last === undefined) return []
  const days = { first, last }
  const byModel = by === 'model'
  const read = known ?? counted.sums({ days, bucket, by, filter })
  const sums = new Map(read.map((sum) => [placeKey(sum), sum]))
  const latencies = modelFilter && counted.latencies(days, bucket, { byModel, ...modelFilter })
  return places.map(({ bucket: { first: day }, number, value }) => {
    const sum = sums.get(placeKey({ day, number })) ?? { day, number, value, ...NO_SUMS, ...NO_ENDINGS }
    return Object.assign(sum, { percentiles: percentilesOf(latencies?.get(day)?.get(byModel ? number : 0)) })
  })
}

const placeKey = ({ day, number }: AnalyticsCursor): string => `${day}.${number}`

const valuesIn = (sums: readonly UsageSum[]): Map<number, string | null> =>
  new Map(sums.map(({ number, value }) => [number, value] as const).toSorted(([a], [b]) => a - b))

function percentilesOf(latencies: Latencies | undefined): Percentiles | null {
  const count = latencies === undefined ? 0 : countLatencies(latencies)
  if (latencies === undefined || count === 0) return null
  const at = (part: number, least = 1) => (count < least ? null : percentileOf(latencies, part, count))
  return { p50: at(0.5), p95: at(0.95, LEAST_FOR_P95), p99: at(0.99, LEAST_FOR_P99) }
}

/** Returns the organisation's budget for this month: the lower one of its settings' and its policy's. */
function budgetOf({ months, settings, policy }: State, now: number) {
  const budgets = budgetsOf(policy.document.budget_guard, settings, NO_KEY)
  const budget = budgets.find(({ period, of }) => period === 'month' && of === 'organisation')
  const { spentMicroeur, reservedMicroeur } = monthAt(months, now)
  return { limitMicroeur: budget?.microeur ?? null, spentMicroeur, reservedMicroeur }
}

const NO_KEY = ''
