// The interface of a wire format. Each adapter encodes, decodes and reads refusals. All of it is pure, and no adapter knows
// the network.
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

/** A part of a body, or what stands in its way. */
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
 * Turns one provider's events into ours. Every stream ends in exactly one `end` or `failed`, after which nothing
 * follows; `close` is called when the bytes end and says what that means if neither came before.
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
  /** True if its stream is the standard's own chunks, which can be passed on as they are. */
  readonly standardChunks: boolean
  /** The headers that carry the key. Never a URL: those end up in logs. */
  readonly authorise: (apiKey: string) => Headers
  encode(request: ChatRequest, model: Model): Encoded
  decode(body: unknown): Decoded
  createStreamDecoder(): StreamDecoder
  readonly readRefusal: ReadRefusal
}
