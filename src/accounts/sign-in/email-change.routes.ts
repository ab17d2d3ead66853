// Routes with which people change their e-mail address, by a link that is mailed to the new one.
import { runAfterResponse } from '../../platform/context.ts'
import type { Api } from '../../platform/router.ts'
import { SESSION_SECURITY } from '../access/access.schema.ts'
import type { AccessControl } from '../access/access-control.ts'
import { sessionOperations } from '../access/access-operations.ts'
import type { ShowUser } from './own-account.routes.ts'
import type { ReadCaller } from './read-caller.ts'
import { signInError } from './sign-in-errors.ts'
import { ChangeEmailSchema, EmailChangeSchema, UserSchema, VerifyEmailSchema } from './sign-in.schema.ts'
import type { SignInService } from './sign-in.service.ts'

type Deps = { service: SignInService; access: AccessControl; readCaller: ReadCaller; showUser: ShowUser }

export function emailChangeRoutes({ service, access, readCaller, showUser }: Deps): Api {
  const { api, openapi } = sessionOperations(access, { tags: ['People'], security: SESSION_SECURITY })

  openapi(
    {
      route: 'POST /api/auth/email',
      operationId: 'requestEmailChange',
      summary: 'Ask for another address',
      description:
        'Sends a link to the new address, and a notice to the one before. Nothing changes until the link is used.',
      proof: 'full',
      body: ChangeEmailSchema,
      answers: { 202: [EmailChangeSchema, 'The same whether or not there is an account with the address.'] },
      errors: ['rate_limit_exceeded'],
    },
    async ({ c, caller: session, sent }) => {
      const caller = await readCaller(c)
      const { email } = await sent.body()
      // SECURITY: not timed, because `server-timing` would tell a known address from an unknown one.
      const { afterwards } = await service.requestEmailChange(session, email, caller)
      runAfterResponse(c, afterwards)
      return c.json({ object: 'email_change', status: 'requested' }, 202)
    },
  )

  openapi(
    {
      route: 'POST /api/auth/email/confirm',
      operationId: 'confirmEmailChange',
      summary: 'Confirm your new address',
      description: 'Changes your address by the link that was sent. All other sessions end.',
      body: VerifyEmailSchema,
      answers: { 200: [UserSchema, 'The person, as they are now.'] },
      errors: ['rate_limit_exceeded'],
    },
    async ({ c, caller: session, sent }) => {
      const caller = await readCaller(c)
      const { token } = await sent.body()
      const confirming = () => service.confirmEmailChange(session, token, caller)
      if ((await c.get('timings').measure('storage', confirming)) === 'used') throw signInError('used')
      return c.json(await c.get('timings').measure('storage', () => showUser(session)))
    },
  )

  return api
}
