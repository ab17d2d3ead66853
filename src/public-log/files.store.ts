// What the public log serves, as files in R2: its newest signed head and checkpoint, its tiles, and the tokens over an hour's
// checkpoint. The one who publishes writes them, all others only read.
import type { PublicHead } from '../evidence/records/tree-head.ts'
import { withinTime } from '../platform/clock.ts'
import { FILE_LIMIT_MS, putInstead, readFile } from '../tiles/bucket-file.store.ts'
import { TileFiles } from '../tiles/tile-files.store.ts'

const HEAD_KEY = 'public-log/head.json'
const CHECKPOINT_KEY = 'public-log/checkpoint'
const TIMESTAMPS_PREFIX = 'public-log/timestamps/'
const TILES_PREFIX = 'public-log/tile/'

/** `etag`: of the very file, so that it is replaced only by who has seen it. */
export type ServedHead = { head: PublicHead; etag: string }

/** `signedAt` in milliseconds since the epoch. */
export type ServedCheckpoint = { note: string; etag: string; signedAt: number }

/** All of it rejects where R2 does, or does not answer in time. */
export class PublicLogFiles extends TileFiles {
  readonly #bucket: R2Bucket
  readonly #mirror: R2Bucket | null

  /** @param mirror where full tiles and tokens are once more */
  constructor(bucket: R2Bucket, mirror: R2Bucket | null = null) {
    super({ bucket, mirror, prefix: TILES_PREFIX })
    this.#bucket = bucket
    this.#mirror = mirror
  }

  /** Null where none has been served. */
  readHead(): Promise<ServedHead | null> {
    return readFile(this.#bucket, HEAD_KEY, async (file) => ({ head: await file.json<PublicHead>(), etag: file.etag }))
  }

  /** Takes the place of `seen`, or of none. False where another head has been served meanwhile. */
  replaceHead(head: PublicHead, seen: ServedHead | null): Promise<boolean> {
    return putInstead(this.#bucket, HEAD_KEY, { content: JSON.stringify(head), etag: seen?.etag ?? null })
  }

  /** Null where none has been served. */
  readCheckpoint(): Promise<ServedCheckpoint | null> {
    return readFile(this.#bucket, CHECKPOINT_KEY, async (file) => ({
      note: await file.text(),
      etag: file.etag,
      signedAt: Number(file.customMetadata?.['at']),
    }))
  }

  /** As replaceHead. */
  replaceCheckpoint(checkpoint: Omit<ServedCheckpoint, 'etag'>, seen: { etag: string } | null): Promise<boolean> {
    const customMetadata = { at: String(checkpoint.signedAt) }
    return putInstead(this.#bucket, CHECKPOINT_KEY, {
      content: checkpoint.note,
      etag: seen?.etag ?? null,
      customMetadata,
    })
  }

  async hasTimestamp(hour: string): Promise<boolean> {
    return (await withinTime(this.#bucket.head(timestampKey(hour)), FILE_LIMIT_MS)) !== null
  }

  /** A timestamped checkpoint as it was stored, from whichever bucket has it; null where none does. */
  async readTimestamp(hour: string): Promise<string | null> {
    return (
      (await readText(this.#bucket, timestampKey(hour))) ?? (this.#mirror && readText(this.#mirror, timestampKey(hour)))
    )
  }

  /**
   * What is there already stays. The second bucket goes first: whoever finds it in the first finds the same in both, also where
   * this broke off and is done again with another token.
   */
  async storeTimestamp(hour: string, text: string): Promise<void> {
    const kept = this.#mirror === null ? text : await storeOnce(this.#mirror, timestampKey(hour), text)
    await storeOnce(this.#bucket, timestampKey(hour), kept)
  }
}

const timestampKey = (hour: string): string => `${TIMESTAMPS_PREFIX}${hour}.json`

const readText = (bucket: R2Bucket, key: string): Promise<string | null> => readFile(bucket, key, (file) => file.text())

/** What is there afterwards: this, or what was there before. */
async function storeOnce(bucket: R2Bucket, key: string, text: string): Promise<string> {
  const isStored = await putInstead(bucket, key, { content: text, etag: null })
  return isStored ? text : ((await readText(bucket, key)) ?? text)
}
