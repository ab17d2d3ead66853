// Makes one HTTP request to a provider under three deadlines: until its headers, between its bytes, and in all. The body is
// always read to its end or cancelled. An unread one would block one of a Worker's few connections.
import { countWork, giveTurn, isTurnDue, READ_WORK } from '../platform/event-loop.ts'
import { systemAfter, systemClock, type After, type Clock } from '../platform/time.ts'
import { upstreamFailure, type UpstreamFailure } from './failure.ts'
import { networkFailure, statusFailure, type ErrorReading } from './call-retry.policy.ts'
import { parseJson } from './lossless-json.ts'

/** Network, clock and randomness, which tests replace. */
export type Runtime = {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  readonly now: Clock
  /** Returns a number between 0 and 1. */
  readonly random: () => number
  readonly after: After
}

export const systemRuntime: Runtime = {
  fetch: (url, init) => fetch(url, init),
  now: systemClock,
  random: () => Math.random(),
  after: systemAfter,
}

export type Exchange = {
  readonly ok: true
  readonly headers: Headers
  readonly upstreamRequestId: string | null
  /**
   * Returns the next bytes; null at the end; a failure at most once, and then nothing more. The next call overwrites the bytes: all
   * reads share a buffer, because a new one for each event of a stream costs time.
   */
  next(): Promise<Uint8Array | UpstreamFailure | null>
  /** Returns the whole body as text, instead of `next`: for a body that should come without a pause. */
  text(): Promise<string | UpstreamFailure>
  /** Drops unread bytes, which breaks the connection. Safe to call at any time, any number of times. */
  close(): Promise<void>
  /**
   * Reads and drops bytes after the end of an answer, so that the connection can be used again. A provider that does not end soon
   * is closed.
   */
  drain(): Promise<void>
  /** Resolves when nothing more is read from the provider. */
  readonly closed: Promise<void>
}

/** The most bytes of one read: as many as the runtime itself takes for a read without a buffer. */
const READ_BYTES = 4096

const MAX_DRAINED_BYTES = 64 * 1024
const MAX_DRAINED_MS = 1_000

const MAX_ERROR_BYTES = 16 * 1024

/** An error is known by its status, so its body gets less time than an answer. */
const MAX_ERROR_MS = 5_000

/** `body` is encoded bytes: kept for another attempt, it takes no more memory than what is sent. */
export type ExchangeRequest = { url: string; headers: Record<string, string>; body: Uint8Array; errors: ErrorReading }

export async function openExchange(
  message: ExchangeRequest,
  waiting: { deadlines: Deadlines; signal: AbortSignal; runtime: Runtime },
): Promise<Exchange | { ok: false; failure: UpstreamFailure }> {
  const { deadlines, runtime } = waiting
  const guard = createDeadlineGuard(deadlines, waiting)
  if (guard.stopped() !== null) {
    guard.release()
    return { ok: false, failure: upstreamFailure('caller', { billed: 'no' }) }
  }
  let response: Response
  try {
    guard.awaits('headers')
    response = await runtime.fetch(message.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...message.headers },
      body: message.body,
      redirect: 'manual',
      signal: guard.signal,
    })
  } catch (error) {
    const stop = guard.stopped()
    guard.release()
    return { ok: false, failure: stop === null ? networkFailure(error) : upstreamFailure(stop) }
  }
  guard.arrived()
  const exchange = readExchange(response, guard)
  if (response.ok) return exchange
  const body = await readErrorBody(exchange, runtime)
  const { status, headers } = response
  const failure = statusFailure({ status, headers, body }, message.errors, runtime.now())
  return { ok: false, failure: { ...failure, upstreamRequestId: exchange.upstreamRequestId } }
}

function readExchange(response: Response, guard: DeadlineGuard): Exchange {
  // The guard's closures live long, and workerd never frees a response that can still be reached. So `unread` and `reader` are
  // cleared as soon as possible.
  let unread: Response | undefined = response
  let reader: ReadableStreamBYOBReader | undefined
  let buffer: ArrayBuffer | undefined
  const upstreamStatus = response.status
  const upstreamRequestId = readRequestId(response.headers)
  const closed = Promise.withResolvers<void>()

  async function close(): Promise<void> {
    guard.release()
    const closing = reader ?? unread?.body
    unread = undefined
    reader = undefined
    await closing?.cancel().catch(() => undefined)
    closed.resolve()
  }
  guard.whenStopped(() => void close())

  const failureOf = (stop: Stop | null) => upstreamFailure(stop ?? 'cut', { upstreamStatus, upstreamRequestId })

  async function next(): Promise<Uint8Array | UpstreamFailure | null> {
    if (isTurnDue()) await giveTurn()
    guard.awaits('bytes')
    reader ??= unread?.body?.getReader({ mode: 'byob' })
    unread = undefined
    const read = await reader
      ?.read(new Uint8Array(buffer ?? new ArrayBuffer(READ_BYTES)))
      .catch(() => 'broken' as const)
    guard.arrived()
    const stop = guard.stopped()
    if (stop === null && read !== undefined && read !== 'broken' && !read.done) {
      countWork(READ_WORK + read.value.byteLength)
      ;({ buffer } = read.value)
      return read.value
    }
    await close()
    return stop === null && read !== 'broken' ? null : failureOf(stop)
  }

  async function text(): Promise<string | UpstreamFailure> {
    guard.awaits('bytes')
    const whole = unread?.text().catch(() => null)
    unread = undefined
    const read = (await whole) ?? null
    const stop = guard.stopped()
    await close()
    return stop === null && read !== null ? read : failureOf(stop)
  }

  async function drain(): Promise<void> {
    if (reader === undefined) return
    guard.shorten(MAX_DRAINED_MS)
    for (let bytes = 0; bytes <= MAX_DRAINED_BYTES;) {
      const chunk = await next()
      if (!(chunk instanceof Uint8Array)) return
      bytes += chunk.length
    }
    await close()
  }

  const { headers } = response
  return { ok: true, headers, upstreamRequestId, next, text, close, drain, closed: closed.promise }
}

/** Returns an error's JSON, for its hints; undefined if it is too long, late, broken or not JSON. */
async function readErrorBody(exchange: Exchange, { after }: Pick<Runtime, 'after'>): Promise<unknown> {
  const cancelTimer = after(MAX_ERROR_MS, () => void exchange.close())
  const text = await readPieces(exchange, MAX_ERROR_BYTES, () => true)
  cancelTimer()
  return typeof text === 'string' ? parseJson(text) : undefined
}

/** Returns whether there is memory for this many bytes: the size so far, or the declared size, of an answer that is read whole. */
export type HasRoom = (bytes: number) => boolean | Promise<boolean>

/**
 * A body with a content-length up to this is read in one piece, because each piece costs a turn of the event loop. The runtime
 * reads no byte beyond that length. A longer body is read in pieces, with a limit on each silence.
 */
const MOST_AT_ONCE_BYTES = 64 * 1024

export async function readText(
  exchange: Exchange,
  maxBytes: number,
  hasRoom: HasRoom = () => true,
): Promise<string | UpstreamFailure> {
  const told = declaredBytes(exchange.headers)
  if (told === null || told > Math.min(maxBytes, MOST_AT_ONCE_BYTES)) return readPieces(exchange, maxBytes, hasRoom)
  if (await hasRoom(told)) return exchange.text()
  await exchange.close()
  return upstreamFailure('no_room')
}

/** Returns null if the length is missing, or is that of an encoded body. */
function declaredBytes(headers: Headers): number | null {
  const told = headers.get('content-length')
  return told !== null && /^\d+$/.test(told) && !headers.has('content-encoding') ? Number(told) : null
}

async function readPieces(exchange: Exchange, maxBytes: number, hasRoom: HasRoom): Promise<string | UpstreamFailure> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const chunk = await exchange.next()
    if (chunk === null) return text + decoder.decode()
    if (!(chunk instanceof Uint8Array)) return chunk
    bytes += chunk.length
    const failureCause = bytes > maxBytes ? 'too_large' : (await hasRoom(bytes)) ? null : 'no_room'
    if (failureCause !== null) {
      await exchange.close()
      return upstreamFailure(failureCause)
    }
    text += decoder.decode(chunk, { stream: true })
  }
}

/** Returns the provider's id of the request, for its support. SECURITY: anything but a plain id stays out of our logs. */
function readRequestId(headers: Headers): string | null {
  const id = headers.get('x-request-id') ?? headers.get('request-id')
  return id !== null && /^[\w.:-]{1,128}$/.test(id) ? id : null
}

export type Deadlines = { readonly headersMs: number; readonly silenceMs: number; readonly totalMs: number }

export type Stop = 'no_headers' | 'silence' | 'deadline' | 'caller'

type Timing = {
  readonly now: () => number
  /** Schedules an action; returns a function that cancels it. */
  readonly after: (delayMs: number, action: () => void) => () => void
}

export type DeadlineGuard = {
  readonly signal: AbortSignal
  /** Sets what is done when a deadline passes or the caller leaves. A listener of the signal costs more. */
  whenStopped(action: () => void): void
  awaits(what: 'headers' | 'bytes'): void
  /** Stops the deadline of `awaits`: the bytes have come, and their reader may take as long as the total deadline allows. */
  arrived(): void
  stopped(): Stop | null
  /** Shortens the total deadline. Not to be called after `release`. */
  shorten(ms: number): void
  release(): void
}

export function createDeadlineGuard(
  { headersMs, silenceMs, totalMs }: Deadlines,
  { signal, runtime }: { signal: AbortSignal; runtime: Timing },
): DeadlineGuard {
  const controller = new AbortController()
  let leftMs = totalMs
  let reason: Stop | null = null
  let afterStop: (() => void) | undefined
  let awaited: { failureCause: Stop; until: number } | null = null
  let cancelCheck = scheduleCheck(Math.min(headersMs, silenceMs, totalMs))

  function stop(why: Stop): void {
    reason ??= why
    controller.abort()
    afterStop?.()
  }

  /**
   * Uses one timer for all deadlines. It fires at the latest after `silenceMs`, the least that a new wait can have. The total is
   * counted by the timer itself, so that clock changes do not affect it.
   */
  function scheduleCheck(delayMs: number): () => void {
    return runtime.after(delayMs, () => {
      leftMs -= delayMs
      const awaitedMs = awaited === null ? silenceMs : awaited.until - runtime.now()
      if (leftMs <= 0) stop('deadline')
      else if (awaited !== null && awaitedMs <= 0) stop(awaited.failureCause)
      else cancelCheck = scheduleCheck(Math.min(leftMs, awaitedMs, silenceMs))
    })
  }

  const leave = () => stop('caller')
  signal.addEventListener('abort', leave)
  if (signal.aborted) leave()
  return {
    signal: controller.signal,
    whenStopped(action) {
      afterStop = action
    },
    awaits(what) {
      const now = runtime.now()
      awaited =
        what === 'headers'
          ? { failureCause: 'no_headers', until: now + headersMs }
          : { failureCause: 'silence', until: now + silenceMs }
    },
    arrived() {
      awaited = null
    },
    stopped: () => reason,
    shorten(ms) {
      cancelCheck()
      leftMs = Math.min(leftMs, ms)
      cancelCheck = scheduleCheck(leftMs)
    },
    release() {
      cancelCheck()
      signal.removeEventListener('abort', leave)
    },
  }
}
