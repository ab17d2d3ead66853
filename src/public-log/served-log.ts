// The public log as its readers have it: the head that is served, and the tiles it covers. An isolate keeps the head for a
// few seconds and tiles as long as there is room.
import type { Signer } from '../evidence/records/attestation-keys.ts'
import type { PublicHead } from '../evidence/records/tree-head.ts'
import { BoundedMemory } from '../platform/cache.ts'
import { withinTime, type Clock } from '../platform/clock.ts'
import { describeThrown, log } from '../platform/log.ts'
import { subtreesOf, type Coordinate, type LeafRange, type NodeReader } from '../evidence/tree/merkle.ts'
import type { LogConfig } from './log-config.ts'
import type { PublicLogFiles, ServedCheckpoint } from './files.store.ts'
import { isByCurrentKey } from './serve-checkpoint.ts'
import { stateOfHead } from './sign-next-head.ts'
import { DamagedTileError, nameOf, readerOf } from '../tiles/tiled-log.ts'
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

type Dependencies = {
  files: PublicLogFiles
  /** Asks the object that writes the log for a fresh head. */
  ensureHead: () => Promise<void>
  /** Has the same object put the incomplete tiles there again, from what its database has. */
  restoreEdge: () => Promise<void>
  /** Null where this deployment has no keys: then no head is to be trusted. */
  signer: Signer | null
  clock: Clock
}

export const HEAD_MS = 2000

/** How long an isolate does not ask that object again for what there was not. */
const ASKED_AGAIN_MS = 5000

const ENSURE_LIMIT_MS = 5000

/** The object’s alarm makes another sooner than that. */
const CHECKPOINT_MS = 60_000

/** Of 16 KiB each at most, with what is worked out from them: 2 MiB. */
const TILES_KEPT = 128

export class ServedLog {
  readonly #parts: Dependencies
  readonly #tiles = new BoundedMemory<TileHashes>(TILES_KEPT)
  #head: { value: PublicHead | null; readAt: number } | null = null
  #askedAt = -Infinity
  #askedCheckpointAt = -Infinity
  #askedEdgeAt = -Infinity
  #prefersMirror = false

  constructor(parts: Dependencies) {
    this.#parts = parts
  }

  /**
   * Read at most `maxAgeMs` ago, and never of a smaller log than one that was read before. One that is no longer fresh is
   * signed again first, where that can be had. Null where no head can be trusted.
   */
  async readHead(maxAgeMs = HEAD_MS): Promise<PublicHead | null> {
    const now = this.#parts.clock()
    if (this.#head !== null) {
      const { value, readAt } = this.#head
      if (isWithin(now - readAt, value === null ? ASKED_AGAIN_MS : maxAgeMs)) return value
    }
    let head = await this.#readNewest()
    const state = this.#stateOf(head)
    if (state === 'untrusted' || (state === 'due' && !isWithin(now - this.#askedAt, ASKED_AGAIN_MS))) {
      this.#askedAt = now
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

  /** @param isGood whether what was served until now is served on where no other can be had */
  async #renew(isGood: () => boolean): Promise<void> {
    try {
      await withinTime(this.#parts.ensureHead(), ENSURE_LIMIT_MS)
    } catch (thrown) {
      if (!isGood()) throw thrown
      log({ level: 'error', event: 'public_log_failed', outcome: 'head_not_renewed', ...describeThrown(thrown) })
    }
  }

  #stateOf(head: PublicHead | null) {
    return head === null ? 'untrusted' : stateOfHead(head, this.#parts.signer, this.#parts.clock())
  }

  /**
   * The newest checkpoint, by the key that signs now; one that is missing, a minute old or by another key is made first, where
   * that can be had. Null where there is none by that key.
   */
  async readCheckpoint(config: LogConfig): Promise<string | null> {
    const isGood = (seen: ServedCheckpoint | null): seen is ServedCheckpoint =>
      seen !== null && isByCurrentKey(seen.note, config, this.#parts.clock())
    const seen = await this.#parts.files.readCheckpoint()
    if (isGood(seen) && isWithin(this.#parts.clock() - seen.signedAt, CHECKPOINT_MS)) return seen.note
    if (!isWithin(this.#parts.clock() - this.#askedCheckpointAt, ASKED_AGAIN_MS)) {
      this.#askedCheckpointAt = this.#parts.clock()
      await this.#renew(() => isGood(seen))
    }
    const newer = await this.#parts.files.readCheckpoint()
    return isGood(newer) ? newer.note : null
  }

  /** The timestamped checkpoint of an hour; null where there is none. */
  readTimestamp(hour: string): Promise<string | null> {
    return this.#parts.files.readTimestamp(hour)
  }

  /** Null where the log of this size has no such tile, or not as wide. */
  async readTile(tile: Tile, size: number): Promise<TileBytes | null> {
    const width = widthAt(tile, size)
    return width < tile.width ? null : prefixOf((await this.#load({ ...tile, width })).bytes, tile.width)
  }

  /** Reads the tiles that make up these ranges of a log that is served at `size`. */
  async readNodes(ranges: readonly LeafRange[], size: number): Promise<NodeReader> {
    const wanted = new Map<string, Coordinate>()
    for (const subtree of ranges.flatMap(subtreesOf)) wanted.set(nameOf(tileOf(subtree)), tileOf(subtree))
    const load = async ([name, tile]: [string, Coordinate]): Promise<[string, TileHashes]> => [
      name,
      await this.#load({ ...tile, width: widthAt(tile, size) }),
    ]
    return readerOf(new Map(await Promise.all([...wanted].map(load))))
  }

  /** What was read is not to be relied on: from now on the other bucket is asked first. */
  distrustTiles(): void {
    this.#tiles.clear()
    this.#prefersMirror = !this.#prefersMirror
  }

  /** Says whether it was asked for, which it is not soon again: the incomplete tiles are then as they should be, if they can be. */
  async restoreEdge(): Promise<boolean> {
    if (isWithin(this.#parts.clock() - this.#askedEdgeAt, ASKED_AGAIN_MS)) return false
    this.#askedEdgeAt = this.#parts.clock()
    await withinTime(this.#parts.restoreEdge(), ENSURE_LIMIT_MS)
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
    if (bytes === null && !isFull(tile) && (await this.restoreEdge())) bytes = await this.#read(tile)
    if (bytes === null) throw new DamagedTileError()
    const hashes = new TileHashes(bytes)
    this.#tiles.set(path, hashes)
    return hashes
  }
}

/** Of two requests that read at the same time, the one that read first may be the last to know. */
function newerOf(read: PublicHead | null, known: PublicHead | null): PublicHead | null {
  if (read === null || known === null) return read ?? known
  const isKnownNewer =
    known.tree_size > read.tree_size || (known.tree_size === read.tree_size && known.timestamp > read.timestamp)
  return isKnownNewer ? known : read
}

/** What lies further ahead than that is of a clock that was ahead, and not to be waited for. */
const isWithin = (age: number, ms: number): boolean => Math.abs(age) < ms
