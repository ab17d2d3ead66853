// Stores the complete tiles of a log, in order, each with the tiles above that it completes.
import { concatBytes } from '@noble/hashes/utils.js'
import { TILE_WIDTH, TileHashes, type TileBytes } from '../evidence/tree/tiles.ts'
import type { TileLevel } from './tile-levels.store.ts'
import type { TiledLog } from './tiled-log.ts'

/** Twice the tiles of a public head of 8,192 leaves, so that a backlog shrinks with every call. */
const TILES_AT_ONCE = 64

/**
 * Stores up to TILES_AT_ONCE complete tiles of level 0 in order, each with the tiles above that it completes. An interrupted
 * step is repeated with the same bytes. Returns true if more remain. Rejects if a bucket fails.
 */
export async function storeTiles(log: TiledLog, size: number): Promise<boolean> {
  for (let tile = 0; tile < TILES_AT_ONCE; tile += 1) if (!(await storeNextTile(log, size))) return false
  return true
}

/**
 * Stores the next complete tile of level 0. Returns false if there is none. Rejects if a bucket fails.
 *
 * @param size the number of leaves that are on disk
 */
export async function storeNextTile({ levels, files, leaves }: TiledLog, size: number): Promise<boolean> {
  const before = levels.list()
  const first = before[0]?.stored ?? 0
  if ((first + 1) * TILE_WIDTH > size) return false
  const { puts, moved } = planNextTile(before, leaves.read(first * TILE_WIDTH, TILE_WIDTH))
  await Promise.all(puts.map(({ level, index, bytes }) => files.storeTile({ level, index }, bytes)))
  levels.advance(moved, first)
  return true
}

type TilePlan = {
  puts: { level: number; index: number; bytes: TileBytes }[]
  /** The changed levels, as they will be afterwards. */
  moved: TileLevel[]
}

/** Plans the files to put and the levels afterwards. Pure. @see https://c2sp.org/tlog-tiles */
function planNextTile(before: readonly TileLevel[], bottom: TileBytes): TilePlan {
  const planned: TilePlan = { puts: [], moved: [] }
  let bytes = bottom
  for (let level = 0; ; level += 1) {
    const index = before[level]?.stored ?? 0
    planned.puts.push({ level, index, bytes })
    planned.moved.push({ level, stored: index + 1, edge: new Uint8Array() })
    const above = before[level + 1] ?? { stored: 0, edge: new Uint8Array() }
    const edge = concatBytes(above.edge, new TileHashes(bytes).root())
    if (edge.length < bytes.length) {
      planned.moved.push({ level: level + 1, stored: above.stored, edge })
      return planned
    }
    bytes = edge
  }
}
