// Compares full tiles in the buckets with the log's tree, some at a time and from the highest level down. It can
// restore missing or damaged tiles. INVARIANT: it only puts bytes whose hash the tree proves.
import { rootAt } from '../evidence/tree/merkle-tree.ts'
import type { Coordinate } from '../evidence/tree/merkle-hash.ts'
import { DamagedTileError, isTileOf, readNodes, unstoredTile, tileRoots, type TiledLog } from './tiled-log.ts'
import type { KnownTree } from './proofs-from-tiles.ts'
import type { TileCopy } from './tile-files.store.ts'
import {
  fullTilesAt,
  HASH_BYTES,
  HIGHEST_TILE_LEVEL,
  TILE_WIDTH,
  TileHashes,
  tilePath,
  type Tile,
  type TileBytes,
} from '../evidence/tree/tiles.ts'
import { isSameBytes } from '../platform/bytes.ts'

/** Tiles in one step, all on one level and under one tile above: 256 is a multiple of this. */
const TILES_AT_ONCE = 64

/** `unproven`: nothing proves the right content. */
type CopyState = 'intact' | 'missing' | 'damaged' | 'unproven'

export type TileFault = {
  /** The name in file paths: `0/x001/x234/067`. */
  tile: string
  /** The copy in the first bucket, then the one in the second if configured. */
  copies: CopyState[]
  /**
   * `restorable`: the right content is known. `changed`: the file changed during the restore. `lost`: no bucket has the
   * right content. `unproven`: the tile above, which proves the content, is lost. `differs`: the tile is not stored
   * yet, and another file has its name.
   */
  outcome: 'restorable' | 'restored' | 'changed' | 'lost' | 'unproven' | 'differs'
}

export type TileCheckResult =
  | {
      outcome: 'checked'
      faults: TileFault[]
      compared: number
      total: number
      /** The tile to continue from; null after the last. */
      next: Coordinate | null
    }
  /** The database's tree differs from the signed or served one, so nothing proves a tile's content. */
  | { outcome: 'contradicted' }

/**
 * `restore` puts missing or damaged tiles that the tree proves. `replace` also replaces other files under the names of
 * tiles that are not stored yet. Use it only if the database was not restored to an earlier time.
 */
export type TileCheckMode = 'compare' | 'restore' | 'replace'

export type TileCheckRequest = { from: Coordinate | null; act: TileCheckMode }

type TileCheckInput = TileCheckRequest & {
  log: TiledLog
  known: KnownTree
  /** True if readers have a head of this tree. Then its full tiles are in the first bucket, recorded or not. */
  isServed: boolean
}

/** Compares some tiles. Rejects if R2 fails; tiles that were restored before that stay restored. */
export async function checkTiles({ log, known, isServed, from, act }: TileCheckInput): Promise<TileCheckResult> {
  const { tiles, next } = nextTiles(known.size, from)
  // Read this before the first wait, because rows may be deleted.
  const asked = tiles.map((tile) => ({ tile, atHand: unstoredTile(log, { ...tile, width: TILE_WIDTH }) }))
  if (!(await matchesKnownTree(log, known))) return { outcome: 'contradicted' }
  const stored = asked.filter(({ atHand: unstoredBytes }) => unstoredBytes === null).map(({ tile }) => tile)
  const roots = await knownRoots(log, stored)
  const checked = await Promise.all(
    asked.map(({ tile, atHand }) =>
      atHand === null
        ? checkStored(log, { tile, root: roots?.get(tile) ?? null }, act)
        : checkUnstored(log, { tile, bytes: atHand, isServed }, act),
    ),
  )
  const faults = checked.filter((fault) => fault !== null)
  return { outcome: 'checked', faults, compared: tiles.length, total: countTiles(known.size), next }
}

function nextTiles(size: number, from: Coordinate | null): { tiles: Coordinate[]; next: Coordinate | null } {
  let { level, index } = from ?? { level: HIGHEST_TILE_LEVEL, index: 0 }
  while (level > 0 && index >= fullTilesAt(level, size)) [level, index] = [level - 1, 0]
  const count = fullTilesAt(level, size)
  const end = Math.min(count, (Math.floor(index / TILES_AT_ONCE) + 1) * TILES_AT_ONCE)
  const tiles = Array.from({ length: Math.max(0, end - index) }, (_, at) => ({ level, index: index + at }))
  if (end < count) return { tiles, next: { level, index: end } }
  return { tiles, next: level > 0 ? { level: level - 1, index: 0 } : null }
}

function countTiles(size: number): number {
  let count = 0
  for (let level = 0; level <= HIGHEST_TILE_LEVEL; level += 1) count += fullTilesAt(level, size)
  return count
}

async function matchesKnownTree(log: TiledLog, { size, root }: KnownTree): Promise<boolean> {
  const read = await readNodes(log, [{ start: 0, end: size }], size)
  return rootAt(size, read).toHex() === root.toHex()
}

async function knownRoots(
  log: TiledLog,
  tiles: readonly Coordinate[],
): Promise<ReadonlyMap<Coordinate, Uint8Array> | null> {
  try {
    const roots = await tileRoots(log, tiles)
    return new Map(roots.flatMap((root, at) => (tiles[at] === undefined ? [] : [[tiles[at], root]])))
  } catch (thrown) {
    if (thrown instanceof DamagedTileError) return null
    throw thrown
  }
}

async function checkStored(
  log: TiledLog,
  { tile, root }: { tile: Coordinate; root: Uint8Array | null },
  act: TileCheckMode,
): Promise<TileFault | null> {
  const copies = await log.files.copiesOf(tile)
  if (root === null) {
    const states = copies.map(({ bytes }) => (bytes === null ? 'missing' : 'unproven'))
    return { tile: tileName(tile), copies: states, outcome: 'unproven' }
  }
  const intact = copies.map(({ bytes }) => bytes).find((bytes) => bytes !== null && isTileOf(root, bytes)) ?? null
  if (intact !== null && copies.every(({ bytes }) => isCopyOf(intact, bytes))) return null
  const proven = intact ?? (await rebuildFromBelow(log, tile, root))
  if (proven === null) return { tile: tileName(tile), copies: statesOf(copies, null), outcome: 'lost' }
  return repair({ tile, copies, proven }, act)
}

/** Checks a tile that is not stored yet but may have files. The database's rows give its right content, `bytes`. */
async function checkUnstored(
  { files }: TiledLog,
  { tile, bytes: proven, isServed }: { tile: Coordinate; bytes: TileBytes; isServed: boolean },
  act: TileCheckMode,
): Promise<TileFault | null> {
  const copies = await files.copiesOf(tile)
  const isFault = ({ bytes }: TileCopy, at: number): boolean =>
    bytes === null ? isServed && at === 0 : !isSameBytes(bytes, proven)
  const wrong = copies.filter(isFault)
  if (wrong.length === 0) return null
  // SECURITY: no head of the readers confirms this tree, so the database may have been restored to an earlier time.
  if (!isServed && act !== 'replace')
    return { tile: tileName(tile), copies: statesOf(copies, proven), outcome: 'differs' }
  return repair({ tile, copies, proven }, act)
}

/** Computes a tile above level 0 from the roots of the tiles below it. Returns null if one of those is lost too. */
async function rebuildFromBelow(
  { files }: TiledLog,
  { level, index }: Coordinate,
  root: Uint8Array,
): Promise<TileBytes | null> {
  if (level === 0) return null
  const below = Array.from({ length: TILE_WIDTH }, (_, at) => ({
    level: level - 1,
    index: index * TILE_WIDTH + at,
    width: TILE_WIDTH,
  }))
  const reads = [
    async (tile: Tile) => (await files.readTile(tile)) ?? files.readMirroredTile(tile),
    async (tile: Tile) => (await files.readMirroredTile(tile)) ?? files.readTile(tile),
  ]
  for (const read of reads) {
    const made = new Uint8Array(TILE_WIDTH * HASH_BYTES)
    const tiles = await Promise.all(below.map(read))
    for (const [at, bytes] of tiles.entries()) if (bytes) made.set(new TileHashes(bytes).root(), at * HASH_BYTES)
    if (isTileOf(root, made)) return made
  }
  return null
}

type RepairInput = { tile: Coordinate; copies: readonly TileCopy[]; proven: TileBytes }

async function repair({ tile, copies, proven }: RepairInput, act: TileCheckMode): Promise<TileFault> {
  const fault = { tile: tileName(tile), copies: statesOf(copies, proven) }
  if (act === 'compare') return { ...fault, outcome: 'restorable' }
  const wrong = copies.filter(({ bytes }) => !isCopyOf(proven, bytes))
  const replaced = await Promise.all(wrong.map(({ replace }) => replace(proven)))
  return { ...fault, outcome: replaced.includes(false) ? 'changed' : 'restored' }
}

const statesOf = (copies: readonly TileCopy[], proven: TileBytes | null): CopyState[] =>
  copies.map(({ bytes }) =>
    bytes === null ? 'missing' : proven !== null && isSameBytes(bytes, proven) ? 'intact' : 'damaged',
  )

const isCopyOf = (proven: TileBytes, bytes: TileBytes | null): boolean => bytes !== null && isSameBytes(bytes, proven)

const tileName = (tile: Coordinate): string => tilePath({ ...tile, width: TILE_WIDTH })
