// The proxy between a tested SDK and the service. It records each request and answer by the run that the URL names:
// /CLIENT/FEATURE/MODEL/v1/…. It forwards bytes as they come, and disconnects when the client does.
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import * as z from 'zod'
import { listen, type RunningServer } from '../local-http-server.ts'
import { FEATURES, type RunName } from './sdk-features.ts'

/** A request and the service's response. */
export type Exchange = {
  readonly run: RunName
  readonly method: string
  /** The path without the run's part, such as /v1/chat/completions. */
  readonly path: string
  readonly body: string
  readonly status: number
  /** The error in the body, or null. */
  readonly error: { readonly code: string; readonly message: string; readonly param: string | null } | null
  /** Returns true if the body of an answer with status 200 contains an error event, as a failing stream does. */
  readonly hasErrorEvent: () => boolean
}

export type RecordingProxy = RunningServer & {
  readonly baseUrlOf: (run: RunName) => string
  readonly exchangesOf: (run: RunName) => readonly Exchange[]
}

type ProxyOptions = {
  readonly serviceUrl: string
  /** Called before a run's POST is forwarded. */
  readonly beforePost: (run: RunName) => void
  /** Called for a request that belongs to no run: a program's report. */
  readonly onReport: (body: string) => Promise<void>
}

const EnvelopeSchema = z.object({
  error: z.object({
    code: z.string(),
    message: z.string().min(1),
    param: z.string().nullish(),
    details: z.object({ param: z.string().optional() }).optional(),
  }),
})
const FeatureSchema = z.enum(FEATURES)
const ERROR_EVENT = /^data: .*"error":\{"(?:message|type)"/m
const RUN_PATH = /^\/([^/]+)\/([^/]+)\/([^/]+)(\/v1\/.*)$/
export const REPORT_PATH = '/report'

export async function startRecordingProxy(options: ProxyOptions): Promise<RecordingProxy> {
  const exchanges = new Map<string, Exchange[]>()
  const addExchange = (exchange: Exchange): void => {
    const name = pathOf(exchange.run)
    exchanges.set(name, [...(exchanges.get(name) ?? []), exchange])
  }
  const server = createServer((request, response) => {
    handle(request, response, options, addExchange).catch(() => response.destroy())
  })
  const listening = await listen(server)
  return {
    ...listening,
    baseUrlOf: (run) => `${listening.url}${pathOf(run)}/v1`,
    exchangesOf: (run) => exchanges.get(pathOf(run)) ?? [],
  }
}

const pathOf = ({ client, feature, model }: RunName): string =>
  `/${[client, feature, model].map(encodeURIComponent).join('/')}`

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  options: ProxyOptions,
  addExchange: (exchange: Exchange) => void,
): Promise<void> {
  const body = await textOf(request)
  if (request.url === REPORT_PATH) {
    await options.onReport(body)
    response.writeHead(204).end()
    return
  }
  const [, client = '', feature = '', model = '', path = ''] = (RUN_PATH.exec(request.url ?? '') ?? []).map((part) =>
    part.startsWith('/') ? part : decodeURIComponent(part),
  )
  const run = { client, feature: FeatureSchema.parse(feature), model }
  const method = request.method ?? 'GET'
  if (method === 'POST') options.beforePost(run)
  const answer = await forward(request, response, `${options.serviceUrl}${path}`, body)
  response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
  const status = answer.statusCode ?? 502
  if (status === 200) {
    let text = ''
    addExchange({ run, method, path, body, status, error: null, hasErrorEvent: () => ERROR_EVENT.test(text) })
    answer.on('data', (piece: Buffer) => (text += piece.toString('latin1')))
    answer.on('error', () => response.destroy()).pipe(response)
    return
  }
  const text = await textOf(answer)
  addExchange({ run, method, path, body, status, error: errorIn(text), hasErrorEvent: () => false })
  response.end(text)
}

/** Forwards the request and returns the response with its body unread. Cancels the request as soon as the client leaves. */
async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  url: string,
  body: string,
): Promise<IncomingMessage> {
  const { host: _, ...headers } = request.headers
  return new Promise((resolve, reject) => {
    const upstreamRequest = ask(url, { method: request.method ?? 'GET', headers }, resolve)
    upstreamRequest.on('error', reject)
    response.on('close', () => upstreamRequest.destroy())
    upstreamRequest.end(body)
  })
}

function errorIn(text: string): Exchange['error'] {
  const parsed = EnvelopeSchema.safeParse(asJson(text))
  if (!parsed.success) return null
  const { code, message, param, details } = parsed.data.error
  return { code, message, param: param ?? details?.param ?? null }
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
