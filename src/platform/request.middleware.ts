// Outermost middleware: gives the request its id and its timings, and every response its headers and its log line. Also answers
// CORS preflights.
import type { Hono, MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { systemClock } from './time.ts'
import { Timings, type AppContext, type AppEnv } from './context.ts'
import { isDemoOrganisation, newRequestId } from './ids.ts'
import { log } from './log.ts'
import { errorFormOf } from './render-error.ts'

// A caller's id is used only if it is plain enough to be logged and sent back.
const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/

// For responses that no browser should run, frame or sniff. A page brings its own policy.
// Sources: https://www.w3.org/TR/CSP3/ and https://www.rfc-editor.org/rfc/rfc6797 (strict-transport-security).
const SECURITY_HEADERS = [
  ['content-security-policy', "default-src 'none'; frame-ancestors 'none'"],
  ['cross-origin-resource-policy', 'cross-origin'],
  ['referrer-policy', 'no-referrer'],
  ['strict-transport-security', 'max-age=63072000; includeSubDomains; preload'],
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
] as const

const EXPOSED_HEADERS = [
  'x-request-id',
  'request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'server-timing',
  'etag',
  'deprecation',
  'sunset',
  'x-aqta-trace-id',
  'x-aqta-status',
  'x-aqta-attestation-id',
  'x-aqta-model',
  'x-aqta-data-region',
  'x-aqta-route-attempts',
  'x-aqta-dropped',
  'x-aqta-added',
  'idempotency-replayed',
  'x-aqta-demo',
].join(', ')

export const requestContext: MiddlewareHandler<AppEnv> = async (c, next) => {
  const callerId = c.req.header('x-request-id')
  const requestId = callerId !== undefined && SANE_REQUEST_ID.test(callerId) ? callerId : newRequestId(systemClock())
  const timings = new Timings()
  c.set('requestId', requestId)
  c.set('timings', timings)
  c.set('logged', {})
  await next()
  // Sets headers on the response itself, because `c.header` would copy the response each time.
  const { headers } = c.res
  for (const [name, value] of SECURITY_HEADERS) if (!headers.has(name)) headers.set(name, value)
  headers.set('x-request-id', requestId)
  if (errorFormOf(c) === 'messages') headers.set('request-id', requestId)
  headers.set('server-timing', timings.header())
  const { keyId, personId, organisationId, outcome, errorCode } = c.get('logged')
  if (organisationId !== undefined && isDemoOrganisation(organisationId)) headers.set('x-aqta-demo', 'true')
  log({
    level: 'info',
    event: 'request',
    request_id: requestId,
    method: c.req.method,
    route: routePath(c, -1),
    status: c.res.status,
    key_id: keyId,
    person_id: personId,
    organisation_id: organisationId,
    outcome,
    error_code: errorCode,
    waited_ms: timings.milliseconds(),
  })
}

/** Allows every origin to call `/v1`, without cookies: only the key in the header counts there. */
const openToEveryOrigin: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  c.res.headers.set('access-control-allow-origin', '*')
  c.res.headers.set('access-control-expose-headers', EXPOSED_HEADERS)
}

/** Stops pages of other origins from loading `/api`. That includes sibling subdomains, to which the cookie is sent. */
const closedToOtherOrigins: MiddlewareHandler<AppEnv> = async (c, next) => {
  await next()
  c.res.headers.set('cross-origin-resource-policy', 'same-origin')
  // SECURITY: no cache on the way may serve one person's response to another.
  c.res.headers.append('vary', 'cookie')
  if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store')
}

export function useRequestMiddleware(app: Hono<AppEnv>): void {
  app.use(requestContext)
  app.use('/v1/*', openToEveryOrigin)
  app.use('/api/*', closedToOtherOrigins)
}

const PREFLIGHT_SECONDS = 86_400

/**
 * Answers a CORS preflight: a browser may send any header to this URL, by the methods that the URL has.
 * @see https://fetch.spec.whatwg.org/#http-cors-protocol
 */
export function answerPreflight(c: AppContext, methods: readonly string[]): Response {
  delete c.get('logged').errorCode
  const headers = new Headers({
    'access-control-allow-methods': methods.join(', '),
    'access-control-max-age': String(PREFLIGHT_SECONDS),
    vary: 'access-control-request-headers',
  })
  const asked = c.req.header('access-control-request-headers')
  if (asked !== undefined) headers.set('access-control-allow-headers', asked)
  return new Response(null, { status: 204, headers })
}
