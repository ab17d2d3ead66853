// Routes with which people show and rename their account, and list and end their sessions.
import { AppError } from '../../platform/errors.ts'
import { listSchema, pageOf, PageQuerySchema } from '../../platform/pagination.schema.ts'
import type { Api } from '../../platform/router.ts'
import { SESSION_SECURITY } from '../access/access.schema.ts'
import type { AccessControl } from '../access/access-control.ts'
import type { Clock } from '../../platform/time.ts'
import { sessionOperations } from '../access/access-operations.ts'
import type { PresentedTierRequest } from '../organisation.schema.ts'
import { presentOpenRequest } from '../organisation-wire.ts'
import type { PeopleStore } from '../people/people.store.ts'
import { isProved, isRequirementMet, strengthOf } from '../access/session-proof.policy.ts'
import type { Session, SessionsStore } from '../people/sessions.store.ts'
import { answerSignedOut } from './sign-in.routes.ts'
import { ChangeUserSchema, SessionSchema, UserSchema } from './sign-in.schema.ts'
import type { Infer } from '../../platform/once.ts'
import type { ProfilesStore } from '../people/profiles.store.ts'
import { usableFactors } from '../second-factor/factor-counts.ts'

type Deps = { access: AccessControl; people: PeopleStore; sessions: SessionsStore; showUser: ShowUser; clock: Clock }

export function ownAccountRoutes({ access, people, sessions, showUser, clock }: Deps): Api {
  const { api, openapi } = sessionOperations(access, { tags: ['People'], security: SESSION_SECURITY })

  openapi(
    {
      route: 'GET /api/auth/me',
      operationId: 'showMe',
      summary: 'Get who is signed in',
      description: 'Returns who is signed in, and the organisations that they are a member of.',
      answers: { 200: [UserSchema, 'The person.'] },
    },
    async ({ c, caller: session }) => {
      return c.json(await c.get('timings').measure('storage', () => showUser(session)))
    },
  )

  openapi(
    {
      route: 'PATCH /api/auth/me',
      operationId: 'changeMe',
      summary: 'Change your name',
      description: 'Changes your name, in all of your organisations. No log has names.',
      body: ChangeUserSchema,
      answers: { 200: [UserSchema, 'The person, as they are now.'] },
    },
    async ({ c, caller: session, sent }) => {
      const { name } = await sent.body()
      await c.get('timings').measure('storage', () => people.rename(session.personId, name))
      return c.json(await c.get('timings').measure('storage', () => showUser(session)))
    },
  )

  openapi(
    {
      route: 'GET /api/auth/sessions',
      operationId: 'listSessions',
      summary: 'List your sessions',
      description: 'Lists your own sessions, newest first.',
      query: PageQuerySchema,
      answers: { 200: [() => listSchema(SessionSchema()), 'A page of sessions.'] },
    },
    async ({ c, caller: current, sent }) => {
      const { limit, cursor } = sent.query()
      const listing = () => sessions.list(current.personId, clock(), { limit: limit + 1, cursor })
      const listed = await c.get('timings').measure('storage', listing)
      return c.json(
        pageOf(
          listed.map((session) => presentSession(session, current)),
          limit,
        ),
      )
    },
  )

  openapi(
    {
      route: 'DELETE /api/auth/sessions/{session_id}',
      operationId: 'endSession',
      summary: 'End a session',
      description: 'Ends one of your own sessions.',
      answers: { 204: { description: 'It is over.' } },
      errors: ['not_found'],
    },
    async ({ c, caller: current }) => {
      const id = c.req.param('session_id') ?? ''
      const ended = await c.get('timings').measure('storage', () => sessions.end(current.personId, id))
      if (!ended) throw noSuchSession()
      return id === current.id ? answerSignedOut(c) : c.body(null, 204)
    },
  )

  return api
}

const noSuchSession = (): AppError =>
  new AppError(
    'not_found',
    'You have no session with this id, or it has ended. GET /api/auth/sessions lists your sessions.',
  )

export type ShowUser = (session: Session) => Promise<Infer<typeof UserSchema>>

const iso = (ms: number): string => new Date(ms).toISOString()

/** Returns a presenter that throws `session_required` if the person was erased since the session was read. */
export function userPresenter(profiles: ProfilesStore, clock: Clock): ShowUser {
  return async (session) => {
    const profile = await profiles.find(session.personId, clock())
    if (profile === null)
      throw new AppError('session_required', 'This account no longer exists. Sign up again if you need one.')
    return {
      id: profile.id,
      object: 'user',
      created_at: iso(profile.createdAt),
      email: profile.email,
      email_verified: profile.isEmailProven,
      name: profile.name,
      methods: profile.methods,
      organisations: profile.organisations.map(({ erasure, tierRequest, endsAt, requirement, ...organisation }) => ({
        ...organisation,
        ends_at: endsAt === null ? null : iso(endsAt),
        second_factor: {
          required: requirement.secondFactor,
          from: requirement.secondFactorFrom,
          met: isRequirementMet(requirement, session, clock()),
        },
        tier_request: nameRequest(presentOpenRequest({ ...organisation, tierRequest }), tierRequest?.requestedByName),
        erasure: erasure && { id: erasure.id, due_at: iso(erasure.dueAt), status: erasure.state },
      })),
      ended_access: profile.endedAccess.map(({ id, name, endsAt }) => ({ id, name, ended_at: iso(endsAt) })),
      erasure: profile.erasure && { id: profile.erasure.id, due_at: iso(profile.erasure.dueAt) },
      second_factors: usableFactors(profile.factors),
      session: {
        id: session.id,
        expires_at: iso(session.expiresAt),
        fresh: isProved(session, 'fresh', clock()),
        ...presentProof(session),
      },
    }
  }
}

const nameRequest = (request: PresentedTierRequest | null, name: string | null = null) =>
  request && { ...request, requested_by_name: name }

export const presentSession = (session: Session, current: Session): Infer<typeof SessionSchema> => ({
  id: session.id,
  object: 'session',
  created_at: iso(session.createdAt),
  ...presentProof(session),
  last_seen_at: iso(session.seenAt),
  expires_at: iso(session.expiresAt),
  current: session.id === current.id,
})

const presentProof = (session: Session) => ({
  method: session.method,
  ...strengthOf(session),
  second_factor: session.secondFactor,
  second_factor_at: session.secondFactorAt === null ? null : iso(session.secondFactorAt),
})
