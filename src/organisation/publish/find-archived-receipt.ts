// Finds a receipt that is no longer in the database, by the public log's index. The index has the receipt's position in the log
// of its organisation, but not which organisation. So this log's leaf at that position must equal the leaf in the public log.
import { type TiledLog, readNodes } from '../../tiles/tiled-log.ts'
import { TILE_WIDTH, TileHashes, tileOf, widthAt } from '../../evidence/tree/tiles.ts'
import type { PublicLogFiles } from '../../public-log/public-log-files.store.ts'
import type { PublicIndex } from '../../public-log/public-log.client.ts'
import { parseId } from '../../platform/ids.ts'
import { isSameBytes } from '../../platform/bytes.ts'

type Dependencies = {
  index: Pick<PublicIndex, 'findPlace'>
  publicFiles: Pick<PublicLogFiles, 'readHead' | 'readTile'>
  log: TiledLog
  size: () => number
}

/** Returns a receipt's position in this log; null if it is not in this log's archive. Rejects if R2 or the index fails. */
export async function findArchivedReceipt(parts: Dependencies, attestationId: string): Promise<number | null> {
  const id = parseId('', attestationId)
  const positions = id === null ? null : await parts.index.findPlace(id)
  if (positions === null || positions.origin >= parts.size()) return null
  const { position, origin } = positions
  const ownHashOf = await readNodes(parts.log, [{ start: origin, end: origin + 1 }], origin + 1)
  const leaf = await readPublicLeaf(parts.publicFiles, position)
  return leaf !== null && isSameBytes(ownHashOf(0, origin), leaf) ? origin : null
}

async function readPublicLeaf(files: Dependencies['publicFiles'], position: number): Promise<Uint8Array | null> {
  const tile = tileOf({ level: 0, index: position })
  const servedHead = await files.readHead()
  const width = servedHead === null ? 0 : widthAt(tile, servedHead.head.tree_size)
  const bytes = position % TILE_WIDTH < width ? await files.readTile({ ...tile, width }) : null
  return bytes && new TileHashes(bytes).hashOf({ level: 0, index: position })
}
