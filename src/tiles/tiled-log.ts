// What a log is made of, whichever it is: tiles in R2, the edge of the tree above them, and the newest leaves.
import type { TileFiles } from './tile-files.store.ts'
import type { TileLevelsStore } from './tile-levels.store.ts'

/** A leaf that is in no stored tile is in no row either: somebody took it out of the database. */
export class MissingLeavesError extends Error {
  override readonly name = 'MissingLeavesError'
}

/** The object's own leaves, from its rows: all that are in no stored tile, at least. */
export type LeafHashes = {
  /** 32 bytes a leaf, one after the other. Throws MissingLeavesError where one of them is not there. */
  read(first: number, count: number): Uint8Array<ArrayBuffer>
}

/** Where its full tiles are. */
export type StoredTiles = Pick<TileFiles, 'readTile' | 'readMirroredTile' | 'storeTile' | 'copiesOf'>

export type TiledLog = { levels: TileLevelsStore; files: StoredTiles; leaves: LeafHashes }
