// The tables in which a log was kept before it was kept in tiles, an organisation's or the public one: a row for each leaf, and
// one for the hash of each complete subtree above the leaves. Older objects have them until their rows are in tiles.
import { concatBytes } from '@noble/hashes/utils.js'
import { hashesOf, TILE_HEIGHT, TILE_WIDTH, type Tile, type TileBytes } from '../evidence/tree/tiles.ts'
import { appendLeaf, type Coordinate, type NodeReader } from '../evidence/tree/merkle.ts'

export const LEAVES_SCHEMA = `
  CREATE TABLE leaves (
    position INTEGER PRIMARY KEY,
    hash BLOB NOT NULL CHECK (length(hash) = 32)
  ) STRICT;
  CREATE TRIGGER leaves_are_appended_in_order BEFORE INSERT ON leaves
    WHEN NEW.position IS NOT (SELECT COALESCE(MAX(position) + 1, 0) FROM leaves)
    BEGIN SELECT RAISE(ABORT, 'a leaf is appended at the end'); END;
  CREATE TRIGGER leaves_never_change BEFORE UPDATE ON leaves
    BEGIN SELECT RAISE(ABORT, 'a leaf never changes'); END;
  CREATE TRIGGER leaves_never_go BEFORE DELETE ON leaves
    BEGIN SELECT RAISE(ABORT, 'a leaf is never removed'); END;
`

export const TREE_SCHEMA = `
  CREATE TABLE tree_nodes (
    level INTEGER NOT NULL CHECK (level BETWEEN 1 AND 52),
    position INTEGER NOT NULL,
    hash BLOB NOT NULL CHECK (length(hash) = 32),
    PRIMARY KEY (level, position)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER tree_nodes_are_appended_in_order BEFORE INSERT ON tree_nodes
    WHEN NEW.position IS NOT (SELECT COALESCE(MAX(position) + 1, 0) FROM tree_nodes WHERE level = NEW.level)
    BEGIN SELECT RAISE(ABORT, 'a node is appended at the end of its level'); END;
  CREATE TRIGGER tree_nodes_are_complete BEFORE INSERT ON tree_nodes
    WHEN ((NEW.position + 1) << NEW.level) > (SELECT COALESCE(MAX(position) + 1, 0) FROM leaves)
    BEGIN SELECT RAISE(ABORT, 'a node is stored once its leaves are'); END;
  CREATE TRIGGER tree_nodes_never_change BEFORE UPDATE ON tree_nodes
    BEGIN SELECT RAISE(ABORT, 'a node never changes'); END;
  CREATE TRIGGER tree_nodes_never_go BEFORE DELETE ON tree_nodes
    BEGIN SELECT RAISE(ABORT, 'a node is never removed'); END;
`

/** How many leaves are held in memory at once while the tree is made for leaves that are older than it. */
const LEAVES_AT_ONCE = 1000

/** A step of the migrations: makes the tree over the leaves that are there. */
export function growTree(sql: SqlStorage): void {
  const tree = new OlderTree(sql)
  for (let from = 0; ; from += LEAVES_AT_ONCE) {
    const rows = sql.exec<LeafRow>(
      'SELECT position, hash FROM leaves WHERE position >= ? ORDER BY position LIMIT ?',
      from,
      LEAVES_AT_ONCE,
    )
    const leaves = rows.toArray()
    for (const { position, hash } of leaves) tree.append(position, new Uint8Array(hash))
    if (leaves.length < LEAVES_AT_ONCE) return
  }
}

type HashRow = { hash: ArrayBuffer }
type LeafRow = HashRow & { position: number }

/** The leaves are the tree's level 0. */
export class OlderTree {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Stores the subtrees that the leaf at `position` completes. Belongs in the transaction that stores the leaf, after it. */
  append(position: number, leafHash: Uint8Array): void {
    for (const { level, index, hash } of appendLeaf(position, leafHash, this.read)) {
      if (level === 0) continue
      this.#sql.exec('INSERT INTO tree_nodes (level, position, hash) VALUES (?, ?, ?)', level, index, hash)
    }
  }

  /** One hash, as proofs are made from them. */
  readonly read: NodeReader = (level, index) => this.hashesFrom({ level, index }, 1)

  size(): number {
    return this.#sql.exec<{ size: number }>('SELECT COALESCE(MAX(position) + 1, 0) AS size FROM leaves').one().size
  }

  /** Of complete subtrees of one level, one after the other. Throws RangeError where one of them is not there. */
  hashesFrom(first: Coordinate, count: number): TileBytes {
    const hashes = this.#findHashes(first, count)
    if (hashes === null) throw new RangeError('the tree is smaller')
    return hashes
  }

  /** Throws RangeError where not all of it is there. */
  makeTile(tile: Tile): TileBytes {
    return this.hashesFrom(hashesOf(tile), tile.width)
  }

  /** Null where not all of it is there. */
  findFullTile(tile: Coordinate): TileBytes | null {
    return this.#findHashes(hashesOf({ ...tile, width: TILE_WIDTH }), TILE_WIDTH)
  }

  /** Says that every tile is stored which the first so many leaves fill. `leaves` is a multiple of a tile's width. */
  writeTileLevels(leaves: number): void {
    for (let level = 0, hashes = leaves; hashes > 0; level += 1, hashes = Math.floor(hashes / TILE_WIDTH)) {
      const stored = Math.floor(hashes / TILE_WIDTH)
      const edge = { level: level * TILE_HEIGHT, index: stored * TILE_WIDTH }
      const values = [level, stored, this.hashesFrom(edge, hashes % TILE_WIDTH)]
      this.#sql.exec('INSERT INTO tile_levels (level, stored, edge) VALUES (?, ?, ?)', ...values)
    }
  }

  #findHashes({ level, index: first }: Coordinate, count: number): TileBytes | null {
    const rows =
      level === 0
        ? this.#sql.exec<HashRow>('SELECT hash FROM leaves WHERE position >= ? ORDER BY position LIMIT ?', first, count)
        : this.#sql.exec<HashRow>(
            'SELECT hash FROM tree_nodes WHERE level = ? AND position >= ? ORDER BY position LIMIT ?',
            level,
            first,
            count,
          )
    const hashes = rows.toArray()
    if (hashes.length < count) return null
    return concatBytes(...hashes.map(({ hash }) => new Uint8Array(hash)))
  }
}

/** The full tiles of level 0 from `first` up to but not including `end`, each with those above it that it completes. */
export function fullTilesWithin({ first, end }: { first: number; end: number }): Coordinate[] {
  const tiles: Coordinate[] = []
  for (let bottom = first; bottom < end; bottom += 1) {
    tiles.push({ level: 0, index: bottom })
    for (let level = 1, above = bottom + 1; above % TILE_WIDTH === 0; level += 1) {
      above /= TILE_WIDTH
      tiles.push({ level, index: above - 1 })
    }
  }
  return tiles
}
