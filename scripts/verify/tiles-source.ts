// A log's tiles in a folder or at an address, laid out as C2SP's tlog-tiles says, and the roots that they have.
import {
  TileHashes,
  bytesIn,
  prefixOf,
  tileOf,
  tilePath,
  widthAt,
  TILE_WIDTH,
  type Tile,
} from '../../src/evidence/tree/tiles.ts'
import { rootAt, subtreesOf, type Coordinate } from '../../src/evidence/tree/merkle.ts'
import { readAll, SourceError } from './source.ts'

/**
 * The roots of two sizes, both from one reading of the tiles of the larger, so that the one tree begins with the other. Null
 * where a tile is missing or too short.
 *
 * @param prefix what stands before `tile/`
 */
export async function rootsFromTiles(
  prefix: string,
  [older, newer]: readonly [number, number],
): Promise<readonly [Uint8Array, Uint8Array] | null> {
  const wanted = new Map<string, Coordinate>()
  for (const end of [older, newer]) {
    for (const subtree of subtreesOf({ start: 0, end })) wanted.set(nameOf(tileOf(subtree)), tileOf(subtree))
  }
  const tiles = new Map<string, TileHashes>()
  for (const [name, coordinate] of wanted) {
    const hashes = await readTile(prefix, { ...coordinate, width: widthAt(coordinate, newer) })
    if (hashes === null) return null
    tiles.set(name, hashes)
  }
  const read = (level: number, index: number): Uint8Array => {
    const tile = tiles.get(nameOf(tileOf({ level, index })))
    if (tile === undefined) throw new RangeError('no such tile was read')
    return tile.hashOf({ level, index })
  }
  return [rootAt(older, read), rootAt(newer, read)]
}

/** A partial tile may have been removed once there is the full one. */
async function readTile(prefix: string, tile: Tile): Promise<TileHashes | null> {
  for (const wide of new Set([tile.width, TILE_WIDTH])) {
    const bytes = await readOrNull(`${prefix.replace(/\/+$/, '')}/tile/${tilePath({ ...tile, width: wide })}`)
    if (bytes?.length === bytesIn({ ...tile, width: wide })) {
      return new TileHashes(prefixOf(Uint8Array.from(bytes), tile.width))
    }
  }
  return null
}

async function readOrNull(name: string): Promise<Uint8Array | null> {
  try {
    return await readAll(name)
  } catch (thrown) {
    if (thrown instanceof SourceError) return null
    throw thrown
  }
}

const nameOf = ({ level, index }: Coordinate): string => `${level}/${index}`
