// A small server that answers a few calls of the referral contract correctly and can be told to answer one of them
// wrongly, so that the contract runner's own judgement can be tested.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import {
  HELD_BECAUSE,
  HELD_CANNOT_TELL,
  HELD_ESTABLISHED,
  HELD_NOTE,
  WHO_HOLDS_THIS,
} from '../../../scripts/contract/allowed-sentences.ts'
import { listen, readBodyText } from '../../../scripts/local-http-server.ts'
import { answerFigures, FAKE_DATES } from './fake-figures.ts'

type FakeRequest = {
  readonly method: string
  readonly path: string
  readonly key: string | undefined
  /** The body as JSON; null when it is none. */
  readonly body: Readonly<Record<string, unknown>> | null
}

export type FakeAnswer = {
  status: number
  headers: Record<string, string>
  body: Record<string, unknown>
  /** Sent in place of `body` where the answer is no JSON. */
  text: string | null
  /** Become error.identifiers when the answer is an identifier_found. */
  identifiers: { shape: string; start: number; end: number }[]
}

/** Changes a correct answer, or leaves it as it is. What it returns does not matter. */
export type Mistake = (answer: FakeAnswer, request: FakeRequest) => unknown

export const FAKE_KEY = 'vk_test_fake'
export const FAKE_LIMITED_KEY = 'vk_test_fakelimited'
const LIMIT = 5
const MOST_BYTES = 1024 * 1024
const EMAIL = /[\w.]+@[\w.]+\.\w+/g
const HELD = new Set([
  'choose_destination',
  'submit_referral',
  'assign_urgency',
  'rank_suitability',
  'book_appointment',
])

export type FakeDeployment = { readonly baseUrl: string; readonly close: () => Promise<void> }

export async function startFakeDeployment(mistake: Mistake = () => null): Promise<FakeDeployment> {
  const limitedCalls = { count: 0 }
  const server = createServer((incoming, outgoing) => void respond(incoming, outgoing))
  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = await readRequest(incoming)
    const answer = correctAnswer(request, limitedCalls)
    mistake(answer, request)
    outgoing.writeHead(answer.status, answer.headers)
    outgoing.end(answer.text ?? JSON.stringify(wireBody(answer)))
  }

  const { url, close } = await listen(server)
  return { baseUrl: url, close }
}

async function readRequest(incoming: IncomingMessage): Promise<FakeRequest> {
  const text = (await readBodyText(incoming, MOST_BYTES)) ?? ''
  return {
    method: incoming.method ?? '',
    path: incoming.url ?? '',
    key: incoming.headers.authorization?.replace('Bearer ', ''),
    body: parseObject(text),
  }
}

function correctAnswer(request: FakeRequest, limitedCalls: { count: number }): FakeAnswer {
  const { path, body, key } = request
  if (path === '/healthz')
    return compose(200, {
      status: 'ok',
      dataset: FAKE_DATES,
      software: { version: '0.1.0', source_sha256: null, worker_id: null },
    })
  if (path.endsWith('/checkpoint')) return { ...compose(200, {}), text: 'fake.ie/v1/public/transparency\n1\n' }
  if (key === FAKE_LIMITED_KEY && ++limitedCalls.count > LIMIT) return tooMany()
  const figures = answerFigures(path)
  if (figures !== null) return { ...compose(200, figures.json ?? {}), text: figures.file ?? null }
  const action = body?.['action']
  if (typeof action === 'string' && HELD.has(action)) return held(action)
  const text = body?.['text']
  const found = typeof text === 'string' ? findEmails(text) : []
  if (found.length > 0) {
    return { ...failure(422, 'invalid_request_error', 'identifier_found', KEPT), identifiers: found }
  }
  return failure(404, 'not_found_error', 'not_found')
}

function wireBody({ body, identifiers }: FakeAnswer): Record<string, unknown> {
  return identifiers.length === 0 ? body : { error: { ...Object(body['error']), identifiers } }
}

function held(action: string): FakeAnswer {
  const made = compose(409, {
    action,
    decision: 'held',
    because: HELD_BECAUSE[action],
    established: [...HELD_ESTABLISHED],
    cannot_tell_you_about_this_patient: [...HELD_CANNOT_TELL].slice(0, 2),
    who_holds_this: WHO_HOLDS_THIS,
    note: HELD_NOTE,
  })
  made.headers['x-should-retry'] = 'false'
  return made
}

const KEPT = {
  message: 'Remove it. The text was not read or stored; the refusal, its time and the shapes were recorded.',
}

function tooMany(): FakeAnswer {
  const made = failure(429, 'rate_limit_error', 'rate_limit_exceeded', { retry_after: 7 })
  Object.assign(made.headers, { 'retry-after': '7', 'retry-after-ms': '7000', 'x-ratelimit-remaining': '0' })
  return made
}

function failure(status: number, type: string, code: string, members: Record<string, unknown> = {}): FakeAnswer {
  return compose(status, { error: { message: 'Try something else.', type, code, request_id: REQUEST_ID, ...members } })
}

const REQUEST_ID = 'req_fake0001'

function compose(status: number, body: Record<string, unknown>): FakeAnswer {
  const headers = {
    'content-type': 'application/json',
    'x-request-id': REQUEST_ID,
    'server-timing': 'storage;dur=0',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'strict-transport-security': 'max-age=63072000',
    'x-ratelimit-limit': String(LIMIT),
    'x-ratelimit-remaining': '3',
    'x-ratelimit-reset': '4102444800',
  }
  return { status, headers, body, text: null, identifiers: [] }
}

function findEmails(text: string) {
  return [...text.matchAll(EMAIL)].map((match) => {
    const start = Array.from(text.slice(0, match.index)).length
    return { shape: 'email_address', start, end: start + match[0].length }
  })
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}
