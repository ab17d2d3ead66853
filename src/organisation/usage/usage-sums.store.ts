// Reads what has been counted: sums over a range of days. A closed day stores its sums by one thing. Open days, and sums by
// two things, are read from the rows of each day. Belongs in a turn in which every entry is counted.
import { DAY_MS, utcDay } from '../../platform/time.ts'
import { ENDING_SUMS } from './closed-days.store.ts'
import {
  DIMENSIONS,
  endingOf,
  ENDINGS,
  NO_ENDINGS,
  SUM_NAMES,
  type Dimension,
  type Endings,
  type Sums,
} from './tally.ts'
import { latenciesFromBytes, NO_LATENCIES, sumLatencies, type Latencies } from './latency.ts'
import { numberOfValue, UsageNames } from './usage-names.store.ts'

/** Whole UTC days since the epoch, both included. */
export type Days = { readonly first: number; readonly last: number }

/** Only calls that were counted so. */
export type UsageFilter = { readonly model?: string; readonly key?: string; readonly use_case?: string }

export type UsageBucket = 'day' | 'month' | 'total'

export type WantedSums = {
  readonly days: Days
  readonly bucket: UsageBucket
  readonly by: Dimension
  readonly filter?: UsageFilter
}

/** Ended calls of a bucket that were counted under one value. */
export type UsageSum = Sums &
  Endings & {
    /** The first day of the bucket that was asked for. */
    day: number
    /** The value's number, in the order in which values came to be; 0 for none. */
    number: number
    /** Null for none, and of `all`. */
    value: string | null
  }

export type CohortSum = { day: number; cohort: string; endings: Endings; refused: number }

export type HourSum = { hour: number; value: string | null; endings: Endings; refused: number }

const COLUMNS = [...ENDINGS, ...SUM_NAMES] as const
type Counts = Sums & Endings

const DAY_COLUMNS: Readonly<Record<Dimension, string>> = {
  all: '0',
  model: 'usage_days.model',
  key: 'usage_days.key',
  use_case: 'usage_days.use_case',
  outcome: 'usage_days.ending',
}

const FILTERS = ['model', 'key', 'use_case'] as const

const FROM_ROWS = [...ENDING_SUMS, ...SUM_NAMES.map((name) => `sum(${name}) AS ${name}`)].join(', ')
const FROM_MARGINS = COLUMNS.map((name) => `sum(${name}) AS ${name}`).join(', ')

type Grouped = Counts & { day: number; number: number }

type Condition = { sql: string; values: number[] }

export class UsageSumsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Returns sums by bucket, then by the value's number. Leaves out buckets, and their values, without an ended call. */
  sums({ days, bucket, by, filter = {} }: WantedSums): UsageSum[] {
    const wanted = this.#conditionOf(filter)
    if (wanted === null) return []
    const margin = marginOf(by, filter)
    const found = bucketsOf(days, bucket).flatMap((one) => {
      const together = bucket === 'day' ? null : one.first
      if (margin === null) return this.#fromRows(one, together, by, wanted)
      return this.#fromBoth(one, together, { by, margin, value: wanted.values[0] ?? null }, wanted)
    })
    const name = this.#namer(by)
    return found.map((each) => Object.assign(each, { value: name(each.number) }))
  }

  /** The values that ended calls were counted under, by their number. `filter`: by that same thing alone. */
  values({ days, by, filter = {} }: Omit<WantedSums, 'bucket'>): Map<number, string | null> {
    const wanted = this.#conditionOf(filter)
    if (wanted === null) return new Map()
    const closedThrough = this.#closedThrough()
    const closed = this.#numbers(
      `SELECT DISTINCT value AS number FROM usage_margins
       WHERE dimension = ? AND day BETWEEN ? AND ? ${wanted.values.length === 0 ? '' : 'AND value = ?'}`,
      [DIMENSIONS.indexOf(by), days.first, Math.min(days.last, closedThrough), ...wanted.values],
    )
    const open = this.#numbers(
      `SELECT DISTINCT ${DAY_COLUMNS[by]} AS number FROM usage_days WHERE day BETWEEN ? AND ? ${wanted.sql}`,
      [Math.max(days.first, closedThrough + 1), days.last, ...wanted.values],
    )
    const name = this.#namer(by)
    const numbers = [...new Set([...closed, ...open])].toSorted((one, other) => one - other)
    return new Map(numbers.map((number) => [number, name(number)]))
  }

  /** How many rows of days a question goes through that no sum by one thing answers. At most one more than `most`. */
  countRows({ first, last }: Days, most: number): number {
    return this.#sql
      .exec<{ n: number }>(
        'SELECT COUNT(*) AS n FROM (SELECT 1 FROM usage_days WHERE day BETWEEN ? AND ? LIMIT ?)',
        first,
        last,
        most + 1,
      )
      .one().n
  }

  /** Calls that are not settled yet. */
  inFlight({ first, last }: Days, filter: UsageFilter = {}): number {
    const wanted = this.#conditionOf(filter)
    if (wanted === null) return 0
    return this.#sql
      .exec<{ n: number }>(
        `SELECT COUNT(*) AS n FROM usage_open WHERE day BETWEEN ? AND ? ${wanted.sql}`,
        first,
        last,
        ...wanted.values,
      )
      .one().n
  }

  /** Entries of the whole log that should have told of a call and could not be read. */
  unreadable(): number {
    const [row] = this.#sql.exec<{ unreadable: number }>('SELECT unreadable FROM usage_progress').toArray()
    return row?.unreadable ?? 0
  }

  /** Returns latencies by each bucket's first day and, if wanted so, by the model's number; else all models as number 0. */
  latencies(
    days: Days,
    bucket: UsageBucket,
    { byModel = false, model }: { byModel?: boolean; model?: string } = {},
  ): Map<number, Map<number, Latencies>> {
    const number = model === undefined ? null : (new UsageNames(this.#sql).find('model', model) ?? -1)
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

  /** Returns sums by day and label. */
  cohorts({ first, last }: Days, filter: Omit<UsageFilter, 'key'> = {}): CohortSum[] {
    const wanted = this.#conditionOf(filter)
    if (wanted === null) return []
    return this.#sql
      .exec<Endings & { day: number; cohort: string; refused: number }>(
        `SELECT day, usage_names.name AS cohort, ${ENDING_SUMS.join(', ')}, sum(refused) AS refused
         FROM usage_cohorts JOIN usage_names ON usage_names.id = cohort
         WHERE day BETWEEN ? AND ? ${wanted.sql} GROUP BY day, usage_cohorts.cohort`,
        first,
        last,
        ...wanted.values,
      )
      .toArray()
      .map(({ day, cohort, refused, ...endings }) => ({ day, cohort, endings, refused }))
  }

  /** Returns sums of the last 35 days at most. `first` and `last`: whole hours since the epoch, both included. */
  hours({ first, last }: { first: number; last: number }, by: Dimension): HourSum[] {
    const name = this.#namer(by)
    return this.#sql
      .exec<Endings & { hour: number; value: number; refused: number }>(
        `SELECT hour, value, ${ENDINGS.join(', ')}, refused FROM usage_hours
         WHERE hour BETWEEN ? AND ? AND dimension = ? ORDER BY hour, value`,
        first,
        last,
        DIMENSIONS.indexOf(by),
      )
      .toArray()
      .map(({ hour, value, refused, ...endings }) => ({ hour, value: name(value), endings, refused }))
  }

  /** @param together the day that the sums of all days are under; null for those of each */
  #fromBoth(
    { first, last }: Days,
    together: number | null,
    { by, margin, value }: { by: Dimension; margin: Dimension; value: number | null },
    wanted: Condition,
  ): Grouped[] {
    const closedThrough = this.#closedThrough()
    const closed =
      first > closedThrough
        ? []
        : this.#fromMargins({ first, last: Math.min(last, closedThrough) }, together, { by, margin, value })
    const open =
      last <= closedThrough
        ? []
        : this.#fromRows({ first: Math.max(first, closedThrough + 1), last }, together, by, wanted)
    return together === null ? [...closed, ...open] : merged(closed, open)
  }

  #fromMargins(
    { first, last }: Days,
    together: number | null,
    { by, margin, value }: { by: Dimension; margin: Dimension; value: number | null },
  ): Grouped[] {
    const number = by === 'all' ? '0' : 'value'
    return this.#sql
      .exec<Grouped>(
        `SELECT ${together ?? 'day'} AS day, ${number} AS number, ${FROM_MARGINS} FROM usage_margins
         WHERE dimension = ? AND day BETWEEN ? AND ? ${value === null ? '' : 'AND value = ?'}
         ${groupedBy(together, by === 'all' ? null : 'value')}`,
        DIMENSIONS.indexOf(margin),
        first,
        last,
        ...(value === null ? [] : [value]),
      )
      .toArray()
  }

  #fromRows({ first, last }: Days, together: number | null, by: Dimension, wanted: Condition): Grouped[] {
    const column = DAY_COLUMNS[by]
    return this.#sql
      .exec<Grouped>(
        `SELECT ${together ?? 'day'} AS day, ${column} AS number, ${FROM_ROWS} FROM usage_days
         WHERE day BETWEEN ? AND ? ${wanted.sql}
         ${groupedBy(together, by === 'all' ? null : column)}`,
        first,
        last,
        ...wanted.values,
      )
      .toArray()
  }

  /** An open day has no row for all models yet. */
  #latencyRows(
    { first, last }: Days,
    byModel: boolean,
    model: number | null,
  ): { day: number; model: number; counts: ArrayBuffer }[] {
    const closedThrough = this.#closedThrough()
    const [condition, values] =
      model !== null
        ? ['model = ?', [model]]
        : byModel
          ? ['model > 0', []]
          : ['iif(day <= ?, model = 0, model > 0)', [closedThrough]]
    return this.#sql
      .exec<{ day: number; model: number; counts: ArrayBuffer }>(
        `SELECT day, model, counts FROM latency_days WHERE day BETWEEN ? AND ? AND ${condition} ORDER BY day, model`,
        first,
        last,
        ...values,
      )
      .toArray()
  }

  #numbers(query: string, values: readonly number[]): number[] {
    return this.#sql
      .exec<{ number: number }>(query, ...values)
      .toArray()
      .map(({ number }) => number)
  }

  /** Null where nothing was ever counted so. */
  #conditionOf(filter: UsageFilter): Condition | null {
    const names = new UsageNames(this.#sql)
    const condition: Condition = { sql: '', values: [] }
    for (const dimension of FILTERS) {
      const value = filter[dimension]
      if (value === undefined) continue
      const number = numberOfValue(names, dimension, value)
      if (number === null) return null
      condition.sql += ` AND ${dimension} = ?`
      condition.values.push(number)
    }
    return condition
  }

  #namer(by: Dimension): (number: number) => string | null {
    if (by === 'all') return () => null
    if (by === 'outcome') return endingOf
    const names = new Map(
      this.#sql
        .exec<{ id: number; name: string }>('SELECT id, name FROM usage_names WHERE kind = ?', by)
        .toArray()
        .map(({ id, name }) => [id, name]),
    )
    return (number) => names.get(number) ?? null
  }

  #closedThrough(): number {
    const [row] = this.#sql.exec<{ day: number }>('SELECT closed_through AS day FROM usage_progress').toArray()
    return row?.day ?? -1
  }
}

/** Without groups, no row at all instead of one of nothing. */
function groupedBy(together: number | null, column: string | null): string {
  const columns = [together === null ? 'day' : null, column].filter((name) => name !== null).join(', ')
  return columns === '' ? 'HAVING COUNT(*) > 0' : `GROUP BY ${columns} ORDER BY ${columns}`
}

/** The one thing by which sums answer this; null where only rows do. */
export function marginOf(by: Dimension, filter: UsageFilter): Dimension | null {
  const [only, ...others] = FILTERS.filter((name) => filter[name] !== undefined)
  if (only === undefined) return by
  return others.length === 0 && (by === 'all' || by === only) ? only : null
}

/** A month, of the range the part in it. */
export function bucketsOf({ first, last }: Days, bucket: UsageBucket): Days[] {
  // Days are told apart by the statement itself.
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

function merged(closed: readonly Grouped[], open: readonly Grouped[]): Grouped[] {
  const byNumber = new Map(closed.map((each) => [each.number, each]))
  for (const each of open) {
    const known = byNumber.get(each.number)
    const sum = { ...(known ?? { ...each, ...NO_ENDINGS }), number: each.number }
    for (const name of COLUMNS) sum[name] = (known?.[name] ?? 0) + each[name]
    byNumber.set(each.number, sum)
  }
  return [...byNumber.values()].toSorted((a, b) => a.number - b.number)
}
