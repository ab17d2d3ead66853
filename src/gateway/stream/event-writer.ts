// The writer of a stream's events, as both wire formats implement it, and the bytes of an event.
import type { standardUsage } from '../../providers/answer.ts'
import { createSseParser, readEvent, type SseEvent, type StreamItem } from '../../providers/sse.ts'
import type { Aqta } from '../call/trace.ts'

/**
 * Turns what a provider sends into what the caller gets: complete events, in order. From the first finish on, the
 * latest chunk is held back, because `aqta` goes on the last one and its cost is known only with the usage.
 */
export type EventWriter = {
  push(item: StreamItem): Uint8Array[]
  /** True if the answer and its usage are complete. `finish` then need not wait for the end of the stream. */
  isComplete(): boolean
  /** Bytes (UTF-8) of the answer that are kept until its end, without the chunk that is held back. */
  heldBytes(): number
  /** The chunk that was held back, with `aqta` on the finish chunk or on the usage chunk that was asked for. */
  finish(end: { aqta: Aqta; usage: StandardUsage | null }): Uint8Array[]
  /** The events after that, at the end of a whole answer. */
  close(): Uint8Array[]
  /**
   * The chunk that was held back, unchanged, then the error as the last event. No closing mark follows, since the answer is
   * not whole.
   */
  fail(error: object): Uint8Array[]
}

export type StandardUsage = ReturnType<typeof standardUsage>

const encoder = new TextEncoder()

export const dataEvent = (data: object | string): Uint8Array =>
  encoder.encode(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)

export const namedEvent = (name: string, data: object): Uint8Array =>
  encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)

/** Holds back one thing at a time, from the moment it is told to. */
type Hold<T> = {
  /** Takes `next` and returns the things that may go on now. `begin` starts to hold. */
  pass(next: T, begin: boolean): T[]
  isHolding(): boolean
  /** The held thing, if any. */
  release(): T[]
}

export function createHold<T>(): Hold<T> {
  let held: T[] = []
  const release = (): T[] => held.splice(0)
  return {
    pass(next, begin) {
      if (!begin && held.length === 0) return [next]
      const earlier = held
      held = [next]
      return earlier
    },
    isHolding: () => held.length > 0,
    release,
  }
}

/** In order; their bytes in a row are the stream. */
export function eventsOf(stream: Uint8Array): (SseEvent & { raw: Uint8Array })[] {
  const parser = createSseParser({ maxEventBytes: stream.byteLength })
  const events = [...(parser.push(stream) ?? []), ...parser.end()]
  return events.map((raw) => {
    const { event, data } = readEvent(raw)
    return { event, data, raw }
  })
}
