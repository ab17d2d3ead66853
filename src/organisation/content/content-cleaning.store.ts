// When an organisation's content in R2 was last cleaned up. There is no row where there never was any.

export const CONTENT_CLEANING_SCHEMA = `
  CREATE TABLE content_cleaning (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    cleaned_at INTEGER NOT NULL,
    destroyed_at INTEGER
  ) STRICT;
`

/** Times in milliseconds. */
export type ContentCleaning = {
  /** When it was last looked through for what is over. */
  readonly cleanedAt: number
  /** When its keys were destroyed, while objects may be left that were sealed under them. */
  readonly destroyedAt: number | null
}

export class ContentCleaningStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Null where there never was any content. */
  read(): ContentCleaning | null {
    const [row] = this.#sql
      .exec<ContentCleaning>('SELECT cleaned_at AS cleanedAt, destroyed_at AS destroyedAt FROM content_cleaning')
      .toArray()
    return row ?? null
  }

  /** Notes that there is content from now on. */
  begin(now: number): void {
    this.#sql.exec('INSERT INTO content_cleaning (id, cleaned_at) VALUES (1, ?)', now)
  }

  write({ cleanedAt, destroyedAt }: ContentCleaning): void {
    this.#sql.exec('UPDATE content_cleaning SET cleaned_at = ?, destroyed_at = ?', cleanedAt, destroyedAt)
  }
}
