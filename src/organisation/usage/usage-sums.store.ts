// Reads counts of calls as sums over a range of days; also latencies, cohorts, hours and calls in flight. A closed day stores its
// sums by one dimension. Open days, and sums by two dimensions, are read from each day's rows. Use it in a turn in which every
// entry is counted.
import { COUNTED_GROUPINGS, type CountedGrouping } from '../../platform/groupings.ts'
import { DAY_MS, HOUR_MS, utcDay } from '../../platform/time.ts'
import { sql, trusted, type Sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'
import { ENDING_SUMS, HOURS_KEPT } from './counted-days.store.ts'
import { endingNumber, endingOf, ENDING_NAMES, NO_ENDINGS, type Endings } from '../../evidence/records/call-endings.ts'
import { DIMENSIONS, SUM_NAMES, type Dimension, type Sums } from './tally.ts'
import { latenciesFromBytes, NO_LATENCIES, sumLatencies, type Latencies } from './latency-histogram.ts'
import { numberOfValue, UsageNamesStore } from './usage-names.store.ts'

/** Whole UTC days since the epoch, both included. */
export type Days = { readonly first: number; readonly last: number }

/** Restricts the sums to calls with these values. */
export type UsageFilter = Readonly<Partial<Record<CountedGrouping, string>>>

export type UsageBucket = 'day' | 'month' | 'total'

export type UsageSumsQuery = {
  readonly days: Days
  readonly bucket: UsageBucket
  readonly by: Dimension
  readonly filter?: UsageFilter
}

/** Ended calls of a bucket that were counted under one value. */
export type UsageSum = Sums &
  Endings & {
    day: number
    /** The value's number, in the order in which values were first counted; 0 if there is none. */
    number: number
    /** Null if the calls name none, and for `all`. */
    value: string | null
  }

export type CohortSum = { day: number; cohort: string; endings: Endings; refused: number }

export type HourSum = { hour: number; value: string | null; endings: Endings; refused: number }

const COLUMNS = [...ENDING_NAMES, ...SUM_NAMES] as const
type Counts = Sums & Endings

const dayColumn = (by: Dimension): string => (by === 'all' ? '0' : `counted_calls.${by}`)

/** The rows of days, and a row for each call that waits for a person. No call of a closed day waits. */
export const COUNTED_CALLS = trusted(`(
  SELECT day, key, model, use_case, ending, ${SUM_NAMES.join(', ')} FROM usage_days
  UNION ALL
  SELECT day, key, model, use_case, ${endingNumber('awaiting_approval')},
    ${SUM_NAMES.map((name) => (name === 'requests' ? 1 : 0)).join(', ')}
  FROM usage_open WHERE approval IS NOT NULL
) AS counted_calls`)

const FROM_ROWS = sql`${ENDING_SUMS}, ${trusted(SUM_NAMES.map((name) => `sum(${name}) AS ${name}`).join(', '))}`
const FROM_MARGINS = trusted(COLUMNS.map((name) => `sum(${name}) AS ${name}`).join(', '))

type Dimensions = { by: Dimension; storedDimension: Dimension }

type GroupedCounts = Counts & { day: number; number: number }

/** SQL of a filter: over rows of calls, and over stored sums by the one dimension that it names. */
type Condition = { rows: Sql; margins: Sql }

export class UsageSumsStore extends ObjectStore {
  /** Returns sums by bucket, then by the value's number. Leaves out buckets, and their values, without an ended call. */
  sums({ days, bucket, by, filter = {} }: UsageSumsQuery): UsageSum[] {
    const wanted = this.#conditionOf(filter)
    if (wanted === null) return []
    const storedDimension = storedDimensionFor(by, filter)
    const found = bucketsOf(days, bucket).flatMap((one) => {
      const together = bucket === 'day' ? null : one.first
      if (storedDimension === null) return this.#fromRows(one, together, by, wanted)
      return this.#fromBoth(one, together, { by, storedDimension }, wanted)
    })
    const name = this.#namer(by)
    return found.map((each) => Object.assign(each, { value: name(each.number) }))
  }

  /** Returns the values under which ended calls were counted, by number. `filter` may name only the dimension of `by`. */
  values({ days, by, filter = {} }: Omit<UsageSumsQuery, 'bucket'>): Map<number, string | null> {
    const wanted = this.#conditionOf(filter)
    if (wanted === null) return new Map()
    const closedThrough = this.#closedThrough()
    const closed = this.#numbers(sql`SELECT DISTINCT value AS number FROM usage_margins
      WHERE dimension = ${DIMENSIONS.indexOf(by)}
      AND day BETWEEN ${days.first} AND ${Math.min(days.last, closedThrough)} AND ${wanted.margins}`)
    const open = this.#numbers(sql`SELECT DISTINCT ${trusted(dayColumn(by))} AS number FROM ${COUNTED_CALLS}
      WHERE day BETWEEN ${Math.max(days.first, closedThrough + 1)} AND ${days.last} AND ${wanted.rows}`)
    const name = this.#namer(by)
    const numbers = [...new Set([...closed, ...open])].toSorted((one, other) => one - other)
    return new Map(numbers.map((number) => [number, name(number)]))
  }

  /** Counts the rows of days that a sum by two dimensions would read, up to one more than `most`. */
  countRows({ first, last }: Days, most: number): number {
    return this.row<{ n: number }>(sql`SELECT COUNT(*) AS n
      FROM (SELECT 1 FROM usage_days WHERE day BETWEEN ${first} AND ${last} LIMIT ${most + 1})`).n
  }

  /** Counts the calls that run. */
  inFlight({ first, last }: Days, filter: UsageFilter = {}): number {
    const wanted = this.#conditionOf(filter)
    if (wanted === null) return 0
    return this.row<{ n: number }>(sql`SELECT COUNT(*) AS n FROM usage_open
      WHERE approval IS NULL AND day BETWEEN ${first} AND ${last} AND ${wanted.rows}`).n
  }

  /** Counts by day the decisions that are counted as no call of their own. */
  furtherRecords({ first, last }: Days): { day: number; records: number }[] {
    return this.rows<{ day: number; records: number }>(sql`SELECT day, further_records AS records FROM counted_days
      WHERE day BETWEEN ${first} AND ${last} AND further_records > 0`)
  }

  /** Counts the entries of the whole log that should record a call and could not be read. */
  unreadable(): number {
    const [row] = this.rows<{ unreadable: number }>(sql`SELECT unreadable FROM usage_progress`)
    return row?.unreadable ?? 0
  }

  /** Returns latencies by each bucket's first day and then by the model's number. Without `byModel`, all models are number 0. */
  latencies(
    days: Days,
    bucket: UsageBucket,
    { byModel = false, model }: { byModel?: boolean; model?: string } = {},
  ): Map<number, Map<number, Latencies>> {
    const number = model === undefined ? null : (new UsageNamesStore(this.sql).find('model', model) ?? -1)
    const found = new Map<number, Map<number, Latencies>>()
    for (const one of bucketsOf(days, bucket)) {
      const rows = this.#latencyRows(one, byModel, number)
      for (const [day, ofDay] of Map.groupBy(rows, (row) => (bucket === 'day' ? row.day : one.first))) {
        const models = Map.groupBy(ofDay, (row) => (byModel ? row.model : 0))
        found.set(day, new Map(Array.from(models, ([of, those]) => [of, sumOf(those)])))
      }
    }
    return found
  }

  cohorts({ first, last }: Days, filter: Omit<UsageFilter, 'key'> = {}): CohortSum[] {
    const wanted = this.#conditionOf(filter)
    if (wanted === null) return []
    return this.rows<Endings & { day: number; cohort: string; refused: number }>(
      sql`SELECT day, usage_names.name AS cohort, ${ENDING_SUMS}, sum(refused) AS refused
        FROM usage_cohorts JOIN usage_names ON usage_names.id = cohort
        WHERE day BETWEEN ${first} AND ${last} AND ${wanted.rows} GROUP BY day, usage_cohorts.cohort`,
    ).map(({ day, cohort, refused, ...endings }) => ({ day, cohort, endings, refused }))
  }

  /** Returns sums of the last 35 days at most. `first` and `last`: whole hours since the epoch, both included. */
  hours({ first, last }: { first: number; last: number }, by: Dimension): HourSum[] {
    const name = this.#namer(by)
    return this.rows<Endings & { hour: number; value: number; refused: number }>(
      sql`SELECT hour, value, ${trusted(ENDING_NAMES.join(', '))}, refused FROM usage_hours
        WHERE hour BETWEEN ${first} AND ${last} AND dimension = ${DIMENSIONS.indexOf(by)} ORDER BY hour, value`,
    ).map(({ hour, value, refused, ...endings }) => ({ hour, value: name(value), endings, refused }))
  }

  /** Returns the hour in which the most calls of a key ended, the first of several; null if none did. `at`: its beginning. */
  busiestHour(keyId: string, { first, last }: Days): { at: number; requests: number } | null {
    const key = numberOfValue(new UsageNamesStore(this.sql), 'key', keyId)
    if (key === null) return null
    const from = Math.max((first * DAY_MS) / HOUR_MS, ((last + 1) * DAY_MS) / HOUR_MS - HOURS_KEPT)
    const hours = Array.from({ length: ((last + 1) * DAY_MS) / HOUR_MS - from }, (_, at) => from + at)
    // By hour, because the key's row of an hour is then looked up, and rows of other keys are not read.
    const [row] = this.rows<{ hour: number; requests: number }>(
      sql`SELECT hour, ${trusted(ENDING_NAMES.join(' + '))} AS requests FROM json_each(${JSON.stringify(hours)}) AS one
        CROSS JOIN usage_hours
          ON hour = one.value AND dimension = ${DIMENSIONS.indexOf('key')} AND usage_hours.value = ${key}
        ORDER BY requests DESC, hour LIMIT 1`,
    )
    return row === undefined ? null : { at: row.hour * HOUR_MS, requests: row.requests }
  }

  /** @param together the day under which all days are summed; null to sum each day */
  #fromBoth(
    { first, last }: Days,
    together: number | null,
    dimensions: Dimensions,
    wanted: Condition,
  ): GroupedCounts[] {
    const closedThrough = this.#closedThrough()
    const closed =
      first > closedThrough
        ? []
        : this.#fromMargins({ first, last: Math.min(last, closedThrough) }, together, dimensions, wanted)
    const open =
      last <= closedThrough
        ? []
        : this.#fromRows({ first: Math.max(first, closedThrough + 1), last }, together, dimensions.by, wanted)
    return together === null ? [...closed, ...open] : mergeSums(closed, open)
  }

  #fromMargins(
    { first, last }: Days,
    together: number | null,
    { by, storedDimension }: Dimensions,
    wanted: Condition,
  ): GroupedCounts[] {
    const number = by === 'all' ? sql`0` : sql`value`
    return this.rows<GroupedCounts>(
      sql`SELECT ${together ?? sql`day`} AS day, ${number} AS number, ${FROM_MARGINS} FROM usage_margins
        WHERE dimension = ${DIMENSIONS.indexOf(storedDimension)} AND day BETWEEN ${first} AND ${last}
          AND ${wanted.margins} ${groupedBy(together, by === 'all' ? null : 'value')}`,
    )
  }

  #fromRows({ first, last }: Days, together: number | null, by: Dimension, wanted: Condition): GroupedCounts[] {
    const column = dayColumn(by)
    return this.rows<GroupedCounts>(
      sql`SELECT ${together ?? sql`day`} AS day, ${trusted(column)} AS number, ${FROM_ROWS} FROM ${COUNTED_CALLS}
        WHERE day BETWEEN ${first} AND ${last} AND ${wanted.rows} ${groupedBy(together, by === 'all' ? null : column)}`,
    )
  }

  /** Reads each model of an open day, which has no row for all models together yet. */
  #latencyRows(
    { first, last }: Days,
    byModel: boolean,
    model: number | null,
  ): { day: number; model: number; counts: ArrayBuffer }[] {
    const isWanted =
      model !== null
        ? sql`model = ${model}`
        : byModel
          ? sql`model > 0`
          : sql`iif(day <= ${this.#closedThrough()}, model = 0, model > 0)`
    return this.rows<{ day: number; model: number; counts: ArrayBuffer }>(sql`SELECT day, model, counts
      FROM latency_days WHERE day BETWEEN ${first} AND ${last} AND ${isWanted} ORDER BY day, model`)
  }

  #numbers(query: Sql): number[] {
    return this.rows<{ number: number }>(query).map(({ number }) => number)
  }

  /** Returns null if nothing was ever counted under one of these values. */
  #conditionOf(filter: UsageFilter): Condition | null {
    const names = new UsageNamesStore(this.sql)
    let condition: Condition = { rows: sql`TRUE`, margins: sql`TRUE` }
    for (const dimension of COUNTED_GROUPINGS) {
      const value = filter[dimension]
      if (value === undefined) continue
      const number = numberOfValue(names, dimension, value)
      if (number === null) return null
      const { rows, margins } = condition
      condition = {
        rows: sql`${rows} AND ${trusted(dimension)} = ${number}`,
        margins: sql`${margins} AND value = ${number}`,
      }
    }
    return condition
  }

  #namer(by: Dimension): (number: number) => string | null {
    if (by === 'all') return () => null
    if (by === 'ending') return endingOf
    const names = new Map(
      this.rows<{ id: number; name: string }>(sql`SELECT id, name FROM usage_names WHERE kind = ${by}`).map(
        ({ id, name }) => [id, name],
      ),
    )
    return (number) => names.get(number) ?? null
  }

  #closedThrough(): number {
    const [row] = this.rows<{ day: number }>(sql`SELECT closed_through AS day FROM usage_progress`)
    return row?.day ?? -1
  }
}

/** Returns the grouping. Without groups, an empty range gives no row instead of an empty sum. */
function groupedBy(together: number | null, column: string | null): Sql {
  const columns = [together === null ? 'day' : null, column].filter((name) => name !== null).join(', ')
  return trusted(columns === '' ? 'HAVING COUNT(*) > 0' : `GROUP BY ${columns} ORDER BY ${columns}`)
}

/** Returns the one dimension whose stored sums answer this; null if only rows do. */
export function storedDimensionFor(by: Dimension, filter: UsageFilter): Dimension | null {
  const [only, ...others] = COUNTED_GROUPINGS.filter((name) => filter[name] !== undefined)
  if (only === undefined) return by
  return others.length === 0 && (by === 'all' || by === only) ? only : null
}

/** Returns the buckets of a range. A month has only its days within the range. */
export function bucketsOf({ first, last }: Days, bucket: UsageBucket): Days[] {
  // The SQL statement separates the days itself.
  if (bucket !== 'month') return [{ first, last }]
  const months: Days[] = []
  for (let from = first; from <= last;) {
    const date = new Date(from * DAY_MS)
    const next = utcDay(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1))
    months.push({ first: from, last: Math.min(last, next - 1) })
    from = next
  }
  return months
}

const sumOf = ([first, ...others]: readonly { counts: ArrayBuffer }[]): Latencies => {
  if (first === undefined) return NO_LATENCIES
  const one = latenciesFromBytes(first.counts)
  return others.length === 0 ? one : sumLatencies([one, ...others.map(({ counts }) => latenciesFromBytes(counts))])
}

function mergeSums(closed: readonly GroupedCounts[], open: readonly GroupedCounts[]): GroupedCounts[] {
  const byNumber = new Map(closed.map((each) => [each.number, each]))
  for (const each of open) {
    const known = byNumber.get(each.number)
    const sum = { ...(known ?? { ...each, ...NO_ENDINGS }), number: each.number }
    for (const name of COLUMNS) sum[name] = (known?.[name] ?? 0) + each[name]
    byNumber.set(each.number, sum)
  }
  return [...byNumber.values()].toSorted((a, b) => a.number - b.number)
}
