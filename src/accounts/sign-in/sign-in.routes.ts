// Signing in by password and signing out.
import { createRoute } from '@hono/zod-openapi'
import type { AppContext } from '../../platform/context.ts'
import { errorResponses, jsonResponse } from '../../platform/responses.ts'
import type { ErrorCode } from '../../platform/errors.ts'
import { bodyOf, readForm } from '../../platform/form.ts'
import { createApi, mount, mountFor, type Api } from '../../platform/route.ts'
import { CHANGE_CODES, SESSION_CODES, SESSION_SECURITY } from '../access/access.schema.ts'
import type { AccessControl } from '../access/access.ts'
import { clearSessionCookie, readSessionToken, setSessionCookie } from '../access/session-cookie.ts'
import type { SessionsStore } from '../people/sessions.store.ts'
import type { ReadCaller } from './caller.ts'
import { credentialsRefused } from './sign-in-refusals.ts'
import { LoginSchema, SignedInSchema } from './sign-in.schema.ts'
import type { SignInService } from './sign-in.service.ts'

/** What those routes answer with that need no session and take a body. */
export const OPEN_CODES = [
  ...CHANGE_CODES,
  'invalid_request',
  'rate_limit_exceeded',
  'internal_error',
] as const satisfies ErrorCode[]

const shared = { tags: ['People'], method: 'post' as const }

const routes = {
  logIn: createRoute({
    ...shared,
    security: [],
    path: '/api/auth/login',
    operationId: 'logIn',
    summary: 'Sign in by e-mail address and password',
    request: bodyOf(LoginSchema),
    responses: {
      200: jsonResponse(SignedInSchema, 'The session. Its token is in the cookie, and nowhere else.'),
      ...errorResponses([...OPEN_CODES, 'invalid_credentials']),
    },
  }),
  logOut: createRoute({
    ...shared,
    security: [],
    path: '/api/auth/logout',
    operationId: 'logOut',
    summary: 'Sign out here',
    responses: {
      204: { description: 'Nobody is signed in here, also where nobody was.' },
      ...errorResponses(['invalid_request', 'origin_refused', 'internal_error']),
    },
  }),
  logOutEverywhere: createRoute({
    ...shared,
    security: SESSION_SECURITY,
    path: '/api/auth/logout-everywhere',
    operationId: 'logOutEverywhere',
    summary: 'End all of one’s sessions, this one included',
    responses: {
      204: { description: 'They are over.' },
      ...errorResponses([...SESSION_CODES, 'origin_refused']),
    },
  }),
}

type Deps = { service: SignInService; access: AccessControl; sessions: SessionsStore; readCaller: ReadCaller }

export function signInRoutes({ service, access, sessions, readCaller }: Deps): Api {
  const api = createApi()

  mount(api, routes.logIn, async (c) => {
    const caller = await readCaller(c)
    const given = await readForm(c, LoginSchema)
    // Not timed: `server-timing` would tell a known address from an unknown one.
    const signedIn = await service.signIn(given, caller)
    if (signedIn.outcome === 'refused') throw credentialsRefused()
    const { person, begun } = signedIn
    c.get('logged').personId = person.id
    setSessionCookie(c, begun.token)
    return c.json({
      id: begun.session.id,
      object: 'session',
      created_at: new Date(begun.session.createdAt).toISOString(),
      expires_at: new Date(begun.session.expiresAt).toISOString(),
      user: { id: person.id, email: person.email, name: person.name },
    })
  })

  mount(api, routes.logOut, async (c) => {
    access.assertOwnOrigin(c)
    const token = readSessionToken(c)
    if (token !== null) await c.get('timings').measure('storage', () => sessions.endByToken(token))
    return answerSignedOut(c)
  })

  mountFor(
    api,
    routes.logOutEverywhere,
    (c) => access.requireSession(c),
    async (c, { personId }) => {
      await c.get('timings').measure('storage', () => sessions.endAll(personId, null))
      return answerSignedOut(c)
    },
  )

  return api
}

/** Nothing that was shown while somebody was signed in stays in the browser. */
export function answerSignedOut(c: AppContext): Response {
  clearSessionCookie(c)
  c.header('clear-site-data', '"cache", "storage"')
  c.header('cache-control', 'no-store')
  return c.body(null, 204)
}
