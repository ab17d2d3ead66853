// Compares the public log's tiles with the head that is signed and the one that is served, and restores them.
import { checkTiles, type TilesChecked, type WantedTiles } from '../tiles/check-tiles.ts'
import { EMPTY_FRONTIER, rootOf } from '../evidence/tree/frontier.ts'
import { HeadsStore } from './heads.store.ts'
import { ProgressStore } from './progress.store.ts'
import { isContradicted, tiledLogOf, type PublicLogParts } from './publish.ts'

/** Rejects as checkTiles does. */
export async function checkPublicTiles(
  parts: Pick<PublicLogParts, 'storage' | 'files'>,
  wanted: WantedTiles,
): Promise<TilesChecked> {
  const seen = await parts.files.readHead()
  const { sql } = parts.storage
  const head = new HeadsStore(sql).newest()
  if (seen !== null && (await isContradicted(parts, seen.head, head))) return { outcome: 'contradicted' }
  const known =
    head === null
      ? { size: 0, root: rootOf(EMPTY_FRONTIER) }
      : { size: head.tree_size, root: Uint8Array.fromHex(head.root_hash) }
  const isServed = new ProgressStore(sql).read().served === known.size
  return checkTiles({ ...wanted, log: tiledLogOf(parts), known, isServed })
}
