// Who one is, and where one is signed in.
import { createRoute, z } from '@hono/zod-openapi'
import type { AppContext } from '../../platform/context.ts'
import { errorResponses, jsonResponse } from '../../platform/responses.ts'
import { AppError } from '../../platform/errors.ts'
import { readQuery } from '../../platform/form.ts'
import { listOf, pageOf, PageQuerySchema } from '../../platform/list.schema.ts'
import { createApi, mountFor, type Api } from '../../platform/route.ts'
import { SESSION_CODES, SESSION_SECURITY } from '../access/access.schema.ts'
import type { AccessControl } from '../access/access.ts'
import type { Clock } from '../../platform/clock.ts'
import type { SessionsStore } from '../people/sessions.store.ts'
import { presentSession, type ShowUser } from './own-account.ts'
import { answerSignedOut } from './sign-in.routes.ts'
import { SessionSchema, UserSchema } from './sign-in.schema.ts'

const shared = { tags: ['People'], security: SESSION_SECURITY }

const routes = {
  showMe: createRoute({
    ...shared,
    method: 'get',
    path: '/api/auth/me',
    operationId: 'showMe',
    summary: 'Show who is signed in, and what they are a member of',
    responses: { 200: jsonResponse(UserSchema, 'The person.'), ...errorResponses(SESSION_CODES) },
  }),
  listSessions: createRoute({
    ...shared,
    method: 'get',
    path: '/api/auth/sessions',
    operationId: 'listSessions',
    summary: 'List one’s own sessions, newest first',
    request: { query: PageQuerySchema },
    responses: { 200: jsonResponse(listOf(SessionSchema), 'A page of sessions.'), ...errorResponses(SESSION_CODES) },
  }),
  endSession: createRoute({
    ...shared,
    method: 'delete',
    path: '/api/auth/sessions/{session_id}',
    operationId: 'endSession',
    summary: 'End one of one’s own sessions',
    request: { params: z.object({ session_id: z.string() }) },
    responses: {
      204: { description: 'It is over.' },
      ...errorResponses([...SESSION_CODES, 'origin_refused', 'not_found']),
    },
  }),
}

type Deps = { access: AccessControl; sessions: SessionsStore; showUser: ShowUser; clock: Clock }

export function ownAccountRoutes({ access, sessions, showUser, clock }: Deps): Api {
  const api = createApi()
  const admit = (c: AppContext) => access.requireSession(c)

  mountFor(api, routes.showMe, admit, async (c, session) => {
    return c.json(await c.get('timings').measure('storage', () => showUser(session)))
  })

  mountFor(api, routes.listSessions, admit, async (c, current) => {
    const { limit, cursor } = readQuery(c, PageQuerySchema)
    const listing = () => sessions.list(current.personId, clock(), { limit: limit + 1, cursor })
    const listed = await c.get('timings').measure('storage', listing)
    return c.json(
      pageOf(
        listed.map((session) => presentSession(session, current)),
        limit,
      ),
    )
  })

  mountFor(api, routes.endSession, admit, async (c, current) => {
    const id = c.req.param('session_id') ?? ''
    const ended = await c.get('timings').measure('storage', () => sessions.end(current.personId, id))
    if (!ended) throw noSuchSession()
    return id === current.id ? answerSignedOut(c) : c.body(null, 204)
  })

  return api
}

const noSuchSession = (): AppError =>
  new AppError('not_found', 'You have no session with this id, or it is over. GET /api/auth/sessions lists them.')
