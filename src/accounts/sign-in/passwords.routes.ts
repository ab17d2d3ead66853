// Routes with which people set another password, by a mailed link or by the current password.
import { runAfterResponse, type AppContext } from '../../platform/context.ts'
import { publicOperations } from '../../platform/operations.ts'
import { type Api, createApi } from '../../platform/router.ts'
import { SESSION_SECURITY } from '../access/access.schema.ts'
import type { AccessControl } from '../access/access-control.ts'
import { sessionOperations } from '../access/access-operations.ts'
import { sessionCookie } from '../access/session-cookie.ts'
import type { ReadCaller } from './read-caller.ts'
import type { PasswordChanged, SignInService } from './sign-in.service.ts'
import { OPEN_ERRORS, signInError, passwordRuleError } from './sign-in-errors.ts'
import {
  ChangePasswordSchema,
  ConfirmResetSchema,
  PasswordAnswerSchema,
  RequestResetSchema,
  ResetRequestedSchema,
} from './sign-in.schema.ts'

type Deps = { service: SignInService; access: AccessControl; readCaller: ReadCaller }

export function passwordRoutes({ service, access, readCaller }: Deps): Api {
  const api = createApi()
  const open = publicOperations({ tags: ['People'] }, api)
  const people = sessionOperations(access, { tags: ['People'] }, api)

  open.openapi(
    {
      route: 'POST /api/auth/password-reset',
      security: [],
      operationId: 'requestPasswordReset',
      summary: 'Request a password reset',
      description: 'Sends a link by e-mail to set a new password.',
      body: RequestResetSchema,
      answers: { 202: [ResetRequestedSchema, 'The same whether or not there is an account with the address.'] },
      errors: OPEN_ERRORS,
    },
    async ({ c, sent }) => {
      const caller = await readCaller(c)
      const { email } = await sent.body()
      // SECURITY: not timed, because `server-timing` would tell a known address from an unknown one.
      const { afterwards } = await service.requestReset(email, caller)
      runAfterResponse(c, afterwards)
      return c.json({ object: 'password_reset', status: 'requested' }, 202)
    },
  )

  open.openapi(
    {
      route: 'POST /api/auth/password-reset/confirm',
      security: [],
      operationId: 'resetPassword',
      summary: 'Reset a password',
      description: 'Sets a new password by the link that was sent. All sessions end.',
      body: ConfirmResetSchema,
      answers: { 200: [PasswordAnswerSchema, 'It is set. Sign in with it.'] },
      errors: OPEN_ERRORS,
    },
    async ({ c, sent }) => {
      const caller = await readCaller(c)
      const { token, password } = await sent.body()
      const changed = await c
        .get('timings')
        .measure('storage', () => service.reset(token, password, caller, c.get('requestId')))
      // The cookie is cleared first, because the response takes the headers set by then.
      if (changed.outcome === 'changed') sessionCookie.clear(c)
      return answerChanged(c, changed, 'password')
    },
  )

  people.openapi(
    {
      route: 'POST /api/auth/password',
      security: SESSION_SECURITY,
      operationId: 'changePassword',
      summary: 'Change your password',
      description: 'Changes your password. All other sessions end.',
      proof: 'full',
      body: ChangePasswordSchema,
      answers: { 200: [PasswordAnswerSchema, 'It is changed.'] },
      errors: ['rate_limit_exceeded', 'invalid_credentials', 'conflict'],
    },
    async ({ c, caller: session, sent }) => {
      const caller = await readCaller(c)
      const { current, new: wanted } = await sent.body()
      const changing = () => service.change(session, { current, newPassword: wanted }, caller)
      return answerChanged(c, await c.get('timings').measure('storage', changing), 'new')
    },
  )

  return api
}

/** Presents a changed password, or throws its error. @param param the member with the new password */
function answerChanged(c: AppContext, changed: PasswordChanged, param: string): Response {
  if (changed.outcome === 'unfit') throw passwordRuleError(param, changed.rule)
  if (changed.outcome !== 'changed') throw signInError(changed.outcome)
  runAfterResponse(c, changed.afterwards)
  return c.json({ object: 'password', status: 'changed' })
}
