// Sends the pages' requests to the service's API: one request, a file, or all pages of a list. A refusal is a value and not an
// exception, so that a page can show it.
import { withoutRoutes } from '../text/reword-text.ts'

/** Why a request failed. `status` is 0 if no response came. */
export type Problem = {
  status: number
  code: string
  message: string
  requestId: string | null
  param: string | null
  fields: readonly { path: string; rule: string }[]
  retryAfterSeconds: number | null
  /** The response's whole `error` object, for members that only one error code has. */
  error: Readonly<Record<string, unknown>>
}

export type Answer<T> = { outcome: 'answered'; body: T; headers: Headers } | { outcome: 'refused'; problem: Problem }

/** What was answered, or null. */
export const bodyOf = <T>(answer: Answer<T> | null | undefined): T | null =>
  answer?.outcome === 'answered' ? answer.body : null

export const answered = <T>(body: T): Answer<T> => ({ outcome: 'answered', body, headers: new Headers() })

/** Returns both bodies, or the refusal of one. */
export async function bothOf<One, Other>(
  one: Promise<Answer<One>>,
  other: Promise<Answer<Other>>,
): Promise<Answer<readonly [One, Other]>> {
  const [first, second] = await Promise.all([one, other])
  if (first.outcome === 'refused') return first
  return second.outcome === 'refused' ? second : answered([first.body, second.body])
}

/** Calls `then` with the body and returns null if the request succeeded. Otherwise returns the problem, for a form to show. */
export async function refusalOf<T>(
  request: Promise<Answer<T>>,
  then: (body: T) => void = () => undefined,
): Promise<Problem | null> {
  const answer = await request
  if (answer.outcome === 'refused') return answer.problem
  then(answer.body)
  return null
}

/** The query parameters of a URL. Empty, null and undefined ones are not sent. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

export type RequestOptions = {
  query?: Query
  body?: unknown
  /** An API key. Without one, the browser's session is used. */
  key?: string
  /** The id of the organisation that the request is about: `org_…`. */
  organisation?: string
  /** Further headers: `if-match`, `idempotency-key`. */
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
  /** The longest wait for the answer, in milliseconds. A later answer counts as none. */
  withinMs?: number
  /** Statuses of 400 and above that count as answered, such as the status of a held action. */
  answers?: readonly number[]
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export const NO_RESPONSE: Problem = {
  status: 0,
  code: 'network',
  message: 'The service could not be reached. Nothing you typed is lost: check the connection, then try again.',
  requestId: null,
  param: null,
  fields: [],
  retryAfterSeconds: null,
  error: {},
}

const tooSlow = (withinMs: number): Problem => ({
  ...NO_RESPONSE,
  code: 'too_slow',
  message: `No answer within ${withinMs / 1000} seconds. Try again.`,
})

const CUT_OFF: Problem = {
  ...NO_RESPONSE,
  message: 'The connection ended before the whole file was here, and nothing of it was saved. Try again.',
}

/** The problem if a response broke off, or if a proxy replaced it. */
export const UNREADABLE: Problem = {
  ...NO_RESPONSE,
  code: 'unreadable',
  message: 'The answer did not come whole, or something else came in its place. Try again.',
}

const MAYBE_DONE =
  'The answer did not come whole. What you asked for may have been done all the same: check before you try again.'

/** Sends a request. Rejects only when aborted. `T` is the OpenAPI document's response type (null for 204), unchecked. */
export async function sendRequest<T>(method: Method, path: string, request: RequestOptions = {}): Promise<Answer<T>> {
  const sent = await send(method, path, request)
  if (sent.outcome === 'refused') return sent
  const { body: response } = sent
  let body: unknown = null
  try {
    if (response.status !== 204) body = await response.json()
  } catch (thrown) {
    if (request.signal?.aborted === true) throw thrown
    return refused(unreadable(method, response))
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod would be most of the page; tests hold answers to the document
  return { ...sent, body: body as T }
}

/** Sends a request whose answer is read as it comes. Rejects only when aborted. */
export async function requestStream(
  method: Method,
  path: string,
  request: RequestOptions,
): Promise<Answer<ReadableStream<Uint8Array>>> {
  const sent = await send(method, path, request)
  if (sent.outcome === 'refused') return sent
  const { body } = sent.body
  return body === null ? refused(unreadable(method, sent.body)) : { ...sent, body }
}

export type ReceivedFile = { name: string; content: Blob }
export type OnBytes = (received: number, latest: Uint8Array) => void

/** Requests a file. Rejects only when aborted. @param onBytes gets the number of bytes so far, and the latest bytes */
export async function requestFile(
  method: Method,
  path: string,
  request: RequestOptions = {},
  onBytes: OnBytes = () => undefined,
): Promise<Answer<ReceivedFile>> {
  const sent = await send(method, path, request)
  if (sent.outcome === 'refused') return sent
  const { headers } = sent
  const parts: Uint8Array<ArrayBuffer>[] = []
  let received = 0
  try {
    // Some browsers cannot loop over a stream.
    for (const reader = sent.body.body?.getReader(); ;) {
      const { value } = (await reader?.read()) ?? {}
      if (value === undefined) break
      parts.push(value)
      onBytes((received += value.length), value)
    }
  } catch (thrown) {
    if (request.signal?.aborted === true) throw thrown
    return refused(CUT_OFF)
  }
  const name = /filename="([^"/\\]+)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? 'file'
  const content = new Blob(parts, { type: headers.get('content-type') ?? 'application/octet-stream' })
  return { ...sent, body: { name, content } }
}

const unreadable = (method: Method, { status, headers }: Response): Problem => ({
  ...UNREADABLE,
  status,
  ...(method !== 'GET' && { message: MAYBE_DONE }),
  requestId: headers.get('x-request-id'),
})

const refused = (problem: Problem) => ({ outcome: 'refused', problem }) as const

/** Sends the request. Returns the response, or why there is none or what it refuses. */
async function send(method: Method, path: string, request: RequestOptions): Promise<Answer<Response>> {
  const { query = {}, body, key, organisation, signal, withinMs } = request
  const headers = new Headers(request.headers)
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`)
  if (organisation !== undefined) headers.set('x-aqta-organisation', organisation)
  if (body !== undefined) headers.set('content-type', 'application/json')
  try {
    const response = await fetch(`${path}${textOf(query)}`, {
      method,
      headers,
      credentials: key === undefined ? 'same-origin' : 'omit',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: endOf(request),
    })
    return response.ok || request.answers?.includes(response.status) === true
      ? { outcome: 'answered', body: response, headers: response.headers }
      : refused(problemIn(await response.json().catch(() => null), response))
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown
    return refused(withinMs !== undefined && thrown instanceof DOMException ? tooSlow(withinMs) : NO_RESPONSE)
  }
}

/** Returns what ends the request: the page's own signal, or that its time is over. */
function endOf({ signal, withinMs }: RequestOptions): AbortSignal | null {
  if (withinMs === undefined) return signal ?? null
  const ending = new AbortController()
  for (const one of [signal, AbortSignal.timeout(withinMs)]) one?.addEventListener('abort', () => ending.abort())
  return ending.signal
}

function textOf(query: Query): string {
  const members = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return members.length === 0 ? '' : `?${new URLSearchParams(members).toString()}`
}

/** Returns the message for an error response without one. A proxy may have answered instead of the service. */
const unexplained = (status: number): string =>
  status < 500
    ? `This was refused, and nothing says why (status ${status}).`
    : `The service, or something on the way to it, has failed (status ${status}). Try again in a moment.`

/** Returns the problem that an error body, or the error event of a stream, tells. */
export function problemIn(body: unknown, response: Pick<Response, 'status' | 'headers'>): Problem {
  const error = errorIn(body)
  const { code, message, request_id: id, param, fields, retry_after: seconds } = error
  return {
    status: response.status,
    code: typeof code === 'string' ? code : 'unreadable',
    message: typeof message === 'string' ? withoutRoutes(message) : unexplained(response.status),
    requestId: typeof id === 'string' ? id : response.headers.get('x-request-id'),
    param: typeof param === 'string' ? param : null,
    fields: Array.isArray(fields) ? (fields as Problem['fields']) : [],
    retryAfterSeconds: typeof seconds === 'number' ? seconds : null,
    error,
  }
}

function errorIn(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || !('error' in body)) return {}
  const { error } = body
  return typeof error === 'object' && error !== null ? { ...error } : {}
}

type Page<T> = { data: T[]; next_cursor: string | null }

/** Returns the first page with the rows of the next pages added. Stops after `most` pages: `next_cursor` is then not null. */
export async function fetchAllPages<T, P extends Page<T>>(
  ask: (cursor: string | null) => Promise<Answer<P>>,
  most = 10,
): Promise<Answer<P>> {
  const first = await ask(null)
  if (first.outcome === 'refused') return first
  const body = { ...first.body, data: [...first.body.data] }
  for (let pages = 1; pages < most && body.next_cursor !== null; pages++) {
    // oxlint-disable-next-line no-await-in-loop -- each page says where the next one begins
    const next = await ask(body.next_cursor)
    if (next.outcome === 'refused') return next
    body.data.push(...next.body.data)
    body.next_cursor = next.body.next_cursor
  }
  return { ...first, body }
}

/** Replaces the problem's message by the page's own. @param words messages by error code; other problems are unchanged */
export function withOwnMessage(problem: Problem, words: Readonly<Record<string, string>>): Problem {
  const message = words[problem.code]
  return message === undefined ? problem : { ...problem, message, fields: [] }
}
