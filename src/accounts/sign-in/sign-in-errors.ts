// Maps each refused sign-up, sign-in or password change to an error.
import { AppError } from '../../platform/errors.ts'

type ErrorArguments = ConstructorParameters<typeof AppError>

type RefusedOutcome = 'refused' | 'wrong' | 'used' | 'taken' | 'no_password' | 'by_invitation'

const ERRORS: Record<RefusedOutcome, ErrorArguments> = {
  refused: [
    'invalid_credentials',
    'The e-mail address and the password do not belong together. If you forgot the password: POST /api/auth/password-reset.',
  ],
  wrong: ['invalid_credentials', 'That is not your current password.', { param: 'current' }],
  used: [
    'invalid_request',
    'The link was used already, is over, or is not whole. Ask for a new one.',
    { param: 'token', fields: [{ path: 'token', rule: 'of a link that holds' }] },
  ],
  taken: ['conflict', 'There is an account with this address by now. Sign in: POST /api/auth/login.'],
  no_password: [
    'conflict',
    'You sign in by an identity provider and have no password to change. POST /api/auth/password-reset sets a first one.',
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
