// Maps each refused sign-up, sign-in or password change to an error.
import { AppError } from '../../platform/errors.ts'

/** The errors of each operation that takes a body from a browser without a session. */
export const OPEN_ERRORS = ['origin_refused', 'invalid_request', 'rate_limit_exceeded', 'internal_error'] as const

type ErrorArguments = ConstructorParameters<typeof AppError>

type RefusedOutcome = 'refused' | 'wrong' | 'used' | 'taken' | 'no_password' | 'by_invitation'

const ERRORS: Record<RefusedOutcome, ErrorArguments> = {
  refused: [
    'invalid_credentials',
    'Wrong e-mail address or password. If you forgot the password, set a new one (POST /api/auth/password-reset).',
  ],
  wrong: ['invalid_credentials', 'The current password is wrong. Type it again.', { param: 'current' }],
  used: [
    'invalid_request',
    'The link was used already, has expired or is incomplete. Ask for a new one.',
    { param: 'token', fields: [{ path: 'token', rule: 'of a link that holds' }] },
  ],
  taken: ['conflict', 'This address now has an account. Sign in (POST /api/auth/login).'],
  no_password: [
    'conflict',
    'You sign in with an identity provider and have no password. Set a first one (POST /api/auth/password-reset).',
  ],
  by_invitation: [
    'role_required',
    'Sign-up is by invitation here. Ask an owner or an admin of your organisation to invite you.',
  ],
}

export const signInError = (outcome: RefusedOutcome): AppError => new AppError(...ERRORS[outcome])

/** Returns the error for a password that breaks a rule. @param param the member with the password */
export const passwordRuleError = (param: string, rule: string): AppError =>
  new AppError('invalid_request', `${param}: ${rule}.`, { param, fields: [{ path: param, rule }] })
