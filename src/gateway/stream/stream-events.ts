// The events of a stream that is there as a whole.
import { createSseParser, readEvent, type SseEvent } from '../../providers/sse.ts'

/** In order; their bytes in a row are the stream. */
export function eventsOf(stream: Uint8Array): (SseEvent & { raw: Uint8Array })[] {
  const parser = createSseParser({ maxEventBytes: stream.byteLength })
  const events = [...(parser.push(stream) ?? []), ...parser.end()]
  return events.map((raw) => {
    const { event, data } = readEvent(raw)
    return { event, data, raw }
  })
}
