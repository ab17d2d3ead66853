// What the public log serves, as files in R2: its newest signed head and its tiles. The one who publishes writes them, all
// others only read.
import type { PublicHead } from '../../attestation/tree-head.ts'
import type { Coordinate } from '../merkle.ts'
import { isFull, partialPaths, prefixOf, tilePath, type Tile, type TileBytes } from './tiles.ts'

const HEAD_KEY = 'public-log/head.json'

const tileKey = (path: string): string => `public-log/tile/${path}`

/** `etag`: of the very file, so that it is replaced only by who has seen it. */
export type ServedHead = { head: PublicHead; etag: string }

export class PublicLogFiles {
  readonly #bucket: R2Bucket

  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  /** Null where none has been served. */
  async readHead(): Promise<ServedHead | null> {
    const file = await this.#bucket.get(HEAD_KEY)
    return file === null ? null : { head: await file.json<PublicHead>(), etag: file.etag }
  }

  /** Takes the place of `seen`, or of none. False where another head has been served meanwhile. */
  async replaceHead(head: PublicHead, seen: ServedHead | null): Promise<boolean> {
    const onlyIf = new Headers(seen === null ? { 'if-none-match': '*' } : { 'if-match': `"${seen.etag}"` })
    return (await this.#bucket.put(HEAD_KEY, JSON.stringify(head), { onlyIf })) !== null
  }

  async putTile(tile: Tile, bytes: Uint8Array): Promise<void> {
    await this.#bucket.put(tileKey(tilePath(tile)), bytes)
  }

  /** A partial tile is gone once it is full: it is then the beginning of the full one. Null where there is neither. */
  async readTile(tile: Tile): Promise<TileBytes | null> {
    const file = await this.#bucket.get(tileKey(tilePath(tile)))
    if (file !== null) return new Uint8Array(await file.arrayBuffer())
    if (isFull(tile)) return null
    const full = await this.#bucket.get(tileKey(tilePath({ ...tile, width: 256 })))
    return full === null ? null : prefixOf(new Uint8Array(await full.arrayBuffer()), tile.width)
  }

  async deletePartialTiles(tile: Coordinate): Promise<void> {
    await this.#bucket.delete(partialPaths(tile).map(tileKey))
  }
}
