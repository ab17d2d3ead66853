// Calls whose answers are begun and never read.
import { Agent, request, type IncomingMessage } from 'node:http'
import type { Call } from '../workerd/load.ts'

export type UnreadAnswers = { count: number; leave: () => void }

/** Sends them one after the other. Throws on one that is not answered 200. */
export async function openUnread(port: number, calls: readonly Call[]): Promise<UnreadAnswers> {
  const agent = new Agent()
  for (const call of calls) {
    const { statusCode } = await beginAnswer(agent, port, call)
    if (statusCode !== 200) throw new Error(`A stream was answered ${statusCode}.`)
  }
  return { count: calls.length, leave: () => agent.destroy() }
}

function beginAnswer(agent: Agent, port: number, { method, path, headers = {}, body }: Call): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
      response.on('error', () => undefined) // it is broken off in the end
      resolve(response.pause())
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
