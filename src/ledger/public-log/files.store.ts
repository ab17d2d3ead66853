// What the public log serves, as files in R2: its newest signed head and checkpoint, its tiles, and the tokens over an hour's
// checkpoint. The one who publishes writes them, all others only read.
import type { PublicHead } from '../../attestation/tree-head.ts'
import { withinTime } from '../../platform/time-limit.ts'
import { TileFiles } from '../log/tile-files.store.ts'

const HEAD_KEY = 'public-log/head.json'
const CHECKPOINT_KEY = 'public-log/checkpoint'
const TIMESTAMPS_PREFIX = 'public-log/timestamps/'
const TILES_PREFIX = 'public-log/tile/'

/** What goes on after that is harmless: a head replaces only the one that was seen. */
const FILE_LIMIT_MS = 10_000

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
  async readHead(): Promise<ServedHead | null> {
    const read = async (): Promise<ServedHead | null> => {
      const file = await this.#bucket.get(HEAD_KEY)
      return file && { head: await file.json<PublicHead>(), etag: file.etag }
    }
    return withinTime(read(), FILE_LIMIT_MS)
  }

  /** Takes the place of `seen`, or of none. False where another head has been served meanwhile. */
  replaceHead(head: PublicHead, seen: ServedHead | null): Promise<boolean> {
    return this.#replace(HEAD_KEY, JSON.stringify(head), seen)
  }

  /** Null where none has been served. */
  async readCheckpoint(): Promise<ServedCheckpoint | null> {
    const read = async (): Promise<ServedCheckpoint | null> => {
      const file = await this.#bucket.get(CHECKPOINT_KEY)
      return file && { note: await file.text(), etag: file.etag, signedAt: Number(file.customMetadata?.['at']) }
    }
    return withinTime(read(), FILE_LIMIT_MS)
  }

  /** As replaceHead. */
  replaceCheckpoint(checkpoint: Omit<ServedCheckpoint, 'etag'>, seen: { etag: string } | null): Promise<boolean> {
    return this.#replace(CHECKPOINT_KEY, checkpoint.note, seen, { at: String(checkpoint.signedAt) })
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

  async #replace(
    key: string,
    text: string,
    seen: { etag: string } | null,
    customMetadata: Record<string, string> = {},
  ): Promise<boolean> {
    const onlyIf = new Headers(seen === null ? { 'if-none-match': '*' } : { 'if-match': `"${seen.etag}"` })
    return (await withinTime(this.#bucket.put(key, text, { onlyIf, customMetadata }), FILE_LIMIT_MS)) !== null
  }
}

const timestampKey = (hour: string): string => `${TIMESTAMPS_PREFIX}${hour}.json`

function readText(bucket: R2Bucket, key: string): Promise<string | null> {
  const read = async (): Promise<string | null> => (await bucket.get(key))?.text() ?? null
  return withinTime(read(), FILE_LIMIT_MS)
}

/** What is there afterwards: this, or what was there before. */
async function storeOnce(bucket: R2Bucket, key: string, text: string): Promise<string> {
  const onlyIf = new Headers({ 'if-none-match': '*' })
  const stored = await withinTime(bucket.put(key, text, { onlyIf }), FILE_LIMIT_MS)
  return stored === null ? ((await readText(bucket, key)) ?? text) : text
}
