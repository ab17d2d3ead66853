// A question about what was counted, and its answer: a page of rows, one for each bucket of days and each value in it, and their totals.
// Every day is there, also one without a call. Belongs in a turn in which every entry is counted.
import { budgetsOf } from '../../policies/document/limits.policy.ts'
import { monthAt } from '../state/months.ts'
import type { State } from '../state/state.ts'
import { NO_SUMS, SUM_NAMES, ENDINGS, type Sums } from './counted-call.ts'
import { addLatencies, NO_LATENCIES, percentileOf, type Latencies } from './latency.ts'
import { NO_ENDINGS, type Endings } from './tally.ts'
import { bucketsOf, type UsageSum, type UsageSumsStore, type WantedSums } from './usage-sums.store.ts'

/** Where a page begins: after this value of this bucket. */
export type AnalyticsPlace = { readonly day: number; readonly number: number }

export type WantedAnalytics = WantedSums & {
  /** Whether latencies are told, where they are kept so. */
  readonly latencies: boolean
  readonly limit: number
  readonly after: AnalyticsPlace | null
}

export type Percentiles = { p50: number; p95: number; p99: number }

/** `percentiles`: null where no call was timed, and where latencies are not kept so. */
export type AnalyticsRow = UsageSum & { percentiles: Percentiles | null }

export type Analytics = {
  outcome: 'answered'
  rows: AnalyticsRow[]
  hasMore: boolean
  totals: Sums & Endings & { percentiles: Percentiles | null }
  inFlight: number
  budget: { limitMicroeur: number | null; spentMicroeur: number; reservedMicroeur: number }
}

export type AnalyticsAnswer = Analytics | { outcome: 'too_many_rows'; rows: number } | { outcome: 'too_much_to_read' }

/** Rows of an answer, pages and all: what is worked out at once. */
export const MOST_ROWS = 25_000

/** What goes by two things is read row by row: of a longer time only where there are few rows. */
const MOST_READ_ROWS = 100_000
const ALWAYS_READ_DAYS = 92

export function readAnalytics(
  counted: UsageSumsStore,
  state: State,
  now: number,
  wanted: WantedAnalytics,
): AnalyticsAnswer {
  const { days, bucket, by, filter = {} } = wanted
  if (isByTwoThings(wanted) && days.last - days.first >= ALWAYS_READ_DAYS) {
    if (counted.countRows(days, MOST_READ_ROWS) > MOST_READ_ROWS) return { outcome: 'too_much_to_read' }
  }
  const sums = counted.sums({ days, bucket, by, filter })
  const numbers = valuesIn(sums, by === 'all')
  const buckets = bucket === 'day' ? daysOf(days) : bucketsOf(days, bucket).map(({ first }) => first)
  const count = buckets.length * numbers.size
  if (count > MOST_ROWS) return { outcome: 'too_many_rows', rows: count }
  const page = pageOf(sums, { buckets, numbers, limit: wanted.limit, after: wanted.after })
  const latencies =
    wanted.latencies && areLatenciesKept(wanted) ? counted.latencies(days, bucket, latenciesOf(wanted)) : null
  return {
    outcome: 'answered',
    rows: page.rows.map((row) => ({ ...row, percentiles: percentilesAt(latencies, row, by === 'model') })),
    hasMore: page.hasMore,
    totals: { ...totalOf(sums), percentiles: percentilesOfAll(latencies) },
    inFlight: counted.inFlight(days, filter),
    budget: budgetOf(state, now),
  }
}

/** Dimensions that a question names, one of which no sum by one thing says. */
const isByTwoThings = ({ by, filter = {} }: WantedSums): boolean =>
  new Set([...(by === 'all' ? [] : [by]), ...Object.entries(filter).flatMap(([name, value]) => (value ? [name] : []))])
    .size > 1

const areLatenciesKept = ({ by, filter = {} }: WantedSums): boolean =>
  (by === 'all' || by === 'model') && filter.key === undefined && filter.use_case === undefined

const latenciesOf = ({ by, filter = {} }: WantedSums) => ({
  byModel: by === 'model',
  ...(filter.model !== undefined && { model: filter.model }),
})

const daysOf = ({ first, last }: WantedSums['days']): number[] =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at)

/** By number. There is always one of all calls. */
function valuesIn(sums: readonly UsageSum[], isOfAll: boolean): Map<number, string | null> {
  if (isOfAll) return new Map([[0, null]])
  const values = new Map(sums.map(({ number, value }) => [number, value]))
  return new Map([...values].toSorted(([a], [b]) => a - b))
}

type Places = {
  buckets: readonly number[]
  numbers: ReadonlyMap<number, string | null>
  limit: number
  after: AnalyticsPlace | null
}

function pageOf(sums: readonly UsageSum[], { buckets, numbers, limit, after }: Places) {
  const found = new Map(sums.map((sum) => [`${sum.day}.${sum.number}`, sum]))
  const rows: UsageSum[] = []
  for (const day of buckets) {
    if (after !== null && day < after.day) continue
    for (const [number, value] of numbers) {
      if (after !== null && day === after.day && number <= after.number) continue
      if (rows.length === limit) return { rows, hasMore: true }
      rows.push(found.get(`${day}.${number}`) ?? { day, number, value, ...NO_SUMS, ...NO_ENDINGS })
    }
  }
  return { rows, hasMore: false }
}

function totalOf(sums: readonly UsageSum[]): Sums & Endings {
  const total = { ...NO_SUMS, ...NO_ENDINGS }
  for (const sum of sums) for (const name of [...SUM_NAMES, ...ENDINGS]) total[name] += sum[name]
  return total
}

type ByBucket = ReadonlyMap<number, ReadonlyMap<number, Latencies>> | null

const percentilesAt = (latencies: ByBucket, { day, number }: UsageSum, isByModel: boolean): Percentiles | null =>
  percentilesOf(latencies?.get(day)?.get(isByModel ? number : 0) ?? NO_LATENCIES)

function percentilesOfAll(latencies: ByBucket): Percentiles | null {
  let all = NO_LATENCIES
  for (const those of latencies?.values() ?? []) for (const each of those.values()) all = addLatencies(all, each)
  return percentilesOf(all)
}

function percentilesOf(latencies: Latencies): Percentiles | null {
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((part) => percentileOf(latencies, part))
  return p50 == null || p95 == null || p99 == null ? null : { p50, p95, p99 }
}

/** Of this month, and of the organisation: the lower one of its settings' and its policy's. */
function budgetOf({ months, settings, policy }: State, now: number) {
  const budgets = budgetsOf(policy.document.budget_guard, settings, NO_KEY)
  const budget = budgets.find(({ period, of }) => period === 'month' && of === 'organisation')
  const { spentMicroeur, reservedMicroeur } = monthAt(months, now)
  return { limitMicroeur: budget?.microeur ?? null, spentMicroeur, reservedMicroeur }
}

const NO_KEY = ''
