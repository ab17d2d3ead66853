// Stores completed erasures in the operator's object and log, so that they can be repeated after D1 is restored. Each erasure is
// one leaf, however often it is reported.
import * as z from 'zod'
import { sqlColumnsOf } from '../../platform/sql-columns.ts'
import { isAfter, sql, type Sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'
import { appendAct } from '../append-act.ts'
import type { Journal } from '../journal/journal.ts'
import { ERASURE_COLUMNS, type CompletedErasure } from './erasure.ts'

export const COMPLETED_ERASURES_SCHEMA = `
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

const COLUMNS = sqlColumnsOf<CompletedErasure>({
  id: 'erasure_id',
  ...ERASURE_COLUMNS,
  record: 'record',
})

export class CompletedErasuresStore extends ObjectStore {
  readonly #journal: Journal

  constructor(storage: SqlStorage, journal: Journal) {
    super(storage)
    this.#journal = journal
  }

  /** Stores an erasure and appends its log entry, unless it is already stored. Call it inside a turn. */
  insert(erased: CompletedErasure, now: number): void {
    if (this.find(erased.id) !== null) return
    const { id, subject, jurisdiction, record } = erased
    const act = jurisdiction === null ? 'person.erased' : 'organisation.erased'
    const content = { subject, record: z.json().parse(JSON.parse(record ?? 'null')) }
    const position = appendAct(this.#journal, { actor: 'operator', act, requestId: id, content }, now)
    this.run(sql`INSERT INTO erased (${COLUMNS.names}, position) VALUES (${COLUMNS.valuesOf(erased)}, ${position})`)
  }

  find(id: string): CompletedErasure | null {
    return this.#list(sql`erasure_id = ${id}`)[0] ?? null
  }

  /** Returns erasures, newest first, that are older than `cursor` (an id). */
  list(limit: number, cursor: string | undefined): CompletedErasure[] {
    return this.#list(sql`${isAfter(cursor, sql`erasure_id`)} ORDER BY erasure_id DESC LIMIT ${limit}`)
  }

  #list(where: Sql): CompletedErasure[] {
    return this.rows<CompletedErasure>(sql`SELECT ${COLUMNS.selected} FROM erased WHERE ${where}`)
  }
}
