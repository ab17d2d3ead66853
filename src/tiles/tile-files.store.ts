// A log's tiles as files in R2, all under one prefix, and the same full ones once more in a second bucket where there is
// one: a tile that the first lost or damaged is then read from there.
import { withinTime } from '../platform/clock.ts'
import type { Coordinate } from '../evidence/tree/merkle.ts'
import { FILE_LIMIT_MS, putInstead, readFile } from './bucket-file.store.ts'
import {
  bytesIn,
  isFull,
  partialPaths,
  prefixOf,
  TILE_WIDTH,
  tilePath,
  type Tile,
  type TileBytes,
} from '../evidence/tree/tiles.ts'
import { isSameBytes } from '../platform/bytes.ts'

/** In the place of a full tile is another one. It stays: this log may be the one that was taken back to an earlier moment. */
export class OtherTileError extends Error {
  override readonly name = 'OtherTileError'
}

type Places = {
  bucket: R2Bucket
  /** Null where there is no second one. */
  mirror: R2Bucket | null
  /** With a slash behind. */
  prefix: string
}

/** What one bucket has in the place of a full tile. */
export type TileCopy = {
  /** However long they are; null where there is no file. */
  readonly bytes: TileBytes | null
  /** Puts these there instead. False where there is something else by now. */
  readonly replace: (bytes: TileBytes) => Promise<boolean>
}

/** All of it rejects where R2 does, or does not answer in time. */
export class TileFiles {
  readonly #places: Places

  constructor(places: Places) {
    this.#places = places
  }

  /** Into the first bucket alone, as far as readers need it. Rejects with OtherTileError, as storeTile does, for a full one. */
  async putTile(tile: Tile, bytes: Uint8Array): Promise<void> {
    await this.#put(this.#places.bucket, tile, bytes)
  }

  /** A full tile, into every bucket there is. Rejects with OtherTileError where one of them has another in its place. */
  async storeTile(tile: Coordinate, bytes: Uint8Array): Promise<void> {
    const full = { ...tile, width: TILE_WIDTH }
    await Promise.all(this.#buckets.map((bucket) => this.#put(bucket, full, bytes)))
  }

  /** What each bucket has of a full tile, the first one first. */
  copiesOf(tile: Coordinate): Promise<TileCopy[]> {
    const key = this.#keyOf(tilePath({ ...tile, width: TILE_WIDTH }))
    return Promise.all(this.#buckets.map((bucket) => copyIn(bucket, key)))
  }

  /** Null where the first bucket has it not, or not whole. A partial tile that is gone is the beginning of the full one. */
  readTile(tile: Tile): Promise<TileBytes | null> {
    return this.#readFrom(this.#places.bucket, tile)
  }

  /** The same of the second bucket; null where there is none. */
  readMirroredTile(tile: Tile): Promise<TileBytes | null> {
    const { mirror } = this.#places
    return mirror === null ? Promise.resolve(null) : this.#readFrom(mirror, tile)
  }

  async deletePartialTiles(tile: Coordinate): Promise<void> {
    await withinTime(this.#places.bucket.delete(partialPaths(tile).map(this.#keyOf)), FILE_LIMIT_MS)
  }

  /** INVARIANT: what is in the place of a full tile is never written over. */
  async #put(bucket: R2Bucket, tile: Tile, bytes: Uint8Array): Promise<void> {
    if (bytes.length !== bytesIn(tile)) throw new RangeError('a tile is as long as it is wide')
    const key = this.#keyOf(tilePath(tile))
    if (!isFull(tile)) await withinTime(bucket.put(key, bytes), FILE_LIMIT_MS)
    else if (!(await putInstead(bucket, key, { content: bytes, etag: null })))
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
    return bytes?.length === bytesIn(tile) ? bytes : null
  }

  get #buckets(): R2Bucket[] {
    const { bucket, mirror } = this.#places
    return mirror === null ? [bucket] : [bucket, mirror]
  }

  readonly #keyOf = (path: string): string => `${this.#places.prefix}${path}`
}

const bytesOf = async (file: R2ObjectBody): Promise<TileBytes> => new Uint8Array(await file.arrayBuffer())

async function copyIn(bucket: R2Bucket, key: string): Promise<TileCopy> {
  const file = await readFile(bucket, key, async (found) => ({ bytes: await bytesOf(found), etag: found.etag }))
  const { bytes, etag } = file ?? { bytes: null, etag: null }
  return { bytes, replace: (content) => putInstead(bucket, key, { content, etag }) }
}
