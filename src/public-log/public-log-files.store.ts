// Reads and writes the public log's files in R2: newest head, checkpoint, tiles, and one timestamped checkpoint an hour. Only the
// publishing object writes them.
import type { PublicHead } from '../evidence/records/tree-head.ts'
import { withTimeLimit } from '../platform/time.ts'
import { FILE_LIMIT_MS, putIfUnchanged, readFile, TileFiles } from '../tiles/tile-files.store.ts'

const HEAD_KEY = 'public-log/head.json'
const CHECKPOINT_KEY = 'public-log/checkpoint'
const TIMESTAMPS_PREFIX = 'public-log/timestamps/'
const TILES_PREFIX = 'public-log/tile/'

/** `etag`: the file's version, so that a replacement fails if the file changed meanwhile. */
export type ServedHead = { head: PublicHead; etag: string }

/** `signedAt` in milliseconds since the epoch. */
export type ServedCheckpoint = { note: string; etag: string; signedAt: number }

/** All methods reject if R2 fails or times out. */
export class PublicLogFiles extends TileFiles {
  readonly #bucket: R2Bucket
  readonly #mirror: R2Bucket | null

  /** @param mirror a second bucket for full tiles and timestamped checkpoints */
  constructor(bucket: R2Bucket, mirror: R2Bucket | null = null) {
    super({ bucket, mirror, prefix: TILES_PREFIX })
    this.#bucket = bucket
    this.#mirror = mirror
  }

  /** Returns null before the first head. */
  readHead(): Promise<ServedHead | null> {
    return readFile(this.#bucket, HEAD_KEY, async (file) => ({ head: await file.json<PublicHead>(), etag: file.etag }))
  }

  /** Replaces `seen`, or creates the file. Returns false if another head was served meanwhile. */
  replaceHead(head: PublicHead, seen: ServedHead | null): Promise<boolean> {
    return putIfUnchanged(this.#bucket, HEAD_KEY, { content: JSON.stringify(head), etag: seen?.etag ?? null })
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

  async hasTimestamp(hour: string): Promise<boolean> {
    return (await withTimeLimit(this.#bucket.head(timestampKey(hour)), FILE_LIMIT_MS)) !== null
  }

  /** Reads a stored timestamped checkpoint from either bucket; null if neither has it. */
  async readTimestamp(hour: string): Promise<string | null> {
    return (
      (await readText(this.#bucket, timestampKey(hour))) ?? (this.#mirror && readText(this.#mirror, timestampKey(hour)))
    )
  }

  /**
   * Stores an hour's timestamped checkpoint, unless the hour has one. Writes the second bucket first, so one in the first bucket is
   * always in both. This is true even if the write is interrupted and repeated with another one.
   */
  async storeTimestamp(hour: string, text: string): Promise<void> {
    const kept = this.#mirror === null ? text : await storeOnce(this.#mirror, timestampKey(hour), text)
    await storeOnce(this.#bucket, timestampKey(hour), kept)
  }
}

const timestampKey = (hour: string): string => `${TIMESTAMPS_PREFIX}${hour}.json`

const readText = (bucket: R2Bucket, key: string): Promise<string | null> => readFile(bucket, key, (file) => file.text())

/** Returns the stored text: this one, or an earlier one. */
async function storeOnce(bucket: R2Bucket, key: string, text: string): Promise<string> {
  const isStored = await putIfUnchanged(bucket, key, { content: text, etag: null })
  return isStored ? text : ((await readText(bucket, key)) ?? text)
}
