// The one place where an error becomes a response.
import type { Context } from 'hono'
import type { AppEnv } from './context.ts'
import { AppError, errorRow } from './errors.ts'
import { logUnexpected } from './log.ts'

const UNEXPECTED =
  'Something went wrong on our side. Nothing was decided. Try again; if it persists, tell the operator the request id.'

export function renderError(thrown: unknown, c: Context<AppEnv>): Response {
  const requestId = c.get('requestId')
  if (!(thrown instanceof AppError)) logUnexpected(thrown, requestId)
  const error = thrown instanceof AppError ? thrown : unexpectedError()
  const { code, details } = error
  const { status, neverRetry } = errorRow(code)
  c.get('logged').errorCode = code

  for (const [name, value] of Object.entries(details.headers ?? {})) c.header(name, value)
  if (neverRetry === true) c.header('x-should-retry', 'false')
  if (details.retryAfterSeconds !== undefined) {
    c.header('retry-after', String(details.retryAfterSeconds))
    c.header('retry-after-ms', String(details.retryAfterSeconds * 1000))
  }
  c.header('cache-control', 'no-store')
  return c.json(errorBody(error, requestId), status)
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
