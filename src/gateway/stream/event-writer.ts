// What the two ways of writing a stream have in common, and how an event is written.
import type { standardUsage } from '../../providers/answer.ts'
import type { StreamItem } from '../../providers/sse.ts'
import type { Aqta } from '../call/aqta.schema.ts'

/**
 * Turns what a provider sends into what the caller gets: complete events, in order. From the first finish on, the
 * latest chunk is held back, because `aqta` goes on the last one and its cost is known only with the usage.
 */
export type EventWriter = {
  push(item: StreamItem): Uint8Array[]
  /** Whether the answer is whole and its usage known, though its end has not been told: `finish` need not wait for that. */
  isComplete(): boolean
  /** What is kept of the answer until its end, in UTF-8; the chunk held back does not count. */
  heldBytes(): number
  /** What was held back, `aqta` on the finish chunk or on the usage chunk asked for. */
  finish(end: { aqta: Aqta; usage: StandardUsage | null }): Uint8Array[]
  /** What comes after that, at the end of a whole answer. */
  close(): Uint8Array[]
  /** What was held back, unchanged, then the error as the last event. There is no closing mark, since the answer is not whole. */
  fail(error: object): Uint8Array[]
}

export type StandardUsage = ReturnType<typeof standardUsage>

const encoder = new TextEncoder()

export const dataEvent = (data: object | string): Uint8Array =>
  encoder.encode(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`)

export const namedEvent = (name: string, data: object): Uint8Array =>
  encoder.encode(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)

/** Holds back one thing at a time, from the moment it is told to. */
export type Hold<T> = {
  /** What may go on now that `next` has come; `begin` starts the holding. */
  pass(next: T, begin: boolean): T[]
  isHolding(): boolean
  /** What was held, if anything. */
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
