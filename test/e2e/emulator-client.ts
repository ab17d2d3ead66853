// A plain fetch client of the model emulator, for its tests: the smallest good request of each dialect, and ways to
// look at what came back.

import { connect } from 'node:net'
import { buffer } from 'node:stream/consumers'

export type Body = Record<string, unknown>
export interface CallOptions {
  /** Path of the URL, instead of the dialect's own. */
  at?: string
  /** The behaviours to ask for, in the header. */
  behave?: string
  /** Null sends none. */
  key?: string | null
  /** Sent in place of the body. */
  text?: string
  signal?: AbortSignal
}

const hello = { role: 'user', content: 'Hello' }
export const GEMINI = '/v1beta/models/gemini-3.6-flash'
export const DIALECTS = {
  openai: {
    path: '/openai/v1/chat/completions',
    body: { model: 'gpt-4.1-mini', messages: [hello] },
    text: 'choices.0.message.content',
    delta: 'choices.0.delta.content',
  },
  anthropic: {
    path: '/anthropic/v1/messages',
    body: { model: 'claude-haiku-4-5', max_tokens: 1000, messages: [hello] },
    text: 'content.0.text',
    delta: 'delta.text',
  },
  google: {
    path: `/google${GEMINI}:generateContent`,
    body: { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] },
    text: 'candidates.0.content.parts.0.text',
    delta: 'candidates.0.content.parts.0.text',
  },
  perplexity: {
    path: '/perplexity/v1/agent',
    body: { model: 'perplexity/sonar', input: 'Hello' },
    text: 'output.0.content.0.text',
    delta: 'delta',
  },
  mistral: {
    path: '/mistral-eu/v1/chat/completions',
    body: { model: 'mistral-medium-3-5', messages: [hello] },
    text: 'choices.0.message.content',
    delta: 'choices.0.delta.content',
  },
} as const
export type Dialect = keyof typeof DIALECTS
export const ALL = ['openai', 'anthropic', 'google', 'perplexity', 'mistral'] as const

export interface EmulatorClient {
  call: (dialect: Dialect, more?: Body, options?: CallOptions) => Promise<Response>
  stream: (dialect: Dialect, more?: Body, options?: CallOptions) => Promise<Response>
  /** The JSON answer. */
  json: (dialect: Dialect, more?: Body, options?: CallOptions) => Promise<unknown>
  /** The data of every event of a streamed answer. */
  events: (dialect: Dialect, more?: Body, options?: CallOptions) => Promise<unknown[]>
}

export function createClient(baseUrl: () => string): EmulatorClient {
  const call: EmulatorClient['call'] = (
    dialect,
    more = {},
    { key = 'emulator-key', behave, at: path, signal, text } = {},
  ) =>
    fetch(baseUrl() + (path ?? DIALECTS[dialect].path), {
      method: 'POST',
      headers: { ...keyHeaders(dialect, key), ...(behave === undefined ? {} : { 'x-emulator-behaviour': behave }) },
      body: text ?? JSON.stringify({ ...DIALECTS[dialect].body, ...more }),
      ...(signal === undefined ? {} : { signal }),
    })
  const stream: EmulatorClient['stream'] = (dialect, more = {}, options = {}) =>
    dialect === 'google'
      ? call('google', more, { at: `/google${GEMINI}:streamGenerateContent?alt=sse`, ...options })
      : call(dialect, { ...more, stream: true }, options)
  return {
    call,
    stream,
    json: async (...request) => (await call(...request)).json(),
    events: async (...request) => dataOf(await (await stream(...request)).text()),
  }
}

function keyHeaders(dialect: Dialect, key: string | null): Record<string, string> {
  if (key === null) return {}
  if (dialect === 'google') return { 'x-goog-api-key': key }
  if (dialect === 'anthropic') return { 'x-api-key': key, 'anthropic-version': '2023-06-01' }
  return { authorization: `Bearer ${key}` }
}

/**
 * The chunks in which an answer was sent, from a raw connection: fetch puts together what arrives together. Each is
 * the payload of one HTTP chunk.
 */
export async function rawChunks(baseUrl: string, dialect: Dialect, behave: string, more: Body = {}): Promise<Buffer[]> {
  const { hostname, port } = new URL(baseUrl)
  const body = Buffer.from(JSON.stringify({ ...DIALECTS[dialect].body, ...more }))
  const headers = {
    ...keyHeaders(dialect, 'emulator-key'),
    'x-emulator-behaviour': behave,
    connection: 'close',
    host: 'x',
  }
  const lines = Object.entries({ ...headers, 'content-length': body.length }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  const socket = connect(Number(port), hostname)
  socket.write(`POST ${DIALECTS[dialect].path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
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
export function textOf(dialect: Dialect, items: readonly unknown[]): string {
  return items.map((item) => textAt(item, DIALECTS[dialect].delta)).join('')
}
