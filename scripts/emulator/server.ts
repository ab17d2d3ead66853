// The model emulator: an HTTP server that answers like the model providers, each endpoint under its own path prefix. Every answer says
// that no model wrote it. See docs/local.md.

import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  ENDPOINT_IDS,
  endpointNamed,
  PROVIDERS,
  type EndpointId,
  type ProviderId,
} from '../../src/providers/provider-registry.ts'
import { listen, readBodyText, type RunningServer } from '../local-http-server.ts'
import { parseRequestPath, splitModel } from './behaviour-source.ts'
import type { RequestPath } from './behaviour-source.ts'
import { parseBehaviours } from './behaviours.ts'
import { answerControl, CONTROL_PREFIX, parseJson } from './control-routes.ts'
import { EmulatorState } from './emulator-state.ts'
import type { EmulatorOptions } from './emulator-state.ts'
import { anthropic } from './formats/anthropic.ts'
import { bedrock } from './formats/bedrock.ts'
import { google } from './formats/google.ts'
import { mistral } from './formats/mistral.ts'
import { openAi } from './formats/openai.ts'
import { perplexity } from './formats/perplexity.ts'
import { PLAIN_PLAN } from './answer-plan.ts'
import { pathWithoutKey, withoutSecrets } from './request-recorder.ts'
import type { RecordedRequest } from './request-recorder.ts'
import { createReply } from './reply.ts'
import type { Reply } from './reply.ts'
import { isObject } from './sample-json.ts'
import { serveCall } from './serve-call.ts'
import { sendJson } from './send-emulated-answer.ts'
import type { WireFormat } from './wire-format.ts'

export const FORMATS: Readonly<Record<ProviderId, WireFormat>> = {
  openai: openAi,
  anthropic,
  google,
  perplexity,
  bedrock,
  mistral,
}
const MAX_BODY_BYTES = 32 * 1024 * 1024
const HOLD_LIMIT_MS = 120_000

/** A running emulator. An endpoint's base URL is `url` and its id, such as `/openai-eu`. */
export interface Emulator extends RunningServer {
  /** Queues one specification for each of the endpoint's next requests. Throws if a specification is unknown. */
  behave: (endpoint: EndpointId, specifications: readonly string[]) => void
  /** Returns the recorded requests, oldest first; none unless `record` was set. */
  requests: () => RecordedRequest[]
  /** Answers all requests that wait because of `until-released`, and new ones until a reset. */
  release: () => void
  /** Resolves when no request since the last reset is open, so that a test can check the end of a cancelled request. */
  idle: () => Promise<void>
  /** Deletes records, queues, counters and prompt caches. */
  reset: () => void
}

export async function startEmulator(options: EmulatorOptions = {}): Promise<Emulator> {
  const { port = 0, host = '127.0.0.1' } = options
  const state = new EmulatorState(options)
  const server = createServer({ noDelay: true, keepAliveTimeout: 60_000 }, (request, response) => {
    handle(request, response, state).catch(() => response.destroy())
  })
  const listening = await listen(server, { port, host })
  return {
    ...listening,
    behave(endpoint, specifications) {
      const problem = state.behaviours.enqueue(endpoint, specifications)
      if (problem !== null) throw new Error(`emulator: ${problem}`)
    },
    requests: () => state.recorder.list(),
    release: () => state.release(),
    idle: () => state.idle(),
    reset: () => state.reset(),
  }
}

async function handle(request: IncomingMessage, response: ServerResponse, state: EmulatorState): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://emulator.invalid')
  // Null means that the body is longer than any provider accepts.
  const text = await readBodyText(request, MAX_BODY_BYTES)
  const target = parseRequestPath(url.pathname)
  const record = startRecord(request, url, text ?? '', target, state)
  if (target === null) {
    const reply = createReply(response, record, () => undefined)
    return answerOther(request, url, text ?? '', reply, state)
  }
  const reply = createReply(response, record, state.requestOpened())
  return answerProvider(request, url, text, target, reply, state)
}

function startRecord(
  request: IncomingMessage,
  url: URL,
  body: string,
  target: RequestPath | null,
  state: EmulatorState,
): RecordedRequest {
  return {
    serial: target === null ? '' : state.nextSerial(),
    connection: state.connectionOf(request.socket),
    endpoint: target?.endpoint ?? PROVIDERS[0].endpoints[0].id,
    method: request.method ?? '',
    path: pathWithoutKey(target?.path ?? url.pathname, url.searchParams),
    keyInUrl: url.searchParams.has('key'),
    headers: withoutSecrets(request.headers),
    body,
    behaviour: '',
    state: 'open',
    status: null,
    bytesSent: 0,
    eventsSent: 0,
  }
}

async function answerOther(
  request: IncomingMessage,
  url: URL,
  body: string,
  reply: Reply,
  state: EmulatorState,
): Promise<void> {
  if (!url.pathname.startsWith(CONTROL_PREFIX)) {
    const endpoints = ENDPOINT_IDS.map((name) => `/${name}`)
    return sendJson(reply, url.pathname === '/' ? 200 : 404, { emulator: 'countersign', endpoints }, PLAIN_PLAN)
  }
  const answer = await answerControl(request, url, body, state)
  return sendJson(reply, answer.status, answer.body, PLAIN_PLAN)
}

/** Returns the path without the endpoint's prefix; null if it has another one. */
export function pathAt(endpoint: EndpointId, path: string): string | null {
  const { prefix } = endpointNamed(endpoint)
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : null
}

async function answerProvider(
  request: IncomingMessage,
  url: URL,
  text: string | null,
  target: RequestPath,
  reply: Reply,
  state: EmulatorState,
): Promise<void> {
  const { endpoint } = target
  const path = pathAt(endpoint, target.path)
  const body = text === null ? undefined : parseJson(text)
  const isPosted = request.method === 'POST'
  const spoken = FORMATS[endpointNamed(endpoint).provider]
  const format = isPosted && path !== null && spoken.answers(path) ? spoken : null
  const asked = splitModel(format?.modelOf(path ?? '', isObject(body) ? body : {}) ?? '')
  const specification = state.behaviours.next(endpoint, request.headers, target.behaviour, asked.behaviour)
  reply.record.behaviour = specification
  state.recorder.begin(reply.record)
  if ((format === null || path === null) && spoken.unknownPath !== undefined)
    return sendJson(reply, 200, spoken.unknownPath, PLAIN_PLAN)
  if (format === null || path === null)
    return sendJson(reply, 404, { error: 'emulator: nothing at this path' }, PLAIN_PLAN)
  if (text === null) return sendJson(reply, 413, { error: 'emulator: body too large' }, PLAIN_PLAN)
  const parsed = parseBehaviours(specification, { ...PLAIN_PLAN, headerDelayMs: state.options.delayMs ?? 0 })
  if (!parsed.ok) return sendJson(reply, 400, { error: `emulator: ${parsed.problem}` }, PLAIN_PLAN)
  const call = { path, query: url.searchParams, headers: request.headers }
  const served = {
    endpoint,
    format,
    call,
    body,
    model: asked.model,
    plan: parsed.plan,
    holdLimitMs: state.options.holdLimitMs ?? HOLD_LIMIT_MS,
    released: state.released,
  }
  const owner = [endpoint, asked.model, format.key(call)].join(' ')
  return serveCall(served, reply, {
    serial: reply.record.serial,
    nowMs: Date.now(),
    nextSample: () => state.nextSample(endpoint),
    useCache: (points) => state.promptCache.use(owner, points),
  })
}
