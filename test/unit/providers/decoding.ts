// Events of a stream given to its decoder, as they come from a provider.
import type { StreamDecoder } from '../../../src/providers/provider.ts'
import { assembleAnswer } from '../../../src/providers/assemble-answer.ts'
import type { Answer, StreamEvent } from '../../../src/providers/chat-answer.ts'
import type { ProviderId } from '../../../src/providers/provider-registry.ts'
import { chatOf } from '../../fixtures/providers/index.ts'
import type { Said, SentEvent } from '../../fixtures/providers/material.ts'

const encoder = new TextEncoder()

/** Decodes events with this data, before the end of the bytes. */
export const decodeData = (decoder: StreamDecoder, data: readonly string[]): StreamEvent[] =>
  data.flatMap((text) => decoder.push(encoder.encode(`data: ${text.replaceAll('\n', '\ndata: ')}\n\n`), true).events)

export const decodeObjects = (decoder: StreamDecoder, objects: readonly (object | string)[]): StreamEvent[] =>
  decodeData(
    decoder,
    objects.map((object) => (typeof object === 'string' ? object : JSON.stringify(object))),
  )

/** Decodes a stream of a provider to its end. */
export function decodeEvents(provider: ProviderId, events: readonly SentEvent[]): StreamEvent[] {
  const decoder = chatOf(provider).stream()
  return [...decodeObjects(decoder, events), ...decoder.close()]
}

/** Decodes an answer in one piece and as a stream. Throws if one of them is none. */
export function decodeBoth(provider: ProviderId, { whole, events }: Said): Answer[] {
  const decoded = chatOf(provider).decode(whole)
  const read = decodeEvents(provider, events)
  if (!decoded.ok || read.at(-1)?.type !== 'end') throw new Error(`no answer of ${provider}`)
  return [decoded.answer, assembleAnswer(read)]
}
