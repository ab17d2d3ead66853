// The part of an organisation's log that is older than its newer tables. It is read where it is, and leaves in steps: its tiles
// into R2, its receipts into the public log's index, its details as all others do; then its tables are dropped.
import { KEPT_ENTRIES_SCHEMA } from '../journal/entries.store.ts'
import type { StoredTiles } from '../../tiles/tiled-log.ts'
import { leavesUpTo, TILE_WIDTH, type Tile, type TileBytes } from '../../evidence/tree/tiles.ts'
import type { Origin } from '../../public-log/index.store.ts'
import { fullTilesWithin, OlderTree } from '../../tiles/older-tree.store.ts'
import { parseId } from '../../platform/ids.ts'
import { LOG_TABLES, type LogTable } from './take-over.ts'

const TILES_AT_ONCE = 64
const RECEIPTS_AT_ONCE = 1000
/** Rows deleted in one transaction, so that no call waits long. */
const ROWS_AT_ONCE = 10_000

/** The columns by which each table's rows are found to be deleted. */
const KEYS: Readonly<Record<LogTable, string>> = {
  details: 'position',
  receipts: 'attestation_id',
  settlements: 'settles',
  tree_nodes: 'level, position',
  leaves: 'position',
}

type Progress = { size: number; tiles_stored: number; published_to: number; receipts_indexed: ArrayBuffer }

type Dependencies = {
  storage: Pick<DurableObjectStorage, 'sql' | 'transactionSync'>
  files: StoredTiles
  /** Tells the public log's index where here these receipts are. Rejects where it does not know one of them yet. */
  indexReceipts: (receipts: readonly Origin[]) => Promise<void>
}

export class OlderLog {
  readonly #parts: Dependencies
  readonly #tree: OlderTree
  #isThere: boolean

  constructor(parts: Dependencies) {
    this.#parts = parts
    this.#tree = new OlderTree(parts.storage.sql)
    this.#isThere =
      this.#sql.exec(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'older_log'`).toArray().length > 0
  }

  /** Whether a step has something to do: only its details leave in their own time. */
  hasMore(): boolean {
    if (!this.#isThere) return false
    const { size, tiles_stored: stored } = this.#progress()
    return stored * TILE_WIDTH < size || this.#listReceipts(1).length > 0 || !this.#hasDetails()
  }

  /** Tiles that are not in R2 yet are read from the older tables. */
  get files(): StoredTiles {
    const { files } = this.#parts
    return {
      readTile: async (tile) => this.#readTile(tile) ?? files.readTile(tile),
      readMirroredTile: (tile) => files.readMirroredTile(tile),
      storeTile: (tile, bytes) => files.storeTile(tile, bytes),
      copiesOf: async (tile) => (this.#readTile({ ...tile, width: TILE_WIDTH }) === null ? files.copiesOf(tile) : []),
    }
  }

  findReceipt(attestationId: string): number | null {
    const id = parseId('', attestationId)
    if (!this.#isThere || id === null) return null
    return this.#position('SELECT position FROM receipts WHERE attestation_id = ?', id)
  }

  findSettlement(settles: number): number | null {
    if (!this.#isThere) return null
    return this.#position('SELECT position FROM settlements WHERE settles = ?', settles)
  }

  /** One step. Rejects where R2 or the index does. */
  async step(): Promise<void> {
    if (this.#isThere && !(await this.#storeTiles()) && !(await this.#indexReceipts())) this.#drop()
  }

  /** Null for one that is in R2: of those the older tables may have dropped a part. */
  #readTile(tile: Tile): TileBytes | null {
    if (!this.#isThere) return null
    const { size, tiles_stored: stored } = this.#progress()
    const leaves = leavesUpTo(tile)
    return leaves > size || leaves <= stored * TILE_WIDTH ? null : this.#tree.makeTile(tile)
  }

  async #storeTiles(): Promise<boolean> {
    const { size, tiles_stored: stored } = this.#progress()
    const end = Math.min(stored + TILES_AT_ONCE, size / TILE_WIDTH)
    if (stored === end) return false
    const tiles = fullTilesWithin({ first: stored, end })
    const puts = tiles.map((tile) => ({ tile, bytes: this.#tree.makeTile({ ...tile, width: TILE_WIDTH }) }))
    await Promise.all(puts.map(({ tile, bytes }) => this.#parts.files.storeTile(tile, bytes)))
    this.#sql.exec('UPDATE older_log SET tiles_stored = ?', end)
    return true
  }

  async #indexReceipts(): Promise<boolean> {
    const rows = this.#listReceipts(RECEIPTS_AT_ONCE)
    const last = rows.at(-1)
    if (last === undefined) return false
    await this.#parts.indexReceipts(
      rows.map(({ attestation_id: id, position: origin }) => ({ attestationId: new Uint8Array(id), origin })),
    )
    this.#sql.exec('UPDATE older_log SET receipts_indexed = ?', last.attestation_id)
    return true
  }

  /** The next that the public log's index is to learn the positions of. */
  #listReceipts(limit: number): { attestation_id: ArrayBuffer; position: number }[] {
    const { receipts_indexed: after, published_to: submittedTo } = this.#progress()
    return this.#sql
      .exec<{ attestation_id: ArrayBuffer; position: number }>(
        `SELECT attestation_id, position FROM receipts
         WHERE attestation_id > ? AND position <= ? ORDER BY attestation_id LIMIT ?`,
        after,
        submittedTo,
        limit,
      )
      .toArray()
  }

  /** Once its details have left too. */
  #drop(): void {
    this.#parts.storage.transactionSync(() => {
      if (this.#hasDetails()) return
      this.#sql.exec(`
        DROP TRIGGER IF EXISTS leaves_never_go; DROP TRIGGER IF EXISTS tree_nodes_never_go;
        DROP TRIGGER IF EXISTS receipts_never_go; DROP TRIGGER IF EXISTS settlements_never_go;`)
      if (LOG_TABLES.some((table) => this.#deleteSome(table) > 0)) return
      this.#sql.exec('DROP VIEW kept_entries')
      for (const table of [...LOG_TABLES, 'older_log']) this.#sql.exec(`DROP TABLE "${table}"`)
      this.#sql.exec(KEPT_ENTRIES_SCHEMA)
      this.#isThere = false
    })
  }

  #hasDetails(): boolean {
    return this.#sql.exec('SELECT 1 FROM details LIMIT 1').toArray().length > 0
  }

  #deleteSome(table: LogTable): number {
    const key = KEYS[table]
    const rows = `SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT ${ROWS_AT_ONCE}`
    return this.#sql.exec(`DELETE FROM ${table} WHERE (${key}) IN (${rows}) RETURNING position`).toArray().length
  }

  #progress(): Progress {
    return this.#sql.exec<Progress>('SELECT size, tiles_stored, published_to, receipts_indexed FROM older_log').one()
  }

  #position(query: string, value: number | Uint8Array): number | null {
    return this.#sql.exec<{ position: number }>(query, value).toArray()[0]?.position ?? null
  }

  get #sql(): SqlStorage {
    return this.#parts.storage.sql
  }
}
