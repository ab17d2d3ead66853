// The one place where an error becomes a response.
import type { Context } from 'hono'
import type { AppEnv } from './context.ts'
import { asksForPage, failurePage } from './error-pages.ts'
import { AppError, errorRow } from './errors.ts'
import { logUnexpected } from './log.ts'

const UNEXPECTED =
  'Something went wrong on our side. Nothing was decided. Try again; if it persists, tell the operator the request id.'

export function renderError(thrown: unknown, c: Context<AppEnv>): Response {
  const requestId = c.get('requestId')
  if (!(thrown instanceof AppError)) logUnexpected(thrown, requestId)
  const error = thrown instanceof AppError ? thrown : unexpectedError()
  c.get('logged').errorCode = error.code
  const { status, headers, body } = errorAnswer(error, requestId)
  for (const [name, value] of Object.entries(headers)) c.header(name, value)
  return c.json(body, status)
}

/** The same, and a page for a person who opens an address where the service fails. */
export async function renderErrorOrPage(thrown: unknown, c: Context<AppEnv>): Promise<Response> {
  const response = renderError(thrown, c)
  if (response.status < 500 || !asksForPage(c)) return response
  const error = thrown instanceof AppError ? thrown : unexpectedError()
  const requestId = c.get('requestId')
  const { status, headers, body } = errorAnswer(error, requestId)
  const { message } = body.error
  return (await failurePage(c.env.ASSETS, c.req.url, { status, headers, message, requestId })) ?? response
}

/** All that an error is answered with. */
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

/** The envelope of every error, also where it is an event of a stream. */
export function errorBody({ code, message, details }: AppError, requestId: string) {
  return {
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
  }
}
