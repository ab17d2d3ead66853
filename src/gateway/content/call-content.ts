// What was asked and answered in a call whose organisation keeps that: held until the answer is whole, then sealed and put away under
// the key that came with the admission. The answer never waits for it. What it holds counts in the isolate's memory; where there is no
// room the end of a stream is left out, and where there is none for the request nothing is kept.
import { deleteObjects } from '../../organisation/journal/sealed-object.ts'
import { packDocument } from '../../organisation/content/content-document.ts'
import type { ContentPlace } from '../../organisation/content/content-object.ts'
import { putContent } from '../../organisation/content/content-objects.store.ts'
import type { ChatSettled, KeptContent } from '../../organisation/admit/settle-chat.ts'
import { logUnexpected } from '../../platform/log.ts'
import { assembleAnswer, type Answer } from '../../providers/answer.ts'
import type { StreamItem } from '../../providers/sse.ts'
import type { MemoryPool } from '../memory/memory-pool.ts'
import { createKeptStream } from './kept-stream.ts'

/** What is kept of a streamed answer, at two bytes a character. */
const MOST_STREAMED_BYTES = 2 * 1024 * 1024

/** While it is sealed it is there as it was sent, as what is sealed, compressed, encrypted, and as what is stored. */
const COPIES = 5

/** Longer than this a settlement does not wait for it. */
const PUT_LIMIT_MS = 10_000

export type CallContent = {
  /** Of a streamed answer. */
  readonly add: (item: Pick<StreamItem, 'events'>) => void
  /** Of an answer in one piece, as it was sent; null where none was. */
  readonly answer: (json: string | null) => void
  /** Puts it away, once. Never rejects. */
  readonly put: (present: (streamed: Answer) => string) => Promise<KeptContent | 'lost'>
  /** Deletes what was put where the ledger does not have it. Never rejects. */
  readonly conclude: (settled: ChatSettled | null) => Promise<void>
}

type Parts = {
  place: ContentPlace
  request: Uint8Array
  isStreamed: boolean
  pool: MemoryPool
  /** Whose share of the memory it is of. */
  owner: string
  bucket: Pick<R2Bucket, 'put' | 'get' | 'delete'>
  requestId: string
}

export function keepContent({ place, request, isStreamed, pool, owner, bucket, requestId }: Parts): CallContent {
  const holding = pool.enter(owner, { bytes: request.byteLength, answers: 0 })
  const stream = createKeptStream()
  const whole = Promise.withResolvers<string | null>()
  let isTruncated = false
  let mayBeThere = false

  function presentStream(present: (streamed: Answer) => string): string | null {
    const events = stream.events()
    return events.length === 0 ? null : present(assembleAnswer(events))
  }

  async function seal(present: (streamed: Answer) => string): Promise<KeptContent | 'lost'> {
    const answer = isStreamed ? presentStream(present) : await whole.promise
    if (holding === null) return 'lost'
    // For a moment, and nothing else can be done about it: the answer is there.
    holding.overdraw(COPIES * (request.byteLength + (answer?.length ?? 0)))
    const plain = packDocument({ request, answer, isStreamed, isTruncated })
    mayBeThere = true
    const stored = await putContent(bucket, place, plain, PUT_LIMIT_MS)
    return { name: place.name, ...stored }
  }

  return {
    add({ events }) {
      if (holding === null || isTruncated) return
      for (const event of events) stream.add(event)
      const bytes = stream.bytes()
      isTruncated = bytes > MOST_STREAMED_BYTES || !holding.resize(request.byteLength + bytes)
    },
    answer: whole.resolve,
    async put(present) {
      try {
        return await seal(present)
      } catch (thrown) {
        logUnexpected(thrown, requestId)
        return 'lost'
      } finally {
        holding?.leave()
      }
    },
    async conclude(settled) {
      const isKept = settled === null || (settled.outcome === 'settled' && settled.isContentKept)
      if (!mayBeThere || isKept) return
      await deleteObjects(bucket, [place.name]).catch((thrown: unknown) => logUnexpected(thrown, requestId))
    },
  }
}
