// Reads the public log as readers may see it: trusted head, checkpoint, tiles, and positions by the index. An isolate caches the
// head for a few seconds, and the rest while there is room.
import type { Signer } from '../evidence/records/configured-keys.ts'
import type { PublicHead } from '../evidence/records/tree-head.ts'
import { LruCache } from '../platform/cache.ts'
import { withTimeLimit, type Clock } from '../platform/time.ts'
import { describeThrown, log } from '../platform/log.ts'
import { type NodeReader } from '../evidence/tree/merkle-tree.ts'
import { subtreesOf, type Coordinate, type LeafRange } from '../evidence/tree/merkle-hash.ts'
import type { LogConfig } from './public-log-config.ts'
import type { PublicLogFiles, ServedCheckpoint } from './public-log-files.store.ts'
import { isSignedByCurrentKey } from './serve-checkpoint.ts'
import { stateOfHead } from './sign-next-head.ts'
import { DamagedTileError, tileName, nodeReaderOf } from '../tiles/tiled-log.ts'
import {
  isFull,
  prefixOf,
  TileHashes,
  tileOf,
  tilePath,
  widthAt,
  type Tile,
  type TileBytes,
} from '../evidence/tree/tiles.ts'
import { parseId } from '../platform/ids.ts'
import type { PublicIndex } from './public-log.client.ts'

type Dependencies = {
  files: PublicLogFiles
  ensureHead: () => Promise<void>
  /** Asks that object to put the incomplete tiles again, from its database. */
  restorePartialTiles: () => Promise<void>
  /** Null if this deployment has no keys. Then no head is trusted. */
  signer: Signer | null
  clock: Clock
}

export const HEAD_MAX_AGE_MS = 2000

type Renewed = 'head' | 'checkpoint' | 'partialTiles'

/** The wait of an isolate before it asks the writing object again for the same. */
const ASK_AGAIN_MS = 5000

const ENSURE_LIMIT_MS = 5000

/** The oldest a served checkpoint may be. The object’s alarm makes a new one before that. */
const CHECKPOINT_MAX_AGE_MS = 60_000

/** At most 16 KiB each with computed hashes: 2 MiB in total. */
const TILES_KEPT = 128

export class PublicLogReader {
  readonly #parts: Dependencies
  readonly #tiles = new LruCache<TileHashes>(TILES_KEPT)
  #head: { value: PublicHead | null; readAt: number } | null = null
  /** When this isolate last asked the writing object, by what it asked for. */
  readonly #askedAt = new Map<Renewed, number>()
  #prefersMirror = false

  constructor(parts: Dependencies) {
    this.#parts = parts
  }

  /**
   * Returns a head read at most `maxAgeMs` ago, and never of a smaller log than before. A head that is no longer fresh is signed
   * again first, if possible. Null if no head can be trusted.
   */
  async readHead(maxAgeMs = HEAD_MAX_AGE_MS): Promise<PublicHead | null> {
    const now = this.#parts.clock()
    if (this.#head !== null) {
      const { value, readAt } = this.#head
      if (isWithin(now - readAt, value === null ? ASK_AGAIN_MS : maxAgeMs)) return value
    }
    let head = await this.#readNewest()
    const state = this.#stateOf(head)
    if (state === 'untrusted' || (state === 'due' && !this.#hasAsked('head'))) {
      this.#askedAt.set('head', now)
      await this.#renew(() => this.#stateOf(head) !== 'untrusted')
      head = await this.#readNewest()
    }
    const value = this.#stateOf(head) === 'untrusted' ? null : head
    this.#head = { value, readAt: now }
    return value
  }

  async #readNewest(): Promise<PublicHead | null> {
    const read = await this.#parts.files.readHead()
    return newerOf(read?.head ?? null, this.#head?.value ?? null)
  }

  /** Returns true if this isolate has asked so recently that it must not ask again. */
  #hasAsked(what: Renewed): boolean {
    return isWithin(this.#parts.clock() - (this.#askedAt.get(what) ?? -Infinity), ASK_AGAIN_MS)
  }

  /** @param isGood decides whether to keep serving the old value if no new one is available */
  async #renew(isGood: () => boolean): Promise<void> {
    try {
      await withTimeLimit(this.#parts.ensureHead(), ENSURE_LIMIT_MS)
    } catch (thrown) {
      if (!isGood()) throw thrown
      log({ level: 'error', event: 'public_log_failed', outcome: 'head_not_renewed', ...describeThrown(thrown) })
    }
  }

  #stateOf(head: PublicHead | null) {
    return head === null ? 'untrusted' : stateOfHead(head, this.#parts.signer, this.#parts.clock())
  }

  /**
   * Returns the newest checkpoint by the current key; null if there is none. One that is missing, a minute old or by another key
   * is made again first, if possible.
   */
  async readCheckpoint(config: LogConfig): Promise<string | null> {
    const isGood = (seen: ServedCheckpoint | null): seen is ServedCheckpoint =>
      seen !== null && isSignedByCurrentKey(seen.note, config, this.#parts.clock())
    const seen = await this.#parts.files.readCheckpoint()
    if (isGood(seen) && isWithin(this.#parts.clock() - seen.signedAt, CHECKPOINT_MAX_AGE_MS)) return seen.note
    if (!this.#hasAsked('checkpoint')) {
      this.#askedAt.set('checkpoint', this.#parts.clock())
      await this.#renew(() => isGood(seen))
    }
    const newer = await this.#parts.files.readCheckpoint()
    return isGood(newer) ? newer.note : null
  }

  /** Returns the first head of each day that is listed, newest first. Asks nobody for a fresh head. */
  async listDays(): Promise<PublicHead[]> {
    return (await this.#parts.files.readDays()) ?? []
  }

  /** Returns null if the log of this size has no such tile, or only a narrower one. */
  async readTile(tile: Tile, size: number): Promise<TileBytes | null> {
    const width = widthAt(tile, size)
    return width < tile.width ? null : prefixOf((await this.#load({ ...tile, width })).bytes, tile.width)
  }

  async readNodes(ranges: readonly LeafRange[], size: number): Promise<NodeReader> {
    const wanted = new Map<string, Coordinate>()
    for (const subtree of ranges.flatMap(subtreesOf)) wanted.set(tileName(tileOf(subtree)), tileOf(subtree))
    const load = async ([name, tile]: [string, Coordinate]): Promise<[string, TileHashes]> => [
      name,
      await this.#load({ ...tile, width: widthAt(tile, size) }),
    ]
    return nodeReaderOf(new Map(await Promise.all([...wanted].map(load))))
  }

  /** Call it if tiles turn out damaged: later reads try the other bucket first. */
  distrustTiles(): void {
    this.#tiles.clear()
    this.#prefersMirror = !this.#prefersMirror
  }

  /** Asks the object to restore the incomplete tiles, but not again soon. Returns whether it asked. */
  async restorePartialTiles(): Promise<boolean> {
    if (this.#hasAsked('partialTiles')) return false
    this.#askedAt.set('partialTiles', this.#parts.clock())
    await withTimeLimit(this.#parts.restorePartialTiles(), ENSURE_LIMIT_MS)
    this.#tiles.clear()
    return true
  }

  async #read(tile: Tile): Promise<TileBytes | null> {
    return this.#prefersMirror
      ? ((await this.#parts.files.readMirroredTile(tile)) ?? this.#parts.files.readTile(tile))
      : ((await this.#parts.files.readTile(tile)) ?? this.#parts.files.readMirroredTile(tile))
  }

  async #load(tile: Tile): Promise<TileHashes> {
    const path = tilePath(tile)
    const known = this.#tiles.get(path)
    if (known !== undefined) return known
    let bytes = await this.#read(tile)
    if (bytes === null && !isFull(tile) && (await this.restorePartialTiles())) bytes = await this.#read(tile)
    if (bytes === null) throw new DamagedTileError()
    const hashes = new TileHashes(bytes)
    this.#tiles.set(path, hashes)
    return hashes
  }
}

/** Returns the newer head: two requests may read at once, and the first to read may finish last. */
function newerOf(read: PublicHead | null, known: PublicHead | null): PublicHead | null {
  if (read === null || known === null) return read ?? known
  const isKnownNewer =
    known.tree_size > read.tree_size || (known.tree_size === read.tree_size && known.timestamp > read.timestamp)
  return isKnownNewer ? known : read
}

/** Returns true if the age is below this limit. A time far ahead comes from a wrong clock, so it counts as old too. */
const isWithin = (age: number, ms: number): boolean => Math.abs(age) < ms

const REMEMBERED = 4096
const ABSENT_MS = 2000
const INDEX_LIMIT_MS = 5000

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/** Returns null unless the text is a UUID of version 4 in lower case. */
export const parseAttestationId = (text: string): Uint8Array | null => (UUID_V4.test(text) ? parseId('', text) : null)

/** Finds the positions of attestations by the index and caches them. Caches only briefly that an attestation has none. */
export class AttestationPositions {
  readonly #index: Pick<PublicIndex, 'findPosition'>
  readonly #clock: Clock
  readonly #known = new LruCache<number>(REMEMBERED)
  readonly #absentAt = new LruCache<number>(REMEMBERED)

  constructor(index: Pick<PublicIndex, 'findPosition'>, clock: Clock) {
    this.#index = index
    this.#clock = clock
  }

  /** Returns null if the log does not have it yet. Rejects if the index fails or times out. */
  async find(attestationId: Uint8Array): Promise<number | null> {
    const name = attestationId.toHex()
    const known = this.#known.get(name)
    if (known !== undefined) return known
    if (isWithin(this.#clock() - (this.#absentAt.get(name) ?? -Infinity), ABSENT_MS)) return null
    const position = await withTimeLimit(this.#index.findPosition(attestationId), INDEX_LIMIT_MS)
    if (position === null) this.#absentAt.set(name, this.#clock())
    else this.#known.set(name, position)
    return position
  }
}
