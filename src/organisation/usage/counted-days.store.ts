// Reads the usage counts of each day. Stores a day's sums when it is closed: its calls have ended, and an entry of the log has its
// totals. Deletes counts that are too old.
import { DAY_MS, utcDay } from '../../platform/time.ts'
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
export const ENDING_SUMS = ENDING_NAMES.map(
  (ending) => `sum(iif(ending = ${endingNumber(ending)}, requests, 0)) AS ${ending}`,
)

const MARGIN_COLUMNS = ['dimension', 'day', 'value', ...ENDING_NAMES, ...SUM_NAMES].join(', ')

/** Returns the SQL of a margin: a day's sums by one dimension. `all` groups by day: a number in GROUP BY would name a column. */
const marginOf = (dimension: Dimension): string => `
  SELECT ${DIMENSIONS.indexOf(dimension)}, day, ${dimension === 'all' ? '0' : dimension},
    ${[...ENDING_SUMS, ...SUM_NAMES.map((name) => `sum(${name})`)].join(', ')}
  FROM usage_days WHERE day = ?1 GROUP BY ${dimension === 'all' ? 'day' : dimension}`

const storedMarginOf = (dimension: Dimension): string =>
  `SELECT ${MARGIN_COLUMNS} FROM usage_margins WHERE dimension = ${DIMENSIONS.indexOf(dimension)} AND day = ?1`

type Row = Sums & { keyId: string | null; model: string | null; useCase: string | null; ending: number }

export type CountedDay = { day: number; rows: DayRow[]; cohorts: CohortRow[] }

export class CountedDaysStore extends ObjectStore {
  /** Returns the first day that has calls and is not closed; null if there is none. */
  firstOpen(): number | null {
    const [row] = this.rows<{ day: number }>(
      'SELECT day FROM counted_days WHERE closed_at IS NULL ORDER BY day LIMIT 1',
    )
    return row?.day ?? null
  }

  rowsOf(day: number): DayRow[] {
    return this.rows<Row>(
      `SELECT keys.name AS keyId, models.name AS model, use_cases.name AS useCase, ending, ${SUM_NAMES.join(', ')}
       FROM usage_days
         LEFT JOIN usage_names AS keys ON keys.id = key
         LEFT JOIN usage_names AS models ON models.id = usage_days.model
         LEFT JOIN usage_names AS use_cases ON use_cases.id = use_case
       WHERE day = ?`,
      day,
    ).map(({ keyId, model, useCase, ending, ...sums }) => {
      return { day, keyId, model: model ?? '', useCase, ending: endingOf(ending), sums }
    })
  }

  spanOf(day: number): Span {
    return this.row<Span>('SELECT first, last FROM counted_days WHERE day = ?', day)
  }

  /** Stores the day's sums by each dimension and the latencies of all models. Call it in the turn that closes the day. */
  storeSums(day: number): void {
    for (const dimension of DIMENSIONS) {
      this.sql.exec(`INSERT INTO usage_margins (${MARGIN_COLUMNS}) ${marginOf(dimension)}`, day)
    }
    let all = NO_LATENCIES
    const models = this.sql.exec<{ counts: ArrayBuffer }>('SELECT counts FROM latency_days WHERE day = ?', day)
    for (const { counts } of models) all = addLatencies(all, latenciesFromBytes(counts))
    if (all.length > 0) {
      this.sql.exec('INSERT INTO latency_days (day, model, counts) VALUES (?, 0, ?)', day, latenciesToBytes(all))
    }
  }

  /** Returns the dimensions whose stored sums differ from the sums of the day's rows. */
  differingMargins(day: number): Dimension[] {
    return DIMENSIONS.filter((dimension) => {
      const [wanted, kept] = [marginOf(dimension), storedMarginOf(dimension)]
      const { n } = this.row<{ n: number }>(
        `SELECT (SELECT COUNT(*) FROM (${wanted} EXCEPT ${kept})) + (SELECT COUNT(*) FROM (${kept} EXCEPT ${wanted})) AS n`,
        day,
      )
      return n > 0
    })
  }

  cohortsOf(day: number): CohortRow[] {
    return this.rows<Omit<CohortRow, 'day' | 'ending'> & { ending: number }>(
      `SELECT cohorts.name AS cohort, models.name AS model, use_cases.name AS useCase, ending, requests, refused
       FROM usage_cohorts
         JOIN usage_names AS cohorts ON cohorts.id = usage_cohorts.cohort
         JOIN usage_names AS models ON models.id = usage_cohorts.model
         LEFT JOIN usage_names AS use_cases ON use_cases.id = use_case
       WHERE day = ?`,
      day,
    ).map((row) => Object.assign(row, { day, ending: endingOf(row.ending) }))
  }

  /** `model`: null for all models together. */
  latenciesOf(day: number): { model: string | null; latencies: Latencies }[] {
    return this.rows<{ model: string | null; counts: ArrayBuffer }>(
      `SELECT usage_names.name AS model, counts FROM latency_days
         LEFT JOIN usage_names ON usage_names.id = latency_days.model
       WHERE day = ?`,
      day,
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
      'SELECT day, closed_at IS NOT NULL AS isClosed FROM counted_days WHERE day >= ? ORDER BY day LIMIT ?',
      day,
      limit,
    ).map((row) => ({ day: row.day, isClosed: row.isClosed === 1 }))
  }

  /** @param position of the entry that has the day's totals */
  markClosed(day: number, position: number, sha256: Uint8Array): void {
    this.sql.exec('UPDATE counted_days SET closed_at = ?, sha256 = ? WHERE day = ?', position, sha256, day)
  }

  /** Returns when the oldest stored counts are to be deleted, in milliseconds; null if there are none. */
  deletionDueAt(): number | null {
    const [row] = this.rows<{ day: number | null; hour: number | null }>(
      'SELECT (SELECT min(day) FROM counted_days) AS day, (SELECT min(hour) FROM usage_hours) AS hour',
    )
    const days = row?.day == null ? Infinity : (row.day + DAYS_KEPT) * DAY_MS
    // Hours wait for the end of their day, so that they are deleted once a day.
    const hours = row?.hour == null ? Infinity : (Math.floor((row.hour + HOURS_KEPT) / 24) + 1) * DAY_MS
    const first = Math.min(days, hours)
    return first === Infinity ? null : first
  }

  deleteOld(now: number): void {
    const day = utcDay(now) - DAYS_KEPT
    for (const table of ['usage_days', 'usage_cohorts', 'latency_days', 'counted_days']) {
      this.sql.exec(`DELETE FROM ${table} WHERE day <= ?`, day)
    }
    for (const dimension of DIMENSIONS.keys()) {
      this.sql.exec('DELETE FROM usage_margins WHERE dimension = ? AND day <= ?', dimension, day)
    }
    this.sql.exec('DELETE FROM usage_hours WHERE hour < ?', hourOf(now) - HOURS_KEPT)
  }
}
