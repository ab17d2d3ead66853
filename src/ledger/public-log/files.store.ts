// What the public log serves, as files in R2: its newest signed head and its tiles. The one who publishes writes them, all
// others only read.
import type { PublicHead } from '../../attestation/tree-head.ts'
import { withinTime } from '../../platform/time-limit.ts'
import type { Coordinate } from '../merkle.ts'
import { isFull, partialPaths, prefixOf, tilePath, type Tile, type TileBytes } from '../log/tiles.ts'

const HEAD_KEY = 'public-log/head.json'

/** What goes on after that is harmless: a tile is always of the same bytes, and a head replaces only the one that was seen. */
const FILE_LIMIT_MS = 10_000

const tileKey = (path: string): string => `public-log/tile/${path}`

/** `etag`: of the very file, so that it is replaced only by who has seen it. */
export type ServedHead = { head: PublicHead; etag: string }

/** All of it rejects where R2 does, or does not answer in time. */
export class PublicLogFiles {
  readonly #bucket: R2Bucket

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  /** Null where none has been served. */
  async readHead(): Promise<ServedHead | null> {
    return this.#read(HEAD_KEY, async (file) => ({ head: await file.json<PublicHead>(), etag: file.etag }))
  }

  /** Takes the place of `seen`, or of none. False where another head has been served meanwhile. */
  async replaceHead(head: PublicHead, seen: ServedHead | null): Promise<boolean> {
    const onlyIf = new Headers(seen === null ? { 'if-none-match': '*' } : { 'if-match': `"${seen.etag}"` })
    return (await withinTime(this.#bucket.put(HEAD_KEY, JSON.stringify(head), { onlyIf }), FILE_LIMIT_MS)) !== null
  }

  async putTile(tile: Tile, bytes: Uint8Array): Promise<void> {
    await withinTime(this.#bucket.put(tileKey(tilePath(tile)), bytes), FILE_LIMIT_MS)
  }

  /** A partial tile is gone once it is full: it is then the beginning of the full one. Null where there is neither. */
  async readTile(tile: Tile): Promise<TileBytes | null> {
    const bytes = await this.#readBytes(tile)
    if (bytes !== null || isFull(tile)) return bytes
    const full = await this.#readBytes({ ...tile, width: 256 })
    return full && prefixOf(full, tile.width)
  }

  async deletePartialTiles(tile: Coordinate): Promise<void> {
    await withinTime(this.#bucket.delete(partialPaths(tile).map(tileKey)), FILE_LIMIT_MS)
  }

  #readBytes(tile: Tile): Promise<TileBytes | null> {
    return this.#read(tileKey(tilePath(tile)), async (file) => new Uint8Array(await file.arrayBuffer()))
  }

  async #read<T>(key: string, readBody: (file: R2ObjectBody) => Promise<T>): Promise<T | null> {
    const reading = this.#bucket.get(key).then((file) => file && readBody(file))
    return withinTime(reading, FILE_LIMIT_MS)
  }
}
