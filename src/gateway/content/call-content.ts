// Keeps prompt and answer of a call whose organisation wants that: collects both until the answer is whole, then seals and
// stores them under the key of the admission. The answer never waits for it. The copies count in the isolate's memory:
// without room the end of a stream is left out, and without room for the request nothing is kept.
import type { ChatSettled, KeptContent } from '../../organisation/admit/settle-chat.ts'
import { packDocument, type ContentPlace } from '../../organisation/content/content-object.ts'
import { putContent } from '../../organisation/content/content-objects.store.ts'
import { deleteObjects } from '../../organisation/journal/sealed-object.ts'
import { logUnexpected } from '../../platform/log.ts'
import { assembleAnswer, type Answer, type StreamEvent } from '../../providers/answer.ts'
import type { ThinkingBlock } from '../../providers/request.ts'
import type { StreamItem } from '../../providers/sse.ts'
import type { MemoryPool } from '../memory/memory-pool.ts'
import { createTextBuffer, type TextBuffer } from '../stream/text-buffer.ts'

/** The most that is kept of a streamed answer, at two bytes a character. */
const MOST_STREAMED_BYTES = 2 * 1024 * 1024

/** While it is sealed it is there as it was sent, as what is sealed, compressed, encrypted, and as what is stored. */
const COPIES = 5

/** Longer than this a settlement does not wait for it. */
const PUT_LIMIT_MS = 10_000

export type CallContent = {
  /** For a streamed answer. */
  readonly add: (item: Pick<StreamItem, 'events'>) => void
  /** For an answer in one piece, as it was sent; null if none was sent. */
  readonly answer: (json: string | null) => void
  /** Puts it away, once. Never rejects. */
  readonly put: (present: (streamed: Answer) => string) => Promise<KeptContent | 'lost'>
  /** Deletes what was put if the ledger does not have it. Never rejects. */
  readonly deleteUnrecorded: (settled: ChatSettled | null) => Promise<void>
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
  const stream = createStreamBuffer()
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
    async deleteUnrecorded(settled) {
      const isKept = settled === null || (settled.outcome === 'settled' && settled.isContentKept)
      if (!mayBeThere || isKept) return
      await deleteObjects(bucket, [place.name]).catch((thrown: unknown) => logUnexpected(thrown, requestId))
    },
  }
}

type StreamBuffer = {
  add(event: StreamEvent): void
  /** Bytes held: two a character, and some for each text. */
  bytes(): number
  /** The same events with fewer pieces: what they come to is the same. */
  events(): StreamEvent[]
}

type Joined = { text: TextBuffer; whole: (text: string) => StreamEvent }

/** Bytes of an event beside its text. */
const EVENT_BYTES = 300

export function createStreamBuffer(): StreamBuffer {
  /** By what the text belongs to; in the order in which each began. */
  const kept = new Map<string, Joined | StreamEvent>()
  let textBytes = 0
  let otherBytes = 0

  function join(key: string, piece: string, whole: Joined['whole']): void {
    const before = kept.get(key)
    const joined = before !== undefined && 'whole' in before ? before : { text: createTextBuffer(), whole }
    kept.set(key, joined)
    textBytes -= joined.text.bytes()
    joined.text.add(piece)
    textBytes += joined.text.bytes()
  }

  function addThought(event: Extract<StreamEvent, { type: 'thinking' }>): void {
    const { choice, index, piece } = event
    const at = `${choice} ${index}`
    const member = piece.type === 'thinking' ? 'thinking' : 'data'
    join(`${member} ${at}`, piece.type === 'thinking' ? piece.thinking : piece.data, (text) => ({
      ...event,
      piece: withText(piece.type, text, ''),
    }))
    if (piece.type !== 'thinking' || piece.signature === '') return
    join(`signature ${at}`, piece.signature, (text) => ({ ...event, piece: withText('thinking', '', text) }))
  }

  /** An event that comes again replaces the earlier one. */
  function put(event: StreamEvent): void {
    const key = `${event.type} ${'choice' in event ? event.choice : ''} ${'index' in event ? event.index : ''}`
    const before = kept.get(key)
    if (before !== undefined && !('whole' in before)) otherBytes -= sizeOf(before)
    otherBytes += sizeOf(event)
    kept.set(key, event)
  }

  return {
    add(event) {
      switch (event.type) {
        case 'text':
        case 'refusal':
          return join(`${event.type} ${event.choice}`, event.text, (text) => ({ ...event, text }))
        case 'tool_arguments':
          return join(`arguments ${event.choice} ${event.index}`, event.fragment, (fragment) => ({
            ...event,
            fragment,
          }))
        case 'thinking':
          return addThought(event)
        case 'start':
        case 'model':
        case 'usage':
        case 'looked_up':
        case 'citations':
        case 'signature':
        case 'tool_call':
        case 'finish':
          return put(event)
        case 'end':
        case 'failed':
      }
    },
    bytes: () => textBytes + otherBytes + kept.size * EVENT_BYTES,
    events: () => [...kept.values()].map((one) => ('whole' in one ? one.whole(one.text.text()) : one)),
  }
}

const sizeOf = (event: StreamEvent): number => 2 * JSON.stringify(event).length

const withText = (type: ThinkingBlock['type'], text: string, signature: string): ThinkingBlock =>
  type === 'thinking' ? { type, thinking: text, signature } : { type, data: text }
