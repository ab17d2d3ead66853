// The callers of the neighbours benchmark: the wait of one request after another, and the times of a stream's pieces.
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { createAgent, makeCall, send, startRequest, type Call } from '../send-load.ts'

const CHAT_PATH = '/v1/chat/completions'

const isWhole = (answer: string): boolean => answer.endsWith('data: [DONE]\n\n') || answer.includes('"stop"')

/** Makes a chat call. Its answer must be whole. Each differs, because the gateway blocks repeated requests as a loop. */
export function chatCall(key: string, text: string, more: object = {}): Call {
  const content = `${text} ${crypto.randomUUID()}`
  const body = JSON.stringify({ model: 'gpt-4.1-mini', messages: [{ role: 'user', content }], ...more })
  return makeCall(key, CHAT_PATH, body, isWhole)
}

/** Sends a request after the other until `isOver`. Returns the milliseconds that each took. */
export async function requestsUntil(
  isOver: () => boolean,
  port: number,
  nextCall: () => Call,
  pauseMs: number,
): Promise<number[]> {
  const agent = createAgent()
  const times: number[] = []
  while (!isOver()) {
    times.push((await send(agent, port, nextCall())).timing.elapsedMs)
    await sleep(pauseMs)
  }
  agent.destroy()
  return times
}

/** Milliseconds until the first piece with the mark, and between it and each next one. */
export type HeardStream = { firstMs: number; gapsMs: number[] }

/** Opens a stream after the other until `isOver`, and then leaves the last one. */
export async function streamsUntil(
  isOver: () => boolean,
  port: number,
  nextCall: () => Call,
  mark: string,
): Promise<HeardStream[]> {
  const agent = createAgent()
  const heard: HeardStream[] = []
  while (!isOver()) {
    const startedAt = performance.now()
    const response = await startRequest(agent, port, nextCall())
    const leaving = setInterval(() => isOver() && response.destroy(), 10)
    const stream: HeardStream = { firstMs: Number.NaN, gapsMs: [] }
    heard.push(stream)
    let last = startedAt
    try {
      for await (const piece of response.setEncoding('utf8') as AsyncIterable<string>) {
        if (!piece.includes(mark)) continue
        const now = performance.now()
        if (Number.isNaN(stream.firstMs)) stream.firstMs = now - startedAt
        else stream.gapsMs.push(now - last)
        last = now
      }
    } catch (error) {
      if (!isOver()) throw error
    } finally {
      clearInterval(leaving)
    }
  }
  agent.destroy()
  return heard
}

/**
 * Posts a body of blanks, each a chunk of its own. The service refuses it when it has read it. All is written at once, so that
 * neither the service nor this process waits for pieces.
 */
export async function postInPieces(port: number, key: string, count: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  const head = [
    `POST ${CHAT_PATH} HTTP/1.1`,
    'host: 127.0.0.1',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
    'transfer-encoding: chunked',
  ].join('\r\n')
  socket.write(`${head}\r\n\r\n${'1\r\n \r\n'.repeat(count)}0\r\n\r\n`)
  const answer = z.tuple([z.string()]).parse(await once(socket.setEncoding('utf8'), 'data'))[0]
  socket.destroy()
  if (!answer.startsWith('HTTP/1.1 400 ')) throw new Error(`A body in pieces was answered ${answer.slice(0, 300)}`)
}
