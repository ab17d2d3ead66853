// Rows of leaves from before there were batches: all of them are in served tiles and in the index. They go bit by bit, and
// each tile is in every bucket before its rows go: one that was damaged there is put there again where its rows are proven to
// be the log's. Then their tables go too.
import { isTileOf, tileRoots } from '../log/nodes.ts'
import { OtherTileError } from '../log/tile-files.store.ts'
import type { StoredTiles, TiledLog } from '../log/tiled-log.ts'
import { HASH_BYTES, isSameTile, TILE_HEIGHT, TILE_WIDTH, type TileBytes } from '../log/tiles.ts'

const TILES_AT_ONCE = 16
const HEADS_AT_ONCE = 4096

const TABLES = ['attestations', 'tree_nodes', 'earlier_heads', 'leaves']

type HashRow = { hash: ArrayBuffer }

type Tile = { level: number; index: number; bytes: TileBytes }

export class EarlierLeaves {
  readonly #storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>

  constructor(storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>) {
    this.#storage = storage
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
    const tiles = Array.from({ length: TILES_AT_ONCE }, (_, at) => this.#tileAt(0, first + at)).filter(
      (tile) => tile !== null,
    )
    const above = tiles.flatMap(({ index }) => this.#tilesCompletedBy(index))
    await Promise.all([...tiles, ...above].map((tile) => this.#storeTile(log, tile)))
    this.#deleteBefore((first + tiles.length) * TILE_WIDTH)
  }

  async #storeTile(log: TiledLog, tile: Tile): Promise<void> {
    try {
      await log.files.storeTile(tile, tile.bytes)
    } catch (thrown) {
      if (!(thrown instanceof OtherTileError) || !(await this.#isProven(log, tile))) throw thrown
      const copies = await log.files.copiesOf(tile)
      const damaged = copies.filter(({ bytes }) => bytes === null || !isSameTile(bytes, tile.bytes))
      await Promise.all(damaged.map(({ replace }) => replace(tile.bytes)))
      // Whatever was there meanwhile, the rows go only once the tile is there.
      await log.files.storeTile(tile, tile.bytes)
    }
  }

  /** By the tiles above it, which are in the older tables too, up to the edge of the tree. */
  async #isProven(log: TiledLog, tile: Tile): Promise<boolean> {
    const files: StoredTiles = {
      readTile: async (above) => this.#tileAt(above.level, above.index)?.bytes ?? log.files.readTile(above),
      readMirroredTile: (above) => log.files.readMirroredTile(above),
      storeTile: (above, bytes) => log.files.storeTile(above, bytes),
      copiesOf: (above) => log.files.copiesOf(above),
    }
    const [root] = await tileRoots({ ...log, files }, [tile])
    return root !== undefined && isTileOf(root, tile.bytes)
  }

  /** Those above the level-0 tile that are complete with it. */
  #tilesCompletedBy(bottom: number): Tile[] {
    const completed: Tile[] = []
    let end = bottom + 1
    for (let level = 1; end % TILE_WIDTH === 0; level += 1) {
      end /= TILE_WIDTH
      const tile = this.#tileAt(level, end - 1)
      if (tile !== null) completed.push(tile)
    }
    return completed
  }

  /** Null where not all of it is there. */
  #tileAt(level: number, index: number): Tile | null {
    const { sql } = this.#storage
    const first = index * TILE_WIDTH
    const rows =
      level === 0
        ? sql.exec<HashRow>('SELECT hash FROM leaves WHERE position >= ? ORDER BY position LIMIT ?', first, TILE_WIDTH)
        : sql.exec<HashRow>(
            'SELECT hash FROM tree_nodes WHERE level = ? AND position >= ? ORDER BY position LIMIT ?',
            level * TILE_HEIGHT,
            first,
            TILE_WIDTH,
          )
    const hashes = rows.toArray()
    if (hashes.length < TILE_WIDTH) return null
    const bytes = new Uint8Array(TILE_WIDTH * HASH_BYTES)
    for (const [at, { hash }] of hashes.entries()) bytes.set(new Uint8Array(hash), at * HASH_BYTES)
    return { level, index, bytes }
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
