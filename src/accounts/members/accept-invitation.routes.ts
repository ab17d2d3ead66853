// The route that accepts an invitation, for a signed-in person or for a new one, who gets an account.
import type { Infer } from '../../platform/once.ts'
import type { Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { publicOperations } from '../../platform/operations.ts'
import type { Api } from '../../platform/router.ts'
import type { AccessControl } from '../access/access-control.ts'
import { sessionCookie } from '../access/session-cookie.ts'
import type { Session, SessionsStore } from '../people/sessions.store.ts'
import type { Joined, AcceptInvitationService } from './accept-invitation.service.ts'
import { passwordRuleError } from '../sign-in/sign-in-errors.ts'
import { joinError } from './member-errors.ts'
import { presentMembership } from './member-wire.ts'
import { AcceptInvitationSchema, MembershipSchema } from './members.schema.ts'

type Acceptance = Infer<typeof AcceptInvitationSchema>

type Deps = {
  access: AccessControl
  joining: AcceptInvitationService
  sessions: SessionsStore
  signUp: InvitedSignUp
  clock: Clock
}

export function acceptInvitationRoutes({ access, joining, sessions, signUp, clock }: Deps): Api {
  const { api, openapi } = publicOperations()

  openapi(
    {
      route: 'POST /api/members/invitations/accept',
      tags: ['Members'],
      security: [{ session: [] }, {}],
      operationId: 'acceptInvitation',
      summary: 'Accept an invitation',
      description: 'Accepts an invitation: signed in with its token, or with name and password as somebody new.',
      body: AcceptInvitationSchema,
      answers: { 201: [MembershipSchema, 'What you are a member of. Somebody new is signed in by the cookie.'] },
      errors: [
        'origin_refused',
        'invalid_request',
        'organisation_closing',
        'conflict',
        'rate_limit_exceeded',
        'service_unavailable',
        'internal_error',
      ],
    },
    async ({ c, sent }) => {
      access.assertOwnOrigin(c)
      const acceptance = await sent.body()
      const session = await access.findSession(c)
      const joined = session === null ? await joinAsNew(c, acceptance) : await joinAs(c, session, acceptance)
      return c.json(presentMembership(joined, clock()), 201)
    },
  )

  async function joinAs(c: AppContext, { personId }: Session, { token, name, password }: Acceptance): Promise<Joined> {
    if (name !== undefined || password !== undefined) throw tokenAlone()
    const joined = await joining.joinAs(personId, token, c.get('requestId'))
    if (joined.outcome !== 'joined') throw joinError(joined.outcome)
    return joined
  }

  async function joinAsNew(c: AppContext, { token, name, password }: Acceptance): Promise<Joined> {
    const addressed = await joining.findAddressee(token)
    if (addressed.outcome !== 'addressed') throw joinError(addressed.outcome)
    if (name === undefined) throw missing('name')
    if (password === undefined) throw missing('password')
    await signUp.assertMayTry(c, addressed.email)
    const rule = signUp.passwordFault(password, { email: addressed.email, name })
    if (rule !== null) throw passwordRuleError('password', rule)
    const newcomer = { name, password: signUp.hash(password) }
    const joined = await joining.joinAsNew(newcomer, token, c.get('requestId'))
    if (joined.outcome !== 'joined') throw joinError(joined.outcome)
    const who = { personId: joined.member.personId, method: 'password' }
    const newSession = await sessions.begin(who, sessionCookie.read(c), clock())
    // The organisation was erased meanwhile, and the new person with it.
    if (newSession === null) throw joinError('used_up')
    await signUp.rememberNetwork(c, addressed.email)
    sessionCookie.set(c, newSession.token)
    return joined
  }

  return api
}

const tokenAlone = (): AppError =>
  new AppError('invalid_request', 'You are signed in. Send only the token, or sign out to create a new account.', {
    param: 'token',
    fields: [{ path: 'token', rule: 'alone, of somebody who is signed in' }],
  })

const missing = (param: 'name' | 'password'): AppError =>
  new AppError(
    'missing_parameter',
    'You are not signed in, and the invited address has no account. Send name and password together with the token.',
    { param, fields: [{ path: param, rule: 'missing; expected a string' }] },
  )

/** The parts of signing up that accepting an invitation uses too. */
export type InvitedSignUp = {
  /** Counts a try, before anything is hashed. Throws `rate_limit_exceeded`. */
  assertMayTry(c: AppContext, email: string): Promise<void>
  /** Returns the rule that the password breaks, in words; null if it breaks none. */
  passwordFault(password: string, whose: { email: string; name: string }): string | null
  /** Returns the hash as a PHC string. */
  hash(password: string): string
  /** Remembers this network for the person, so that failed tries from other networks do not lock it out. */
  rememberNetwork(c: AppContext, email: string): Promise<void>
}
