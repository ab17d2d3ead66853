// Stores when each act was last done, and its log position. The entries of acts lose their content after a month.

export const LATEST_ACTS_SCHEMA = `
  CREATE TABLE latest_acts (
    act TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

export type LatestAct = { act: string; at: number; position: number }

export class LatestActsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Call it in the turn that wrote the entry. */
  write({ act, at, position }: LatestAct): void {
    this.#sql.exec('INSERT OR REPLACE INTO latest_acts (act, at, position) VALUES (?, ?, ?)', act, at, position)
  }

  /** Returns the latest of these acts; null if none was done yet. */
  find(acts: readonly string[]): LatestAct | null {
    const [row] = this.#sql
      .exec<LatestAct>(
        `SELECT act, at, position FROM latest_acts WHERE act IN (SELECT value FROM json_each(?))
         ORDER BY position DESC LIMIT 1`,
        JSON.stringify(acts),
      )
      .toArray()
    return row ?? null
  }
}
