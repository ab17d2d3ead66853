// The errors of a refused sign-up, sign-in or password.
import { AppError } from '../../platform/errors.ts'

export const credentialsRefused = (): AppError =>
  new AppError(
    'invalid_credentials',
    'The e-mail address and the password do not belong together. If you forgot the password: POST /api/auth/password-reset.',
  )

export const currentRefused = (): AppError =>
  new AppError('invalid_credentials', 'That is not your current password.', { param: 'current' })

/** @param param the member with the password */
export const unfitPassword = (param: string, rule: string): AppError =>
  new AppError('invalid_request', `${param}: ${rule}.`, { param, fields: [{ path: param, rule }] })

export const linkUsed = (): AppError =>
  new AppError('invalid_request', 'The link was used already, is over, or is not whole. Ask for a new one.', {
    param: 'token',
    fields: [{ path: 'token', rule: 'of a link that holds' }],
  })

export const addressTaken = (): AppError =>
  new AppError('conflict', 'There is an account with this address by now. Sign in: POST /api/auth/login.')

export const noPassword = (): AppError =>
  new AppError(
    'conflict',
    'You sign in by an identity provider and have no password to change. POST /api/auth/password-reset sets a first one.',
  )

export const signUpByInvitation = (): AppError =>
  new AppError(
    'role_required',
    'Sign-up is by invitation here. Ask an owner or an admin of your organisation to invite you.',
  )
