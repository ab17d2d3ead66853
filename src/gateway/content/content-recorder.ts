// Stores prompt and answer of a call, if its organisation wants that. Both are collected until the answer is whole. Then they are
// sealed under a key that came with the admission, and put in R2. The answer never waits for that. If memory runs out, the end of
// a stream is not stored, or nothing is.
import type { ChatSettled, ReportedContent } from '../../organisation/admit/settle-chat.ts'
import { packDocument, type ContentPlace } from '../../organisation/content/content-object.ts'
import { putContent } from '../../organisation/content/content-bucket.store.ts'
import { deleteObjects } from '../../organisation/journal/archive-bucket.store.ts'
import { logUnexpected } from '../../platform/log.ts'
import { assembleAnswer } from '../../providers/assemble-answer.ts'
import type { Answer, StreamEvent } from '../../providers/chat-answer.ts'
import type { ThinkingBlock } from '../../providers/chat-request.ts'
import type { StreamItem } from '../../providers/sse.ts'
import type { MemoryPool } from '../memory/memory-pool.ts'
import { createTextBuffer, type TextBuffer } from '../stream/text-buffer.ts'

/** The most that is stored of a streamed answer, at two bytes a character. */
const MOST_STREAMED_BYTES = 2 * 1024 * 1024

/** Copies of the content in memory while it is sealed: as sent, as packed, compressed, encrypted, and as stored. */
const COPIES = 5

/** The longest that a settlement waits until the content is stored, in milliseconds. */
const PUT_LIMIT_MS = 10_000

export type ContentRecorder = {
  readonly add: (item: Pick<StreamItem, 'events'>) => void
  /**
   * Stores prompt and answer. Call it only once. Never rejects.
   *
   * @param whole an answer in one piece, as it was sent; null if none was sent
   * @param present writes what came of a streamed answer
   */
  readonly put: (whole: string | null, present: (streamed: Answer) => string) => Promise<ReportedContent | 'lost'>
  /** Deletes what was stored if the log does not have it. Never rejects. */
  readonly deleteUnrecorded: (settled: ChatSettled | null) => Promise<void>
}

type Parts = {
  place: ContentPlace
  request: Uint8Array
  isStreamed: boolean
  pool: MemoryPool
  /** The organisation whose share of the memory it uses. */
  owner: string
  bucket: Pick<R2Bucket, 'put' | 'get' | 'delete'>
  requestId: string
}

export function createContentRecorder({
  place,
  request,
  isStreamed,
  pool,
  owner,
  bucket,
  requestId,
}: Parts): ContentRecorder {
  const holding = pool.enter(owner, { bytes: request.byteLength, answers: 0 })
  const stream = createStreamBuffer()
  let isTruncated = false
  let mayBeStored = false

  function presentStream(present: (streamed: Answer) => string): string | null {
    const events = stream.events()
    return events.length === 0 ? null : present(assembleAnswer(events))
  }

  async function seal(answer: string | null): Promise<ReportedContent | 'lost'> {
    if (holding === null) return 'lost'
    // Takes the memory for a moment without a check, because the answer already exists.
    holding.forceResize(COPIES * (request.byteLength + (answer?.length ?? 0)))
    const plain = packDocument({ request, answer, isStreamed, isTruncated })
    mayBeStored = true
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
    async put(whole, present) {
      try {
        return await seal(isStreamed ? presentStream(present) : whole)
      } catch (thrown) {
        logUnexpected(thrown, requestId)
        return 'lost'
      } finally {
        holding?.leave()
      }
    },
    async deleteUnrecorded(settled) {
      const isKept = settled === null || (settled.outcome === 'settled' && settled.isContentKept)
      if (!mayBeStored || isKept) return
      await deleteObjects(bucket, [place.name]).catch((thrown: unknown) => logUnexpected(thrown, requestId))
    },
  }
}

type Joined = { text: TextBuffer; whole: (text: string) => StreamEvent }

/** Bytes of an event besides its text. */
const EVENT_BYTES = 300

export function createStreamBuffer() {
  /** Key of a text or event → its content, in the order in which each began. */
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

  /** Stores an event; a repeated one replaces the earlier. */
  function put(event: StreamEvent): void {
    const key = `${event.type} ${'choice' in event ? event.choice : ''} ${'index' in event ? event.index : ''}`
    const before = kept.get(key)
    if (before !== undefined && !('whole' in before)) otherBytes -= sizeOf(before)
    otherBytes += sizeOf(event)
    kept.set(key, event)
  }

  return {
    add(event: StreamEvent): void {
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
    /** Returns the bytes in memory: two a character, and some for each text. */
    bytes: (): number => textBytes + otherBytes + kept.size * EVENT_BYTES,
    /** Returns fewer events that assemble to the same answer. */
    events: (): StreamEvent[] => [...kept.values()].map((one) => ('whole' in one ? one.whole(one.text.text()) : one)),
  }
}

const sizeOf = (event: StreamEvent): number => 2 * JSON.stringify(event).length

const withText = (type: ThinkingBlock['type'], text: string, signature: string): ThinkingBlock =>
  type === 'thinking' ? { type, thinking: text, signature } : { type, data: text }
