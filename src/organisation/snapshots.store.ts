// The organisation's state as it was at two places of its log: the newest, from which it is read when the object starts, and the
// oldest, from which it can be worked out again from every entry that is at hand.
import type { Place } from './calls.store.ts'

export const SNAPSHOTS_SCHEMA = `
  CREATE TABLE snapshots (
    name TEXT PRIMARY KEY CHECK (name IN ('newest', 'oldest')),
    -- Every event before this place is in it.
    before INTEGER NOT NULL,
    n INTEGER NOT NULL,
    state TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`

export type SnapshotName = 'newest' | 'oldest'

export type Snapshot = Place & { readonly state: string }

const WRITE = `
  INSERT INTO snapshots (name, before, n, state) VALUES (?, ?, ?, ?)
  ON CONFLICT (name) DO UPDATE SET before = excluded.before, n = excluded.n, state = excluded.state
`

export class SnapshotsStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  find(name: SnapshotName): Snapshot | null {
    const [row] = this.#sql
      .exec<{ before: number; n: number; state: string }>('SELECT before, n, state FROM snapshots WHERE name = ?', name)
      .toArray()
    return row ?? null
  }

  delete(name: SnapshotName): void {
    this.#sql.exec('DELETE FROM snapshots WHERE name = ?', name)
  }

  write(name: SnapshotName, { before, n, state }: Snapshot): void {
    this.#sql.exec(WRITE, name, before, n, state)
  }
}
