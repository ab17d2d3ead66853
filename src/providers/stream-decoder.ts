// The base of every provider's stream decoder. It reads whole JSON events, ends exactly once, and ignores what follows.
import * as z from 'zod'
import { once } from '../platform/once.ts'
import type { StreamDecoder } from './provider.ts'
import type { StreamEvent } from './chat-answer.ts'
import { reportedFailure, upstreamFailure, type FailureCause } from './failure.ts'
import { parseJson } from './lossless-json.ts'
import type { ReadRejection } from './rejection.ts'
import { FramedItem, readEvent, type SseEvent, type StreamItem } from './sse.ts'
import { endOfFramedText, learnFrame, type TextFrame } from './text-frame.ts'

/** Our events for a provider's event or the end of its bytes, or why the stream failed. */
export type DecodeResult = StreamEvent[] | FailureCause

/** After this many events in a row that match no frame, the search for frames stops: some providers number their events. */
const MOST_FRAME_MISSES = 4

export function createStreamDecoder(format: {
  /** Reads the provider's error events, which have the form of its errors. */
  readRejection: ReadRejection
  /**
   * Reads an event. For one piece of text, the decoder's state afterwards must not depend on that text. Events that differ only
   * in their text are not read again.
   * @param json the event's data, parsed; undefined if it is not JSON
   */
  read(json: unknown, data: string): DecodeResult
  /** Called when the bytes have ended and neither an `end` nor a failure came before. */
  close(): DecodeResult
}): StreamDecoder {
  let hasEnded = false
  /** Choice → the frame of its text events (see text-frame.ts). The choices of one stream may alternate. */
  const frames = new Map<number, TextFrame>()
  let frameMisses = 0

  /** @param json the data of the event; undefined if there is no event */
  function conclude(reading: DecodeResult, json: unknown): StreamEvent[] {
    const events: StreamEvent[] =
      typeof reading === 'string' ? [{ type: 'failed', failure: failureOf(reading, json) }] : reading
    const last = events.at(-1)?.type
    hasEnded = last === 'end' || last === 'failed'
    return events
  }

  const failureOf = (cause: FailureCause, json: unknown) =>
    cause === 'error_event' ? reportedFailure(json, format.readRejection) : upstreamFailure(cause)

  function learn(raw: Uint8Array, reading: DecodeResult): void {
    const textEvent = onlyText(reading)
    if (textEvent === null || frameMisses === MOST_FRAME_MISSES) return
    const frame = learnFrame(decoder.decode(raw), textEvent.text, (data) => {
      return onlyText(format.read(parseJson(data), data))?.text ?? null
    })
    frameMisses += 1
    if (frame !== null) frames.set(textEvent.choice, frame)
  }

  function findFramed(raw: Uint8Array): StreamItem | null {
    for (const [choice, frame] of frames) {
      const end = endOfFramedText(frame, raw)
      if (end === -1) continue
      frameMisses = 0
      return new FramedItem(raw, { choice, start: frame.start.length, end })
    }
    return null
  }

  function read(raw: Uint8Array, { event, data }: SseEvent, closed: boolean): StreamItem {
    if (data === null) return { raw, data, events: [] }
    const json = parseJson(data)
    if (event === 'error') return { raw, data, json, events: conclude('error_event', json) }
    const reading = format.read(json, data)
    learn(raw, reading)
    return { raw, data, json, events: conclude(reading === 'malformed' && !closed ? 'cut' : reading, json) }
  }

  return {
    push(raw, closed) {
      if (hasEnded) return { raw, data: null, events: [] }
      const framed = findFramed(raw)
      if (framed !== null) return framed
      return read(raw, readEvent(raw), closed)
    },
    close: () => (hasEnded ? [] : conclude(format.close(), undefined)),
  }
}

const decoder = new TextDecoder()

function onlyText(reading: DecodeResult): Extract<StreamEvent, { type: 'text' }> | null {
  if (typeof reading === 'string' || reading.length !== 1) return null
  const [event] = reading
  return event?.type === 'text' ? event : null
}

/** Decodes events that name their type in a member, each by its schema. The stream must end with an event. */
export const createTypedStreamDecoder = <Schema extends TypedEvents>(
  events: Schema,
  { read, readRejection }: { read: (event: z.infer<Schema>) => DecodeResult; readRejection: ReadRejection },
): StreamDecoder =>
  createStreamDecoder({
    readRejection,
    read(json) {
      const event = events.safeParse(json)
      if (event.success) return read(event.data)
      return isUnlisted(json, events) ? [] : 'malformed'
    },
    close: () => 'cut',
  })

type TypedEvents = z.ZodType & { readonly options: readonly { readonly shape: { readonly type: z.ZodType } }[] }

const typedSchema = once(() => z.object({ type: z.string() }))

/** Returns true if the event's type is not in `events`. Providers add types, and ask clients to ignore unknown ones. */
function isUnlisted(json: unknown, events: TypedEvents): boolean {
  const typed = typedSchema().safeParse(json)
  return typed.success && events.options.every(({ shape }) => !shape.type.safeParse(typed.data.type).success)
}
