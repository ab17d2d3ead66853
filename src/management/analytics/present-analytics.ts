// Presents the analytics of requests and of costs as JSON and as CSV. Converts the whole micro-euro of the sums to euro. Pure.
import { dateOf } from '../../platform/time.ts'
import { toEur } from '../../platform/money.ts'
import type { Analytics, AnalyticsRow, Percentiles } from '../../organisation/usage/read-analytics.ts'
import {
  findEnding,
  membersOf,
  outcomeCounts,
  outcomeOf,
  type Ending,
  type Endings,
} from '../../evidence/records/call-endings.ts'
import { addUp, type Sums } from '../../organisation/usage/tally.ts'
import { csv } from '../../platform/download.ts'
import { demoMark } from '../../platform/names.schema.ts'
import type { OrganisationId } from '../../platform/ids.ts'
import type { DayRange } from '../date-range.ts'
import type { StopCount } from '../../organisation/usage/call-index.store.ts'
import type { KeyFigures } from '../../organisation/usage/read-key-figures.ts'
import { KEY_COUNTS } from './analytics.schema.ts'
import type { AnalyticsQuery, CostsRow, KeyFiguresList, RequestsRow, Stop } from './analytics.schema.ts'

export type AnalyticsRequest = Pick<AnalyticsQuery, 'bucket' | 'group_by'> & {
  organisationId: OrganisationId
  days: DayRange
}

type Counted = Sums & Endings & { percentiles: Percentiles | null }

export const presentRequests = (asked: AnalyticsRequest, answer: Analytics) => ({
  ...presentHead(asked, answer),
  totals: countsOf(answer.totals),
  ...presentPage(answer, (row): RequestsRow => ({
    object: 'analytics.requests',
    ...rowLabels(asked, row),
    ...countsOf(row),
  })),
})

export const presentCosts = (asked: AnalyticsRequest, answer: Analytics) => ({
  ...presentHead(asked, answer),
  ...presentBudget(answer),
  totals: costsOf(answer.totals),
  ...presentPage(answer, (row): CostsRow => ({ object: 'analytics.costs', ...rowLabels(asked, row), ...costsOf(row) })),
})

/** Returns CSV with a column for each member that a JSON row has, except `object`. */
export const requestsCsv = (asked: AnalyticsRequest, { rows }: Analytics): string =>
  table(
    rows.map((row) => {
      const { response_ms, ...counts } = countsOf(row)
      const { mean = null, p50 = null, p95 = null, p99 = null } = response_ms ?? {}
      const times = { response_ms_mean: mean, response_ms_p50: p50, response_ms_p95: p95, response_ms_p99: p99 }
      return { ...rowLabels(asked, row), ...counts, ...times }
    }),
  )

export const costsCsv = (asked: AnalyticsRequest, { rows }: Analytics): string =>
  table(rows.map((row) => ({ ...rowLabels(asked, row), ...costsOf(row) })))

type StopsRequest = { organisationId: OrganisationId; days: DayRange; isByKey: boolean }

export const presentStops = ({ organisationId, days, isByKey }: StopsRequest, stops: readonly StopCount[]) => ({
  object: 'list' as const,
  ...demoMark(organisationId),
  start: dateOf(days.first),
  end: dateOf(days.last),
  group_by: isByKey ? ('key' as const) : null,
  requests: stops.reduce((sum, { calls }) => sum + calls, 0),
  data: stops.map(presentStop),
  has_more: false as const,
  next_cursor: null,
})

/** Returns CSV with a column for each member of a row except `object`, in the order of the schema. */
export const stopsCsv = (stops: readonly StopCount[]): string => {
  const columns = ['outcome', 'ending', 'rule', 'reason', 'policy_version', 'key_id', 'requests'] as const
  const rows = stops.map(presentStop).map((row) => columns.map((name) => String(row[name] ?? '')))
  return csv([[...columns], ...rows])
}

function presentStop({ ending, rule, reason, policyVersion, keyId, calls }: StopCount): Stop {
  const outcome = outcomeOf(ending)
  if (outcome === 'passed') throw new TypeError('a call that passed was not stopped')
  return {
    object: 'analytics.stop',
    outcome,
    ending,
    rule,
    reason,
    policy_version: policyVersion,
    key_id: keyId,
    requests: calls,
  }
}

export const presentKeyFigures = (
  { organisationId, days }: { organisationId: OrganisationId; days: DayRange },
  { before, keys }: KeyFigures,
): KeyFiguresList => ({
  object: 'list',
  ...demoMark(organisationId),
  start: dateOf(days.first),
  end: dateOf(days.last),
  previous_start: dateOf(before.first),
  previous_end: dateOf(before.last),
  totals: keyCountsOf(addUp(keys.map(({ now }) => now))),
  previous_totals: keyCountsOf(addUp(keys.map((one) => one.before))),
  data: keys.map((key) => ({
    object: 'analytics.key',
    key_id: key.keyId,
    last_used_at: key.lastUsedAt === null ? null : new Date(key.lastUsedAt).toISOString(),
    busiest_hour: key.busiestHour && {
      start: new Date(key.busiestHour.at).toISOString(),
      requests: key.busiestHour.requests,
    },
    ...keyCountsOf(key.now),
    previous: keyCountsOf(key.before),
    stops: presentKeyStops(key.stops),
  })),
  has_more: false,
  next_cursor: null,
})

/** Adds up what differs in ending and version only. */
function presentKeyStops(stops: readonly StopCount[]): KeyFiguresList['data'][number]['stops'] {
  const byReason = Map.groupBy(stops, ({ rule, reason }) => JSON.stringify([rule, reason]))
  return Array.from(byReason.values(), (those) => ({
    rule: those[0]?.rule ?? null,
    reason: those[0]?.reason ?? null,
    requests: those.reduce((sum, { calls }) => sum + calls, 0),
  })).toSorted((one, other) => other.requests - one.requests)
}

function keyCountsOf(counted: Sums & Endings): KeyFiguresList['totals'] {
  const counts = countsOf({ ...counted, percentiles: null })
  return { ...membersOf(KEY_COUNTS, (name) => counts[name]), cost_eur: toEur(counted.cost_microeur) }
}

const presentHead = (
  { organisationId, days, bucket, group_by }: AnalyticsRequest,
  { inFlight, unreadable }: Analytics,
) => ({
  object: 'list' as const,
  ...demoMark(organisationId),
  start: dateOf(days.first),
  end: dateOf(days.last),
  bucket,
  group_by: group_by ?? null,
  time_zone: 'UTC' as const,
  in_flight: inFlight,
  unreadable_entries: unreadable,
})

function presentPage<Row>({ rows, hasMore }: Analytics, present: (row: AnalyticsRow) => Row) {
  const last = rows.at(-1)
  return {
    data: rows.map(present),
    has_more: hasMore,
    next_cursor: hasMore && last !== undefined ? `${last.day}.${last.number}` : null,
  }
}

function presentBudget({ budget: { limitMicroeur, spentMicroeur, reservedMicroeur } }: Analytics) {
  const left = limitMicroeur === null ? null : Math.max(0, limitMicroeur - spentMicroeur - reservedMicroeur)
  return {
    budget_eur: toEur(limitMicroeur),
    budget_left_eur: toEur(left),
    reserved_eur: toEur(reservedMicroeur),
  }
}

const DATE_CHARACTERS = { day: 10, month: 7 } as const

const rowLabels = ({ bucket, group_by }: AnalyticsRequest, { day, value }: AnalyticsRow) => ({
  date: bucket === 'total' ? null : dateOf(day).slice(0, DATE_CHARACTERS[bucket]),
  model: group_by === 'model' ? value : null,
  key_id: group_by === 'key' ? value : null,
  use_case: group_by === 'use_case' ? value : null,
  ending: group_by === 'ending' ? endingIn(value) : null,
})

const endingIn = (value: string | null): Ending | null => (value === null ? null : (findEnding(value)?.name ?? null))

const countsOf = (counted: Counted) => {
  const { requests, refused } = counted
  return {
    requests,
    ...outcomeCounts(counted),
    refused,
    input_tokens: counted.input + counted.cache_read + counted.cache_write,
    cached_input_tokens: counted.cache_read,
    output_tokens: counted.output + counted.reasoning,
    response_ms: timesOf(counted),
  }
}

const timesOf = ({ timed, upstream_ms, percentiles }: Counted) =>
  timed === 0
    ? null
    : {
        mean: Math.round(upstream_ms / timed),
        p50: percentiles?.p50 ?? null,
        p95: percentiles?.p95 ?? null,
        p99: percentiles?.p99 ?? null,
      }

const costsOf = ({ requests, cost_microeur, prevented_microeur, estimated }: Sums) => ({
  requests,
  cost_eur: toEur(cost_microeur),
  cost_prevented_eur: toEur(prevented_microeur),
  cost_estimated_requests: estimated,
})

/** Returns the rows as CSV. There is always at least one row, so the columns are known. */
function table(rows: Record<string, string | number | null>[]): string {
  const columns = Object.keys(rows[0] ?? {})
  return csv([columns, ...rows.map((row) => columns.map((name) => String(row[name] ?? '')))])
}
