// Reads nodes of a log's tree from its tiles. The tree is stored in three parts: complete tiles in R2; in the
// database, the incomplete last tile of each level above the leaves (`edge`); and the newest leaves, as rows.
import type { TileFiles } from './tile-files.store.ts'
import type { TileLevelsStore, TileLevel } from './tile-levels.store.ts'
import { type NodeReader } from '../evidence/tree/merkle-tree.ts'
import { subtreesOf, type Coordinate, type LeafRange } from '../evidence/tree/merkle-hash.ts'
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

/** A leaf is neither in a stored tile nor in a row: somebody removed it from the database. */
export class MissingLeavesError extends Error {
  override readonly name = 'MissingLeavesError'
}

/** The log's own leaves in rows: at least all leaves that are in no stored tile. */
export type LeafHashes = {
  /** 32 bytes a leaf, concatenated. Throws MissingLeavesError if a leaf is missing. */
  read(first: number, count: number): Uint8Array<ArrayBuffer>
}

export type StoredTiles = Pick<TileFiles, 'readTile' | 'readMirroredTile' | 'storeTile' | 'copiesOf'>

export type TiledLog = { levels: TileLevelsStore; files: StoredTiles; leaves: LeafHashes }

/** No bucket has the tile with its original content. */
export class DamagedTileError extends Error {
  override readonly name = 'DamagedTileError'
}

/**
 * Reads the nodes of these ranges in a tree of `size` leaves. It reads the database before it first waits, because rows
 * may be deleted later. Throws RangeError for a range outside the tree, and as `leaves` does. Rejects with
 * DamagedTileError, and if R2 fails.
 */
export async function readNodes(
  { levels, files, leaves }: TiledLog,
  ranges: readonly LeafRange[],
  size: number,
): Promise<NodeReader> {
  if (ranges.some(({ end }) => end > size)) throw new RangeError('the tree is smaller')
  const { atHand, inFiles } = locateTiles(levels.list(), leaves, ranges)
  const fetched = await Promise.all(
    inFiles.map(async (tile) => ({ tile, bytes: await files.readTile({ ...tile, width: TILE_WIDTH }) })),
  )
  const tiles = new Map(atHand)
  // Reads from the top down: a checked tile has the hash that the next one must match.
  for (const { tile, bytes } of fetched.toSorted((a, b) => b.tile.level - a.tile.level)) {
    const root = rootIn(tiles, tile)
    const intact =
      intactTile(bytes, root) ?? intactTile(await files.readMirroredTile({ ...tile, width: TILE_WIDTH }), root)
    if (intact === null) throw new DamagedTileError()
    tiles.set(tileName(tile), intact)
  }
  return nodeReaderOf(tiles)
}

export function nodeReaderOf(tiles: ReadonlyMap<string, TileHashes>): NodeReader {
  return (level, index) => {
    const tile = tiles.get(tileName(tileOf({ level, index })))
    if (tile === undefined) throw new RangeError('the subtree is in none of the ranges')
    return tile.hashOf({ level, index })
  }
}

/** Returns the roots of these complete, stored tiles, from the tree. Rejects as readNodes does. */
export async function tileRoots(log: TiledLog, tiles: readonly Coordinate[]): Promise<Uint8Array[]> {
  const roots = tiles.map(({ level, index }) => ({ level: (level + 1) * TILE_HEIGHT, index }))
  const ranges = roots.map(({ level, index }) => ({ start: index * 2 ** level, end: (index + 1) * 2 ** level }))
  const read = await readNodes(log, ranges, log.levels.tiledLeaves())
  return roots.map(({ level, index }) => read(level, index))
}

export const isTileOf = (root: Uint8Array, bytes: TileBytes): boolean => intactTile(bytes, root) !== null

/** Returns the content of a tile that is not stored; null for a stored tile. Throws as `leaves` does. */
export function unstoredTile({ levels, leaves }: Pick<TiledLog, 'levels' | 'leaves'>, tile: Tile): TileBytes | null {
  const known = levels.list()
  return isStored(known, tile) ? null : makeTile(known, leaves, tile)
}

type TileSources = {
  /** Tiles from the database, or computed from it, by name. */
  atHand: Map<string, TileHashes>
  inFiles: Coordinate[]
}

function locateTiles(levels: readonly TileLevel[], leaves: LeafHashes, ranges: readonly LeafRange[]): TileSources {
  const gathered: TileSources = { atHand: new Map(), inFiles: [] }
  for (const [name, tile] of neededTiles(levels, ranges)) {
    if (isStored(levels, tile)) gathered.inFiles.push(tile)
    else gathered.atHand.set(name, new TileHashes(makeTile(levels, leaves, tile)))
  }
  return gathered
}

/** Lists the tiles that hold these ranges. Adds the tiles above, whose hashes check the stored ones. */
function neededTiles(levels: readonly TileLevel[], ranges: readonly LeafRange[]): Map<string, Tile> {
  const wanted = new Map<string, Tile>()
  const addTile = (tile: Tile): void => {
    const before = wanted.get(tileName(tile))
    if (before === undefined || before.width < tile.width) wanted.set(tileName(tile), tile)
    if (before === undefined && isStored(levels, tile)) addTile(widthUpTo({ level: tile.level + 1, index: tile.index }))
  }
  for (const { level, index } of ranges.flatMap(subtreesOf)) {
    const tile = tileOf({ level, index })
    addTile({ ...tile, width: widthAt(tile, (index + 1) * 2 ** level) })
  }
  return wanted
}

/** Returns the tile that has the hash of a complete tile, up to that hash. */
const widthUpTo = ({ level, index }: Coordinate): Tile => ({
  level,
  index: Math.floor(index / TILE_WIDTH),
  width: (index % TILE_WIDTH) + 1,
})

const isStored = (levels: readonly TileLevel[], { level, index }: Coordinate): boolean =>
  index < (levels[level]?.stored ?? 0)

/**
 * Builds a tile that is not stored, from rows, the edge, and complete tiles below it that are not stored.
 * @see https://c2sp.org/tlog-tiles
 */
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

/** Returns null unless the hashes give this root. */
function intactTile(bytes: TileBytes | null, root: Uint8Array): TileHashes | null {
  if (bytes?.length !== TILE_WIDTH * HASH_BYTES) return null
  const tile = new TileHashes(bytes)
  return isSameBytes(tile.root(), root) ? tile : null
}

/** Returns the root of a complete tile, from the tile above it. */
function rootIn(tiles: ReadonlyMap<string, TileHashes>, { level, index }: Coordinate): Uint8Array {
  const root = { level: (level + 1) * TILE_HEIGHT, index }
  const above = tiles.get(tileName(tileOf(root)))
  if (above === undefined) throw new RangeError('a tile is checked against the one above it')
  return above.hashOf(root)
}

export const tileName = ({ level, index }: Coordinate): string => `${level}/${index}`
