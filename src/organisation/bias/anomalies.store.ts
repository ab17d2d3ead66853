// Stores the anomalies that were found, and when the last search ran. Every search starts from the usage counts again.
import { columnsOf } from '../../platform/sql-columns.ts'
import type { Anomaly } from './bias-measures.ts'

export const ANOMALIES_SCHEMA = `
  CREATE TABLE anomalies (
    kind TEXT NOT NULL,
    series TEXT NOT NULL,
    since INTEGER NOT NULL,
    found_at INTEGER NOT NULL,
    value REAL NOT NULL,
    baseline REAL NOT NULL,
    statistic REAL NOT NULL,
    threshold REAL NOT NULL,
    change INTEGER,
    PRIMARY KEY (kind, series, since)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX anomalies_by_time ON anomalies (since);
  CREATE TABLE anomaly_progress (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    looked_at INTEGER NOT NULL
  ) STRICT;
`

/** A time range from `since` to before `until`, in milliseconds. */
export type TimeRange = { since: number; until: number }

/** The most anomalies that `list` returns. */
const MOST_SHOWN = 5000

const COLUMNS = columnsOf<Anomaly>({
  kind: 'kind',
  series: 'series',
  since: 'since',
  value: 'value',
  baseline: 'baseline',
  statistic: 'statistic',
  threshold: 'threshold',
  change: 'change',
})

export class AnomaliesStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Lists anomalies in the order of their beginning. If there are more than the limit, it returns the newest. */
  list({ since, until }: TimeRange): Anomaly[] {
    return this.#sql
      .exec<Anomaly>(
        `SELECT ${COLUMNS.selected} FROM anomalies WHERE since >= ? AND since < ? ORDER BY since DESC, kind, series LIMIT ?`,
        since,
        until,
        MOST_SHOWN,
      )
      .toArray()
      .toReversed()
  }

  /** True if an anomaly of this kind and series began at or after `since`. */
  hasSince({ kind, series }: Pick<Anomaly, 'kind' | 'series'>, since: number): boolean {
    return (
      this.#sql
        .exec('SELECT 1 FROM anomalies WHERE kind = ? AND series = ? AND since >= ? LIMIT 1', kind, series, since)
        .toArray().length > 0
    )
  }

  insert(anomaly: Anomaly, foundAt: number): void {
    this.#sql.exec(
      `INSERT INTO anomalies (${COLUMNS.names}, found_at) VALUES (${COLUMNS.placeholders}, ?)`,
      ...COLUMNS.valuesOf(anomaly),
      foundAt,
    )
  }

  deleteBefore(since: number): void {
    this.#sql.exec('DELETE FROM anomalies WHERE since < ?', since)
  }

  /** Returns when the last search ran; null before the first. */
  searchedAt(): number | null {
    const [row] = this.#sql.exec<{ at: number }>('SELECT looked_at AS at FROM anomaly_progress').toArray()
    return row?.at ?? null
  }

  writeSearchedAt(at: number): void {
    this.#sql.exec('INSERT OR REPLACE INTO anomaly_progress (id, looked_at) VALUES (1, ?)', at)
  }
}
