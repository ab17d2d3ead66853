// Mails about people's accounts: addresses, passwords and second factors. SECURITY: no mail contains text of a caller.
// Otherwise anybody could write to a stranger by signing up with the stranger's address.
import type { Mail } from '../../platform/mail.ts'
import type { OwnFactor } from '../access/session-proof.policy.ts'
import type { ResetState } from '../second-factor/second-factor.schema.ts'

type To = { to: string; origin: string }

// The token is in the fragment. No server, log or Referer gets it, and a scanner that opens links does not use it up.
const link = (origin: string, page: 'confirm' | 'reset' | 'app/account', token: string): string =>
  `${origin}/${page}#${token}`

const mail = (to: string, subject: string, ...paragraphs: readonly string[]): Mail => ({
  to,
  subject,
  text: `${paragraphs.join('\n\n')}\n`,
})

export const confirmationMail = ({ to, origin, token }: To & { token: string }): Mail =>
  mail(
    to,
    'Confirm your address',
    `Somebody, probably you, is signing up at ${origin} with this address. To confirm it, open this link within 24 hours:`,
    link(origin, 'confirm', token),
    'If you did not sign up, do not open the link: somebody else chose the password. Without the link, no account is created.',
  )

export const addressTakenMail = ({ to, origin }: To): Mail =>
  mail(
    to,
    'You already have an account',
    `Somebody, probably you, tried to use this address for another account at ${origin}. It already has one, and nothing was changed.`,
    `Sign in at ${origin}/sign-in. If you forgot your password, set a new one at ${origin}/reset.`,
  )

export const newAddressMail = ({ to, origin, token }: To & { token: string }): Mail =>
  mail(
    to,
    'Confirm your new address',
    `Somebody, probably you, asked to use this address for an account at ${origin}. To confirm it, sign in there, then open this link within 24 hours:`,
    link(origin, 'app/account', token),
    'If that was not you, ignore this mail. Without the link, nothing changes.',
  )

/** For the address before. */
export const addressChangeMail = ({ to, origin }: To): Mail =>
  mail(
    to,
    'A new address was asked for',
    `Somebody, probably you, asked to use another address for your account at ${origin}. It changes once a link that was mailed to that address is opened.`,
    `If that was not you, set a new password at ${origin}/reset now. The link then stops working.`,
  )

export const resetMail = ({ to, origin, token }: To & { token: string }): Mail =>
  mail(
    to,
    'Set a new password',
    `Somebody, probably you, asked for a new password at ${origin}. To choose one, open this link within 30 minutes:`,
    link(origin, 'reset', token),
    'If that was not you, ignore this mail. Your password does not change.',
  )

export const passwordChangedMail = ({ to, origin, isFactorRemoved }: To & { isFactorRemoved?: boolean }): Mail =>
  mail(
    to,
    'Your password was changed',
    `The password of your account at ${origin} was changed. All other sessions have ended.`,
    ...(isFactorRemoved
      ? ['Its second factors, the first of which was set up within a day, were removed with it.']
      : []),
    `If that was not you, set a new password at ${origin}/reset now, and tell the operator of the service.`,
  )

const FACTOR_CHANGES: Record<OwnFactor, { added: string; removed: string }> = {
  passkey: { added: 'A passkey was added', removed: 'A passkey was removed' },
  totp: { added: 'An authenticator app was added', removed: 'An authenticator app was removed' },
  recovery_code: { added: 'New recovery codes were made', removed: 'Recovery codes were removed' },
}

type FactorChange = To & { kind: OwnFactor; change: 'added' | 'removed' }

export const factorChangedMail = ({ to, origin, kind, change }: FactorChange): Mail =>
  mail(
    to,
    FACTOR_CHANGES[kind][change],
    `${FACTOR_CHANGES[kind][change]} in your account at ${origin}. ${kind === 'recovery_code' ? 'The ones before work no longer.' : 'All other sessions have ended.'}`,
    `If that was not you, sign in, ${change === 'added' ? 'remove it' : 'look at what is left'} at ${origin}/app/account, and set a new password: that alone removes nothing. Tell an owner of your organisation.`,
  )

/** For members without one. @param from when it begins; null if it has */
export const factorRequiredMail = ({ to, origin, from }: To & { from: string | null }): Mail =>
  mail(
    to,
    'Set up a second factor',
    `An organisation at ${origin} that you are a member of requires a second factor${from === null ? '' : ` from ${from}`}. Without one you can then open nothing of it.`,
    `Set one up, a passkey or an authenticator app: ${origin}/app/account#second-factor.`,
  )

/** For owners and admins. */
export const requirementWeakenedMail = ({ to, link: settings }: { to: string; link: string }): Mail =>
  mail(
    to,
    'A second factor is required less strictly',
    `An owner of your organisation ended, weakened or postponed the second factor that it requires: ${settings}.`,
    'If that was not agreed, ask the owners, and see who did it in the log.',
  )

export const recoveryCodeUsedMail = ({ to, origin, left }: To & { left: number }): Mail =>
  mail(
    to,
    'A recovery code was used',
    `Somebody, probably you, signed in at ${origin} with a recovery code, of which ${left} are left. Set up your new device now: ${origin}/app/account.`,
    `If that was not you, set a new password at ${origin}/reset now, and tell an owner of your organisation.`,
  )

/** For wrong codes after the right password. */
export const passwordKnownMail = ({ to, origin }: To): Mail =>
  mail(
    to,
    'Somebody knows your password',
    `Five wrong codes followed your right password at ${origin}. Nobody was signed in.`,
    `If that was not you, set a new password now: ${origin}/reset.`,
  )

export const appLockedMail = ({ to, origin }: To): Mail =>
  mail(
    to,
    "Your app's codes are locked",
    `A hundred wrong codes of your authenticator app followed each other at ${origin}. Its codes are taken no more.`,
    `Sign in with a passkey or a recovery code, and set the app up again: ${origin}/app/account. If the codes were not yours, set a new password first: ${origin}/reset.`,
  )

export const passkeyRefusedMail = ({ to, origin }: To): Mail =>
  mail(
    to,
    'A passkey was refused',
    `A passkey of your account at ${origin} was used with an old counter, as a copy of it would be. Nobody was signed in.`,
    `Remove that passkey and add a new one: ${origin}/app/account.`,
  )

const RESET_STEPS: Record<Exclude<ResetState, 'done'>, { was: string; text: string }> = {
  asked: { was: 'asked for', text: 'An owner or admin asked for it. Another one must agree within 24 hours.' },
  agreed: { was: 'agreed to', text: 'Two owners or admins agreed to it.' },
  cancelled: {
    was: 'cancelled',
    text: 'A sign-in with the second factor, or an owner or admin, cancelled it. Nothing was removed.',
  },
}

type ResetStep = To & { step: ResetState; isOwn: boolean; isByOperator: boolean; dueAt: number | null }

/** @param isOwn whether it is for the person, or for a manager @param dueAt when the person gets a link, in milliseconds */
export function factorResetMail({ to, origin, step, isOwn, isByOperator, dueAt }: ResetStep): Mail {
  const whose = `It concerns ${isOwn ? 'your account' : 'a member of your organisation'} at ${origin}.`
  if (step === 'done')
    return mail(
      to,
      `${isOwn ? 'Your' : "A member's"} second factors were removed`,
      `${whose} All second factors were removed, and all sessions have ended. The password alone is enough to sign in until a new one is set up.`,
      `If that was not ${isOwn ? 'you' : 'agreed'}, tell an owner of your organisation now.`,
    )
  const { was, text } = RESET_STEPS[step]
  const [isOpen, isAskedByOperator] = [step !== 'cancelled', step === 'asked' && isByOperator]
  const cancel = isOwn ? 'sign in with your second factor' : `cancel it at ${origin}/app/members`
  return mail(
    to,
    `A reset of ${isOwn ? 'your' : "a member's"} second factor was ${was}`,
    `${whose} ${isAskedByOperator ? 'The operator of the service asked for it.' : text}`,
    ...(isOpen && dueAt !== null
      ? [`From ${new Date(dueAt).toISOString()} on, the person can ask for a link at ${origin}/sign-in.`]
      : []),
    ...(isOpen ? [`If that is wrong, ${cancel}. Nothing is removed then.`] : []),
  )
}

export const factorResetLinkMail = ({ to, origin, token }: To & { token: string }): Mail =>
  mail(
    to,
    'Remove your second factors',
    `Somebody, probably you, asked at ${origin} to remove your second factors, to which others agreed. Open this link within 24 hours. It needs your password:`,
    link(origin, 'reset', `f.${token}`),
    'If that was not you, do not open the link: sign in with your second factor, and the reset is cancelled.',
  )
