// Requests to the service's own API, as any other program sends them. A refusal is a value: the page shows it.
import { withoutRoutes } from '../text/text.ts'

/** Why there is no answer. `status` 0: nothing came back. */
export type Problem = {
  status: number
  code: string
  message: string
  requestId: string | null
  param: string | null
  fields: readonly { path: string; rule: string }[]
  retryAfterSeconds: number | null
  /** The whole error object, for what only one code has. */
  error: Readonly<Record<string, unknown>>
}

export type Answer<T> = { outcome: 'answered'; body: T; headers: Headers } | { outcome: 'refused'; problem: Problem }

/** An answer that the page gives itself, without a request. */
export const answered = <T>(body: T): Answer<T> => ({ outcome: 'answered', body, headers: new Headers() })

/** Null, and `then` with the body, if it was answered; else why it was refused: what a form asks. */
export async function refusalOf<T>(
  asked: Promise<Answer<T>>,
  then: (body: T) => void = () => undefined,
): Promise<Problem | null> {
  const answer = await asked
  if (answer.outcome === 'refused') return answer.problem
  then(answer.body)
  return null
}

/** Members that are empty, null or undefined are left out. */
export type Query = Readonly<Record<string, string | number | boolean | null | undefined>>

export type Request = {
  query?: Query
  body?: unknown
  /** An API key; without one the browser's session counts. */
  key?: string
  /** `org_…`: which of a person's organisations it is about. */
  organisation?: string
  /** `if-match`, `idempotency-key`. */
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
  /** Statuses from 400 on whose body is an answer and no error, such as that of a held action. */
  answers?: readonly number[]
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

const LOST: Problem = {
  status: 0,
  code: 'network',
  message: 'The service could not be reached. Nothing you typed is lost: check the connection, then try again.',
  requestId: null,
  param: null,
  fields: [],
  retryAfterSeconds: null,
  error: {},
}

const CUT_OFF: Problem = {
  ...LOST,
  message: 'The connection ended before the whole file was here, and nothing of it was saved. Try again.',
}

/** The answer broke off, or something on the way put a page of its own there. */
export const UNREADABLE: Problem = {
  ...LOST,
  code: 'unreadable',
  message: 'The answer did not come whole, or something else came in its place. Try again.',
}

const NOT_KNOWN =
  'The answer did not come whole. What you asked for may have been done all the same: check before you try again.'

/** `T` is the type that the OpenAPI document gives the answer, null for 204. Nothing checks it again. Rejects only when aborted. */
export async function call<T>(method: Method, path: string, asked: Request = {}): Promise<Answer<T>> {
  const response = await send(method, path, asked)
  if (response === null) return { outcome: 'refused', problem: LOST }
  const isAnswer = response.ok || asked.answers?.includes(response.status) === true
  if (!isAnswer) return { outcome: 'refused', problem: await problemOf(response) }
  let body: unknown = null
  try {
    if (response.status !== 204) body = await response.json()
  } catch (thrown) {
    if (asked.signal?.aborted === true) throw thrown
    return { outcome: 'refused', problem: unreadable(method, response) }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- zod would be most of the page; tests hold answers to the document
  return { outcome: 'answered', body: body as T, headers: response.headers }
}

export type ReceivedFile = { name: string; content: Blob }
export type OnBytes = (received: number, latest: Uint8Array) => void

/** The same for a file. @param onBytes is given the count of bytes so far, and the latest bytes */
export async function callForFile(
  method: Method,
  path: string,
  asked: Request = {},
  onBytes: OnBytes = () => undefined,
): Promise<Answer<ReceivedFile>> {
  const response = await send(method, path, asked)
  if (response === null) return { outcome: 'refused', problem: LOST }
  const { ok, headers, body } = response
  if (!ok) return { outcome: 'refused', problem: await problemOf(response) }
  const parts: Uint8Array<ArrayBuffer>[] = []
  let received = 0
  try {
    // Not every browser lets a stream be looped over.
    for (const reader = body?.getReader(); ;) {
      const { value } = (await reader?.read()) ?? {}
      if (value === undefined) break
      parts.push(value)
      onBytes((received += value.length), value)
    }
  } catch (thrown) {
    if (asked.signal?.aborted === true) throw thrown
    return { outcome: 'refused', problem: CUT_OFF }
  }
  const name = /filename="([^"/\\]+)"/.exec(headers.get('content-disposition') ?? '')?.[1] ?? 'file'
  const content = new Blob(parts, { type: headers.get('content-type') ?? 'application/octet-stream' })
  return { outcome: 'answered', body: { name, content }, headers }
}

const unreadable = (method: Method, { status, headers }: Response): Problem => ({
  ...UNREADABLE,
  status,
  ...(method !== 'GET' && { message: NOT_KNOWN }),
  requestId: headers.get('x-request-id'),
})

/** Null if nothing came back. */
async function send(method: Method, path: string, asked: Request): Promise<Response | null> {
  const { query = {}, body, key, organisation, signal } = asked
  const headers = new Headers(asked.headers)
  if (key !== undefined) headers.set('authorization', `Bearer ${key}`)
  if (organisation !== undefined) headers.set('x-aqta-organisation', organisation)
  if (body !== undefined) headers.set('content-type', 'application/json')
  try {
    return await fetch(`${path}${textOf(query)}`, {
      method,
      headers,
      credentials: key === undefined ? 'same-origin' : 'omit',
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    })
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown
    return null
  }
}

function textOf(query: Query): string {
  const members = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' ? [] : [[name, String(value)]],
  )
  return members.length === 0 ? '' : `?${new URLSearchParams(members).toString()}`
}

/** Something on the way may have answered in the place of the service. */
const unexplained = (status: number): string =>
  status < 500
    ? `This was refused, and nothing says why (status ${status}).`
    : `The service, or something on the way to it, has failed (status ${status}). Try again in a moment.`

async function problemOf(response: Response): Promise<Problem> {
  const error = errorIn(await response.json().catch(() => null))
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

/** The first page with the rows of the others. A list of more than `most` pages is cut: its `next_cursor` is not null then. */
export async function allPages<T, P extends Page<T>>(
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

/** @param words by code; other problems stay as they are */
export function inWords(problem: Problem, words: Readonly<Record<string, string>>): Problem {
  const message = words[problem.code]
  return message === undefined ? problem : { ...problem, message, fields: [] }
}
