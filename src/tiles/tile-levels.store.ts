// How much of a log is in stored tiles, level by level, and the edge of the tree above them: the hashes of each level's
// incomplete tile. What is below the first is no longer needed in rows.
import { HIGHEST_TILE_LEVEL, TILE_WIDTH } from '../evidence/tree/tiles.ts'

export const TILE_LEVELS_SCHEMA = `
  CREATE TABLE tile_levels (
    level INTEGER PRIMARY KEY CHECK (level BETWEEN 0 AND ${HIGHEST_TILE_LEVEL}),
    stored INTEGER NOT NULL CHECK (stored >= 0),
    edge BLOB NOT NULL CHECK (length(edge) % 32 = 0 AND length(edge) < 256 * 32)
  ) STRICT;
  CREATE TRIGGER tile_levels_are_not_replaced BEFORE INSERT ON tile_levels
    WHEN NEW.stored < (SELECT stored FROM tile_levels WHERE level = NEW.level)
    BEGIN SELECT RAISE(ABORT, 'a stored tile stays stored'); END;
  CREATE TRIGGER tile_levels_only_grow BEFORE UPDATE ON tile_levels
    WHEN NEW.level IS NOT OLD.level OR NEW.stored < OLD.stored
    BEGIN SELECT RAISE(ABORT, 'a stored tile stays stored'); END;
  CREATE TRIGGER tile_levels_never_go BEFORE DELETE ON tile_levels
    BEGIN SELECT RAISE(ABORT, 'a level of tiles is never removed'); END;
`

export type TileLevel = {
  readonly level: number
  /** How many full tiles are stored: the first so many. */
  readonly stored: number
  /** The roots of the stored tiles below that are in none of this level; empty at level 0. */
  readonly edge: Uint8Array<ArrayBuffer>
}

const UPSERT = `
  INSERT INTO tile_levels (level, stored, edge) VALUES (?, ?, ?)
  ON CONFLICT (level) DO UPDATE SET stored = excluded.stored, edge = excluded.edge`

export class TileLevelsStore {
  readonly #storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>

  constructor(storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>) {
    this.#storage = storage
  }

  /** From level 0 on, as many as there are. */
  list(): TileLevel[] {
    return this.#storage.sql
      .exec<{ level: number; stored: number; edge: ArrayBuffer }>(
        'SELECT level, stored, edge FROM tile_levels ORDER BY level',
      )
      .toArray()
      .map(({ level, stored, edge }) => ({ level, stored, edge: new Uint8Array(edge) }))
  }

  /** How many leaves, from the first on, are in stored tiles. */
  tiledLeaves(): number {
    return (this.list()[0]?.stored ?? 0) * TILE_WIDTH
  }

  /** All at once. Nothing where level 0 has moved since it was read: another has stored the same tiles. */
  moveOn(levels: readonly TileLevel[], storedBefore: number): void {
    this.#storage.transactionSync(() => {
      if ((this.list()[0]?.stored ?? 0) !== storedBefore) return
      for (const { level, stored, edge } of levels) this.#storage.sql.exec(UPSERT, level, stored, edge)
    })
  }
}
