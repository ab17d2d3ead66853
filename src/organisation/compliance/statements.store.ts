// Stores people's statements about controls, anomalies, disparities and incidents. The ledger has only the hash of their words.

export const STATEMENTS_SCHEMA = `
  CREATE TABLE statements (
    subject TEXT PRIMARY KEY,
    text TEXT NOT NULL,
    -- The UTC day that it says it is about.
    date TEXT,
    -- usr_…
    stated_by TEXT NOT NULL,
    stated_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** `statedAt`: in milliseconds since the epoch. */
export type Statement = { subject: string; text: string; date: string | null; statedBy: string; statedAt: number }

const SELECT = 'SELECT subject, text, date, stated_by AS statedBy, stated_at AS statedAt FROM statements'

export class StatementsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Replaces the statement about the same subject. */
  write({ subject, text, date, statedBy, statedAt }: Statement): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO statements (subject, text, date, stated_by, stated_at) VALUES (?, ?, ?, ?, ?)',
      subject,
      text,
      date,
      statedBy,
      statedAt,
    )
  }

  find(subject: string): Statement | null {
    return this.#sql.exec<Statement>(`${SELECT} WHERE subject = ?`, subject).toArray()[0] ?? null
  }

  /** Lists statements in the order of their subjects. */
  list(): Statement[] {
    return this.#sql.exec<Statement>(`${SELECT} ORDER BY subject`).toArray()
  }

  count(): number {
    return this.#sql.exec<{ n: number }>('SELECT COUNT(*) AS n FROM statements').one().n
  }

  delete(subject: string): void {
    this.#sql.exec('DELETE FROM statements WHERE subject = ?', subject)
  }
}
