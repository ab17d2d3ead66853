// When the organisation's data was exported lately: exports are costly, and few of them are needed.

export const EXPORTS_SCHEMA = 'CREATE TABLE exports (at INTEGER NOT NULL) STRICT'

const HOUR_MS = 3_600_000
export const EXPORTS_AN_HOUR = 5

export class ExportsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Null, and the export is counted; or when there may be another. What was counted by a clock that was ahead counts for now. */
  count(now: number): { retryAt: number } | null {
    this.#sql.exec('DELETE FROM exports WHERE at <= ?', now - HOUR_MS)
    this.#sql.exec('UPDATE exports SET at = ? WHERE at > ?', now, now)
    const { made, oldest } = this.#sql
      .exec<{ made: number; oldest: number | null }>('SELECT COUNT(at) AS made, MIN(at) AS oldest FROM exports')
      .one()
    if (made >= EXPORTS_AN_HOUR && oldest !== null) return { retryAt: oldest + HOUR_MS }
    this.#sql.exec('INSERT INTO exports (at) VALUES (?)', now)
    return null
  }
}
