// One event of a provider's stream: its bytes, its data, and what it means.
import type { StreamEvent } from './answer.ts'
import { readEvent } from './sse.ts'

export type StreamItem = {
  readonly raw: Uint8Array
  /** null for comments, and for an end that no event marked. */
  readonly data: string | null
  readonly events: readonly StreamEvent[]
  /**
   * Of an event that is known by its bytes to say one piece of text and nothing else: how long that is. Its `data` and its
   * `events` are made anew each time they are asked for.
   */
  readonly textBytes?: number
}

/** A mark that stands at the beginning of a piece of text belongs to it. */
const decoder = new TextDecoder('utf-8', { ignoreBOM: true, fatal: false })

/** An event that fits a frame, which needs no reading where it is passed on as it is. */
export class FramedItem implements StreamItem {
  readonly raw: Uint8Array
  readonly textBytes: number
  readonly #choice: number
  readonly #textStart: number

  constructor(raw: Uint8Array, text: { choice: number; start: number; end: number }) {
    this.raw = raw
    this.textBytes = text.end - text.start
    this.#choice = text.choice
    this.#textStart = text.start
  }

  get data(): string | null {
    return readEvent(this.raw).data
  }

  get events(): readonly StreamEvent[] {
    const text = decoder.decode(this.raw.subarray(this.#textStart, this.#textStart + this.textBytes))
    return [{ type: 'text', choice: this.#choice, text }]
  }
}
