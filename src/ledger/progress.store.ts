// How far an organisation's log has come on its way out of the object: to the public log, into sealed objects, and, of an object
// that is older than these tables, out of the old ones. It only says what need not be done again.

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

/** Positions, -1 for none where a position is the last of something. */
export type Progress = {
  /** Every receipt up to this position has been submitted to the public log. Stored as `published_to`. */
  readonly submittedTo: number
  /** The newest of those that is a receipt, which the public log knows as well. */
  readonly lastReceipt: number
  /** Entries before this position have left the database. */
  readonly leftTo: number
  /** Those before this one are being sealed. */
  readonly leavingTo: number
  /** When the last daily cleaning was done; 0 before the first. */
  readonly cleanedAt: number
}

type Row = { published_to: number; last_receipt: number; left_to: number; leaving_to: number; cleaned_at: number }

const COLUMNS = 'published_to, last_receipt, left_to, leaving_to, cleaned_at'

export class ProgressStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  read(): Progress {
    const row = this.#sql.exec<Row>(`SELECT ${COLUMNS} FROM progress`).one()
    return {
      submittedTo: row.published_to,
      lastReceipt: row.last_receipt,
      leftTo: row.left_to,
      leavingTo: row.leaving_to,
      cleanedAt: row.cleaned_at,
    }
  }

  write(change: Partial<Progress>): void {
    const { submittedTo, lastReceipt, leftTo, leavingTo, cleanedAt } = { ...this.read(), ...change }
    this.#sql.exec(
      `UPDATE progress SET (${COLUMNS}) = (?, ?, ?, ?, ?)`,
      submittedTo,
      lastReceipt,
      leftTo,
      leavingTo,
      cleanedAt,
    )
  }
}
