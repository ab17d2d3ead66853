// Reads and writes the public log's files in R2: newest head, the heads of days, checkpoint and tiles. Only the
// publishing object writes them.
import type { PublicHead } from '../evidence/records/tree-head.ts'
import { withTimeLimit } from '../platform/time.ts'
import { FILE_LIMIT_MS, putIfUnchanged, readFile, TileFiles } from '../tiles/tile-files.store.ts'

const HEAD_KEY = 'public-log/head.json'
const DAYS_KEY = 'public-log/days.json'
const CHECKPOINT_KEY = 'public-log/checkpoint'
const TILES_PREFIX = 'public-log/tile/'

/** `etag`: the file's version, so that a replacement fails if the file changed meanwhile. */
export type ServedHead = { head: PublicHead; etag: string }

/** `signedAt` in milliseconds since the epoch. */
export type ServedCheckpoint = { note: string; etag: string; signedAt: number }

/** All methods reject if R2 fails or times out. @see https://c2sp.org/tlog-tiles */
export class PublicLogFiles extends TileFiles {
  readonly #bucket: R2Bucket

  /** @param mirror a second bucket for full tiles */
  constructor(bucket: R2Bucket, mirror: R2Bucket | null = null) {
    super({ bucket, mirror, prefix: TILES_PREFIX })
    this.#bucket = bucket
  }

  /** Returns null before the first head. */
  readHead(): Promise<ServedHead | null> {
    return readFile(this.#bucket, HEAD_KEY, async (file) => ({ head: await file.json<PublicHead>(), etag: file.etag }))
  }

  /** Replaces `seen`, or creates the file. Returns false if another head was served meanwhile. */
  replaceHead(head: PublicHead, seen: ServedHead | null): Promise<boolean> {
    return putIfUnchanged(this.#bucket, HEAD_KEY, { content: JSON.stringify(head), etag: seen?.etag ?? null })
  }

  /** Returns the first head of each day, newest first; null before the first head. */
  readDays(): Promise<PublicHead[] | null> {
    return readFile(this.#bucket, DAYS_KEY, (file) => file.json<PublicHead[]>())
  }

  async putDays(heads: readonly PublicHead[]): Promise<void> {
    await withTimeLimit(this.#bucket.put(DAYS_KEY, JSON.stringify(heads)), FILE_LIMIT_MS)
  }

  /** Returns null before the first checkpoint. */
  readCheckpoint(): Promise<ServedCheckpoint | null> {
    return readFile(this.#bucket, CHECKPOINT_KEY, async (file) => ({
      note: await file.text(),
      etag: file.etag,
      signedAt: Number(file.customMetadata?.['at']),
    }))
  }

  /** Replaces `seen`, or creates the file. Returns false if another checkpoint was served meanwhile. */
  replaceCheckpoint(checkpoint: Omit<ServedCheckpoint, 'etag'>, seen: { etag: string } | null): Promise<boolean> {
    const customMetadata = { at: String(checkpoint.signedAt) }
    return putIfUnchanged(this.#bucket, CHECKPOINT_KEY, {
      content: checkpoint.note,
      etag: seen?.etag ?? null,
      customMetadata,
    })
  }
}
