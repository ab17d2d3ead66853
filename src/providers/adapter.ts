// The interface that every provider adapter implements: it encodes requests, decodes answers and reads rejections. All of it is
// pure; no adapter uses the network.
import type { Answer, StreamEvent, Usage } from './chat-answer.ts'
import type { Model } from './model-catalogue.ts'
import type { Unsupported, UpstreamFailure } from './failure.ts'
import type { JsonObject } from '../platform/json.ts'
import type { ReadRejection } from './rejection.ts'
import type { ChatRequest } from './chat-request.ts'
import type { StreamItem } from './sse.ts'

export type EncodedRequest =
  | { readonly ok: true; readonly path: string; readonly headers: Headers; readonly body: JsonObject }
  | { readonly ok: false; readonly unsupported: Unsupported }

/** The members of a body, or the parameter that is not supported. */
export type EncodedMembers =
  | { readonly ok: true; readonly members: JsonObject }
  | { readonly ok: false; readonly unsupported: Unsupported }

type Headers = Readonly<Record<string, string>>

export type DecodedAnswer =
  | { readonly ok: true; readonly answer: Answer }
  | {
      readonly ok: false
      readonly failure: UpstreamFailure
      /** The usage that the answer reports although it cannot be read. */
      readonly usage?: Usage | null
    }

/**
 * Turns one provider's events into ours. Every stream ends in exactly one `end` or `failed`, and nothing follows it. Call
 * `close` when the bytes end: it returns that last event if `push` has returned none.
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
  /** True if its stream already has chunks of OpenAI's chat completions, which can be passed on unchanged. */
  readonly standardChunks: boolean
  /** False if the provider has no stop sequences: they are applied to its answers here. */
  readonly hasStop: boolean
  /** Returns the headers that carry the key. SECURITY: never in a URL, because URLs are written to logs. */
  readonly authorise: (apiKey: string) => Headers
  encode(request: ChatRequest, model: Model): EncodedRequest
  decode(body: unknown): DecodedAnswer
  createStreamDecoder(): StreamDecoder
  readonly readRejection: ReadRejection
}
