// Compares the public log's tiles with its signed and its served head. Restores incomplete tiles that are lost or damaged.
import { checkTiles, type TileCheckResult, type TileCheckRequest } from '../tiles/check-tiles.ts'
import { EMPTY_FRONTIER, rootOf } from '../evidence/tree/frontier.ts'
import { HeadsStore } from './heads.store.ts'
import { PublishingProgressStore } from './publishing-progress.store.ts'
import { isContradicted, tiledLogOf, type PublicLogParts } from './publish-leaves.ts'
import { readNodes, unstoredTile } from '../tiles/tiled-log.ts'
import { partialTiles } from '../evidence/tree/tiles.ts'
import { rootAt } from '../evidence/tree/merkle-tree.ts'
import { isSameBytes } from '../platform/bytes.ts'

/** Compares stored tiles with the newest head. `contradicted`: the served head is not of this log. Rejects as `checkTiles` does. */
export async function checkPublicTiles(
  parts: Pick<PublicLogParts, 'storage' | 'files'>,
  wanted: TileCheckRequest,
): Promise<TileCheckResult> {
  const seen = await parts.files.readHead()
  const { sql } = parts.storage
  const head = new HeadsStore(sql).newest()
  if (seen !== null && (await isContradicted(parts, seen.head, head))) return { outcome: 'contradicted' }
  const known =
    head === null
      ? { size: 0, root: rootOf(EMPTY_FRONTIER) }
      : { size: head.tree_size, root: Uint8Array.fromHex(head.root_hash) }
  const isServed = new PublishingProgressStore(sql).read().served === known.size
  return checkTiles({ ...wanted, log: tiledLogOf(parts), known, isServed })
}

/**
 * Restores incomplete tiles of the served head that R2 lost or damaged. No second bucket has them, but the database has their
 * leaves. Call it only while nothing is published. Returns how many tiles it put. Rejects if R2 fails.
 */
export async function restorePartialTiles(log: Pick<PublicLogParts, 'storage' | 'files'>): Promise<number> {
  const stored = new HeadsStore(log.storage.sql).newest()
  const seen = await log.files.readHead()
  if (seen === null || stored === null || seen.head.tree_size > stored.tree_size) return 0
  const { tree_size: size, root_hash: root } = seen.head
  const tiled = tiledLogOf(log)
  // SECURITY: a damaged or restored database does not prove what readers should have.
  if (rootAt(size, await readNodes(tiled, [{ start: 0, end: size }], size)).toHex() !== root) return 0
  const put = await Promise.all(
    partialTiles(size).map(async (tile) => {
      const bytes = unstoredTile(tiled, tile)
      const there = await log.files.readTile(tile)
      const isPut = bytes !== null && (there === null || !isSameBytes(there, bytes))
      if (isPut) await log.files.putTile(tile, bytes)
      return isPut
    }),
  )
  return put.filter(Boolean).length
}
