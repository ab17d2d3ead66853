// Once a head is served, the leaves in its full tiles leave the database: the tiles go into every bucket there is, and the
// rows that are in the index too are deleted. What fails is done the next time, and keeps no head back.
import { storeTiles } from '../tiles/store-tiles.ts'
import { OtherTileError } from '../tiles/tile-files.store.ts'
import type { TiledLog } from '../tiles/tiled-log.ts'
import type { BatchesStore } from './batches.store.ts'

/** `more`: tiles wait for the next time. Else why a bucket does not take them: `tile_differs` where another is in the place of one. */
export type PutAway = 'done' | 'more' | 'tiles_not_stored' | 'tile_differs'

type Left = {
  batches: BatchesStore
  /** Of the served head. */
  size: number
  /** The index has all leaves before this one. */
  indexedTo: number
}

export async function putAwayTiles(log: TiledLog, { batches, size, indexedTo }: Left): Promise<PutAway> {
  const outcome = await tryStoreTiles(log, size)
  batches.deleteBefore(Math.min(log.levels.tiledLeaves(), indexedTo))
  return outcome
}

async function tryStoreTiles(log: TiledLog, size: number): Promise<PutAway> {
  try {
    return (await storeTiles(log, size)) ? 'more' : 'done'
  } catch (thrown) {
    return thrown instanceof OtherTileError ? 'tile_differs' : 'tiles_not_stored'
  }
}
