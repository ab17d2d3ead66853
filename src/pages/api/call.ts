// One question to the service's own API, as any other program asks it. What is refused is a value: the page shows it.
import { withoutRoutes } from '../text/without-routes.ts'

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

export type Asked = {
  query?: Readonly<Record<string, string | number | boolean | null | undefined>>
  body?: unknown
  /** An API key; without one the browser's session counts. */
  key?: string
  /** `org_…`, of a person who is in several. */
  organisation?: string
  /** Beside those that every question has: `if-match`, `idempotency-key`. */
  headers?: Readonly<Record<string, string>>
  signal?: AbortSignal
  /** Statuses from 400 on whose body is an answer and no error: that of a held action is one. */
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

/** What came is no answer: it broke off, or something on the way has put a page of its own there. */
export const UNREADABLE: Problem = {
  ...LOST,
  code: 'unreadable',
  message: 'The answer did not come whole, or something else came in its place. Try again.',
}

const NOT_KNOWN =
  'The answer did not come whole. What you asked for may have been done all the same: check before you try again.'

/** `T` is what the OpenAPI document says of the answer, null for 204: nothing here checks it again. Rejects only when it is aborted. */
export async function call<T>(method: Method, path: string, asked: Asked = {}): Promise<Answer<T>> {
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

/** The same for an answer that is a file. @param onBytes is told how many bytes have come so far, and given the latest */
export async function callForFile(
  method: Method,
  path: string,
  asked: Asked = {},
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

/** Null where nothing came back. */
async function send(method: Method, path: string, asked: Asked): Promise<Response | null> {
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

function textOf(query: NonNullable<Asked['query']>): string {
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
