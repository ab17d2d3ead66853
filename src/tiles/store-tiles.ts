// Puts a log's complete tiles into R2, one of level 0 after the other, each with those above it that it completes. Only then
// does the database say that they are stored, so a step that is cut off anywhere is done again with the same bytes.
import { concatBytes } from '@noble/hashes/utils.js'
import type { TileLevel } from './tile-levels.store.ts'
import { TILE_WIDTH, TileHashes, type TileBytes } from '../evidence/tree/tiles.ts'
import type { TiledLog } from './tiled-log.ts'

/** As many as a public head of 8,192 leaves fills, and as many of a backlog. */
const TILES_AT_ONCE = 64

/** Some of the complete tiles that are not stored. True where more wait. Rejects where a bucket does. */
export async function storeTiles(log: TiledLog, size: number): Promise<boolean> {
  for (let tile = 0; tile < TILES_AT_ONCE; tile += 1) if (!(await storeNextTile(log, size))) return false
  return true
}

/**
 * The next complete tile of level 0. False where there is none. Rejects where a bucket does.
 *
 * @param size leaves before it are on disk
 */
export async function storeNextTile({ levels, files, leaves }: TiledLog, size: number): Promise<boolean> {
  const before = levels.list()
  const first = before[0]?.stored ?? 0
  if ((first + 1) * TILE_WIDTH > size) return false
  const { puts, moved } = planNextTile(before, leaves.read(first * TILE_WIDTH, TILE_WIDTH))
  await Promise.all(puts.map(({ level, index, bytes }) => files.storeTile({ level, index }, bytes)))
  levels.moveOn(moved, first)
  return true
}

type Planned = {
  puts: { level: number; index: number; bytes: TileBytes }[]
  /** The levels that change, as they are afterwards. */
  moved: TileLevel[]
}

/** What is to be put, and where the levels are then. Pure. */
export function planNextTile(before: readonly TileLevel[], bottom: TileBytes): Planned {
  const planned: Planned = { puts: [], moved: [] }
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
