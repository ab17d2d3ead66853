// Stores the erasure of an organisation in its own database: one row with the state, the due time and the next step. This row
// decides, not the copy in D1. Every call reads it, so it is also cached in memory.
import type { ErasureId } from '../../platform/ids.ts'
import { sqlColumnsOf } from '../../platform/sql-columns.ts'
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'
import { ERASURE_COLUMNS, beginIfDue, type ErasureProgress } from './erasure.ts'

/**
 * Tables that accept no rows while the organisation is sealed, so that no late call or cleaning leaves anything behind. The
 * table of entries accepts none either (journal/entries-table.ts).
 */
const SEALED_TABLES = ['calls', 'sealed_details', 'data_keys', 'keys']

export const ERASURE_SCHEMA = `
  CREATE TABLE erasure (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    erasure_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    jurisdiction TEXT NOT NULL,
    requested_by TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('scheduled', 'running', 'completed')),
    -- The next step; null before the first and after the last.
    step TEXT,
    is_sealed INTEGER NOT NULL DEFAULT 0 CHECK (is_sealed IN (0, 1)),
    -- The signed record; null until it is made.
    record TEXT
  ) STRICT;
  ${SEALED_TABLES.map(
    (table) => `
  CREATE TRIGGER ${table}_end_with_erasure BEFORE INSERT ON ${table}
    WHEN EXISTS (SELECT 1 FROM erasure WHERE is_sealed = 1)
    BEGIN SELECT RAISE(ABORT, 'the organisation is erased'); END;`,
  ).join('')}
  -- A cancelled erasure stays cancelled, also when D1 is restored to an earlier moment.
  CREATE TABLE cancelled_erasures (erasure_id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
`

type Row = Omit<ErasureProgress, 'isSealed'> & { isSealed: 0 | 1 }

const COLUMNS = sqlColumnsOf<Row>({
  id: 'erasure_id',
  ...ERASURE_COLUMNS,
  state: 'state',
  step: 'step',
  isSealed: 'is_sealed',
  record: 'record',
})

export class ErasureStateStore extends ObjectStore {
  /** Undefined if it must be read from the database. */
  #current: ErasureProgress | null | undefined

  /** Returns null if no erasure was requested, or it was cancelled. */
  read(): ErasureProgress | null {
    if (this.#current === undefined) {
      const [row] = this.rows<Row>(sql`SELECT ${COLUMNS.selected} FROM erasure`)
      this.#current = row === undefined ? null : { ...row, isSealed: row.isSealed === 1 }
    }
    return this.#current
  }

  write(erasure: ErasureProgress): void {
    this.forget()
    const row: Row = { ...erasure, isSealed: erasure.isSealed ? 1 : 0 }
    this.run(sql`INSERT OR REPLACE INTO erasure (${COLUMNS.names}, id) VALUES (${COLUMNS.valuesOf(row)}, 1)`)
  }

  /** Changes nothing if there is no erasure. */
  change(change: Partial<Pick<ErasureProgress, 'state' | 'step' | 'isSealed' | 'record'>>): void {
    const erasure = this.read()
    if (erasure !== null) this.write({ ...erasure, ...change })
  }

  beginIfDue(now: number): void {
    const erasure = beginIfDue(this.read(), now)
    if (erasure !== null) this.write(erasure)
  }

  cancel(): void {
    this.forget()
    this.run(sql`INSERT OR IGNORE INTO cancelled_erasures (erasure_id) SELECT erasure_id FROM erasure`)
    this.run(sql`DELETE FROM erasure`)
  }

  wasCancelled(id: ErasureId): boolean {
    return this.rows(sql`SELECT 1 FROM cancelled_erasures WHERE erasure_id = ${id}`).length > 0
  }

  /** Call it after a turn was rolled back: memory may contain what was never stored. */
  forget(): void {
    this.#current = undefined
  }
}
