// Setting another password: by a mailed link, or by the one before.
import { createRoute } from '@hono/zod-openapi'
import { afterAnswer, type AppContext } from '../../platform/context.ts'
import { errorResponses, jsonResponse } from '../../platform/responses.ts'
import { bodyOf, readForm } from '../../platform/form.ts'
import { createApi, mount, mountFor, type Api } from '../../platform/route.ts'
import { SESSION_CODES, SESSION_SECURITY } from '../access/access.schema.ts'
import type { AccessControl } from '../access/access.ts'
import { clearSessionCookie } from '../access/session-cookie.ts'
import type { ReadCaller } from './caller.ts'
import type { PasswordChanged, PasswordsService } from './passwords.service.ts'
import { currentRefused, linkUsed, noPassword, unfitPassword } from './sign-in-refusals.ts'
import { OPEN_CODES } from './sign-in.routes.ts'
import {
  ChangePasswordSchema,
  ConfirmResetSchema,
  PasswordAnswerSchema,
  RequestResetSchema,
  ResetRequestedSchema,
} from './sign-in.schema.ts'

const shared = { tags: ['People'], method: 'post' as const }

const routes = {
  requestPasswordReset: createRoute({
    ...shared,
    security: [],
    path: '/api/auth/password-reset',
    operationId: 'requestPasswordReset',
    summary: 'Ask for a link by mail to set a new password',
    request: bodyOf(RequestResetSchema),
    responses: {
      202: jsonResponse(ResetRequestedSchema, 'The same whether or not there is an account with the address.'),
      ...errorResponses(OPEN_CODES),
    },
  }),
  resetPassword: createRoute({
    ...shared,
    security: [],
    path: '/api/auth/password-reset/confirm',
    operationId: 'resetPassword',
    summary: 'Set a new password by the mailed link; all sessions end',
    request: bodyOf(ConfirmResetSchema),
    responses: {
      200: jsonResponse(PasswordAnswerSchema, 'It is set. Sign in with it.'),
      ...errorResponses(OPEN_CODES),
    },
  }),
  changePassword: createRoute({
    ...shared,
    security: SESSION_SECURITY,
    path: '/api/auth/password',
    operationId: 'changePassword',
    summary: 'Change one’s password; all other sessions end',
    description: 'Needs a session that began within the last 15 minutes.',
    request: bodyOf(ChangePasswordSchema),
    responses: {
      200: jsonResponse(PasswordAnswerSchema, 'It is changed.'),
      ...errorResponses([
        ...OPEN_CODES,
        ...SESSION_CODES.filter((code) => code === 'session_required'),
        'fresh_sign_in_required',
        'invalid_credentials',
        'conflict',
      ]),
    },
  }),
}

type Deps = { service: PasswordsService; access: AccessControl; readCaller: ReadCaller }

export function passwordRoutes({ service, access, readCaller }: Deps): Api {
  const api = createApi()

  mount(api, routes.requestPasswordReset, async (c) => {
    const caller = await readCaller(c)
    const { email } = await readForm(c, RequestResetSchema)
    // Not timed: `server-timing` would tell a known address from an unknown one.
    const { afterwards } = await service.requestReset(email, caller)
    afterAnswer(c, afterwards)
    return c.json({ object: 'password_reset', status: 'requested' }, 202)
  })

  mount(api, routes.resetPassword, async (c) => {
    const caller = await readCaller(c)
    const { token, password } = await readForm(c, ConfirmResetSchema)
    const changed = await c.get('timings').measure('storage', () => service.reset(token, password, caller))
    // Before the answer is made: it takes the headers that are there by then.
    if (changed.outcome === 'changed') clearSessionCookie(c)
    return answerChanged(c, changed, 'password')
  })

  mountFor(
    api,
    routes.changePassword,
    (c) => access.requireSession(c, { isFresh: true }),
    async (c, session) => {
      const caller = await readCaller(c)
      const { current, new: wanted } = await readForm(c, ChangePasswordSchema)
      const changing = () => service.change(session, { current, wanted }, caller)
      return answerChanged(c, await c.get('timings').measure('storage', changing), 'new')
    },
  )

  return api
}

/** @param param the member that holds the new password */
function answerChanged(c: AppContext, changed: PasswordChanged, param: string): Response {
  switch (changed.outcome) {
    case 'changed':
      afterAnswer(c, changed.afterwards)
      return c.json({ object: 'password', status: 'changed' })
    case 'unfit':
      throw unfitPassword(param, changed.rule)
    case 'used':
      throw linkUsed()
    case 'wrong':
      throw currentRefused()
    case 'no_password':
      throw noPassword()
  }
}
