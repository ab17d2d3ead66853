// Mails about people's accounts: confirm, address taken, reset, password changed. SECURITY: no mail contains text of a caller.
// Otherwise anybody could write to a stranger by signing up with the stranger's address.
import type { Mail } from '../../platform/mail.ts'

type To = { to: string; origin: string }

// The token is in the fragment. No server, log or Referer gets it, and a scanner that opens links does not use it up.
const link = (origin: string, page: 'confirm' | 'reset', token: string): string => `${origin}/${page}#${token}`

const paragraphs = (...texts: readonly string[]): string => `${texts.join('\n\n')}\n`

export const confirmationMail = ({ to, origin, token }: To & { token: string }): Mail => ({
  to,
  subject: 'Confirm your address',
  text: paragraphs(
    `Somebody, most likely you, is signing up at ${origin} with this address. To confirm it, open this link within 24 hours:`,
    link(origin, 'confirm', token),
    'If you did not just sign up yourself, do not open it: the account would have a password that somebody else has chosen. Without the link there is no account.',
  ),
})

export const addressTakenMail = ({ to, origin }: To): Mail => ({
  to,
  subject: 'You have an account already',
  text: paragraphs(
    `Somebody, most likely you, tried to sign up at ${origin} with this address, which has an account already. Nothing was changed.`,
    `Sign in as before, at ${origin}/sign-in. If you do not remember your password, ask for a new one at ${origin}/reset.`,
  ),
})

export const resetMail = ({ to, origin, token }: To & { token: string }): Mail => ({
  to,
  subject: 'Set a new password',
  text: paragraphs(
    `Somebody, most likely you, asked for a new password for the account with this address at ${origin}. To choose one, open this link within 30 minutes:`,
    link(origin, 'reset', token),
    'If that was not you, ignore this mail: your password stays as it is.',
  ),
})

export const passwordChangedMail = ({ to, origin }: To): Mail => ({
  to,
  subject: 'Your password was changed',
  text: paragraphs(
    `The password of your account at ${origin} was changed, and all other sessions were ended.`,
    `If that was not you, ask for a new password at ${origin}/reset at once, and tell the service’s operator.`,
  ),
})
