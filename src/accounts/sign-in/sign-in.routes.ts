// Routes for signing in by password and signing out.
import { runAfterResponse, type AppContext } from '../../platform/context.ts'
import { publicOperations } from '../../platform/operations.ts'
import { type Api, createApi } from '../../platform/router.ts'
import { SESSION_SECURITY } from '../access/access.schema.ts'
import type { AccessControl } from '../access/access-control.ts'
import { sessionOperations } from '../access/access-operations.ts'
import { secondStepCookie, sessionCookie } from '../access/session-cookie.ts'
import type { SessionsStore } from '../people/sessions.store.ts'
import type { ReadCaller } from './read-caller.ts'
import { OPEN_ERRORS, signInError } from './sign-in-errors.ts'
import { SignInSchema, SignedInSchema } from './sign-in.schema.ts'
import type { SignInService } from './sign-in.service.ts'
import { SecondStepRequiredSchema } from '../second-factor/second-factor.schema.ts'
import type { StartedSession } from '../people/sessions.store.ts'
import type { Person } from '../people/people.store.ts'

type Deps = { service: SignInService; access: AccessControl; sessions: SessionsStore; readCaller: ReadCaller }

export function signInRoutes({ service, access, sessions, readCaller }: Deps): Api {
  const api = createApi()
  const open = publicOperations({ tags: ['People'] }, api)
  const people = sessionOperations(access, { tags: ['People'] }, api)

  open.openapi(
    {
      route: 'POST /api/auth/login',
      security: [],
      operationId: 'logIn',
      summary: 'Sign in',
      description: 'Signs a person in by e-mail address and password.',
      body: SignInSchema,
      answers: {
        200: [SignedInSchema, 'The session. Its token is in the cookie, and nowhere else.'],
        202: [SecondStepRequiredSchema, 'The password is right. POST /api/auth/login/second-factor does the rest.'],
      },
      errors: [...OPEN_ERRORS, 'invalid_credentials'],
    },
    async ({ c, sent }) => {
      const caller = await readCaller(c)
      const credentials = await sent.body()
      // SECURITY: not timed, because `server-timing` would tell a known address from an unknown one.
      const signedIn = await service.signIn(credentials, caller)
      if (signedIn.outcome === 'refused') throw signInError(signedIn.outcome)
      if (signedIn.outcome === 'signed_in') {
        runAfterResponse(c, signedIn.afterwards)
        return answerSignedIn(c, signedIn)
      }
      const { token, methods, expiresAt } = signedIn
      secondStepCookie.set(c, token)
      const expires = new Date(expiresAt).toISOString()
      return c.json({ object: 'sign_in', status: 'second_factor_required', methods, expires_at: expires }, 202)
    },
  )

  open.openapi(
    {
      route: 'POST /api/auth/logout',
      security: [],
      operationId: 'logOut',
      summary: 'Sign out',
      answers: { 204: { description: 'Nobody is signed in here, also where nobody was.' } },
      errors: ['invalid_request', 'origin_refused', 'internal_error'],
    },
    async ({ c }) => {
      access.assertOwnOrigin(c)
      const token = sessionCookie.read(c)
      if (token !== null) await c.get('timings').measure('storage', () => sessions.endByToken(token))
      return answerSignedOut(c)
    },
  )

  people.openapi(
    {
      route: 'POST /api/auth/logout-everywhere',
      security: SESSION_SECURITY,
      operationId: 'logOutEverywhere',
      summary: 'Sign out everywhere',
      description: 'Ends all of your sessions, this one included.',
      answers: { 204: { description: 'They are over.' } },
    },
    async ({ c, caller: { personId } }) => {
      await c.get('timings').measure('storage', () => sessions.endAll(personId, null))
      return answerSignedOut(c)
    },
  )

  return api
}

/** Sets the cookie of a session, and presents it. */
export function answerSignedIn(c: AppContext, { person, begun }: { person: Person; begun: StartedSession }): Response {
  c.get('logged').personId = person.id
  sessionCookie.set(c, begun.token)
  return c.json({
    id: begun.session.id,
    object: 'session',
    created_at: new Date(begun.session.createdAt).toISOString(),
    expires_at: new Date(begun.session.expiresAt).toISOString(),
    user: { id: person.id, email: person.email, name: person.name },
  })
}

/** Deletes the cookie and the browser's stored data, so that nothing shown while signed in remains there. */
export function answerSignedOut(c: AppContext): Response {
  sessionCookie.clear(c)
  c.header('clear-site-data', '"cache", "storage"')
  c.header('cache-control', 'no-store')
  return c.body(null, 204)
}
