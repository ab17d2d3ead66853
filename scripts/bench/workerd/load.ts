// Sends requests over a fixed number of kept-alive connections, each sending its next one when the last is answered. Every
// answer is checked: a figure for calls that were refused would say nothing.
import { Agent, request, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'

export type Call = {
  method: 'GET' | 'POST'
  path: string
  headers?: OutgoingHttpHeaders
  body?: string
  /** Whether the answer is the right one; the status is 200 by then, or the other one that is right too. */
  isRight: (body: string) => boolean
  otherStatus?: number
  /** Gaps before the piece that holds this, or after it, are not counted. */
  gapsUntil?: string
}

/** Milliseconds, from the sending of the request. `longestGapMs` is between two pieces of the body: 0 when there is one. */
export type Timing = { firstByteMs: number; longestGapMs: number; elapsedMs: number }

export type Answer = { status: number; body: string; timing: Timing }

export type LoadOptions = { port: number; connections: number; durationMs: number; nextCall: () => Call }

/** @returns when each call was answered, and how long all of them took */
export async function sendLoad(options: LoadOptions): Promise<{ timings: Timing[]; elapsedMs: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections })
  const startedAt = performance.now()
  const timings: Timing[] = []
  async function sendUntilDone(): Promise<void> {
    while (performance.now() - startedAt < options.durationMs) {
      const { timing } = await send(agent, options.port, options.nextCall())
      timings.push(timing)
    }
  }
  try {
    await Promise.all(Array.from({ length: options.connections }, sendUntilDone))
    return { timings, elapsedMs: performance.now() - startedAt }
  } finally {
    agent.destroy()
  }
}

/** The answer, read to its end. Throws on one that is not the right one. */
export function send(agent: Agent, port: number, call: Call): Promise<Answer> {
  const { method, path, headers = {}, body } = call
  return new Promise((resolve, reject) => {
    const startedAt = performance.now()
    const sent = request({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
      readAnswer(response, { startedAt, gapsUntil: call.gapsUntil }, (answer) => {
        const { status, body: text } = answer
        if ((status === 200 || status === call.otherStatus) && call.isRight(text)) resolve(answer)
        else reject(new Error(`${method} ${path} was answered ${status}: ${text.slice(0, 300)}`))
      })
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function readAnswer(
  response: IncomingMessage,
  { startedAt, gapsUntil }: { startedAt: number; gapsUntil: string | undefined },
  done: (answer: Answer) => void,
): void {
  let body = ''
  let firstAt: number | null = null
  let latestAt = startedAt
  let longestGapMs = 0
  let isCounted = true
  response.setEncoding('utf8')
  response.on('data', (piece: string) => {
    const at = performance.now()
    if (gapsUntil !== undefined && piece.includes(gapsUntil)) isCounted = false
    if (firstAt === null) firstAt = at
    else if (isCounted) longestGapMs = Math.max(longestGapMs, at - latestAt)
    latestAt = at
    body += piece
  })
  response.on('end', () => {
    const elapsedMs = performance.now() - startedAt
    done({
      status: response.statusCode ?? 0,
      body,
      timing: { firstByteMs: (firstAt ?? latestAt) - startedAt, longestGapMs, elapsedMs },
    })
  })
}
