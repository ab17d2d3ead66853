// Turns an error into a response: JSON, or a page (src/pages) for a person with a browser. Clients of Anthropic's format get errors in
// that format.
import type { Context } from 'hono'
import { fetchBuiltFile, type BuiltFiles } from './built-file.ts'
import { setHeaders, type AppContext, type AppEnv } from './context.ts'
import { AppError, errorRow, type ErrorCode, type ErrorForm } from './errors.ts'
import { logUnexpected } from './log.ts'

const UNEXPECTED =
  'Something went wrong on our side, and nothing was decided. Try again; if it happens again, tell the operator the request id.'

export function renderError(thrown: unknown, c: Context<AppEnv>): Response {
  const requestId = c.get('requestId')
  if (!(thrown instanceof AppError)) logUnexpected(thrown, requestId)
  const error = thrown instanceof AppError ? thrown : unexpectedError()
  c.get('logged').errorCode = error.code
  const { status, headers, body } = errorAnswer(error, requestId, errorFormOf(c))
  setHeaders(c, headers)
  const response = c.json(body, errorRow(error.code).status)
  return response.status === status ? response : new Response(response.body, { status, headers: response.headers })
}

/** Returns the form that the client of a request reads. */
export const errorFormOf = (c: AppContext): ErrorForm =>
  /^\/v1\/messages(?:\/|$)/.test(c.req.path) ||
  (/^\/v1\/models(?:\/|$)/.test(c.req.path) && c.req.header('anthropic-version') !== undefined)
    ? 'messages'
    : 'standard'

/** Returns a page if a person opens a URL in a browser and the service fails, else JSON. */
export async function renderErrorOrPage(thrown: unknown, c: Context<AppEnv>): Promise<Response> {
  const response = renderError(thrown, c)
  if (response.status < 500 || !asksForPage(c)) return response
  const error = thrown instanceof AppError ? thrown : unexpectedError()
  const requestId = c.get('requestId')
  const { status, headers } = errorAnswer(error, requestId, 'standard')
  const { message } = error
  return (await failurePage(c.env.ASSETS, { status, headers, message, requestId })) ?? response
}

/** Returns status, headers and body of an error. @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 */
export function errorAnswer(error: AppError, requestId: string, form: ErrorForm) {
  const { headers, retryAfterSeconds } = error.details
  const status = statusOf(error, form)
  // Claude's own clients send again what was refused, unless they are told not to.
  const isFinal = form === 'messages' && status < 500 && retryAfterSeconds === undefined
  return {
    status,
    headers: {
      ...headers,
      ...((isFinal || errorRow(error.code).neverRetry === true) && { 'x-should-retry': 'false' }),
      ...(retryAfterSeconds !== undefined && {
        'retry-after': String(retryAfterSeconds),
        'retry-after-ms': String(retryAfterSeconds * 1000),
      }),
      'cache-control': 'no-store',
    },
    body: errorBody(error, requestId, form),
  }
}

const unexpectedError = (): AppError => new AppError('internal_error', UNEXPECTED)

/** Returns the body of an error, also for an event of a stream. */
export const errorBody = (error: AppError, requestId: string, form: ErrorForm): object =>
  form === 'standard' ? envelopeOf(error, requestId) : messagesErrorOf(error, requestId)

const envelopeOf = ({ code, message, details }: AppError, requestId: string) => ({
  error: {
    message,
    type: errorRow(code).type,
    code,
    ...(details.param === undefined ? {} : { param: details.param }),
    ...(details.retryAfterSeconds === undefined ? {} : { retry_after: details.retryAfterSeconds }),
    request_id: requestId,
    ...(details.fields === undefined ? {} : { fields: details.fields }),
    ...details.members,
  },
  ...details.beside,
})

/** What clients of Anthropic's format tell apart by status and words, and this service's codes do not. */
const SPECIAL = {
  prompt_too_long: { status: 400, type: 'invalid_request_error', begin: 'prompt is too long: ' },
  overloaded: { status: 529, type: 'overloaded_error', begin: '' },
} as const

const MESSAGES_TYPES: Partial<Record<ErrorCode, string>> = {
  payload_too_large: 'request_too_large',
  quota_exceeded: 'billing_error',
  provider_timeout: 'timeout_error',
}

const specialOf = ({ details: { special } }: AppError) => (special === undefined ? null : SPECIAL[special])

const statusOf = (error: AppError, form: ErrorForm): number =>
  (form === 'messages' ? specialOf(error)?.status : undefined) ?? errorRow(error.code).status

/** @see https://platform.claude.com/docs/en/api/errors */
function messagesErrorOf(error: AppError, requestId: string) {
  const { code, message, details } = error
  const { param, fields, retryAfterSeconds, members: { aqta: _, ...members } = {}, beside } = details
  const special = specialOf(error)
  return {
    type: 'error',
    error: {
      type: special?.type ?? MESSAGES_TYPES[code] ?? errorRow(code).type,
      message: `${special?.begin ?? ''}${message}`,
      code,
      details: {
        error_code: code,
        ...(typeof param === 'string' && { param }),
        ...(retryAfterSeconds !== undefined && { retry_after: retryAfterSeconds }),
        ...(fields !== undefined && { fields }),
        ...members,
      },
    },
    request_id: requestId,
    ...beside,
  }
}

/** Returns true if a browser will show the response as a page. */
export const asksForPage = (c: AppContext): boolean => c.req.header('sec-fetch-dest') === 'document'

/** Returns the page for a URL that does not exist. Returns null if the page cannot be read. */
export async function pageNotFound(files: BuiltFiles): Promise<Response | null> {
  const page = await fetchBuiltFile(files, '/404').catch(() => null)
  return page && new Response(page.body, { status: 404, headers: page.headers })
}

type Failure = { status: number; headers: Readonly<Record<string, string>>; message: string; requestId: string }

/** Returns the failure page with the message and the request id in it. Returns null if the page cannot be read. */
async function failurePage(
  files: BuiltFiles,
  { status, headers, message, requestId }: Failure,
): Promise<Response | null> {
  const page = await fetchBuiltFile(files, '/failed').catch(() => null)
  if (page === null) return null
  const { body, headers: storedHeaders } = new HTMLRewriter()
    .on('[data-of=message]', { element: (element) => void element.setInnerContent(message) })
    .on('[data-of=request-id]', { element: (element) => void element.setInnerContent(requestId) })
    .on('[data-shown=failure]', { element: (element) => void element.removeAttribute('hidden') })
    .transform(page)
  const answered = new Headers(storedHeaders)
  // These headers describe the stored page, not this response.
  answered.delete('etag')
  answered.delete('content-length')
  for (const [name, value] of Object.entries(headers)) answered.set(name, value)
  return new Response(body, { status, headers: answered })
}
