// Stores how many tiles of a log are in R2, by level, and the hashes of each level's incomplete tile. Rows of leaves in stored
// tiles may be deleted.
import { sql } from '../platform/sql.ts'
import { ObjectStore } from '../platform/stores.ts'
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
  /** The number of stored full tiles, from the first on. */
  readonly stored: number
  /** The hashes of this level's incomplete tile, which are roots of stored tiles one level below. Empty at level 0. */
  readonly edge: Uint8Array<ArrayBuffer>
}

export class TileLevelsStore extends ObjectStore {
  readonly #storage: Pick<DurableObjectStorage, 'transactionSync'>

  constructor(storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>) {
    super(storage.sql)
    this.#storage = storage
  }

  /** Returns the levels, from 0 on. */
  list(): TileLevel[] {
    return this.rows<{ level: number; stored: number; edge: ArrayBuffer }>(
      sql`SELECT level, stored, edge FROM tile_levels ORDER BY level`,
    ).map(({ level, stored, edge }) => ({ level, stored, edge: new Uint8Array(edge) }))
  }

  /** Returns the number of leaves in stored tiles, from the first leaf on. */
  tiledLeaves(): number {
    return (this.list()[0]?.stored ?? 0) * TILE_WIDTH
  }

  /**
   * Writes all levels at once. Does nothing if level 0 changed since it was read: another run stored the same tiles.
   */
  advance(levels: readonly TileLevel[], storedBefore: number): void {
    this.#storage.transactionSync(() => {
      if ((this.list()[0]?.stored ?? 0) !== storedBefore) return
      for (const { level, stored, edge } of levels) {
        this.run(sql`INSERT INTO tile_levels (level, stored, edge) VALUES (${level}, ${stored}, ${edge})
          ON CONFLICT (level) DO UPDATE SET stored = excluded.stored, edge = excluded.edge`)
      }
    })
  }
}
