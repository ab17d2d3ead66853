// Stores people's statements about controls, anomalies, disparities and incidents, and the reports that were made. The log has
// only the hashes of statements and reports.
import { sqlColumnsOf } from '../../platform/sql-columns.ts'
import { isAfter, sql, type Sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'
import type { Statement } from '../../reports/controls/control.ts'

export const STATEMENTS_SCHEMA = `
  CREATE TABLE statements (
    subject TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    looked_at TEXT NOT NULL,
    cause TEXT,
    -- The UTC day that the statement is about.
    date TEXT,
    -- usr_…
    stated_by TEXT NOT NULL,
    stated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

const STATEMENT = sqlColumnsOf<Statement>({
  subject: 'subject',
  text: 'text',
  lookedAt: 'looked_at',
  cause: 'cause',
  date: 'date',
  statedBy: 'stated_by',
  statedAt: 'stated_at',
})
const SELECT_STATEMENT = sql`SELECT ${STATEMENT.selected} FROM statements`

export class StatementsStore extends ObjectStore {
  write(statement: Statement): void {
    this.run(sql`INSERT OR REPLACE INTO statements (${STATEMENT.names}) VALUES (${STATEMENT.valuesOf(statement)})`)
  }

  find(subject: string): Statement | null {
    return this.rows<Statement>(sql`${SELECT_STATEMENT} WHERE subject = ${subject}`)[0] ?? null
  }

  list(): Statement[] {
    return this.rows<Statement>(sql`${SELECT_STATEMENT} ORDER BY subject`)
  }

  count(): number {
    return this.row<{ n: number }>(sql`SELECT COUNT(*) AS n FROM statements`).n
  }

  delete(subject: string): void {
    this.run(sql`DELETE FROM statements WHERE subject = ${subject}`)
  }
}

export const REPORTS_SCHEMA = `
  CREATE TABLE reports (
    id TEXT PRIMARY KEY,
    made_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    -- usr_… or key_…
    made_by TEXT NOT NULL,
    -- UTC days, both included.
    first_day TEXT NOT NULL,
    last_day TEXT NOT NULL,
    -- The document's SHA-256, 64 hexadecimal digits.
    sha256 TEXT NOT NULL,
    -- The position of the entry that records the report.
    position INTEGER NOT NULL,
    -- The report's canonical JSON, compressed by gzip.
    document BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** Times in milliseconds since the epoch; `start` and `end` are UTC days. */
export type StoredReport = {
  id: string
  madeAt: number
  expiresAt: number
  madeBy: string
  start: string
  end: string
  sha256: string
  position: number
}

/** `document`: compressed with gzip. */
export type ReportDocument = { report: StoredReport; document: Uint8Array<ArrayBuffer> }

const REPORT = sqlColumnsOf<StoredReport>({
  id: 'id',
  madeAt: 'made_at',
  expiresAt: 'expires_at',
  madeBy: 'made_by',
  start: 'first_day',
  end: 'last_day',
  sha256: 'sha256',
  position: 'position',
})

type Row = StoredReport & { document: ArrayBuffer }

export class ReportsStore extends ObjectStore {
  insert(report: StoredReport, document: Uint8Array): void {
    this.run(sql`INSERT INTO reports (${REPORT.names}, document) VALUES (${REPORT.valuesOf(report)}, ${document})`)
  }

  /** Returns reports, newest first, that are older than `cursor` (an id). */
  list(limit: number, cursor: string | null, now: number): StoredReport[] {
    return this.rows<StoredReport>(sql`SELECT ${REPORT.selected} FROM reports
      WHERE ${isAfter(cursor)} AND expires_at > ${now} ORDER BY id DESC LIMIT ${limit}`)
  }

  find(id: string, now: number): ReportDocument | null {
    return this.#first(sql`id = ${id} AND expires_at > ${now}`)
  }

  /** Returns the latest report made at or before a time. */
  findLatestUntil(at: number, now: number): ReportDocument | null {
    return this.#first(sql`made_at <= ${at} AND expires_at > ${now} ORDER BY id DESC LIMIT 1`)
  }

  /** Counts reports made after a time, and returns when the first was made. A time ahead of the clock counts as `now`. */
  countSince(since: number, now: number): { made: number; first: number | null } {
    return this.row<{ made: number; first: number | null }>(sql`SELECT COUNT(*) AS made,
      MIN(MIN(made_at, ${now})) AS first FROM reports WHERE made_at > ${since}`)
  }

  deleteOld(now: number): void {
    this.run(sql`DELETE FROM reports WHERE expires_at <= ${now}`)
  }

  #first(where: Sql): ReportDocument | null {
    const [row] = this.rows<Row>(sql`SELECT ${REPORT.selected}, document FROM reports WHERE ${where}`)
    if (row === undefined) return null
    const { document, ...report } = row
    return { report, document: new Uint8Array(document) }
  }
}
