// Events of a stream given to its decoder, as they come from a provider.
import type { StreamDecoder } from '../../../src/providers/adapter.ts'
import type { StreamEvent } from '../../../src/providers/chat-answer.ts'

const encoder = new TextEncoder()

/** Decodes events with this data, before the end of the bytes. */
export const decodeData = (decoder: StreamDecoder, data: readonly string[]): StreamEvent[] =>
  data.flatMap((text) => decoder.push(encoder.encode(`data: ${text.replaceAll('\n', '\ndata: ')}\n\n`), true).events)

export const decodeObjects = (decoder: StreamDecoder, objects: readonly object[]): StreamEvent[] =>
  decodeData(
    decoder,
    objects.map((object) => JSON.stringify(object)),
  )
