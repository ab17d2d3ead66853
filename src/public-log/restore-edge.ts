// Puts the incomplete tiles under the served head into R2 again where they are not what they should be. They are in no second
// bucket, and no proof of the newest leaves can be made without them; but what they are made of is still in the database.
import { readNodes, tileAtHand } from '../tiles/nodes.ts'
import { unfilledTiles } from '../evidence/tree/tiles.ts'
import { rootAt } from '../evidence/tree/merkle.ts'
import { HeadsStore } from './heads.store.ts'
import { tiledLogOf, type PublicLogParts } from './publish.ts'
import { isSameBytes } from '../platform/bytes.ts'

/** Belongs where nothing is published meanwhile. Says how many were put. Rejects where R2 does. */
export async function restoreEdge(log: Pick<PublicLogParts, 'storage' | 'files'>): Promise<number> {
  const stored = new HeadsStore(log.storage.sql).newest()
  const seen = await log.files.readHead()
  if (seen === null || stored === null || seen.head.tree_size > stored.tree_size) return 0
  const { tree_size: size, root_hash: root } = seen.head
  const tiled = tiledLogOf(log)
  // SECURITY: a database that was taken back, or damaged itself, says nothing of what readers should have.
  if (rootAt(size, await readNodes(tiled, [{ start: 0, end: size }], size)).toHex() !== root) return 0
  const put = await Promise.all(
    unfilledTiles(size).map(async (tile) => {
      const bytes = tileAtHand(tiled, tile)
      const there = await log.files.readTile(tile)
      const isPut = bytes !== null && (there === null || !isSameBytes(there, bytes))
      if (isPut) await log.files.putTile(tile, bytes)
      return isPut
    }),
  )
  return put.filter(Boolean).length
}
