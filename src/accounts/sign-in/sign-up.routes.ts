// Routes for signing up, and for confirming the address by the mailed link.
import { publicOperations } from '../../platform/operations.ts'
import type { Api } from '../../platform/router.ts'
import { sessionCookie } from '../access/session-cookie.ts'
import type { ReadCaller } from './read-caller.ts'
import type { ShowUser } from './own-account.routes.ts'
import { passwordFault } from './password-rules.policy.ts'
import { OPEN_ERRORS, signInError, passwordRuleError } from './sign-in-errors.ts'
import { SignUpAnswerSchema, SignUpSchema, UserSchema, VerifyEmailSchema } from './sign-in.schema.ts'
import type { SignInService } from './sign-in.service.ts'
import { runAfterResponse } from '../../platform/context.ts'

type Deps = { service: SignInService; readCaller: ReadCaller; showUser: ShowUser; signUp: 'open' | 'invited' }

export function signUpRoutes({ service, readCaller, showUser, signUp }: Deps): Api {
  const { api, openapi } = publicOperations()

  openapi(
    {
      route: 'POST /api/auth/signup',
      tags: ['People'],
      security: [],
      operationId: 'signUp',
      summary: 'Sign up',
      description: 'Sends a link by e-mail. Nothing is created until it is used.',
      body: SignUpSchema,
      answers: { 202: [SignUpAnswerSchema, 'The same whether or not there is an account with the address.'] },
      errors: [...OPEN_ERRORS, 'role_required'],
    },
    async ({ c, sent }) => {
      const caller = await readCaller(c)
      if (signUp === 'invited') throw signInError('by_invitation')
      const { organisation, ...input } = await sent.body()
      const rule = passwordFault(input.password, input)
      if (rule !== null) throw passwordRuleError('password', rule)
      const founding =
        organisation === undefined
          ? null
          : {
              name: organisation.name,
              enabledProviders: organisation.enabled_providers,
              region: organisation.region ?? null,
            }
      const pending = { ...input, organisation: founding }
      // SECURITY: not timed, because `server-timing` would tell a known address from an unknown one.
      const { afterwards } = await service.signUp(pending, caller)
      runAfterResponse(c, afterwards)
      return c.json({ object: 'signup', status: 'confirmation_sent' }, 202)
    },
  )

  openapi(
    {
      route: 'POST /api/auth/verify-email',
      tags: ['People'],
      security: [],
      operationId: 'verifyEmail',
      summary: 'Confirm an e-mail address',
      description: 'Confirms an address by the link that was sent, and signs the person in.',
      body: VerifyEmailSchema,
      answers: { 201: [UserSchema, 'The new person, signed in by the cookie.'] },
      errors: [...OPEN_ERRORS, 'conflict'],
    },
    async ({ c, sent }) => {
      const caller = await readCaller(c)
      const { token } = await sent.body()
      const confirming = () => service.confirm(token, caller, c.get('requestId'))
      const confirmed = await c.get('timings').measure('storage', confirming)
      if (confirmed.outcome !== 'created') throw signInError(confirmed.outcome)
      const { person, begun } = confirmed
      c.get('logged').personId = person.id
      const user = await c.get('timings').measure('storage', () => showUser(begun.session))
      sessionCookie.set(c, begun.token)
      return c.json(user, 201)
    },
  )

  return api
}
