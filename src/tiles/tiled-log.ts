// What a log is made of, whichever it is: tiles in R2, the edge of the tree above them, and the newest leaves.
import type { TileFiles } from './tile-files.store.ts'
import type { TileLevelsStore, TileLevel } from './tile-levels.store.ts'
import { subtreesOf, type Coordinate, type LeafRange, type NodeReader } from '../evidence/tree/merkle.ts'
import {
  HASH_BYTES,
  TILE_HEIGHT,
  TILE_WIDTH,
  TileHashes,
  tileOf,
  widthAt,
  type Tile,
  type TileBytes,
} from '../evidence/tree/tiles.ts'
import { isSameBytes } from '../platform/bytes.ts'

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

/** A tile is in no bucket as it was put there. */
export class DamagedTileError extends Error {
  override readonly name = 'DamagedTileError'
}

/**
 * What these ranges of a tree of `size` leaves are made of. Takes what it needs of the database at once, before it waits
 * for anything. Throws RangeError for a range outside that tree, and as `leaves` does; rejects with DamagedTileError, and where R2 does.
 */
export async function readNodes(
  { levels, files, leaves }: TiledLog,
  ranges: readonly LeafRange[],
  size: number,
): Promise<NodeReader> {
  if (ranges.some(({ end }) => end > size)) throw new RangeError('the tree is smaller')
  const { atHand, inFiles } = gather(levels.list(), leaves, ranges)
  const fetched = await Promise.all(
    inFiles.map(async (tile) => ({ tile, bytes: await files.readTile({ ...tile, width: TILE_WIDTH }) })),
  )
  const tiles = new Map(atHand)
  // From above, so that what a tile is checked against has been checked.
  for (const { tile, bytes } of fetched.toSorted((a, b) => b.tile.level - a.tile.level)) {
    const root = rootIn(tiles, tile)
    const intact =
      intactTile(bytes, root) ?? intactTile(await files.readMirroredTile({ ...tile, width: TILE_WIDTH }), root)
    if (intact === null) throw new DamagedTileError()
    tiles.set(nameOf(tile), intact)
  }
  return readerOf(tiles)
}

/** Reads what lies in these tiles, by their names. */
export function readerOf(tiles: ReadonlyMap<string, TileHashes>): NodeReader {
  return (level, index) => {
    const tile = tiles.get(nameOf(tileOf({ level, index })))
    if (tile === undefined) throw new RangeError('the subtree is in none of the ranges')
    return tile.hashOf({ level, index })
  }
}

/** What the tree has as the root of each of these full and stored tiles. Rejects as readNodes does. */
export async function tileRoots(log: TiledLog, tiles: readonly Coordinate[]): Promise<Uint8Array[]> {
  const roots = tiles.map(({ level, index }) => ({ level: (level + 1) * TILE_HEIGHT, index }))
  const ranges = roots.map(({ level, index }) => ({ start: index * 2 ** level, end: (index + 1) * 2 ** level }))
  const read = await readNodes(log, ranges, log.levels.tiledLeaves())
  return roots.map(({ level, index }) => read(level, index))
}

/** Whether these bytes are a full tile of this root. */
export const isTileOf = (root: Uint8Array, bytes: TileBytes): boolean => intactTile(bytes, root) !== null

/** What a tile holds that is not stored; null for one that is. Throws as `leaves` does. */
export function tileAtHand({ levels, leaves }: Pick<TiledLog, 'levels' | 'leaves'>, tile: Tile): TileBytes | null {
  const known = levels.list()
  return isStored(known, tile) ? null : makeTile(known, leaves, tile)
}

type Gathered = {
  /** By name: what the database has, or what is worked out from it. */
  atHand: Map<string, TileHashes>
  inFiles: Coordinate[]
}

function gather(levels: readonly TileLevel[], leaves: LeafHashes, ranges: readonly LeafRange[]): Gathered {
  const gathered: Gathered = { atHand: new Map(), inFiles: [] }
  for (const [name, tile] of tilesUnder(levels, ranges)) {
    if (isStored(levels, tile)) gathered.inFiles.push(tile)
    else gathered.atHand.set(name, new TileHashes(makeTile(levels, leaves, tile)))
  }
  return gathered
}

/** All that are needed, each as wide as it is, with those that they are checked against. */
function tilesUnder(levels: readonly TileLevel[], ranges: readonly LeafRange[]): Map<string, Tile> {
  const wanted = new Map<string, Tile>()
  const want = (tile: Tile): void => {
    const before = wanted.get(nameOf(tile))
    if (before === undefined || before.width < tile.width) wanted.set(nameOf(tile), tile)
    if (before === undefined && isStored(levels, tile)) want(widthUpTo({ level: tile.level + 1, index: tile.index }))
  }
  for (const { level, index } of ranges.flatMap(subtreesOf)) {
    const tile = tileOf({ level, index })
    want({ ...tile, width: widthAt(tile, (index + 1) * 2 ** level) })
  }
  return wanted
}

/** The tile that has the hash of a full tile, up to that. */
const widthUpTo = ({ level, index }: Coordinate): Tile => ({
  level,
  index: Math.floor(index / TILE_WIDTH),
  width: (index % TILE_WIDTH) + 1,
})

const isStored = (levels: readonly TileLevel[], { level, index }: Coordinate): boolean =>
  index < (levels[level]?.stored ?? 0)

/** One that is not stored: from rows, from the edge, and from complete tiles below it that are not stored either. */
function makeTile(levels: readonly TileLevel[], leaves: LeafHashes, { level, index, width }: Tile): TileBytes {
  if (level === 0) return leaves.read(index * TILE_WIDTH, width)
  const { stored, edge } = levels[level] ?? { stored: 0, edge: new Uint8Array() }
  const known = index === stored ? edge.subarray(0, width * HASH_BYTES) : new Uint8Array()
  const bytes = new Uint8Array(width * HASH_BYTES)
  bytes.set(known)
  for (let at = known.length / HASH_BYTES; at < width; at += 1) {
    const below = { level: level - 1, index: index * TILE_WIDTH + at, width: TILE_WIDTH }
    bytes.set(new TileHashes(makeTile(levels, leaves, below)).root(), at * HASH_BYTES)
  }
  return bytes
}

/** Null unless they are the hashes that make up this root. */
function intactTile(bytes: TileBytes | null, root: Uint8Array): TileHashes | null {
  if (bytes?.length !== TILE_WIDTH * HASH_BYTES) return null
  const tile = new TileHashes(bytes)
  return isSameBytes(tile.root(), root) ? tile : null
}

/** The root of a full tile as the one above it has it. */
function rootIn(tiles: ReadonlyMap<string, TileHashes>, { level, index }: Coordinate): Uint8Array {
  const root = { level: (level + 1) * TILE_HEIGHT, index }
  const above = tiles.get(nameOf(tileOf(root)))
  if (above === undefined) throw new RangeError('a tile is checked against the one above it')
  return above.hashOf(root)
}

export const nameOf = ({ level, index }: Coordinate): string => `${level}/${index}`
