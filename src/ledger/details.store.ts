// The details in the organisation's database: what young leaves are the hashes of. They leave in the order of their
// positions, which is that of their times as long as the clock goes forward; where it went back, a run begins.
import type { Details } from './details.ts'
import { RECEIPT_KIND } from './entry.ts'

/** Within a run `at` never falls. Empty when the details before a position are gone: then a run begins there too. */
export const DETAIL_RUNS_SCHEMA = `
  CREATE TABLE detail_runs (first INTEGER PRIMARY KEY) STRICT;
  INSERT INTO detail_runs (first)
    SELECT position FROM (SELECT position, at, LAG(at) OVER (ORDER BY position) AS before FROM details)
    WHERE before IS NULL OR at < before;
  CREATE TRIGGER details_begin_a_run AFTER INSERT ON details
    WHEN NEW.at < COALESCE((SELECT at FROM details WHERE position = NEW.position - 1), NEW.at + 1)
    BEGIN INSERT INTO detail_runs (first) VALUES (NEW.position); END;
`

/** Positions and times are inclusive at `first` and `from`; `last` is the last, `before` is not reached. */
export type DetailsRange = { first: number; last: number; expiring: { from: number; before: number } }

export type Leaving = {
  /** Details written at or before this may leave. */
  writtenUntil: number
  /** Receipts after this position are still to be read for the public log. */
  publishedTo: number
}

/** A batch is held in memory and becomes objects of at most its size. */
const BATCH_ROWS = 1000
const BATCH_BYTES = 1024 * 1024
/** How far apart the positions of one batch are at most. */
export const BATCH_SPAN = 10_000

const COLUMNS = 'position, kind, at, expires_at, entry, facts'
const WITHIN_RANGE = 'position BETWEEN ? AND ? AND expires_at >= ? AND expires_at < ?'

type Row = {
  position: number
  kind: string
  at: number
  expires_at: number
  entry: ArrayBuffer
  facts: string | null
}

export class DetailsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  findDetails(position: number): Details | null {
    const [row] = this.#sql.exec<Row>(`SELECT ${COLUMNS} FROM details WHERE position = ?`, position).toArray()
    return row === undefined ? null : fromRow(row)
  }

  /** The next that may leave, oldest position first: all that are there from the first of them to the last. */
  listLeaving(leaving: Leaving): Details[] {
    const runs = this.#sql.exec<{ first: number }>('SELECT first FROM detail_runs ORDER BY first').toArray()
    for (const [at, { first }] of runs.entries()) {
      const batch = this.#listFront(first, runs[at + 1]?.first ?? Number.MAX_SAFE_INTEGER, leaving)
      if (batch.length > 0) return batch
    }
    return []
  }

  /** The next from a position on, as many as a batch may have. */
  listFrom(from: number, before: number): Details[] {
    return batchOf(this.#rows(from, before), () => false)
  }

  /** All from a position on: where they are known to be few. */
  listWithin(from: number, before: number): Details[] {
    return this.#sql
      .exec<Row>(`SELECT ${COLUMNS} FROM details WHERE position >= ? AND position < ? ORDER BY position`, from, before)
      .toArray()
      .map(fromRow)
  }

  listRange({ first, last, expiring }: DetailsRange): Details[] {
    return this.#sql
      .exec<Row>(
        `SELECT ${COLUMNS} FROM details WHERE ${WITHIN_RANGE} ORDER BY position`,
        first,
        last,
        expiring.from,
        expiring.before,
      )
      .toArray()
      .map(fromRow)
  }

  deleteRange({ first, last, expiring }: DetailsRange): void {
    this.#sql.exec(`DELETE FROM details WHERE ${WITHIN_RANGE}`, first, last, expiring.from, expiring.before)
  }

  /**
   * Deletes what is over at `now` and comes after `publishedTo`, receipts apart, which the public log is still to get. Says how
   * many: a batch at most.
   */
  deleteOverBehind({ publishedTo, now }: { publishedTo: number; now: number }): number {
    return this.#sql
      .exec(
        `DELETE FROM details WHERE position IN (
           SELECT position FROM details WHERE position > ? AND expires_at <= ? AND kind <> ? LIMIT ?
         ) RETURNING position`,
        publishedTo,
        now,
        RECEIPT_KIND,
        BATCH_ROWS,
      )
      .toArray().length
  }

  deleteEmptyRuns(): void {
    this.#sql.exec(`
      DELETE FROM detail_runs WHERE NOT EXISTS (
        SELECT 1 FROM details WHERE position >= detail_runs.first AND position < COALESCE(
          (SELECT MIN(later.first) FROM detail_runs AS later WHERE later.first > detail_runs.first), 9007199254740991
        )
      )`)
  }

  /** The oldest rows of a run that may leave: as `at` never falls, none that may comes after the first that may not. */
  #listFront(first: number, end: number, { writtenUntil, publishedTo }: Leaving): Details[] {
    return batchOf(
      this.#rows(first, end),
      (row, from) =>
        row.at > writtenUntil ||
        (row.kind === RECEIPT_KIND && row.position > publishedTo) ||
        row.position - from > BATCH_SPAN,
    )
  }

  #rows(from: number, before: number): Iterable<Row> {
    return this.#sql.exec<Row>(
      `SELECT ${COLUMNS} FROM details WHERE position >= ? AND position < ? ORDER BY position LIMIT ?`,
      from,
      before,
      BATCH_ROWS,
    )
  }
}

/** @param endsBefore told the position that the batch begins at */
function batchOf(rows: Iterable<Row>, endsBefore: (row: Row, from: number) => boolean): Details[] {
  const batch: Details[] = []
  let bytes = 0
  for (const row of rows) {
    bytes += bytesOf(row)
    const isFull = bytes > BATCH_BYTES && batch.length > 0
    if (isFull || endsBefore(row, batch[0]?.position ?? row.position)) break
    batch.push(fromRow(row))
  }
  return batch
}

const bytesOf = ({ entry, facts }: Row): number => entry.byteLength + (facts?.length ?? 0)

const fromRow = ({ position, kind, at, expires_at: expiresAt, entry, facts }: Row): Details => ({
  position,
  kind,
  at,
  expiresAt,
  entry: new Uint8Array(entry),
  facts,
})
