// The interface of a provider: its endpoints, and each verb that it answers in its own wire format. All of a verb is pure: it
// encodes requests, decodes answers and reads rejections, and never uses the network.
import type { JsonObject } from '../platform/json.ts'
import type { DataRegion } from '../platform/data-region.ts'
import type { ModelEntry, PricesOverTime, RegionPromise, RouteEntry } from './catalogue.schema.ts'
import type { Answer, StreamEvent, Usage } from './chat-answer.ts'
import type { ChatRequest } from './chat-request.ts'
import type { Unsupported, UpstreamFailure } from './failure.ts'
import type { ReadRejection } from './rejection.ts'
import type { StreamItem } from './sse.ts'

/** A provider is the company that receives a prompt. It may serve models of other companies. */
export type Provider = {
  readonly id: string
  /** The name that people know it by. */
  readonly label: string
  readonly endpoints: readonly ProviderEndpoint[]
  /** Returns the headers that carry the key. SECURITY: never in a URL, because URLs are written to logs. */
  readonly authorise: (apiKey: string) => Headers
  readonly verbs: Verbs
}

/** A place that a provider serves models at. Its settings begin with its id: OPENAI_EU_BASE_URL and OPENAI_EU_API_KEY. */
type ProviderEndpoint = {
  readonly id: string
  /** The provider's own host, unless a setting overrides it. */
  readonly baseUrl: string
  /** Precedes the path that the verb adds. */
  readonly prefix?: string
  /** No setting may name another host, because prompts are sent here for where it is. */
  readonly isFixed?: true
}

type Verbs = { readonly chat: ChatVerb }

export type VerbName = keyof Verbs

/** A question and its answer in one piece, in a provider's wire format. */
export type Verb = {
  readonly encode: (request: ChatRequest, model: RoutedModel) => EncodedRequest
  readonly decode: (body: unknown) => DecodedAnswer
  readonly rejection: ReadRejection
  /** The member of a body that has the turns, so that a rejection of one is traced to its message; none if they are no list of roles. */
  readonly turns?: string
}

/** A conversation and its answer, whole or as a stream. */
export type ChatVerb = Verb & {
  /** True if its stream already has chunks of OpenAI's chat completions, which can be passed on unchanged. */
  readonly standardChunks: boolean
  /** Requests in Anthropic's own format are sent as they came: in full, or without what the endpoint does not know. */
  readonly takesNative?: 'whole' | 'in_part'
  /** False if the provider has no stop sequences: they are applied to its answers here. */
  readonly hasStop: boolean
  readonly sends?: SentBeyond
  readonly stream: () => StreamDecoder
}

/** Tells how a provider is sent more than the request has, which the estimate of its tokens counts. */
type SentBeyond = {
  /** A tool's result is sent inside JSON. */
  readonly resultsAsJson?: true
  /** A call's signature is sent with the call and with its result. */
  readonly signaturesTwice?: true
  /** References in a strict schema are written out. */
  readonly schemasWrittenOut?: true
}

export type RoutedModel = Omit<ModelEntry, 'routes' | 'prices'> & {
  readonly wire: Wire
  /** ISO 3166-1 codes of the countries that its provider may process the text in; null if it does not say. */
  readonly places: readonly string[] | null
  readonly dataRegion: DataRegion
  readonly promise: RegionPromise | null
  readonly prices: PricesOverTime
}

/** `model`: the name that the endpoint knows the model by. */
type Wire = Readonly<Pick<RouteEntry, 'preset' | 'schemaAs'>> & { readonly model: string; readonly sends: SentBeyond }

export type EncodedRequest =
  | {
      readonly ok: true
      readonly path: string
      readonly headers: Headers
      readonly body: JsonObject
      /** Writes the body where its bytes must be those of the caller. */
      readonly bytes?: (() => Uint8Array) | undefined
    }
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

export const bearer = (apiKey: string): Headers => ({ authorization: `Bearer ${apiKey}` })
