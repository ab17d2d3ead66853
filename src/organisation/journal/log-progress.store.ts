// Stores how far an organisation's log was submitted to the public log and archived to R2, and when its daily cleaning was last
// done. Work before these positions need not be repeated.
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'

export const PROGRESS_SCHEMA = `
  CREATE TABLE progress (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    published_to INTEGER NOT NULL,
    last_receipt INTEGER NOT NULL CHECK (last_receipt <= published_to),
    left_to INTEGER NOT NULL,
    leaving_to INTEGER NOT NULL CHECK (leaving_to >= left_to),
    cleaned_at INTEGER NOT NULL
  ) STRICT;
`

/** Positions. A field that names a last position is -1 if there is none. */
export type Progress = {
  /** Every receipt up to this position has been submitted to the public log. Stored as `published_to`. */
  readonly submittedTo: number
  /** The newest submitted receipt, which the public log knows too. */
  readonly lastReceipt: number
  /** Entries before this position were archived and deleted from the database. */
  readonly archivedTo: number
  /** Entries before this position were archived, or are being archived. */
  readonly archivingTo: number
  /** When the last daily cleaning was done; 0 before the first. */
  readonly cleanedAt: number
}

export class LogProgressStore extends ObjectStore {
  /** Inserts the row. Call it in the step that makes the table: a new log counts as cleaned today. */
  begin(now: number): void {
    this.run(sql`INSERT INTO progress (id, published_to, last_receipt, left_to, leaving_to, cleaned_at)
      VALUES (1, -1, -1, 0, 0, ${now})`)
  }

  read(): Progress {
    return this.row<Progress>(sql`SELECT published_to AS submittedTo, last_receipt AS lastReceipt,
      left_to AS archivedTo, leaving_to AS archivingTo, cleaned_at AS cleanedAt FROM progress`)
  }

  /** Writes only if a value changed. */
  write(change: Partial<Progress>): void {
    const before = this.read()
    const after = { ...before, ...change }
    const { submittedTo, lastReceipt, archivedTo, archivingTo, cleanedAt } = after
    if (JSON.stringify(after) === JSON.stringify(before)) return
    this.run(sql`UPDATE progress SET (published_to, last_receipt, left_to, leaving_to, cleaned_at)
      = (${submittedTo}, ${lastReceipt}, ${archivedTo}, ${archivingTo}, ${cleanedAt})`)
  }
}
