// Outermost middleware: gives the request its id and its clocks, and every response its headers and its log line.
import type { MiddlewareHandler } from 'hono'
import { routePath } from 'hono/route'
import { secureHeaders } from 'hono/secure-headers'
import { systemClock } from './clock.ts'
import type { AppEnv } from './context.ts'
import { newRequestId } from './ids.ts'
import { log } from './log.ts'
import { Timings } from './timings.ts'

// A caller's id is kept only if it is plain enough to be logged and sent back.
const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{8,128}$/

export const requestContext: MiddlewareHandler<AppEnv> = async (c, next) => {
  const given = c.req.header('x-request-id')
  const requestId = given !== undefined && SANE_REQUEST_ID.test(given) ? given : newRequestId(systemClock())
  const timings = new Timings()
  c.set('requestId', requestId)
  c.set('timings', timings)
  c.set('logged', {})
  await next()
  c.header('x-request-id', requestId)
  c.header('server-timing', timings.header())
  const { keyId, organisationId, outcome, errorCode } = c.get('logged')
  log({
    level: 'info',
    event: 'request',
    request_id: requestId,
    method: c.req.method,
    route: routePath(c, -1),
    status: c.res.status,
    key_id: keyId,
    organisation_id: organisationId,
    outcome,
    error_code: errorCode,
    waited_ms: timings.milliseconds(),
  })
}

/** For answers that no browser should run, frame or sniff. */
export const apiSecurityHeaders = secureHeaders({
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  crossOriginOpenerPolicy: false,
  crossOriginResourcePolicy: 'cross-origin',
  originAgentCluster: false,
  referrerPolicy: 'no-referrer',
  strictTransportSecurity: 'max-age=63072000; includeSubDomains; preload',
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: 'DENY',
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
})
