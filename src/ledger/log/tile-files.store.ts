// A log's tiles as files in R2, all under one prefix, and the same full ones once more in a second bucket where there is
// one: a tile that the first lost or damaged is then read from there.
import { withinTime } from '../../platform/time-limit.ts'
import type { Coordinate } from '../merkle.ts'
import { bytesIn, isFull, partialPaths, prefixOf, TILE_WIDTH, tilePath, type Tile, type TileBytes } from './tiles.ts'

/** What goes on after that is harmless: a tile is always of the same bytes. */
const FILE_LIMIT_MS = 10_000

type Places = {
  bucket: R2Bucket
  /** Null where there is no second one. */
  mirror: R2Bucket | null
  /** With a slash behind. */
  prefix: string
}

/** All of it rejects where R2 does, or does not answer in time. */
export class TileFiles {
  readonly #places: Places

  constructor(places: Places) {
    this.#places = places
  }

  /** Into the first bucket alone, as far as readers need it. */
  async putTile(tile: Tile, bytes: Uint8Array): Promise<void> {
    await this.#put(this.#places.bucket, tile, bytes)
  }

  /** A full tile, into every bucket there is. */
  async storeTile(tile: Coordinate, bytes: Uint8Array): Promise<void> {
    const { bucket, mirror } = this.#places
    const full = { ...tile, width: TILE_WIDTH }
    await Promise.all([bucket, ...(mirror === null ? [] : [mirror])].map((each) => this.#put(each, full, bytes)))
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

  async #put(bucket: R2Bucket, tile: Tile, bytes: Uint8Array): Promise<void> {
    if (bytes.length !== bytesIn(tile)) throw new RangeError('a tile is as long as it is wide')
    await withinTime(bucket.put(this.#keyOf(tilePath(tile)), bytes), FILE_LIMIT_MS)
  }

  async #readFrom(bucket: R2Bucket, tile: Tile): Promise<TileBytes | null> {
    const bytes = await this.#readBytes(bucket, tile)
    if (bytes !== null || isFull(tile)) return bytes
    const full = await this.#readBytes(bucket, { ...tile, width: TILE_WIDTH })
    return full && prefixOf(full, tile.width)
  }

  async #readBytes(bucket: R2Bucket, tile: Tile): Promise<TileBytes | null> {
    const read = async (): Promise<TileBytes | null> => {
      const file = await bucket.get(this.#keyOf(tilePath(tile)))
      return file && new Uint8Array(await file.arrayBuffer())
    }
    const bytes = await withinTime(read(), FILE_LIMIT_MS)
    return bytes?.length === bytesIn(tile) ? bytes : null
  }

  readonly #keyOf = (path: string): string => `${this.#places.prefix}${path}`
}
