// How far the public log's leaves have come on their way to readers: up to which size they are served, and how many of
// them each shard of the index has. All of it only says what need not be done again.
import { z } from 'zod'
import { INDEX_SHARDS } from './index.store.ts'

/** `indexed`: a JSON list of a size for each shard; `indexed_to`: the smallest of them. */
export const PROGRESS_SCHEMA = `
  CREATE TABLE progress (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    served INTEGER NOT NULL,
    indexed TEXT NOT NULL,
    indexed_to INTEGER NOT NULL
  ) STRICT;
`

export type Progress = {
  /** The size whose tiles and head are all served; -1 when no head is. */
  readonly served: number
  /** Of each shard, up to which size of the tree it has everything that belongs to it. */
  readonly indexed: readonly number[]
}

const SizesSchema = z.array(z.int()).length(INDEX_SHARDS)

export class ProgressStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Belongs in the step that makes the table. */
  begin(): void {
    const nothing = JSON.stringify(Array.from({ length: INDEX_SHARDS }, () => 0))
    this.#sql.exec('INSERT INTO progress (id, served, indexed, indexed_to) VALUES (1, -1, ?, 0)', nothing)
  }

  read(): Progress {
    const { served, indexed } = this.#sql
      .exec<{ served: number; indexed: string }>('SELECT served, indexed FROM progress WHERE id = 1')
      .one()
    return { served, indexed: SizesSchema.parse(JSON.parse(indexed)) }
  }

  /** One write where something is other than before, and none where nothing is. */
  write({ served, indexed }: Progress): void {
    const [sizes, least] = [JSON.stringify(indexed), Math.min(...indexed)]
    this.#sql.exec(
      'UPDATE progress SET served = ?, indexed = ?, indexed_to = ? WHERE id = 1 AND (served <> ? OR indexed <> ?)',
      served,
      sizes,
      least,
      served,
      sizes,
    )
  }
}

export const COSIGNED_SCHEMA = `
  CREATE TABLE cosigned (
    witness TEXT PRIMARY KEY,
    tree_size INTEGER NOT NULL CHECK (tree_size >= 0)
  ) STRICT, WITHOUT ROWID;
`

const UPSERT = `
  INSERT INTO cosigned (witness, tree_size) VALUES (?, ?)
  ON CONFLICT (witness) DO UPDATE SET tree_size = excluded.tree_size WHERE tree_size <> excluded.tree_size`

export class CosignedStore {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** By the name of the witness's key. */
  read(): ReadonlyMap<string, number> {
    const rows = this.#sql.exec<{ witness: string; tree_size: number }>('SELECT witness, tree_size FROM cosigned')
    return new Map(rows.toArray().map(({ witness, tree_size: size }) => [witness, size]))
  }

  /** A write only where it is another than before. */
  write(witness: string, size: number): void {
    this.#sql.exec(UPSERT, witness, size)
  }
}
