// Stores what was erased in the operator's log, apart from D1, so that erasures can be repeated after D1 is restored. Each
// erasure is one leaf, however often it is reported.
import { z } from 'zod'
import { columnsOf } from '../../platform/columns.ts'
import type { Journal } from '../journal/journal.ts'
import { ERASURE_COLUMNS, type Erased } from './erasure.ts'

export const ERASED_SCHEMA = `
  CREATE TABLE erased (
    erasure_id TEXT PRIMARY KEY,
    -- org_… with its jurisdiction and its signed record, or usr_….
    subject TEXT NOT NULL,
    jurisdiction TEXT,
    requested_by TEXT NOT NULL,
    requested_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    record TEXT,
    position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
`

const COLUMNS = columnsOf<Erased>({
  id: 'erasure_id',
  ...ERASURE_COLUMNS,
  record: 'record',
})

export class ErasedStore {
  readonly #sql: SqlStorage
  readonly #journal: Journal

  constructor(sql: SqlStorage, journal: Journal) {
    this.#sql = sql
    this.#journal = journal
  }

  /** Call it inside a turn. An erasure that is already stored changes nothing. */
  insert(erased: Erased, now: number): void {
    if (this.find(erased.id) !== null) return
    const { id, subject, jurisdiction, record } = erased
    const act = jurisdiction === null ? 'person.erased' : 'organisation.erased'
    const content = { act, request_id: id, subject, record: z.json().parse(JSON.parse(record ?? 'null')) }
    const position = this.#journal.append({ kind: 'operator_act', content }, now)
    this.#sql.exec(
      `INSERT INTO erased (${COLUMNS.names}, position) VALUES (${COLUMNS.places}, ?)`,
      ...COLUMNS.valuesOf(erased),
      position,
    )
  }

  find(id: string): Erased | null {
    return this.#list('erasure_id = ?', id)[0] ?? null
  }

  /** Returns erasures, newest first, that are older than `cursor` (an id). */
  list(limit: number, cursor: string | undefined): Erased[] {
    return this.#list('erasure_id < ? ORDER BY erasure_id DESC LIMIT ?', cursor ?? '~', limit)
  }

  #list(where: string, ...values: (string | number)[]): Erased[] {
    return this.#sql.exec<Erased>(`SELECT ${COLUMNS.selected} FROM erased WHERE ${where}`, ...values).toArray()
  }
}
