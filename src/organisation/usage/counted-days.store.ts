// Reads the usage counts of each day. Stores a day's sums when it is closed: its calls have ended, and an entry of the log has its
// totals. Deletes counts that are too old.
import { DAY_MS, utcDay } from '../../platform/time.ts'
import { sql, trusted, type Sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'
import { endingNumber, endingOf, ENDING_NAMES } from '../../evidence/records/call-endings.ts'
import {
  DIMENSIONS,
  hourOf,
  SUM_NAMES,
  type CohortRow,
  type DayRow,
  type Dimension,
  type Span,
  type Sums,
} from './tally.ts'
import {
  addLatencies,
  latenciesFromBytes,
  latenciesToBytes,
  NO_LATENCIES,
  type Latencies,
} from './latency-histogram.ts'

/** Twenty-five months, whatever their length. */
export const DAYS_KEPT = 762
export const HOURS_KEPT = 35 * 24

/** SQL over rows of `usage_days`: for each ending, how many requests ended so. */
export const ENDING_SUMS = trusted(
  ENDING_NAMES.map((ending) => `sum(iif(ending = ${endingNumber(ending)}, requests, 0)) AS ${ending}`).join(', '),
)

const MARGIN_COLUMNS = trusted(['dimension', 'day', 'value', ...ENDING_NAMES, ...SUM_NAMES].join(', '))
const ALL_SUMS = sql`${ENDING_SUMS}, ${trusted(SUM_NAMES.map((name) => `sum(${name})`).join(', '))}`

/** Returns the SQL of a margin: a day's sums by one dimension. `all` groups by day: a number in GROUP BY would name a column. */
function marginOf(dimension: Dimension, day: number): Sql {
  const [value, group] = dimension === 'all' ? [sql`0`, sql`day`] : [trusted(dimension), trusted(dimension)]
  return sql`SELECT ${trusted(`${DIMENSIONS.indexOf(dimension)}`)}, day, ${value}, ${ALL_SUMS}
    FROM usage_days WHERE day = ${day} GROUP BY ${group}`
}

const storedMarginOf = (dimension: Dimension, day: number): Sql =>
  sql`SELECT ${MARGIN_COLUMNS} FROM usage_margins WHERE dimension = ${DIMENSIONS.indexOf(dimension)} AND day = ${day}`

type Row = Sums & { keyId: string | null; model: string | null; useCase: string | null; ending: number }

export type CountedDay = { day: number; rows: DayRow[]; cohorts: CohortRow[] }

export class CountedDaysStore extends ObjectStore {
  /** Returns the first day that has calls and is not closed; null if there is none. */
  firstOpen(): number | null {
    const [row] = this.rows<{ day: number }>(sql`SELECT day FROM counted_days
      WHERE closed_at IS NULL ORDER BY day LIMIT 1`)
    return row?.day ?? null
  }

  rowsOf(day: number): DayRow[] {
    return this.rows<Row>(
      sql`SELECT keys.name AS keyId, models.name AS model, use_cases.name AS useCase, ending,
          ${trusted(SUM_NAMES.join(', '))}
        FROM usage_days
          LEFT JOIN usage_names AS keys ON keys.id = key
          LEFT JOIN usage_names AS models ON models.id = usage_days.model
          LEFT JOIN usage_names AS use_cases ON use_cases.id = use_case
        WHERE day = ${day}`,
    ).map(({ keyId, model, useCase, ending, ...sums }) => {
      return { day, keyId, model: model ?? '', useCase, ending: endingOf(ending), sums }
    })
  }

  spanOf(day: number): Span {
    return this.row<Span>(sql`SELECT first, last FROM counted_days WHERE day = ${day}`)
  }

  /** Stores the day's sums by each dimension and the latencies of all models. Call it in the turn that closes the day. */
  storeSums(day: number): void {
    for (const dimension of DIMENSIONS) {
      this.run(sql`INSERT INTO usage_margins (${MARGIN_COLUMNS}) ${marginOf(dimension, day)}`)
    }
    let all = NO_LATENCIES
    const models = this.run<{ counts: ArrayBuffer }>(sql`SELECT counts FROM latency_days WHERE day = ${day}`)
    for (const { counts } of models) all = addLatencies(all, latenciesFromBytes(counts))
    if (all.length > 0) {
      this.run(sql`INSERT INTO latency_days (day, model, counts) VALUES (${day}, 0, ${latenciesToBytes(all)})`)
    }
  }

  /** Returns the dimensions whose stored sums differ from the sums of the day's rows. */
  differingMargins(day: number): Dimension[] {
    return DIMENSIONS.filter((dimension) => {
      const [wanted, kept] = [marginOf(dimension, day), storedMarginOf(dimension, day)]
      const { n } = this.row<{ n: number }>(sql`SELECT (SELECT COUNT(*) FROM (${wanted} EXCEPT ${kept}))
        + (SELECT COUNT(*) FROM (${kept} EXCEPT ${wanted})) AS n`)
      return n > 0
    })
  }

  cohortsOf(day: number): CohortRow[] {
    return this.rows<Omit<CohortRow, 'day' | 'ending'> & { ending: number }>(
      sql`SELECT cohorts.name AS cohort, models.name AS model, use_cases.name AS useCase, ending, requests, refused
        FROM usage_cohorts
          JOIN usage_names AS cohorts ON cohorts.id = usage_cohorts.cohort
          JOIN usage_names AS models ON models.id = usage_cohorts.model
          LEFT JOIN usage_names AS use_cases ON use_cases.id = use_case
        WHERE day = ${day}`,
    ).map((row) => Object.assign(row, { day, ending: endingOf(row.ending) }))
  }

  /** `model`: null for all models together. */
  latenciesOf(day: number): { model: string | null; latencies: Latencies }[] {
    return this.rows<{ model: string | null; counts: ArrayBuffer }>(
      sql`SELECT usage_names.name AS model, counts
        FROM latency_days LEFT JOIN usage_names ON usage_names.id = latency_days.model WHERE day = ${day}`,
    ).map(({ model, counts }) => ({ model, latencies: latenciesFromBytes(counts) }))
  }

  /** Returns the first day with calls from another on, with its counts except latencies; null if there is none. */
  firstCountedDay(from: number): CountedDay | null {
    const [found] = this.listFrom(from, 1)
    if (found === undefined) return null
    const { day } = found
    return { day, rows: this.rowsOf(day), cohorts: this.cohortsOf(day) }
  }

  listFrom(day: number, limit = -1): { day: number; isClosed: boolean }[] {
    return this.rows<{ day: number; isClosed: number }>(
      sql`SELECT day, closed_at IS NOT NULL AS isClosed FROM counted_days
        WHERE day >= ${day} ORDER BY day LIMIT ${limit}`,
    ).map((row) => ({ day: row.day, isClosed: row.isClosed === 1 }))
  }

  /** @param position of the entry that has the day's totals */
  markClosed(day: number, position: number, sha256: Uint8Array): void {
    this.run(sql`UPDATE counted_days SET closed_at = ${position}, sha256 = ${sha256} WHERE day = ${day}`)
  }

  /** Returns when the oldest stored counts are to be deleted, in milliseconds; null if there are none. */
  deletionDueAt(): number | null {
    const [row] = this.rows<{ day: number | null; hour: number | null }>(
      sql`SELECT (SELECT min(day) FROM counted_days) AS day, (SELECT min(hour) FROM usage_hours) AS hour`,
    )
    const days = row?.day == null ? Infinity : (row.day + DAYS_KEPT) * DAY_MS
    // Hours wait for the end of their day, so that they are deleted once a day.
    const hours = row?.hour == null ? Infinity : (Math.floor((row.hour + HOURS_KEPT) / 24) + 1) * DAY_MS
    const first = Math.min(days, hours)
    return first === Infinity ? null : first
  }

  deleteOld(now: number): void {
    const day = utcDay(now) - DAYS_KEPT
    for (const table of [sql`usage_days`, sql`usage_cohorts`, sql`latency_days`, sql`counted_days`]) {
      this.run(sql`DELETE FROM ${table} WHERE day <= ${day}`)
    }
    for (const dimension of DIMENSIONS.keys()) {
      this.run(sql`DELETE FROM usage_margins WHERE dimension = ${dimension} AND day <= ${day}`)
    }
    this.run(sql`DELETE FROM usage_hours WHERE hour < ${hourOf(now) - HOURS_KEPT}`)
  }
}
