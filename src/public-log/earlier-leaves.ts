// Rows of leaves from before there were batches, all of them in served tiles and in the index. They go bit by bit once their tiles
// are in every bucket, a damaged one put there again from rows that are proven to be the log's; then their tables go.
import { isTileOf, tileRoots } from '../tiles/nodes.ts'
import { OtherTileError } from '../tiles/tile-files.store.ts'
import type { StoredTiles, TiledLog } from '../tiles/tiled-log.ts'
import { TILE_HEIGHT, TILE_WIDTH, type TileBytes } from '../evidence/tree/tiles.ts'
import type { Coordinate } from '../evidence/tree/merkle.ts'
import { fullTilesWithin, OlderTree } from '../tiles/older-tree.store.ts'
import { isSameBytes } from '../platform/bytes.ts'

const TILES_AT_ONCE = 16
const HEADS_AT_ONCE = 4096

const TABLES = ['attestations', 'tree_nodes', 'earlier_heads', 'leaves']

type Tile = Coordinate & { readonly bytes: TileBytes }

export class EarlierLeaves {
  readonly #storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>
  readonly #tree: OlderTree

  constructor(storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>) {
    this.#storage = storage
    this.#tree = new OlderTree(storage.sql)
  }

  /** One step. False when nothing is left. Rejects where a bucket does, and with OtherTileError; nothing has gone then. */
  async putAwayNext(log: TiledLog): Promise<boolean> {
    if (!this.isThere()) return false
    const { sql } = this.#storage
    const { first } = sql.exec<{ first: number | null }>('SELECT MIN(position) AS first FROM leaves').one()
    if (first !== null) await this.#putAwayTiles(log, first / TILE_WIDTH)
    else if (this.#deleteHeads() === 0) this.#dropTables()
    return this.isThere()
  }

  isThere(): boolean {
    return this.#storage.sql.exec(`SELECT name FROM sqlite_master WHERE name = 'leaves'`).toArray().length > 0
  }

  async #putAwayTiles(log: TiledLog, first: number): Promise<void> {
    const end = Math.min(first + TILES_AT_ONCE, this.#tree.size() / TILE_WIDTH)
    const tiles = fullTilesWithin({ first, end })
    const puts = tiles.map(({ level, index }) => ({
      level,
      index,
      bytes: this.#tree.makeTile({ level, index, width: TILE_WIDTH }),
    }))
    await Promise.all(puts.map((tile) => this.#storeTile(log, tile)))
    this.#deleteBefore(end * TILE_WIDTH)
  }

  async #storeTile(log: TiledLog, tile: Tile): Promise<void> {
    try {
      await log.files.storeTile(tile, tile.bytes)
    } catch (thrown) {
      if (!(thrown instanceof OtherTileError) || !(await this.#isProven(log, tile))) throw thrown
      const copies = await log.files.copiesOf(tile)
      const damaged = copies.filter(({ bytes }) => bytes === null || !isSameBytes(bytes, tile.bytes))
      await Promise.all(damaged.map(({ replace }) => replace(tile.bytes)))
      // Whatever was there meanwhile, the rows go only once the tile is there.
      await log.files.storeTile(tile, tile.bytes)
    }
  }

  /** By the tiles above it, which are in the older tables too, up to the edge of the tree. */
  async #isProven(log: TiledLog, tile: Tile): Promise<boolean> {
    const files: StoredTiles = {
      readTile: async (above) => this.#tree.findFullTile(above) ?? log.files.readTile(above),
      readMirroredTile: (above) => log.files.readMirroredTile(above),
      storeTile: (above, bytes) => log.files.storeTile(above, bytes),
      copiesOf: (above) => log.files.copiesOf(above),
    }
    const [root] = await tileRoots({ ...log, files }, [tile])
    return root !== undefined && isTileOf(root, tile.bytes)
  }

  /** Nodes of tiles above the first level are few, and go with their table. */
  #deleteBefore(end: number): void {
    const { sql } = this.#storage
    this.#storage.transactionSync(() => {
      sql.exec('DELETE FROM attestations WHERE position < ?', end)
      sql.exec('DELETE FROM leaves WHERE position < ?', end)
      for (let level = 1; level < TILE_HEIGHT; level += 1) {
        sql.exec('DELETE FROM tree_nodes WHERE level = ? AND position < ?', level, end / 2 ** level)
      }
    })
  }

  /** Says how many. */
  #deleteHeads(): number {
    return this.#storage.sql
      .exec(
        `DELETE FROM earlier_heads WHERE tree_size IN (SELECT tree_size FROM earlier_heads LIMIT ?)
         RETURNING tree_size`,
        HEADS_AT_ONCE,
      )
      .toArray().length
  }

  /** INVARIANT: all at once, since `leaves` says that they are there. */
  #dropTables(): void {
    this.#storage.transactionSync(() => dropEarlierTables(this.#storage.sql))
  }
}

export function dropEarlierTables(sql: SqlStorage): void {
  for (const table of TABLES) sql.exec(`DROP TABLE ${table}`)
}
