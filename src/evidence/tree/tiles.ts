// Computes the tiles of a log's tree, and their paths, by https://c2sp.org/tlog-tiles. Tile (level, index) has the hashes of up to 256 complete subtrees of 2^(8 × level) leaves each.
import { hashNode, type Coordinate } from './merkle-hash.ts'
import { sha256 } from '../../platform/sha256.ts'

export const HASH_BYTES = 32

/** One tile spans this many levels of the tree: 2^8 hashes at its bottom. */
export const TILE_HEIGHT = 8

export const TILE_WIDTH = 2 ** TILE_HEIGHT

/** Sizes are at most 2^53, so the highest subtrees are in tiles of level 6. */
export const HIGHEST_TILE_LEVEL = Math.floor(52 / TILE_HEIGHT)

/** `width`: its number of hashes, 1 to 256. A tile of 256 never changes; a partial tile is a prefix of it. */
export type Tile = Coordinate & { readonly width: number }

export type TileBytes = Uint8Array<ArrayBuffer>

export const isFull = ({ width }: Tile): boolean => width === TILE_WIDTH

const hashesAt = (level: number, size: number): number => Math.max(0, Math.floor(size / TILE_WIDTH ** level))

export const fullTilesAt = (level: number, size: number): number => Math.floor(hashesAt(level, size) / TILE_WIDTH)

/** Returns the width of a tile in a tree of `size` leaves: 0 to 256. */
export const widthAt = ({ level, index }: Coordinate, size: number): number =>
  Math.max(0, Math.min(TILE_WIDTH, hashesAt(level, size) - index * TILE_WIDTH))

/** Returns the size of the smallest tree in which the tile is this wide. */
export const leavesUpTo = ({ level, index, width }: Tile): number => (index * TILE_WIDTH + width) * TILE_WIDTH ** level

/**
 * Returns the tiles that are new or wider at `newSize` than at `oldSize`. `oldSize` is -1 for no tree, and at most `newSize`.
 * @see https://c2sp.org/tlog-tiles
 */
export function tilesBetween(oldSize: number, newSize: number): Tile[] {
  const tiles: Tile[] = []
  for (let level = 0; level <= HIGHEST_TILE_LEVEL; level += 1) {
    const end = hashesAt(level, newSize)
    const unchanged = hashesAt(level, oldSize)
    if (unchanged === end) break
    for (let index = Math.floor(unchanged / TILE_WIDTH); index * TILE_WIDTH < end; index += 1) {
      tiles.push({ level, index, width: widthAt({ level, index }, newSize) })
    }
  }
  return tiles
}

/** Returns the partial tiles of a tree: at most one a level. */
export const partialTiles = (size: number): Tile[] =>
  Array.from({ length: HIGHEST_TILE_LEVEL + 1 }, (_, level) => {
    const tile = { level, index: fullTilesAt(level, size) }
    return { ...tile, width: widthAt(tile, size) }
  }).filter(({ width }) => width > 0)

/** Returns the tile with the hashes below a complete subtree. */
export function tileOf({ level, index }: Coordinate): Coordinate {
  const tileLevel = Math.floor(level / TILE_HEIGHT)
  return { level: tileLevel, index: Math.floor((index * 2 ** (level % TILE_HEIGHT)) / TILE_WIDTH) }
}

/** A tile's hashes and those above them, each computed once: at most 16 KiB. */
export class TileHashes {
  readonly bytes: TileBytes
  /**
   * A heap layout: the root, then level by level downwards. One array, because one per hash would take four times the
   * memory.
   */
  readonly #above = new Uint8Array((TILE_WIDTH - 1) * HASH_BYTES)
  readonly #isKnown = new Uint8Array(TILE_WIDTH - 1)

  constructor(bytes: TileBytes) {
    this.bytes = bytes
  }

  /** Returns the hash of a complete subtree in this tile. Throws RangeError if the tile is too short. */
  hashOf({ level, index }: Coordinate): Uint8Array {
    const height = level % TILE_HEIGHT
    const at = index % (TILE_WIDTH / 2 ** height)
    if ((at + 1) * 2 ** height * HASH_BYTES > this.bytes.length) throw new RangeError('the tile is too short')
    return this.#hashAt(height, at)
  }

  /** Returns the root of a full tile, which the tile above contains. Throws RangeError if the tile is not full. */
  root(): Uint8Array {
    if (this.bytes.length !== TILE_WIDTH * HASH_BYTES) throw new RangeError('the tile is too short')
    return this.#hashAt(TILE_HEIGHT, 0)
  }

  #hashAt(height: number, at: number): Uint8Array {
    if (height === 0) return this.bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)
    const place = 2 ** (TILE_HEIGHT - height) + at - 1
    const hash = this.#above.subarray(place * HASH_BYTES, (place + 1) * HASH_BYTES)
    if (this.#isKnown[place] !== 1) {
      hash.set(hashNode(this.#hashAt(height - 1, at * 2), this.#hashAt(height - 1, at * 2 + 1), sha256))
      this.#isKnown[place] = 1
    }
    return hash
  }
}

export const byteLengthOf = ({ width }: Tile): number => width * HASH_BYTES

export const prefixOf = (bytes: TileBytes, width: number): TileBytes => bytes.subarray(0, width * HASH_BYTES)

/** Returns a path such as `0/x001/x234/067`, with `.p/WIDTH` for a partial tile. @see https://c2sp.org/tlog-tiles */
export const tilePath = (tile: Tile): string =>
  `${tile.level}/${indexPath(tile.index)}${isFull(tile) ? '' : `.p/${tile.width}`}`

/** Returns the paths of all widths that the tile may have had before it was full. */
export const partialPaths = ({ level, index }: Coordinate): string[] =>
  Array.from({ length: TILE_WIDTH - 1 }, (_, at) => tilePath({ level, index, width: at + 1 }))

/** Writes an index in groups of three digits. All but the last begin with an x. */
function indexPath(index: number): string {
  const last = String(index % 1000).padStart(3, '0')
  return index < 1000 ? last : `${groupsPath(Math.floor(index / 1000))}${last}`
}

const groupsPath = (index: number): string =>
  `${index < 1000 ? '' : groupsPath(Math.floor(index / 1000))}x${String(index % 1000).padStart(3, '0')}/`

const TILE_PATH = /^(?<groups>(?:x\d{3}\/){0,4}\d{3})(?:\.p\/(?<width>[1-9]\d{0,2}))?$/

/** Returns the tile for a path. Returns null for any other spelling: each tile has one path. @see https://c2sp.org/tlog-tiles */
export function parseTilePath(level: string, path: string): Tile | null {
  if (!/^\d$/.test(level) || Number(level) > HIGHEST_TILE_LEVEL) return null
  const { groups = '', width } = TILE_PATH.exec(path)?.groups ?? {}
  const tile = {
    level: Number(level),
    index: Number(groups.replaceAll(/[x/]/g, '')),
    width: width === undefined ? TILE_WIDTH : Number(width),
  }
  return tilePath(tile) === `${level}/${path}` && tile.width <= TILE_WIDTH ? tile : null
}
