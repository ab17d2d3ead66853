// Makes, sends and times a benchmark's requests. Answers are checked, because timings of refused requests say nothing.
import { Agent, request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'

export type Call = {
  method: 'GET' | 'POST'
  path: string
  headers?: OutgoingHttpHeaders
  body?: string
  /** Checks the body of an answer with status 200 or `otherStatus`. */
  isRight: (body: string) => boolean
  otherStatus?: number
}

/** Milliseconds since the request was sent: until the body begins, and until it ends. */
export type Timing = { firstByteMs: number; elapsedMs: number }

export type Answer = { status: number; body: string; timing: Timing }

/** Makes a call: GET without a body, or POST with JSON. */
export function makeCall(key: string, path: string, body: string | null, isRight: Call['isRight']): Call {
  const headers = { authorization: `Bearer ${key}` }
  if (body === null) return { method: 'GET', path, headers, isRight }
  const content = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
  return { method: 'POST', path, headers: { ...headers, ...content }, body, isRight }
}

/** Returns a function that returns the next item each time, and the first one after the last. */
export function cycle<T>(items: readonly T[]): () => T {
  let next = 0
  return () => {
    const item = items[next++ % items.length]
    if (item === undefined) throw new RangeError('The list to take items from is empty.')
    return item
  }
}

/** Servers close a connection that was idle for five seconds; a request that is sent just then fails. */
const MOST_IDLE_MS = 4000

/** Creates an agent that reuses connections. Destroy it in the end. */
export const createAgent = (): Agent => new Agent({ keepAlive: true, timeout: MOST_IDLE_MS })

/** Reads the answer to its end. Throws if it is wrong. */
export async function send(agent: Agent, port: number, call: Call): Promise<Answer> {
  const startedAt = performance.now()
  const response = await startRequest(agent, port, call)
  const answer = await readAnswer(response, startedAt)
  const { status, body } = answer
  if ((status === 200 || status === call.otherStatus) && call.isRight(body)) return answer
  throw new Error(`${call.method} ${call.path} answered ${status}: ${body.slice(0, 300)}`)
}

/** Sends the request and resolves when the answer begins. */
export function startRequest(
  agent: Agent,
  port: number,
  { method, path, headers = {}, body }: Call,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request({ agent, host: '127.0.0.1', port, method, path, headers }, resolve).on('error', reject).end(body)
  return promise
}

async function readAnswer(response: IncomingMessage, startedAt: number): Promise<Answer> {
  let body = ''
  let firstAt: number | null = null
  response.setEncoding('utf8')
  response.on('data', (piece: string) => {
    firstAt ??= performance.now()
    body += piece
  })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  response.on('error', reject).on('end', () => resolve(performance.now()))
  const endedAt = await promise
  return {
    status: response.statusCode ?? 0,
    body,
    timing: { firstByteMs: (firstAt ?? endedAt) - startedAt, elapsedMs: endedAt - startedAt },
  }
}
