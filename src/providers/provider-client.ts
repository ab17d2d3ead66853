// Sends a call to a provider: encodes it, waits within the deadlines, retries if safe, and reads the answer. Outcomes are values.
// SECURITY: a failure contains nothing that a provider wrote. A request may be megabytes, so only its encoded bytes are in
// memory, until the provider has taken them.
import { log } from '../platform/log.ts'
import type { JsonObject } from '../platform/json.ts'
import type { StreamDecoder, VerbName } from './provider.ts'
import { providerNamed } from './provider-registry.ts'
import { encodeRequest } from './model-support.policy.ts'
import { nativeOf } from './anthropic/native.ts'
import { readSchemaTool, readSchemaToolStream, sendsSchemaAsTool } from './anthropic/schema-tool.ts'
import type { Answer, StreamEvent, Usage } from './chat-answer.ts'
import type { Model } from './model-catalogue.ts'
import {
  openExchange,
  readText,
  systemRuntime,
  type Deadlines,
  type Exchange,
  type HasRoom,
  type ExchangeRequest,
  type Runtime,
} from './http-exchange.ts'
import { upstreamFailure, type Failure, type UpstreamFailure } from './failure.ts'
import { requestSizesOf } from './rejection.ts'
import type { ChatRequest } from './chat-request.ts'
import { defaultRetryPolicy, retryWaitMs, type RetryPolicy } from './call-retry.policy.ts'
import { createSseParser, type SseParser, type StreamItem } from './sse.ts'
import { parseJsonObject } from './lossless-json.ts'
import { stopAnswer, stopStream } from './text-stop.ts'

export type ProviderAccess = { readonly baseUrl: string; readonly apiKey: string }

export type Call = {
  readonly provider: ProviderAccess
  /** The verb that the provider is asked; chat unless said. */
  readonly verb?: VerbName
  /** The format whose answers the caller can be passed as they come; null if there is none. That of chat completions unless said. */
  readonly callersFormat?: 'chat' | 'messages' | null
  readonly model: Model
  readonly request: ChatRequest
  readonly signal: AbortSignal
  readonly deadlines: Deadlines
  readonly retry?: RetryPolicy
  readonly runtime?: Runtime
  /** Asks for memory as an answer that is read whole grows. */
  readonly hasRoom?: HasRoom
}

type Failed = {
  readonly ok: false
  readonly failure: Failure
  /** The usage that the provider reports together with its failure. */
  readonly usage?: Usage | null | undefined
  readonly ms: number
  readonly attempts: number
}

export type Completion =
  | {
      readonly ok: true
      readonly answer: Answer
      /** The unchanged body of a provider that speaks the standard, which may have more than `answer`; else null. */
      readonly passedBody: JsonObject | null
      readonly upstreamRequestId: string | null
      /** Milliseconds from the call to the answer, including waits and retries. */
      readonly ms: number
      readonly attempts: number
    }
  | Failed

export type StreamBatches = AsyncGenerator<readonly StreamItem[], void>

export type OpenStream =
  | {
      readonly ok: true
      /** True if `raw` has the standard's chunks and can be passed on. */
      readonly isPassed: boolean
      /**
       * The items of each network read. The last event is one `end` or one `failed`. Leaving the loop early cancels the provider.
       * A stream that is never iterated ends with the total deadline.
       */
      readonly batches: StreamBatches
      /** Resolves when the connection ends: a little after an `end`, because more bytes may follow it. */
      readonly closed: Promise<void>
      readonly upstreamRequestId: string | null
      readonly ms: number
      readonly attempts: number
    }
  | Failed

const MAX_ANSWER_BYTES = 8 * 1024 * 1024
const MAX_EVENT_BYTES = 4 * 1024 * 1024 // Perplexity's last event contains its whole answer

const verbOf = ({ model, verb = 'chat' }: Pick<Call, 'model' | 'verb'>) => providerNamed(model.provider).verbs[verb]

export function complete(call: Call): Promise<Completion> {
  const { decode } = verbOf(call)
  const { hasRoom } = call
  const applied = toApplyHere(call.request, call.model)
  return ask<{ answer: Answer; passedBody: JsonObject | null }>(call, false, async (exchange) => {
    const text = await readText(exchange, MAX_ANSWER_BYTES, hasRoom)
    if (typeof text !== 'string') return { ok: false, failure: text }
    const body = parseJsonObject(text)
    const decoded = decode(body)
    if (!decoded.ok) return decoded
    const answer = applyToAnswer(decoded.answer, applied)
    return { ok: true, answer, passedBody: isInCallersFormat(call) ? body : null }
  })
}

export function openStream(call: Call): Promise<OpenStream> {
  const { model } = call
  const isPassed = isInCallersFormat(call)
  const applied = toApplyHere(call.request, model)
  return ask<Pick<Opened, 'isPassed' | 'batches' | 'closed'>>(call, true, async (exchange) => {
    if (!/^text\/event-stream\b/i.test(exchange.headers.get('content-type') ?? '')) {
      await exchange.close()
      return { ok: false, failure: upstreamFailure('malformed') }
    }
    return {
      ok: true,
      isPassed,
      batches: readBatches(model, exchange, applied),
      closed: exchange.closed,
    }
  })
}

type Opened = Extract<OpenStream, { ok: true }>

type Outcome<T> =
  | ({ readonly ok: true } & T)
  | { readonly ok: false; readonly failure: UpstreamFailure; readonly usage?: Usage | null }
type CallReport = { readonly upstreamRequestId: string | null; readonly ms: number; readonly attempts: number }
type Answered<T> = ({ readonly ok: true } & T & CallReport) | Failed
type Read<T> = (exchange: Exchange) => Promise<Outcome<T>>

/** Encodes and sends a call. Has no await and no closure, so that the request is freed before the answer comes. */
async function ask<T>(call: Call, stream: boolean, read: Read<T>): Promise<Answered<T>> {
  const { provider, verb, model, request, ...waiting } = call
  const encoded = encodeRequest({ ...request, stream }, model, verb)
  if (!encoded.ok) return { ok: false, failure: encoded.unsupported, ms: 0, attempts: 0 }
  const { rejection: readRejection, turns = '' } = verbOf(call)
  const message = {
    url: provider.baseUrl.replace(/\/+$/, '') + encoded.path,
    headers: { ...encoded.headers, ...providerNamed(model.provider).authorise(provider.apiKey) },
    body: encoded.bytes?.() ?? encoder.encode(JSON.stringify(encoded.body)),
    errors: { readRejection, requestSizes: requestSizesOf(request, encoded.body[turns]) },
  }
  return send(message, waiting, read)
}

const encoder = new TextEncoder()

type SendOptions = Omit<Call, 'provider' | 'verb' | 'model' | 'request'>

/** Sends until an attempt succeeds, must not be repeated, or time is up. */
async function send<T>(message: ExchangeRequest, waiting: SendOptions, read: Read<T>): Promise<Answered<T>> {
  const { signal, deadlines, retry: policy = defaultRetryPolicy, runtime = systemRuntime } = waiting
  const started = runtime.now()
  let waitedMs = 0
  let isReached = false
  for (let attempt = 0; ; attempt += 1) {
    const totalMs = deadlines.totalMs - (runtime.now() - started)
    if (totalMs <= 0)
      return {
        ok: false,
        failure: upstreamFailure('deadline', { billed: 'no', isReached }),
        ms: runtime.now() - started,
        attempts: attempt,
      }
    const exchange = await openExchange(message, { signal, runtime, deadlines: { ...deadlines, totalMs } })
    const told = () => ({ ms: runtime.now() - started, attempts: attempt + 1 })
    // No attempt follows after a provider has begun to answer, so the message is freed here.
    if (exchange.ok) return readAnswer(exchange, read, told)
    isReached ||= exchange.failure.isReached
    const failure = { ...exchange.failure, isReached }
    const failed = { ok: false, failure, ...told() } as const
    const remainingMs = deadlines.totalMs - failed.ms
    const situation = { attempt, waitedMs, remainingMs, random: runtime.random(), policy }
    const waitMs = retryWaitMs(failure, situation)
    if (waitMs === null) return failed
    waitedMs += waitMs
    if (!(await pause(waitMs, signal, runtime)))
      return { ...failed, failure: upstreamFailure('caller', { billed: 'no', isReached }) }
  }
}

async function readAnswer<T>(
  exchange: Exchange,
  read: Read<T>,
  told: () => Pick<CallReport, 'ms' | 'attempts'>,
): Promise<Answered<T>> {
  const outcome = await read(exchange)
  const { upstreamRequestId } = exchange
  if (outcome.ok) return { ...outcome, ...told(), upstreamRequestId }
  const { failure, usage } = outcome
  return {
    ok: false,
    failure: { ...failure, upstreamRequestId: failure.upstreamRequestId ?? upstreamRequestId },
    usage,
    ...told(),
  }
}

async function* readBatches(model: Model, exchange: Exchange, applied: AppliedHere): StreamBatches {
  const parser = createSseParser({ maxEventBytes: MAX_EVENT_BYTES })
  const decoder = applyToStream(verbOf({ model }).stream(), applied)
  let isOver = false
  let isWhole = false
  try {
    while (!isOver) {
      const chunk = await exchange.next()
      const items = readChunk(chunk, parser, decoder)
      const last = items.map(endOf).find((event) => event !== undefined)
      isOver = chunk === null || last !== undefined
      isWhole = last?.type === 'end'
      if (items.length > 0) yield items
    }
  } finally {
    // The caller already has the end, and does not wait for bytes after it.
    if (isWhole) void exchange.drain()
    else await exchange.close()
  }
}

const NO_BYTES = new Uint8Array(0)

function readChunk(
  chunk: Uint8Array | UpstreamFailure | null,
  parser: SseParser,
  decoder: StreamDecoder,
): StreamItem[] {
  if (chunk !== null && !(chunk instanceof Uint8Array)) return [failedItem(chunk)]
  const events = chunk === null ? parser.end() : parser.push(chunk)
  if (events === null) return [failedItem(upstreamFailure('too_large'))]
  const items: StreamItem[] = events.map((raw) => decoder.push(raw, chunk !== null))
  const closing = chunk === null ? decoder.close() : []
  return closing.length === 0 ? items : [...items, { raw: NO_BYTES, data: null, events: closing }]
}

/** Returns the item's last event if it ends the stream. Does not read the events of a piece of text: that would decode it. */
function endOf(item: StreamItem): StreamEvent | undefined {
  const last = item.textBytes === undefined ? item.events.at(-1) : undefined
  return last?.type === 'end' || last?.type === 'failed' ? last : undefined
}

function failedItem(failure: UpstreamFailure): StreamItem {
  return { raw: NO_BYTES, data: null, events: [{ type: 'failed', failure }] }
}

/** Resolves to false if the caller left meanwhile. */
function pause(waitMs: number, signal: AbortSignal, runtime: Runtime): Promise<boolean> {
  return new Promise((resolve) => {
    const leave = () => {
      cancel()
      resolve(false)
    }
    const cancel = runtime.after(waitMs, () => {
      signal.removeEventListener('abort', leave)
      resolve(true)
    })
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
  })
}

/** True if the provider's answer is in the format that the caller reads, so that it can be passed on. */
function isInCallersFormat(call: Pick<Call, 'callersFormat' | 'model' | 'verb' | 'request'>): boolean {
  const { callersFormat = 'chat', model, request } = call
  const { takesNative, standardChunks } = verbOf(call)
  if (callersFormat === 'messages') return takesNative !== undefined && nativeOf(request, model) !== null
  return callersFormat === 'chat' && standardChunks
}

/** The changes to an answer that its provider cannot make itself. */
type AppliedHere = { readonly schemaTool: boolean; readonly stops: readonly string[]; readonly oneCall: boolean }

const toApplyHere = (request: ChatRequest, model: Model): AppliedHere => ({
  schemaTool: sendsSchemaAsTool(request, model),
  stops: request.stopHere ?? (verbOf({ model }).hasStop ? [] : (request.stop ?? [])),
  oneCall: wantsOneCall(request, model),
})

function applyToAnswer(answer: Answer, { schemaTool, stops, oneCall }: AppliedHere): Answer {
  const written = schemaTool ? readSchemaTool(answer) : answer
  const stopped = stops.length > 0 ? stopAnswer(written, stops) : written
  return oneCall ? keepFirstCall(stopped) : stopped
}

function applyToStream(decoder: StreamDecoder, { schemaTool, stops, oneCall }: AppliedHere): StreamDecoder {
  const written = schemaTool ? readSchemaToolStream(decoder) : decoder
  const stopped = stops.length > 0 ? stopStream(written, stops) : written
  return oneCall ? keepFirstCalls(stopped) : stopped
}

/**
 * Returns true if the answer must be cut to its first call: the caller wants no parallel calls, and the provider has no such
 * setting.
 */
function wantsOneCall({ parallelToolCalls }: ChatRequest, { capabilities }: Model): boolean {
  return parallelToolCalls === false && !capabilities.parallelToolCalls
}

const keepFirstCall = (answer: Answer): Answer => ({
  ...answer,
  choices: answer.choices.map((choice) => ({ ...choice, toolCalls: choice.toolCalls.slice(0, 1) })),
})

const keepFirstCalls = (decoder: StreamDecoder): StreamDecoder => ({
  push(raw, closed) {
    const item = decoder.push(raw, closed)
    return item.textBytes === undefined ? { ...item, events: item.events.filter(isKept) } : item
  },
  close: () => decoder.close().filter(isKept),
})

const isKept = (event: StreamEvent): boolean =>
  (event.type !== 'tool_call' && event.type !== 'tool_arguments') || event.index === 0

export type RefusedAccess = Pick<UpstreamFailure, 'upstreamStatus' | 'upstreamRequestId'>

/** Logs for the operator that a provider does not accept this deployment's key, account or name of a model. */
export function logRefusedAccess(requestId: string, { provider, id }: Model, refused: RefusedAccess): void {
  log({
    level: 'error',
    event: 'provider_refused_access',
    request_id: requestId,
    provider,
    model: id,
    upstream_status: refused.upstreamStatus,
    upstream_request_id: refused.upstreamRequestId,
  })
}
