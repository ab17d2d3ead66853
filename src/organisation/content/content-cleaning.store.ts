// Stores when an organisation's content in R2 was last cleaned up, and when its keys were destroyed. There is no row before the
// first content.
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'

export const CONTENT_CLEANING_SCHEMA = `
  CREATE TABLE content_cleaning (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    cleaned_at INTEGER NOT NULL,
    destroyed_at INTEGER
  ) STRICT;
`

/** Times in milliseconds. */
export type ContentCleaning = {
  /** When expired content was last looked for. */
  readonly cleanedAt: number
  /** When the content's keys were destroyed. Null if no object sealed under destroyed keys can remain in R2. */
  readonly destroyedAt: number | null
}

export class ContentCleaningStore extends ObjectStore {
  /** Returns null if there was never any content. */
  read(): ContentCleaning | null {
    const [row] = this.rows<ContentCleaning>(sql`SELECT cleaned_at AS cleanedAt, destroyed_at AS destroyedAt
      FROM content_cleaning`)
    return row ?? null
  }

  /** Records that the organisation has content from now on. */
  begin(now: number): void {
    this.run(sql`INSERT INTO content_cleaning (id, cleaned_at) VALUES (1, ${now})`)
  }

  write({ cleanedAt, destroyedAt }: ContentCleaning): void {
    this.run(sql`UPDATE content_cleaning SET cleaned_at = ${cleanedAt}, destroyed_at = ${destroyedAt}`)
  }
}
