// Stores the alarms that were found, and when the last search ran. Every search starts from the usage counts again. Alarms are
// grouped into anomalies whenever they are read, so the same alarms always give the same anomalies.
import { sqlColumnsOf } from '../../platform/sql-columns.ts'
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'
import { groupAlarms, type Alarm, type Anomaly } from './bias-measures.ts'

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

const MOST_READ = 5000

const COLUMNS = sqlColumnsOf<Alarm>({
  kind: 'kind',
  series: 'series',
  since: 'since',
  value: 'value',
  baseline: 'baseline',
  statistic: 'statistic',
  threshold: 'threshold',
  change: 'change',
})

export class AnomaliesStore extends ObjectStore {
  /** Lists the anomalies whose first alarm began in the range, in the order of these. */
  list({ since, until }: TimeRange): Anomaly[] {
    // All alarms are grouped: those before the range decide which anomaly a later one belongs to.
    return groupAlarms(this.listAlarms()).filter(({ alarms: [first] }) => {
      return first !== undefined && first.since >= since && first.since < until
    })
  }

  /** Returns alarms, the newest first. */
  listAlarms(): Alarm[] {
    return this.rows<Alarm>(sql`SELECT ${COLUMNS.selected}
      FROM anomalies ORDER BY since DESC, kind, series LIMIT ${MOST_READ}`)
  }

  /** True if an alarm of this kind and series began at or after `since`. */
  hasSince({ kind, series }: Pick<Alarm, 'kind' | 'series'>, since: number): boolean {
    const found = this.rows(sql`SELECT 1 FROM anomalies
      WHERE kind = ${kind} AND series = ${series} AND since >= ${since} LIMIT 1`)
    return found.length > 0
  }

  insert(alarm: Alarm, foundAt: number): void {
    this.run(sql`INSERT INTO anomalies (${COLUMNS.names}, found_at) VALUES (${COLUMNS.valuesOf(alarm)}, ${foundAt})`)
  }

  deleteBefore(since: number): void {
    this.run(sql`DELETE FROM anomalies WHERE since < ${since}`)
  }

  /** Returns when the last search ran; null before the first. */
  searchedAt(): number | null {
    const [row] = this.rows<{ at: number }>(sql`SELECT looked_at AS at FROM anomaly_progress`)
    return row?.at ?? null
  }

  writeSearchedAt(at: number): void {
    this.run(sql`INSERT OR REPLACE INTO anomaly_progress (id, looked_at) VALUES (1, ${at})`)
  }
}
