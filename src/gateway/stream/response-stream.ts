// Sends an answer to its caller: takes pieces without waiting, and says when there is room for more. Unread pieces wait here, and
// the runtime gets little at a time, whenever it asks. So the code knows what was read and can drop the rest. Pieces that closely
// follow each other are sent together, because every write has its price. The runtime does not always call cancel callbacks. A
// caller who has stopped reading is noticed by what stays unread.
import { joinBytes } from '../../platform/bytes.ts'
import { systemClock, type After, type Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { systemRuntime } from '../../providers/exchange.ts'
import type { AnswerMemory } from '../memory/answer-memory.ts'

/** Bytes that may wait for a slow caller. */
const MAX_WAITING_BYTES = 1024 * 1024

/** The runtime gets this much at once, in whole pieces. It cannot be taken back, read or not. */
export const HANDED_BYTES = 16 * 1024

/** Gathers pieces for this many milliseconds after a write, to send them together. */
export const GATHER_MS = 2

/** Overhead of a piece in bytes. */
const PIECE_BYTES = 200

/** How often it checks whether a caller has left, or whether its memory was given to others. */
const POLL_MS = 50

export type ResponseStream = {
  readonly body: ReadableStream<Uint8Array>
  /** Resolves when nothing waits, or ever will. */
  readonly over: Promise<void>
  /** Sends whole events. */
  send(events: readonly Uint8Array[]): void
  /**
   * Sends `piece` to a reader who has received nothing for `everyMs`, repeatedly. It never waits in the stream, and there is at
   * most one at a time. Resolves when it is due for the first time.
   */
  keepAlive(piece: Uint8Array, everyMs: number): Promise<void>
  /** Waits while too much is unread. Returns false if nothing is read any more, or the caller is known to have left. */
  hasRoom(): boolean | Promise<boolean>
  /**
   * Ends the answer. An event must say if it is not whole: the runtime ends a failed stream like one that closes.
   * @param last the last events
   * @param ifUnread what replaces everything that waits if the caller does not read it
   */
  close(last?: Iterable<Uint8Array>, ifUnread?: readonly Uint8Array[]): void
}

export function createResponseStream(options: {
  /** Milliseconds for which a caller may leave a full stream unread. */
  stallMs: number
  /** Aborted when the caller leaves. */
  signal: AbortSignal
  after: After
  now: Clock
  /** Released when everything was read, or nobody reads it. */
  memory: AnswerMemory
}): ResponseStream {
  const { memory, now } = options
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let takenAt = now()
  /** True if the runtime has asked for more and has received nothing since. */
  let isWanted = false
  /** Pieces that arrive before this time are gathered. */
  let gatherUntil = 0
  let cancelGathering: (() => void) | undefined
  let isCramped = false
  let handedAt = now()
  /** The keep-alive piece that is due, until it or something else is sent. */
  let due: Uint8Array | null = null
  let cancelKeepAlive: (() => void) | undefined
  let state: 'open' | 'given up' | 'closing' | 'closed' = 'open'
  let wake: (() => void) | undefined
  const over = Promise.withResolvers<void>()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined

  memory.watch({ waitsSince: () => (waitingBytes > 0 ? takenAt : null), drop: giveUp })

  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given
      },
      pull() {
        takenAt = now()
        isWanted = true
        handInTime()
        wake?.()
      },
      cancel() {
        finish()
        wake?.()
      },
    },
    { highWaterMark: 0 },
  )

  /** Touches nothing but memory: other requests call it too. */
  function giveUp(): void {
    if (state === 'open') state = 'given up'
    waiting = []
    waitingBytes = 0
  }

  function finish(): void {
    giveUp()
    state = 'closed'
    cancelKeepAlive?.()
    stopGathering()
    memory.release()
    over.resolve()
  }

  function stopGathering(): void {
    cancelGathering?.()
    cancelGathering = undefined
  }

  /** Sends at once, unless more may come soon that can go with it. */
  function handInTime(): void {
    const mayGather = state === 'open' && waiting.length > 0 && waitingBytes < HANDED_BYTES
    if (!mayGather || now() >= gatherUntil) hand()
    else cancelGathering ??= options.after(GATHER_MS, hand)
  }

  /** Gives the runtime what it can have, and closes the body after the last piece. */
  function hand(): void {
    stopGathering()
    let bytes = 0
    let count = 0
    for (const piece of waiting) {
      if (bytes >= HANDED_BYTES) break
      bytes += piece.byteLength
      count += 1
    }
    if (count > 0) {
      // Joins the pieces, because the runtime writes each chunk by itself.
      controller?.enqueue(joinBytes(waiting.slice(0, count), bytes))
      isWanted = false
      due = null
      handedAt = now()
      gatherUntil = handedAt + GATHER_MS
      waiting.splice(0, count)
      waitingBytes -= bytes + count * PIECE_BYTES
      isCramped = !memory.resize(waitingBytes)
    }
    if (state === 'open' && isWanted && due !== null) handDue(due)
    if (state !== 'closing' || waiting.length > 0) return
    controller?.close()
    finish()
  }

  function handDue(piece: Uint8Array): void {
    due = null
    isWanted = false
    handedAt = now()
    controller?.enqueue(piece)
  }

  function lookAfter(delayMs: number, piece: Uint8Array, everyMs: number, first: () => void): void {
    cancelKeepAlive = options.after(delayMs, () => {
      if (state !== 'open') return
      const quietMs = now() - handedAt
      if (quietMs >= everyMs) {
        due = piece
        if (isWanted) hand()
        first()
      }
      lookAfter(quietMs >= everyMs ? everyMs : everyMs - quietMs, piece, everyMs, first)
    })
  }

  function take(pieces: Iterable<Uint8Array>): void {
    const wereWaiting = waiting.length
    for (const piece of pieces) {
      waiting.push(piece)
      waitingBytes += piece.byteLength + PIECE_BYTES
    }
    if (isWanted && wereWaiting === 0) takenAt = now()
  }

  function claimMemory(): void {
    if (waitingBytes > 0) isCramped = !memory.resize(waitingBytes)
  }

  const isClosed = (): boolean => state === 'closed'
  const isFull = (): boolean => state === 'open' && (waitingBytes >= MAX_WAITING_BYTES || isCramped)

  /** Waits until something is read, the time has passed or the caller has left. */
  async function pause(delayMs: number): Promise<void> {
    const { promise: woken, resolve } = Promise.withResolvers<void>()
    wake = resolve
    const cancelTimer = options.after(delayMs, wake)
    options.signal.addEventListener('abort', wake, { once: true })
    if (!options.signal.aborted) await woken
    options.signal.removeEventListener('abort', wake)
    wake = undefined
    cancelTimer()
  }

  /** Waits while `isSo`. Returns false if nothing was read for the stall limit, or the caller has left. */
  async function outlast(isSo: () => boolean): Promise<boolean> {
    let unreadMs = 0
    while (isSo()) {
      const before = takenAt
      const beforeBytes = waitingBytes
      await pause(POLL_MS)
      unreadMs = takenAt === before && waitingBytes === beforeBytes ? unreadMs + POLL_MS : 0
      if (options.signal.aborted || unreadMs >= options.stallMs) return false
      if (isCramped) isCramped = !memory.resize(waitingBytes)
    }
    return true
  }

  async function untilRoom(): Promise<boolean> {
    if (!(await outlast(isFull))) giveUp()
    return state === 'open'
  }

  /** Watches an answer that has ended until it is read, because nobody else does. */
  async function untilRead(ifUnread: readonly Uint8Array[]): Promise<void> {
    await outlast(() => state === 'closing' && waiting.length > 0)
    if (isClosed()) return
    giveUp()
    take(ifUnread)
    hand()
  }

  return {
    body,
    over: over.promise,
    send(events) {
      if (state !== 'open') return
      take(events)
      if (isWanted) handInTime()
      claimMemory()
    },
    keepAlive: (piece, everyMs) =>
      new Promise((resolve) => {
        lookAfter(everyMs, piece, everyMs, resolve)
      }),
    hasRoom: () => (isFull() ? untilRoom() : state === 'open'),
    close(last = [], ifUnread = []) {
      if (state === 'closing' || isClosed()) return
      take(last)
      state = 'closing'
      if (isWanted || waitingBytes <= HANDED_BYTES) hand()
      claimMemory()
      if (waiting.length > 0) void untilRead(ifUnread)
    },
  }
}

/** Sends a whole body. A connection accepts a short one by itself, read or not. */
export function sendBody(
  c: AppContext,
  body: string | Uint8Array<ArrayBuffer>,
  { memory, stallMs }: { memory: AnswerMemory; stallMs: number },
): Response {
  if (body.length <= HANDED_BYTES) {
    memory.release()
    return c.body(body)
  }
  const stream = openResponseStream(c, memory, stallMs)
  stream.close(piecesOf(typeof body === 'string' ? new TextEncoder().encode(body) : body))
  return c.body(stream.body)
}

/** Copies each part, because a view would hold the whole buffer in memory. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.byteLength; at += HANDED_BYTES) yield bytes.slice(at, at + HANDED_BYTES)
}

/** Opens the stream of a call's answer. The runtime keeps the call alive until the stream ends, even if its caller leaves. */
export function openResponseStream(c: AppContext, memory: AnswerMemory, stallMs: number): ResponseStream {
  const { after } = systemRuntime
  const stream = createResponseStream({ stallMs, signal: c.req.raw.signal, after, now: systemClock, memory })
  c.executionCtx.waitUntil(stream.over)
  return stream
}
