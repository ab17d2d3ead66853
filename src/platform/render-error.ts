// Turns an error into a response: JSON, or a page (src/pages) for a person with a browser.
import type { Context } from 'hono'
import { fetchBuiltFile, type BuiltFiles } from './built-file.ts'
import { setHeaders, type AppContext, type AppEnv } from './context.ts'
import { AppError, errorRow } from './errors.ts'
import { logUnexpected } from './log.ts'

const UNEXPECTED =
  'Something went wrong on our side, and nothing was decided. Try again; if it happens again, tell the operator the request id.'

export function renderError(thrown: unknown, c: Context<AppEnv>): Response {
  const requestId = c.get('requestId')
  if (!(thrown instanceof AppError)) logUnexpected(thrown, requestId)
  const error = thrown instanceof AppError ? thrown : unexpectedError()
  c.get('logged').errorCode = error.code
  const { status, headers, body } = errorAnswer(error, requestId)
  setHeaders(c, headers)
  return c.json(body, status)
}

/** Returns a page if a person opens a URL in a browser and the service fails, else JSON. */
export async function renderErrorOrPage(thrown: unknown, c: Context<AppEnv>): Promise<Response> {
  const response = renderError(thrown, c)
  if (response.status < 500 || !asksForPage(c)) return response
  const error = thrown instanceof AppError ? thrown : unexpectedError()
  const requestId = c.get('requestId')
  const { status, headers, body } = errorAnswer(error, requestId)
  const { message } = body.error
  return (await failurePage(c.env.ASSETS, { status, headers, message, requestId })) ?? response
}

/** Returns status, headers and body of an error. @see https://www.rfc-editor.org/rfc/rfc9110#section-10.2.3 */
export function errorAnswer(error: AppError, requestId: string) {
  const { status, neverRetry } = errorRow(error.code)
  const { headers, retryAfterSeconds } = error.details
  return {
    status,
    headers: {
      ...headers,
      ...(neverRetry === true && { 'x-should-retry': 'false' }),
      ...(retryAfterSeconds !== undefined && {
        'retry-after': String(retryAfterSeconds),
        'retry-after-ms': String(retryAfterSeconds * 1000),
      }),
      'cache-control': 'no-store',
    },
    body: errorBody(error, requestId),
  }
}

const unexpectedError = (): AppError => new AppError('internal_error', UNEXPECTED)

/** Returns the envelope of every error, also as an event of a stream. */
export const errorBody = ({ code, message, details }: AppError, requestId: string) => ({
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
