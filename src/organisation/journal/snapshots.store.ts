// Stores two snapshots of the organisation's state. `newest` is loaded when the object starts. All events after `oldest` are
// still in the database, so the state can be computed again from it.
import type { BetweenEntries } from './calls-without-entry.store.ts'
import { sql } from '../../platform/sql.ts'
import { ObjectStore } from '../../platform/stores.ts'

export const SNAPSHOTS_SCHEMA = `
  CREATE TABLE snapshots (
    name TEXT NOT NULL CHECK (name IN ('newest', 'oldest')),
    -- A snapshot that is too long for one row continues in the next part.
    part INTEGER NOT NULL,
    -- The snapshot includes every event before this position.
    before INTEGER NOT NULL,
    n INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (name, part)
  ) STRICT, WITHOUT ROWID;
`

/** Not in the state's text: the version before refuses one with a member more, and a rollback must not stop an object. */
export const SNAPSHOT_COVERAGE_SCHEMA = 'ALTER TABLE snapshots ADD COLUMN coverage TEXT;'

/** A row may have at most 2 MB, and a character at most three bytes. */
const PART_CHARACTERS = 500_000

export type SnapshotName = 'newest' | 'oldest'

/** `coverage`: JSON of the builds that have a coverage entry; null if the version before wrote it. */
export type Snapshot = BetweenEntries & { readonly state: string; readonly coverage: string | null }

type Row = { before: number; n: number; state: string; coverage: string | null }

export class SnapshotsStore extends ObjectStore {
  find(name: SnapshotName): Snapshot | null {
    const parts = this.rows<Row>(sql`SELECT before, n, state, coverage FROM snapshots
      WHERE name = ${name} ORDER BY part`)
    const [first] = parts
    return first === undefined ? null : { ...first, state: parts.map(({ state }) => state).join('') }
  }

  delete(name: SnapshotName): void {
    this.#deleteFrom(name, 0)
  }

  /** Call it inside a transaction. */
  write(name: SnapshotName, { before, n, state, coverage }: Snapshot): void {
    let part = 0
    for (let at = 0; at < state.length; at += PART_CHARACTERS) {
      this.run(sql`INSERT INTO snapshots (name, part, before, n, state, coverage)
        VALUES (${name}, ${part}, ${before}, ${n}, ${state.slice(at, at + PART_CHARACTERS)}, ${coverage})
        ON CONFLICT (name, part) DO UPDATE
        SET before = excluded.before, n = excluded.n, state = excluded.state, coverage = excluded.coverage`)
      part += 1
    }
    this.#deleteFrom(name, part)
  }

  #deleteFrom(name: SnapshotName, part: number): void {
    this.run(sql`DELETE FROM snapshots WHERE name = ${name} AND part >= ${part}`)
  }
}
