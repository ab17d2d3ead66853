// Sends requests over a fixed number of kept-alive connections, each sending its next one when the last is answered. Every
// answer is checked: a figure for calls that were refused would say nothing.
import { Agent, request, type OutgoingHttpHeaders } from 'node:http'

export type Call = {
  method: 'GET' | 'POST'
  path: string
  headers?: OutgoingHttpHeaders
  body?: string
  /** Whether the answer is the right one; the status is 200 by then. */
  isRight: (body: string) => boolean
}

export type LoadOptions = { port: number; connections: number; durationMs: number; nextCall: () => Call }

/** @returns how many calls were answered, and how long that took */
export async function sendLoad(options: LoadOptions): Promise<{ calls: number; elapsedMs: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections })
  const startedAt = performance.now()
  let calls = 0
  async function sendUntilDone(): Promise<void> {
    while (performance.now() - startedAt < options.durationMs) {
      await send(agent, options.port, options.nextCall())
      calls++
    }
  }
  try {
    await Promise.all(Array.from({ length: options.connections }, sendUntilDone))
    return { calls, elapsedMs: performance.now() - startedAt }
  } finally {
    agent.destroy()
  }
}

/** The body of the answer. Throws on an answer that is not the right one. */
export function send(agent: Agent, port: number, call: Call): Promise<string> {
  const { method, path, headers = {}, body } = call
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (text += chunk))
      response.on('error', reject)
      response.on('end', () => {
        if (response.statusCode === 200 && call.isRight(text)) resolve(text)
        else reject(new Error(`${method} ${path} was answered ${response.statusCode}: ${text.slice(0, 300)}`))
      })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
