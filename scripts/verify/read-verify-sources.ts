// Reads the verifier command's sources: documents from a file, a URL or standard input. Also computes the roots of a tree from
// tiles in a folder or at a URL.
import { createReadStream } from 'node:fs'
import {
  TileHashes,
  byteLengthOf,
  prefixOf,
  tileOf,
  tilePath,
  widthAt,
  TILE_WIDTH,
  type Tile,
} from '../../src/evidence/tree/tiles.ts'
import { rootAt } from '../../src/evidence/tree/merkle-tree.ts'
import { subtreesOf, type Coordinate } from '../../src/evidence/tree/merkle-hash.ts'
import { findFirstOfLines, linesOf, LongLineError, MOST_LINE_BYTES } from '../../src/evidence/verify/file-lines.ts'

/** Says in a sentence why a source could not be read. */
export class SourceError extends Error {}

const TIME_LIMIT_MS = 30_000

export type OpenedSource = {
  name: string
  /** True if the source has one document a line. */
  isLines: boolean
  /** All bytes of the source. */
  parts: AsyncIterable<Uint8Array>
  close: () => Promise<unknown>
}

/** Opens a source and reads its beginning, to learn whether it has one document a line. Throws SourceError. */
export async function openSource(name: string): Promise<OpenedSource> {
  const source = open(name)
  const begun: Uint8Array[] = []
  async function* beginning(): AsyncGenerator<Uint8Array> {
    // A loop over the source would close it where the reader stops.
    for (let next = await source.next(); next.done !== true; next = await source.next()) {
      begun.push(next.value)
      yield next.value
    }
  }
  async function* all(): AsyncGenerator<Uint8Array> {
    yield* begun
    yield* source
  }
  const isLines = (await findFirstOfLines(beginning())) !== null
  return { name, isLines, parts: all(), close: () => source.return(undefined) }
}

/** Reads the whole source. Throws SourceError. */
export const readSource = (name: string): Promise<Uint8Array> =>
  readWhole({ name, parts: open(name) }, 'Check the file.')

/** Reads the whole of an opened source. Throws SourceError. */
export async function readWhole(
  { name, parts: all }: Pick<OpenedSource, 'name' | 'parts'>,
  remedy = 'For one record per line, add --lines.',
): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of all) {
    length += part.length
    if (length > MOST_LINE_BYTES) throw new SourceError(`${name} is larger than 16 MiB. ${remedy}`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Yields the source's lines one by one, so that an export of any length can be checked. Throws SourceError. */
export async function* readLines({ name, parts }: OpenedSource): AsyncGenerator<Uint8Array> {
  try {
    yield* linesOf(parts)
  } catch (thrown) {
    if (thrown instanceof LongLineError) throw new SourceError(`${name} has a line larger than 16 MiB.`)
    throw thrown
  }
}

async function* open(name: string): AsyncGenerator<Uint8Array> {
  try {
    if (/^https?:\/\//.test(name)) {
      const response = await fetch(name, { signal: AbortSignal.timeout(TIME_LIMIT_MS) })
      if (!response.ok || response.body === null)
        throw new SourceError(`${name} answered ${response.status}. Check the URL.`)
      yield* response.body
    } else {
      yield* (name === '-' ? process.stdin : createReadStream(name)) as AsyncIterable<Uint8Array>
    }
  } catch (thrown) {
    if (thrown instanceof SourceError) throw thrown
    throw new SourceError(`${name === '-' ? 'Standard input' : name} cannot be read. Check the name.`)
  }
}

/**
 * Computes the roots of two sizes from tiles in C2SP's tlog-tiles layout. Both roots use the same read of each tile, so the older
 * tree is the beginning of the newer one. Returns null if a tile is missing or too short.
 *
 * @param prefix the folder or URL with `tile/`
 * @see https://c2sp.org/tlog-tiles
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

/**
 * Reads a tile. Tries the full tile too, because a log may remove a partial tile once the full one exists.
 * @see https://c2sp.org/tlog-tiles
 */
async function readTile(prefix: string, tile: Tile): Promise<TileHashes | null> {
  for (const wide of new Set([tile.width, TILE_WIDTH])) {
    const bytes = await readOrNull(`${prefix.replace(/\/+$/, '')}/tile/${tilePath({ ...tile, width: wide })}`)
    if (bytes?.length === byteLengthOf({ ...tile, width: wide })) {
      return new TileHashes(prefixOf(Uint8Array.from(bytes), tile.width))
    }
  }
  return null
}

async function readOrNull(name: string): Promise<Uint8Array | null> {
  try {
    return await readSource(name)
  } catch (thrown) {
    if (thrown instanceof SourceError) return null
    throw thrown
  }
}

const nameOf = ({ level, index }: Coordinate): string => `${level}/${index}`
