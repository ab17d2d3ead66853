// Stores answers in R2 to be sent again: to a repeat with the same idempotency key, or from the cache. Each is sealed under a key
// from its organisation's object.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import type { SealedAnswer } from '../../organisation/admit/answer-reuse.ts'
import { withTimeLimit } from '../../platform/time.ts'
import { readJson } from '../../platform/json.ts'
import { importSealingKey, seal, unseal } from '../../platform/seal.ts'

/** Milliseconds. A caller waits for the read, and a settlement for the write. */
const LIMIT_MS = 10_000

/** `gone`: the answer is missing or damaged. `failed`: R2 did not answer. `no_room`: there is not enough memory for it. */
type FoundAnswer = { outcome: 'found'; answer: StoredAnswer } | { outcome: 'gone' | 'failed' | 'no_room' }

export class StoredAnswersStore {
  readonly #bucket: Pick<R2Bucket, 'put' | 'get' | 'delete'>

  constructor(bucket: Pick<R2Bucket, 'put' | 'get' | 'delete'>) {
    this.#bucket = bucket
  }

  /** Rejects if R2 rejects or does not answer in time. */
  async put({ name, key }: SealedAnswer, answer: StoredAnswer): Promise<void> {
    const sealed = await seal(await importSealingKey(key), name, packAnswer(answer))
    await withTimeLimit(this.#bucket.put(name, sealed), LIMIT_MS)
  }

  /** Rejects if R2 rejects or does not answer in time. */
  async delete({ name }: Pick<SealedAnswer, 'name'>): Promise<void> {
    await withTimeLimit(this.#bucket.delete(name), LIMIT_MS)
  }

  /** @param hasRoom called before the answer is read */
  async find(
    { name, key }: SealedAnswer,
    hasRoom: (bytes: number) => boolean | Promise<boolean>,
  ): Promise<FoundAnswer> {
    const sealed = await withTimeLimit(this.#read(name, hasRoom), LIMIT_MS).catch(() => 'failed' as const)
    if (typeof sealed === 'string') return { outcome: sealed }
    const packed = await unseal(await importSealingKey(key), name, sealed)
    const answer = packed && unpackAnswer(packed)
    return answer === null ? { outcome: 'gone' } : { outcome: 'found', answer }
  }

  async #read(
    name: string,
    hasRoom: (bytes: number) => boolean | Promise<boolean>,
  ): Promise<Uint8Array<ArrayBuffer> | 'gone' | 'no_room'> {
    const object = await this.#bucket.get(name)
    if (object === null) return 'gone'
    if (await hasRoom(object.size)) return new Uint8Array(await object.arrayBuffer())
    await object.body.cancel()
    return 'no_room'
  }
}

const HeadSchema = once(() =>
  z.strictObject({
    status: z.int().min(200).max(599),
    /** Lower-case names. Only headers that describe the answer, and not the request that it answered. */
    headers: z.record(z.string(), z.string()),
  }),
)

export type AnswerHead = Infer<typeof HeadSchema>

export type StoredAnswer = AnswerHead & { body: Uint8Array<ArrayBuffer> }

/** `firstTraceId`: the trace of the call that it answered first. */
export type CachedAnswer = { answer: StoredAnswer; firstTraceId: string }

const LF = 10

export function packAnswer({ body, status, headers }: StoredAnswer): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(`${JSON.stringify({ status, headers })}\n`)
  const packed = new Uint8Array(head.byteLength + body.byteLength)
  packed.set(head)
  packed.set(body, head.byteLength)
  return packed
}

/** Returns null if the bytes are not an answer. */
export function unpackAnswer(packed: Uint8Array<ArrayBuffer>): StoredAnswer | null {
  const end = packed.indexOf(LF)
  if (end === -1) return null
  const head = HeadSchema().safeParse(readJson(new TextDecoder().decode(packed.subarray(0, end)))).data
  return head === undefined ? null : { ...head, body: packed.subarray(end + 1) }
}
