// The interface that every provider adapter implements: it encodes requests, decodes answers and reads refusals. All of it is
// pure; no adapter uses the network.
import type { Answer, StreamEvent, Usage } from './answer.ts'
import type { Model } from './catalogue.ts'
import type { Unsupported, UpstreamFailure } from './failure.ts'
import type { JsonObject } from '../platform/json.ts'
import type { ReadRefusal } from './refusal.ts'
import type { ChatRequest } from './request.ts'
import type { StreamItem } from './sse.ts'

export type Encoded =
  | { readonly ok: true; readonly path: string; readonly headers: Headers; readonly body: JsonObject }
  | { readonly ok: false; readonly unsupported: Unsupported }

/** The members of a body, or the parameter that is not supported. */
export type EncodedMembers =
  | { readonly ok: true; readonly members: JsonObject }
  | { readonly ok: false; readonly unsupported: Unsupported }

type Headers = Readonly<Record<string, string>>

export type Decoded =
  | { readonly ok: true; readonly answer: Answer }
  | {
      readonly ok: false
      readonly failure: UpstreamFailure
      /** The usage that the answer reports although it cannot be read. */
      readonly usage?: Usage | null
    }

/**
 * Turns one provider's events into ours. Every stream ends in exactly one `end` or `failed`, and nothing follows it. `close` is
 * called when the bytes end. It returns the last event if none came before.
 */
export type StreamDecoder = {
  /**
   * @param raw an event as it came
   * @param closed whether its closing blank line came
   */
  push(raw: Uint8Array, closed: boolean): StreamItem
  close(): StreamEvent[]
}

export type Adapter = {
  /** True if its stream already has the standard's chunks, which can be passed on unchanged. */
  readonly standardChunks: boolean
  /** Returns the headers that carry the key. SECURITY: never in a URL, because URLs are written to logs. */
  readonly authorise: (apiKey: string) => Headers
  encode(request: ChatRequest, model: Model): Encoded
  decode(body: unknown): Decoded
  createStreamDecoder(): StreamDecoder
  readonly readRefusal: ReadRefusal
}
