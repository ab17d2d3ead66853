// Stores the public log's publishing progress: the size that is served, the size up to which each shard of the index
// (PublicLogIndex) is filled, the newest day in the served list of days, and the size that each witness last cosigned.
// Losing it only repeats work.
import * as z from 'zod'
import { once } from '../platform/once.ts'
import { sql } from '../platform/sql.ts'
import { ObjectStore } from '../platform/stores.ts'
import { INDEX_SHARDS } from './public-log.client.ts'

/** `indexed`: a JSON list with one size for each shard. `indexed_to`: the smallest of them. */
export const PROGRESS_SCHEMA = `
  CREATE TABLE progress (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    served INTEGER NOT NULL,
    indexed TEXT NOT NULL,
    indexed_to INTEGER NOT NULL,
    listed_day TEXT NOT NULL
  ) STRICT;
`

export type PublishingProgress = {
  /** All tiles and the head of this size are served; -1 before the first head. */
  readonly served: number
  /** For each shard, the tree size up to which it has all its entries. */
  readonly indexed: readonly number[]
  /** The newest UTC day in the served list of days; empty before the first. */
  readonly listedDay: string
}

const SizesSchema = once(() => z.array(z.int()).length(INDEX_SHARDS))

export class PublishingProgressStore extends ObjectStore {
  /** Inserts the only row of the table. Call it in the migration step that creates the table. */
  insertFirstRow(): void {
    const nothing = JSON.stringify(Array.from({ length: INDEX_SHARDS }, () => 0))
    this.run(sql`INSERT INTO progress (id, served, indexed, indexed_to, listed_day) VALUES (1, -1, ${nothing}, 0, '')`)
  }

  read(): PublishingProgress {
    const { served, indexed, listedDay } = this.row<{ served: number; indexed: string; listedDay: string }>(
      sql`SELECT served, indexed, listed_day AS listedDay FROM progress WHERE id = 1`,
    )
    return { served, indexed: SizesSchema().parse(JSON.parse(indexed)), listedDay }
  }

  /** Writes only if a value changed. */
  write({ served, indexed, listedDay }: PublishingProgress): void {
    const [sizes, least] = [JSON.stringify(indexed), Math.min(...indexed)]
    this.run(sql`UPDATE progress
      SET served = ${served}, indexed = ${sizes}, indexed_to = ${least}, listed_day = ${listedDay}
      WHERE id = 1 AND (served <> ${served} OR indexed <> ${sizes} OR listed_day <> ${listedDay})`)
  }
}

export const COSIGNED_SCHEMA = `
  CREATE TABLE cosigned (
    witness TEXT PRIMARY KEY,
    tree_size INTEGER NOT NULL CHECK (tree_size >= 0)
  ) STRICT, WITHOUT ROWID;
`

export class CosignedStore extends ObjectStore {
  /** Returns sizes by the name of the witness's key. */
  read(): ReadonlyMap<string, number> {
    const rows = this.rows<{ witness: string; tree_size: number }>(sql`SELECT witness, tree_size FROM cosigned`)
    return new Map(rows.map(({ witness, tree_size: size }) => [witness, size]))
  }

  /** Writes only if the size changed. */
  write(witness: string, size: number): void {
    this.run(sql`INSERT INTO cosigned (witness, tree_size) VALUES (${witness}, ${size})
      ON CONFLICT (witness) DO UPDATE SET tree_size = excluded.tree_size WHERE tree_size <> excluded.tree_size`)
  }
}
