// Compares what the buckets have of a log's full tiles with the log's tree, some tiles at a time and from the highest level down,
// and puts a tile where it is missing or damaged. INVARIANT: only bytes that hash to what the tree says are ever put.
import { rootAt, type Coordinate } from '../evidence/tree/merkle.ts'
import { DamagedTileError, isTileOf, readNodes, tileAtHand, tileRoots, type TiledLog } from './tiled-log.ts'
import type { KnownTree } from './proofs.ts'
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

/** Of one level, and all under the same tile above: 256 is a multiple of it. */
const TILES_AT_ONCE = 64

/** `unproven`: there is nothing to judge it by. */
type CopyState = 'intact' | 'missing' | 'damaged' | 'unproven'

export type TileFault = {
  /** As in the names of files: `0/x001/x234/067`. */
  tile: string
  /** In the first bucket, and in the second where there is one. */
  copies: CopyState[]
  /**
   * `restorable`: what it should be is known. `changed`: something else came there while it was being restored. `lost`: no
   * bucket has it as it was. `unproven`: the tile above, which says what it should be, is lost. `differs`: it is not stored
   * yet, and another one is in its place.
   */
  outcome: 'restorable' | 'restored' | 'changed' | 'lost' | 'unproven' | 'differs'
}

export type TilesChecked =
  | {
      outcome: 'checked'
      faults: TileFault[]
      compared: number
      /** How many full tiles there are. */
      total: number
      /** Where to go on; null where all have been compared. */
      next: Coordinate | null
    }
  /** The tree in the database is not the one that is signed or served: nothing here says what a tile should be. */
  | { outcome: 'contradicted' }

/**
 * `restore` puts what the tree proves where it is missing or damaged. `replace` also where a tile is not stored yet and another
 * is in its place: for whoever knows that the database was not taken back.
 */
export type TilesAct = 'compare' | 'restore' | 'replace'

export type WantedTiles = { from: Coordinate | null; act: TilesAct }

type Checking = WantedTiles & {
  log: TiledLog
  known: KnownTree
  /** Whether readers have a head of that tree: then its full tiles are in the first bucket, stored or not. */
  isServed: boolean
}

/** Rejects where R2 does: what was restored by then stays. */
export async function checkTiles({ log, known, isServed, from, act }: Checking): Promise<TilesChecked> {
  const { tiles, next } = nextTiles(known.size, from)
  // Before anything is waited for: rows may leave.
  const asked = tiles.map((tile) => ({ tile, atHand: tileAtHand(log, { ...tile, width: TILE_WIDTH }) }))
  if (!(await isOurs(log, known))) return { outcome: 'contradicted' }
  const stored = asked.filter(({ atHand }) => atHand === null).map(({ tile }) => tile)
  const roots = await knownRoots(log, stored)
  const checked = await Promise.all(
    asked.map(({ tile, atHand }) =>
      atHand === null
        ? checkStored(log, { tile, root: roots?.get(tile) ?? null }, act)
        : checkAtHand(log, { tile, bytes: atHand, isServed }, act),
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

async function isOurs(log: TiledLog, { size, root }: KnownTree): Promise<boolean> {
  const read = await readNodes(log, [{ start: 0, end: size }], size)
  return rootAt(size, read).toHex() === root.toHex()
}

/** Null where the tile above them is lost. */
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
  act: TilesAct,
): Promise<TileFault | null> {
  const copies = await log.files.copiesOf(tile)
  if (root === null) {
    const states = copies.map(({ bytes }) => (bytes === null ? 'missing' : 'unproven'))
    return { tile: nameOf(tile), copies: states, outcome: 'unproven' }
  }
  const intact = copies.map(({ bytes }) => bytes).find((bytes) => bytes !== null && isTileOf(root, bytes)) ?? null
  if (intact !== null && copies.every(({ bytes }) => isCopyOf(intact, bytes))) return null
  const proven = intact ?? (await makeFromBelow(log, tile, root))
  if (proven === null) return { tile: nameOf(tile), copies: statesOf(copies, null), outcome: 'lost' }
  return repair({ tile, copies, proven }, act)
}

/**
 * One that is not stored yet may be in files already; what it should be is known from rows, which come to the root that is known,
 * and from the head of readers.
 */
async function checkAtHand(
  { files }: TiledLog,
  { tile, bytes: proven, isServed }: { tile: Coordinate; bytes: TileBytes; isServed: boolean },
  act: TilesAct,
): Promise<TileFault | null> {
  const copies = await files.copiesOf(tile)
  const isFault = ({ bytes }: TileCopy, at: number): boolean =>
    bytes === null ? isServed && at === 0 : !isSameBytes(bytes, proven)
  const wrong = copies.filter(isFault)
  if (wrong.length === 0) return null
  // SECURITY: no head of readers says that this is the log's; it may be the one that was taken back.
  if (!isServed && act !== 'replace')
    return { tile: nameOf(tile), copies: statesOf(copies, proven), outcome: 'differs' }
  return repair({ tile, copies, proven }, act)
}

/** A tile above the lowest level is made of the roots of those below it. Null where one of them is lost too. */
async function makeFromBelow(
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

type Repairing = { tile: Coordinate; copies: readonly TileCopy[]; proven: TileBytes }

async function repair({ tile, copies, proven }: Repairing, act: TilesAct): Promise<TileFault> {
  const fault = { tile: nameOf(tile), copies: statesOf(copies, proven) }
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

const nameOf = (tile: Coordinate): string => tilePath({ ...tile, width: TILE_WIDTH })
