// Makes an invitation's token, link and expiry, and the mail with the link. The token is in the URL's fragment, which no server or
// log sees.
import { organisationInMail, type Mail } from '../../platform/mail.ts'
import { DAY_MS } from '../../platform/time.ts'
import { AUDITOR_DAYS, type Role } from '../access/roles.policy.ts'
import { isToken, newToken } from '../access/secret-token.ts'

/** The prefix of a token that the inviter hands over, which proves nothing about the mailbox. No mailed token begins with it. */
const HANDED_OVER = 'h.'

export const newInvitationToken = (isMailed: boolean): string => (isMailed ? newToken() : `${HANDED_OVER}${newToken()}`)

/** Returns true if the token was mailed, so that its bearer reads mail at the invited address. */
export const provesAddress = (token: string): boolean => !token.startsWith(HANDED_OVER)

export const isInvitationToken = (text: string): boolean =>
  isToken(text.startsWith(HANDED_OVER) ? text.slice(HANDED_OVER.length) : text)

/** @param origin the origin of this service, `https://host` */
export const invitationUrl = (origin: string, token: string): string => `${origin}/invite#${token}`

export const INVITATION_DAYS = 7

/** `endsAt`: when the access of an auditor ends, in milliseconds; null if nobody chose an end. */
type Invited = { email: string; role: Role; organisationName: string; url: string; endsAt: number | null }

export const invitationMail = ({ email, role, organisationName, url, endsAt }: Invited): Mail => ({
  to: email,
  subject: 'You are invited to an organisation at Countersign',
  text: [
    `You are invited to ${organisationInMail(organisationName)} at Countersign as ${role}.`,
    `Accept it here within ${INVITATION_DAYS} days; the link works once:`,
    url,
    ...(role === 'auditor' ? [accessEndText(endsAt)] : []),
    'If you do not know who invited you, ignore this mail. It does not create an account.',
  ].join('\n\n'),
})

const accessEndText = (endsAt: number | null): string =>
  endsAt === null
    ? `Your access ends ${AUDITOR_DAYS} days after you accept.`
    : `Your access ends on ${new Date(endsAt).toISOString().slice(0, 10)}.`

export const invitationEnd = (now: number): number => now + INVITATION_DAYS * DAY_MS
