// Sends an answer to its caller, as a stream of pieces or as a whole body. Unread pieces wait here, and the runtime gets a few at a
// time, whenever it asks. So this code knows what was read and can drop the rest. Pieces that closely follow each other are sent
// together, because every write costs time. The runtime does not always call cancel callbacks, so what stays unread shows that a
// caller has stopped reading.
import { joinBytes } from '../../platform/bytes.ts'
import { systemClock, type After, type Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { systemRuntime } from '../../providers/http-exchange.ts'
import type { AnswerMemory } from '../memory/answer-memory.ts'

/** Bytes that may wait for a slow caller. */
const MAX_WAITING_BYTES = 1024 * 1024

/** The runtime gets this much at once, in whole pieces. Bytes that it has cannot be taken back, read or not. */
export const FLUSH_BYTES = 16 * 1024

/** Gathers pieces for this many milliseconds after a write, to send them together. */
export const GATHER_MS = 2

/** Overhead of a piece in bytes. */
const PIECE_BYTES = 200

/** How often it checks whether a caller has left, or whether its memory was given to others. */
const POLL_MS = 50

export type ResponseStream = {
  readonly body: ReadableStream<Uint8Array>
  /** Resolves when no piece waits and no more can come. */
  readonly over: Promise<void>
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
   * @param ifUnread returns what replaces everything that waits if the caller does not read it; called only where something waits
   */
  close(last?: Iterable<Uint8Array>, ifUnread?: () => readonly Uint8Array[]): void
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
  let lacksMemory = false
  let flushedAt = now()
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
        flushNowOrSoon()
        wake?.()
      },
      cancel() {
        finish()
        wake?.()
      },
    },
    { highWaterMark: 0 },
  )

  /** Drops the waiting pieces. Changes only memory, because other requests call it too. */
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
  function flushNowOrSoon(): void {
    const mayGather = state === 'open' && waiting.length > 0 && waitingBytes < FLUSH_BYTES
    if (!mayGather || now() >= gatherUntil) flush()
    else cancelGathering ??= options.after(GATHER_MS, flush)
  }

  /** Gives the runtime what it can have, and closes the body after the last piece. */
  function flush(): void {
    stopGathering()
    let bytes = 0
    let count = 0
    for (const piece of waiting) {
      if (bytes >= FLUSH_BYTES) break
      bytes += piece.byteLength
      count += 1
    }
    if (count > 0) {
      // Joins the pieces, because the runtime writes each chunk by itself.
      controller?.enqueue(joinBytes(waiting.slice(0, count), bytes))
      isWanted = false
      due = null
      flushedAt = now()
      gatherUntil = flushedAt + GATHER_MS
      waiting.splice(0, count)
      waitingBytes -= bytes + count * PIECE_BYTES
      lacksMemory = !memory.resize(waitingBytes)
    }
    if (state === 'open' && isWanted && due !== null) sendKeepAlive(due)
    if (state !== 'closing' || waiting.length > 0) return
    controller?.close()
    finish()
  }

  function sendKeepAlive(piece: Uint8Array): void {
    due = null
    isWanted = false
    flushedAt = now()
    controller?.enqueue(piece)
  }

  function scheduleKeepAlive(delayMs: number, piece: Uint8Array, everyMs: number, first: () => void): void {
    cancelKeepAlive = options.after(delayMs, () => {
      if (state !== 'open') return
      const quietMs = now() - flushedAt
      if (quietMs >= everyMs) {
        due = piece
        if (isWanted) flush()
        first()
      }
      scheduleKeepAlive(quietMs >= everyMs ? everyMs : everyMs - quietMs, piece, everyMs, first)
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
    if (waitingBytes > 0) lacksMemory = !memory.resize(waitingBytes)
  }

  const isClosed = (): boolean => state === 'closed'
  const isFull = (): boolean => state === 'open' && (waitingBytes >= MAX_WAITING_BYTES || lacksMemory)

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

  /** Waits while `mustWait` is true. Returns false if nothing was read for the stall limit, or the caller has left. */
  async function waitWhile(mustWait: () => boolean): Promise<boolean> {
    let unreadMs = 0
    while (mustWait()) {
      const before = takenAt
      const beforeBytes = waitingBytes
      await pause(POLL_MS)
      unreadMs = takenAt === before && waitingBytes === beforeBytes ? unreadMs + POLL_MS : 0
      if (options.signal.aborted || unreadMs >= options.stallMs) return false
      if (lacksMemory) lacksMemory = !memory.resize(waitingBytes)
    }
    return true
  }

  async function untilRoom(): Promise<boolean> {
    if (!(await waitWhile(isFull))) giveUp()
    return state === 'open'
  }

  /** Watches an answer that has ended until it is read, because nobody else does. */
  async function untilRead(ifUnread: readonly Uint8Array[]): Promise<void> {
    await waitWhile(() => state === 'closing' && waiting.length > 0)
    if (isClosed()) return
    giveUp()
    take(ifUnread)
    flush()
  }

  return {
    body,
    over: over.promise,
    send(events) {
      if (state !== 'open') return
      take(events)
      if (isWanted) flushNowOrSoon()
      claimMemory()
    },
    keepAlive: (piece, everyMs) =>
      new Promise((resolve) => {
        scheduleKeepAlive(everyMs, piece, everyMs, resolve)
      }),
    hasRoom: () => (isFull() ? untilRoom() : state === 'open'),
    close(last = [], ifUnread = () => []) {
      if (state === 'closing' || isClosed()) return
      take(last)
      state = 'closing'
      if (isWanted || waitingBytes <= FLUSH_BYTES) flush()
      claimMemory()
      if (waiting.length > 0) void untilRead(ifUnread())
    },
  }
}

/** Sends a whole body. A connection accepts a short one by itself, read or not. */
export function sendBody(
  c: AppContext,
  body: string | Uint8Array<ArrayBuffer>,
  { memory, stallMs }: { memory: AnswerMemory; stallMs: number },
): Response {
  if (body.length <= FLUSH_BYTES) {
    memory.release()
    return c.body(body)
  }
  const stream = openResponseStream(c, memory, stallMs)
  stream.close(piecesOf(typeof body === 'string' ? new TextEncoder().encode(body) : body))
  return c.body(stream.body)
}

/** Copies each part, because a view would hold the whole buffer in memory. */
function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.byteLength; at += FLUSH_BYTES) yield bytes.slice(at, at + FLUSH_BYTES)
}

/** Opens the stream of a call's answer. The runtime keeps the call alive until the stream ends, even if its caller leaves. */
export function openResponseStream(c: AppContext, memory: AnswerMemory, stallMs: number): ResponseStream {
  const { after } = systemRuntime
  const stream = createResponseStream({ stallMs, signal: c.req.raw.signal, after, now: systemClock, memory })
  c.executionCtx.waitUntil(stream.over)
  return stream
}
