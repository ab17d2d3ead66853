// Stores a log's tiles as files in R2, all under one prefix. A second bucket, if configured, has the full tiles too, for when the
// first lost or damaged one. Also reads and writes single R2 files, with a time limit.
import { withTimeLimit } from '../platform/time.ts'
import type { Coordinate } from '../evidence/tree/merkle-hash.ts'
import {
  byteLengthOf,
  isFull,
  partialPaths,
  prefixOf,
  TILE_WIDTH,
  tilePath,
  type Tile,
  type TileBytes,
} from '../evidence/tree/tiles.ts'
import { isSameBytes } from '../platform/bytes.ts'

/**
 * Thrown if another tile is stored under a full tile's name. The stored tile is not overwritten, because this log's database may
 * have been restored to an earlier time.
 */
export class OtherTileError extends Error {
  override readonly name = 'OtherTileError'
}

type TileStorage = {
  bucket: R2Bucket
  /** Null without a second bucket. */
  mirror: R2Bucket | null
  /** Ends with a slash. */
  prefix: string
}

/** One bucket's file under a full tile's name. */
export type TileCopy = {
  /** The bytes, of any length; null if there is no file. */
  readonly bytes: TileBytes | null
  /** Replaces the file with these bytes. Returns false if the file changed meanwhile. */
  readonly replace: (bytes: TileBytes) => Promise<boolean>
}

/** All methods reject if R2 fails or times out. */
export class TileFiles {
  readonly #storage: TileStorage

  constructor(storage: TileStorage) {
    this.#storage = storage
  }

  /**
   * Puts a tile into the first bucket only, for readers. Rejects with OtherTileError for a full tile, as storeTile
   * does.
   */
  async putTile(tile: Tile, bytes: Uint8Array): Promise<void> {
    await this.#put(this.#storage.bucket, tile, bytes)
  }

  /** Puts a full tile into every bucket. Rejects with OtherTileError if a bucket has another file under its name. */
  async storeTile(tile: Coordinate, bytes: Uint8Array): Promise<void> {
    const full = { ...tile, width: TILE_WIDTH }
    await Promise.all(this.#buckets.map((bucket) => this.#put(bucket, full, bytes)))
  }

  /** Returns each bucket's copy of a full tile, the first bucket first. */
  copiesOf(tile: Coordinate): Promise<TileCopy[]> {
    const key = this.#keyOf(tilePath({ ...tile, width: TILE_WIDTH }))
    return Promise.all(this.#buckets.map((bucket) => copyIn(bucket, key)))
  }

  /** Returns null if the first bucket has no such tile or too few bytes. Reads a deleted partial tile from the full one. */
  readTile(tile: Tile): Promise<TileBytes | null> {
    return this.#readFrom(this.#storage.bucket, tile)
  }

  /** Reads a tile from the second bucket, as readTile does; null if there is no second bucket. */
  readMirroredTile(tile: Tile): Promise<TileBytes | null> {
    const { mirror } = this.#storage
    return mirror === null ? Promise.resolve(null) : this.#readFrom(mirror, tile)
  }

  async deletePartialTiles(tile: Coordinate): Promise<void> {
    await withTimeLimit(this.#storage.bucket.delete(partialPaths(tile).map(this.#keyOf)), FILE_LIMIT_MS)
  }

  /** INVARIANT: a file under a full tile's name is never overwritten. */
  async #put(bucket: R2Bucket, tile: Tile, bytes: Uint8Array): Promise<void> {
    if (bytes.length !== byteLengthOf(tile)) throw new RangeError('a tile is as long as it is wide')
    const key = this.#keyOf(tilePath(tile))
    if (!isFull(tile)) await withTimeLimit(bucket.put(key, bytes), FILE_LIMIT_MS)
    else if (!(await putIfUnchanged(bucket, key, { content: bytes, etag: null })))
      await this.#expectThere(bucket, tile, bytes)
  }

  async #expectThere(bucket: R2Bucket, tile: Tile, bytes: Uint8Array): Promise<void> {
    const there = await this.#readBytes(bucket, tile)
    if (there === null || !isSameBytes(there, bytes)) throw new OtherTileError()
  }

  async #readFrom(bucket: R2Bucket, tile: Tile): Promise<TileBytes | null> {
    const bytes = await this.#readBytes(bucket, tile)
    if (bytes !== null || isFull(tile)) return bytes
    const full = await this.#readBytes(bucket, { ...tile, width: TILE_WIDTH })
    return full && prefixOf(full, tile.width)
  }

  async #readBytes(bucket: R2Bucket, tile: Tile): Promise<TileBytes | null> {
    const bytes = await readFile(bucket, this.#keyOf(tilePath(tile)), bytesOf)
    return bytes?.length === byteLengthOf(tile) ? bytes : null
  }

  get #buckets(): R2Bucket[] {
    const { bucket, mirror } = this.#storage
    return mirror === null ? [bucket] : [bucket, mirror]
  }

  readonly #keyOf = (path: string): string => `${this.#storage.prefix}${path}`
}

const bytesOf = async (file: R2ObjectBody): Promise<TileBytes> => new Uint8Array(await file.arrayBuffer())

async function copyIn(bucket: R2Bucket, key: string): Promise<TileCopy> {
  const file = await readFile(bucket, key, async (found) => ({ bytes: await bytesOf(found), etag: found.etag }))
  const { bytes, etag } = file ?? { bytes: null, etag: null }
  return { bytes, replace: (content) => putIfUnchanged(bucket, key, { content, etag }) }
}

/** A put that finishes after this is harmless: it replaces only the version that was read. */
export const FILE_LIMIT_MS = 10_000

/** Returns null if there is no file. */
export function readFile<T>(
  bucket: R2Bucket,
  key: string,
  read: (file: R2ObjectBody) => Promise<T>,
): Promise<T | null> {
  const reading = async (): Promise<T | null> => {
    const file = await bucket.get(key)
    return file && read(file)
  }
  return withTimeLimit(reading(), FILE_LIMIT_MS)
}

/** `etag`: the version to replace; null for a new file. */
type NewFile = { content: string | Uint8Array; etag: string | null; customMetadata?: Record<string, string> }

/** Writes a file. Returns false if the file changed meanwhile. */
export async function putIfUnchanged(
  bucket: R2Bucket,
  key: string,
  { content, etag, customMetadata = {} }: NewFile,
): Promise<boolean> {
  const onlyIf = new Headers(etag === null ? { 'if-none-match': '*' } : { 'if-match': `"${etag}"` })
  return (await withTimeLimit(bucket.put(key, content, { onlyIf, customMetadata }), FILE_LIMIT_MS)) !== null
}
