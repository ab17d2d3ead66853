// The interface through which both wire formats write a stream's events. Also helpers: the bytes of an event, a hold for the latest
// item, and a parser for a whole stream.
import type { AnswerOutline } from '../../evidence/records/answer-hasher.ts'
import type { standardUsage } from '../../providers/chat-answer.ts'
import { createSseParser, readEvent, type SseEvent, type StreamItem } from '../../providers/sse.ts'
import type { AnswerEnd } from '../call/trace.ts'

/**
 * Turns a provider's events into the caller's: complete events, in order. From the first finish on, the latest chunk is held
 * back. `aqta` goes on the last chunk, because the cost is known only with the usage.
 */
export type EventWriter = {
  /** Takes an event over: its bytes may change. Returns the events that may be sent now. */
  push(item: StreamItem): Uint8Array[]
  /** Returns true if the answer and its usage are complete. `finish` then need not wait for the end of the stream. */
  isComplete(): boolean
  /** Returns the bytes (UTF-8) of the answer that are stored until its end, without the chunk that is held back. */
  bufferedBytes(): number
  /** Returns the held chunk. `aqta` is on the finish chunk, or on the usage chunk if the caller asked for one. */
  finish(end: AnswerEnd & { usage: StandardUsage | null }): Uint8Array[]
  /** Returns the last events of a whole answer. */
  close(): Uint8Array[]
  /**
   * Returns the held chunk unchanged, then the error as the last event. No closing mark follows, because the answer is not whole.
   */
  fail(error: object): Uint8Array[]
  /** Returns the outline of the answer as it was written; null if nothing of one was. Call it once, at the end. */
  outline(): AnswerOutline | null
}

export type StandardUsage = ReturnType<typeof standardUsage>

const encoder = new TextEncoder()

export const dataEvent = (data: object | string): Uint8Array =>
  encoder.encode(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)

export const namedEvent = (name: string, data: object): Uint8Array =>
  encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)

const LF = 10
const CR = 13

/** Returns true if the bytes of an event end in a blank line. */
export function isClosed(raw: Uint8Array): boolean {
  const [last, second, third] = [raw.at(-1), raw.at(-2), raw.at(-3)]
  return last === CR ? second === CR : last === LF && (second === LF || (second === CR && third === LF))
}

/** Adds the closing blank line to an event without one, or the next event would become part of it. */
export function withBlankLine(raw: Uint8Array): Uint8Array {
  if (isClosed(raw)) return raw
  const bytes = new Uint8Array(raw.length + 2)
  bytes.set(raw)
  bytes.fill(LF, raw.length)
  return bytes
}

/** Holds back the latest item, from the first `pass` with `begin` on. */
export function createHold<T>() {
  let held: T[] = []
  const release = (): T[] => held.splice(0)
  return {
    /** Takes `next` and returns the items that may be sent now. `begin` starts to hold. */
    pass(next: T, begin: boolean): T[] {
      if (!begin && held.length === 0) return [next]
      const earlier = held
      held = [next]
      return earlier
    },
    isHolding: () => held.length > 0,
    release,
  }
}

/** Returns the events of a stream, in order. Their bytes in a row are the stream. */
export function parseEventStream(stream: Uint8Array): (SseEvent & { raw: Uint8Array })[] {
  const parser = createSseParser({ maxEventBytes: stream.byteLength })
  const events = [...(parser.push(stream) ?? []), ...parser.end()]
  return events.map((raw) => {
    const { event, data } = readEvent(raw)
    return { event, data, raw }
  })
}
