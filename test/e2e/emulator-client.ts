// A plain fetch client of the model emulator, for its tests: the smallest good request of each provider, and ways to
// look at what came back.

import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { providerNamed, type ProviderId } from '../../src/providers/provider-registry.ts'
import { emulatedAs } from '../fixtures/providers/index.ts'
import type { CallOptions, Json } from '../fixtures/providers/material.ts'

export interface EmulatorClient {
  call: (provider: ProviderId, more?: Json, options?: CallOptions) => Promise<Response>
  stream: (provider: ProviderId, more?: Json, options?: CallOptions) => Promise<Response>
  /** The JSON answer. */
  json: (provider: ProviderId, more?: Json, options?: CallOptions) => Promise<unknown>
  /** The data of every event of a streamed answer. */
  events: (provider: ProviderId, more?: Json, options?: CallOptions) => Promise<unknown[]>
}

export function createClient(baseUrl: () => string): EmulatorClient {
  const call: EmulatorClient['call'] = (
    provider,
    more = {},
    { key = 'emulator-key', behave, at: path, signal, text } = {},
  ) =>
    fetch(baseUrl() + (path ?? emulatedAs(provider).path), {
      method: 'POST',
      headers: { ...keyHeaders(provider, key), ...(behave === undefined ? {} : { 'x-emulator-behaviour': behave }) },
      body: text ?? JSON.stringify({ ...emulatedAs(provider).body, ...more }),
      ...(signal === undefined ? {} : { signal }),
    })
  const stream: EmulatorClient['stream'] = (provider, more = {}, options = {}) => {
    const { streamPath } = emulatedAs(provider)
    return streamPath === undefined
      ? call(provider, { ...more, stream: true }, options)
      : call(provider, more, { at: streamPath, ...options })
  }
  return {
    call,
    stream,
    json: async (...request) => (await call(...request)).json(),
    events: async (...request) => dataOf(await (await stream(...request)).text()),
  }
}

const VERSION = { 'anthropic-version': '2023-06-01' }

const keyHeaders = (provider: ProviderId, key: string | null) => ({
  ...(provider === 'anthropic' && VERSION),
  ...(key === null ? {} : providerNamed(provider).authorise(key)),
})

/**
 * The chunks in which an answer was sent, from a raw connection: fetch puts together what arrives together. Each is
 * the payload of one HTTP chunk.
 */
export async function rawChunks(
  baseUrl: string,
  provider: ProviderId,
  behave: string,
  more: Json = {},
): Promise<Buffer[]> {
  const { hostname, port } = new URL(baseUrl)
  const body = Buffer.from(JSON.stringify({ ...emulatedAs(provider).body, ...more }))
  const headers = {
    ...keyHeaders(provider, 'emulator-key'),
    'x-emulator-behaviour': behave,
    connection: 'close',
    host: 'x',
  }
  const lines = Object.entries({ ...headers, 'content-length': body.length }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const socket = connect(Number(port), hostname)
  socket.write(`POST ${emulatedAs(provider).path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  socket.write(body)
  const answer = await buffer(socket)
  const chunks: Buffer[] = []
  let start = answer.indexOf('\r\n\r\n') + 4
  for (;;) {
    const lineEnd = answer.indexOf('\r\n', start)
    const size = Number.parseInt(answer.toString('latin1', start, lineEnd), 16)
    if (!(size > 0)) return chunks
    chunks.push(answer.subarray(lineEnd + 2, lineEnd + 2 + size))
    start = lineEnd + 2 + size + 2
  }
}

/** The data of every event, parsed where it is JSON. */
function dataOf(text: string): unknown[] {
  const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data: '))
  return lines.map((line): unknown => (line === 'data: [DONE]' ? '[DONE]' : JSON.parse(line.slice(6))))
}

/** The value at a path such as `choices.0.message`, or undefined. */
export function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
      value,
    )
}

/** The text at a path, empty where there is none. */
export function textAt(value: unknown, path: string): string {
  const found = at(value, path)
  return typeof found === 'string' ? found : ''
}

/** A JSON text's value, without a guess at its type. */
export function parsed(text: string): unknown {
  return JSON.parse(text)
}

/** The text of a streamed answer, put together from its deltas. */
export function textOf(provider: ProviderId, items: readonly unknown[]): string {
  return items.map((item) => textAt(item, emulatedAs(provider).delta)).join('')
}
