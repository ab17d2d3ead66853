// Splits a provider's bytes into server-sent events (WHATWG rules), and defines the items of a decoded stream. Each event keeps its
// exact bytes, so that it can be passed on unchanged. Splitting bytes is safe, because a line end's bytes occur in no other UTF-8
// character. Only whole events are decoded.
import { createParser } from 'eventsource-parser'
import type { StreamEvent } from './chat-answer.ts'

const LF = 10
const CR = 13

export type SseEvent = {
  readonly event: string | null
  /** Null for comments and blank lines, which carry nothing but keep their position in the stream. */
  readonly data: string | null
}

export type SseParser = ReturnType<typeof createSseParser>

/**
 * Splits events with their closing blank lines: all of them in a row are the stream, byte for byte.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function createSseParser(options: { maxEventBytes: number }) {
  let buffer = new Uint8Array(0)
  let length = 0
  let scanned = 0
  let lineStart = 0

  /** Moves past the next blank line; returns -1 if there is none yet. A CR at the very end may be half of a CRLF. */
  function findEventEnd(bytes: Uint8Array): number {
    while (scanned < bytes.length) {
      const byte = bytes[scanned]
      if (byte !== LF && byte !== CR) {
        scanned += 1
        continue
      }
      if (byte === CR && scanned + 1 === bytes.length) return -1
      const isBlank = scanned === lineStart
      scanned += byte === CR && bytes[scanned + 1] === LF ? 2 : 1
      lineStart = scanned
      if (isBlank) return scanned
    }
    return -1
  }

  function append(chunk: Uint8Array): void {
    if (length + chunk.length > buffer.length) {
      const grown = new Uint8Array(Math.max(length + chunk.length, 2 * length))
      grown.set(buffer.subarray(0, length))
      buffer = grown
    }
    buffer.set(chunk, length)
    length += chunk.length
  }

  /** Stores the bytes after the last complete event. If they are in the buffer already, they are moved within it. */
  function keep(bytes: Uint8Array, start: number): void {
    if (bytes.buffer === buffer.buffer) {
      if (start > 0) buffer.copyWithin(0, start, length)
      length -= start
    } else append(bytes.subarray(start))
    scanned -= start
    lineStart -= start
  }

  return {
    /** Returns copies of the complete events of these and earlier bytes; null if an event is over the limit. */
    push(chunk: Uint8Array): Uint8Array[] | null {
      // Nearly every read has only whole events. Those are copied directly out of the chunk.
      if (length > 0) append(chunk)
      const bytes = length > 0 ? buffer.subarray(0, length) : chunk
      const events: Uint8Array[] = []
      let start = 0
      for (let end = findEventEnd(bytes); end !== -1; end = findEventEnd(bytes)) {
        if (end - start > options.maxEventBytes) return null
        events.push(bytes.slice(start, end))
        start = end
      }
      keep(bytes, start)
      return length > options.maxEventBytes ? null : events
    },
    /** Returns the last event, if the stream ended without its closing blank line. */
    end(): Uint8Array[] {
      const rest = buffer.slice(0, length)
      length = 0
      return rest.length === 0 ? [] : [rest]
    },
  }
}

const decoder = new TextDecoder()

/** Matches one `data` line, after an `event` line or alone, ended by LF. Nearly every event is that, and skips the parser. */
const PLAIN_EVENT = /^(?:event: ([^\r\n]+)\n)?data: ([^\r\n]*)\n\n$/

/**
 * Returns the fields of one event.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
 */
export function readEvent(raw: Uint8Array): SseEvent {
  const text = decoder.decode(raw)
  const plain = PLAIN_EVENT.exec(text)
  if (plain !== null) return { event: plain[1] ?? null, data: plain[2] ?? '' }
  let read: SseEvent = { event: null, data: null }
  const parser = createParser({
    onEvent: (message) => {
      read = { event: message.event ?? null, data: message.data }
    },
  })
  // The closing blank line may be missing or end in a CR that the parser would wait for; two more LF do no harm.
  parser.feed(`${text}\n\n`)
  return read
}

export type StreamItem = {
  readonly raw: Uint8Array
  /** Null for comments, and for an end without an event. */
  readonly data: string | null
  /** The data, parsed; absent if it was not parsed or is not JSON. */
  readonly json?: unknown
  readonly events: readonly StreamEvent[]
  /**
   * The length of the text in bytes, for an event that is one piece of text. Its `data` and `events` are then decoded each time
   * they are read.
   */
  readonly textBytes?: number
}

/** A byte order mark at the beginning of a piece of text is part of the text. */
const textDecoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: false })

/** A stream item whose event matches a frame (text-frame.ts). It is decoded only when somebody reads it. */
export class FramedItem implements StreamItem {
  readonly raw: Uint8Array
  readonly textBytes: number
  readonly choice: number
  /** Where the bytes of the text begin in `raw`. They have no escapes. */
  readonly textStart: number

  constructor(raw: Uint8Array, text: { choice: number; start: number; end: number }) {
    this.raw = raw
    this.textBytes = text.end - text.start
    this.choice = text.choice
    this.textStart = text.start
  }

  get data(): string | null {
    return readEvent(this.raw).data
  }

  get events(): readonly StreamEvent[] {
    const text = textDecoder.decode(this.raw.subarray(this.textStart, this.textStart + this.textBytes))
    return [{ type: 'text', choice: this.choice, text }]
  }
}
