// Publishes the public log's leaves step by step: sign and store a head, put tiles, serve the head, add the leaves to the index,
// store full tiles, list the heads of days. The database records the next step, so the next call continues an interrupted one.
import type { Signer } from '../evidence/records/configured-keys.ts'
import type { PublicHead } from '../evidence/records/tree-head.ts'
import { type Clock, withTimeLimit } from '../platform/time.ts'
import { storeTiles } from '../tiles/store-tiles.ts'
import { readNodes, unstoredTile, type TiledLog } from '../tiles/tiled-log.ts'
import { TileLevelsStore } from '../tiles/tile-levels.store.ts'
import { isFull, tilesBetween, widthAt } from '../evidence/tree/tiles.ts'
import { rootAt } from '../evidence/tree/merkle-tree.ts'
import { LeafBatchesStore } from './leaf-batches.store.ts'
import type { PublicLogFiles } from './public-log-files.store.ts'
import { dayOfHead, HeadsStore } from './heads.store.ts'
import { PublishingProgressStore } from './publishing-progress.store.ts'
import { type PublicIndex, shardOf, type IndexEntry } from './public-log.client.ts'
import { signNextHead } from './sign-next-head.ts'
import { OtherTileError } from '../tiles/tile-files.store.ts'

export type PublicLogParts = {
  storage: Pick<DurableObjectStorage, 'sql' | 'sync' | 'transactionSync'>
  files: PublicLogFiles
  index: Pick<PublicIndex, 'insertEntries'>
  /** Null if this deployment has no key. */
  signer: Signer | null
  clock: Clock
}

export type PublishOutcome =
  | { outcome: 'published'; size: number; index: IndexFillResult; tileStoring: TileStoring }
  /** Leaves wait until a key can sign. */
  | { outcome: 'no_signing_key' }
  /** Another writer served a head meanwhile. */
  | { outcome: 'overtaken' }
  /**
   * Readers have a head that is not in this database, for example after a restore to an earlier time. Continuing would sign a
   * second history.
   */
  | { outcome: 'contradicts_served_head' }

/** The served list has the heads of this many days. */
export const DAYS_SERVED = 90

/** Must not run twice at a time. Serves at most one head. Throws the storage's errors. */
export async function publishLeaves(log: PublicLogParts): Promise<PublishOutcome> {
  const { sql } = log.storage
  const progress = new PublishingProgressStore(sql)
  const before = progress.read()
  const stored = new HeadsStore(sql).newest()
  const seen = await log.files.readHead()
  if (seen !== null && (await isContradicted(log, seen.head, stored))) return { outcome: 'contradicts_served_head' }

  const isServed = stored !== null && before.served === stored.tree_size
  const head = await signNextHead(log, stored === null || isServed)
  if (head === null) return { outcome: 'no_signing_key' }

  const size = head.tree_size
  await putTiles(log, before.served, size)
  // An equal signature means an equal size and time.
  if (seen?.head.signature !== head.signature && !(await log.files.replaceHead(head, seen)))
    return { outcome: 'overtaken' }
  await deletePartialTiles(log, before.served, size)
  const batches = new LeafBatchesStore(sql)
  const index = await fillIndex({ batches, index: log.index, indexed: before.indexed }, size)
  const served = { served: size, indexed: index.indexed }
  progress.write({ ...served, listedDay: before.listedDay })
  const tileStoring = await storeFullTiles(tiledLogOf(log), { batches, size, indexedTo: Math.min(...index.indexed) })
  const listedDay = dayOfHead(head)
  if (listedDay !== before.listedDay) {
    await log.files.putDays(new HeadsStore(sql).listDays(DAYS_SERVED))
    progress.write({ ...served, listedDay })
  }
  return { outcome: 'published', size, index, tileStoring }
}

/** Returns true if this log never had the tree of the served head. */
export async function isContradicted(log: TileParts, seen: PublicHead, stored: PublicHead | null): Promise<boolean> {
  if (stored === null || seen.tree_size > stored.tree_size) return true
  if (seen.tree_size === stored.tree_size) return seen.root_hash !== stored.root_hash
  const read = await readNodes(tiledLogOf(log), [{ start: 0, end: seen.tree_size }], stored.tree_size)
  return rootAt(seen.tree_size, read).toHex() !== seen.root_hash
}

/** The sources of tiles. */
type TileParts = Pick<PublicLogParts, 'storage' | 'files'>

export const tiledLogOf = ({ storage, files }: TileParts): TiledLog => ({
  levels: new TileLevelsStore(storage),
  files,
  leaves: new LeafBatchesStore(storage.sql),
})

async function putTiles(log: PublicLogParts, from: number, to: number): Promise<void> {
  const tiled = tiledLogOf(log)
  const changed = tilesBetween(from, to).map((tile) => ({ tile, bytes: unstoredTile(tiled, tile) }))
  await Promise.all(changed.map(async ({ tile, bytes }) => bytes && log.files.putTile(tile, bytes)))
}

/** Deletes the partial versions of tiles that are now full. Readers with an older head use the full tile. */
async function deletePartialTiles({ files }: PublicLogParts, from: number, to: number): Promise<void> {
  const filled = tilesBetween(from, to).filter((tile) => isFull(tile) && widthAt(tile, from) > 0)
  await Promise.all(filled.map((tile) => files.deletePartialTiles(tile)))
}

/**
 * `more`: tiles remain for the next call. `tile_differs`: another file has a tile's name. Failures delay no head; the next call
 * retries.
 */
export type TileStoring = 'done' | 'more' | 'tiles_not_stored' | 'tile_differs'

type ServedLeaves = {
  batches: LeafBatchesStore
  /** The size of the served head. */
  size: number
  /** The index has all leaves before this one. */
  indexedTo: number
}

export async function storeFullTiles(log: TiledLog, { batches, size, indexedTo }: ServedLeaves): Promise<TileStoring> {
  const outcome = await tryStoreTiles(log, size)
  batches.deleteBefore(Math.min(log.levels.tiledLeaves(), indexedTo))
  return outcome
}

async function tryStoreTiles(log: TiledLog, size: number): Promise<TileStoring> {
  try {
    return (await storeTiles(log, size)) ? 'more' : 'done'
  } catch (thrown) {
    return thrown instanceof OtherTileError ? 'tile_differs' : 'tiles_not_stored'
  }
}

type IndexFillParts = {
  batches: LeafBatchesStore
  index: Pick<PublicIndex, 'insertEntries'>
  /** For each shard, the size up to which it has all its entries. */
  indexed: readonly number[]
}

const LEAVES_AT_ONCE = 8192

const SHARD_TIME_LIMIT_MS = 5000

type IndexFillResult = {
  /** True if every shard has all its entries up to the size. */
  isComplete: boolean
  /** How many shards did not answer. */
  unreachable: number
  /** How many attestations the index has at another position. */
  refused: number
  indexed: number[]
}

async function fillIndex({ batches, index, indexed }: IndexFillParts, size: number): Promise<IndexFillResult> {
  const filled = { isComplete: true, unreachable: 0, refused: 0, indexed: [...indexed] }
  const behind = [...indexed.entries()].filter(([, has]) => has < size)
  const groups = [...Map.groupBy(behind, ([, has]) => has)]
  const tasks = groups.flatMap(([from, shards]) => {
    const end = Math.min(size, from + LEAVES_AT_ONCE)
    const entries = Map.groupBy(batches.listEntries(from, end), ({ attestationId }) => shardOf(attestationId))
    return shards.map(([shard]) => fillShard(shard, entries.get(shard) ?? [], end))
  })
  await Promise.all(tasks)
  return filled

  async function fillShard(shard: number, entries: readonly IndexEntry[], end: number): Promise<void> {
    const refused = await tryInsert(index, shard, entries)
    if (refused === null) filled.unreachable += 1
    else filled.indexed[shard] = end
    filled.isComplete &&= refused !== null && end === size
    filled.refused += refused ?? 0
  }
}

/** Returns how many entries were refused; null if the shard did not answer. */
async function tryInsert(
  index: IndexFillParts['index'],
  shard: number,
  entries: readonly IndexEntry[],
): Promise<number | null> {
  if (entries.length === 0) return 0
  try {
    return await withTimeLimit(index.insertEntries(shard, entries), SHARD_TIME_LIMIT_MS)
  } catch {
    return null
  }
}
