// The mail to an invited person.
import { calledInMail, type Mail } from '../../platform/mail.ts'
import { DAY_MS } from '../../platform/clock.ts'
import type { Role } from '../access/roles.policy.ts'

export const INVITATION_DAYS = 7

type Invited = { email: string; role: Role; organisationName: string; url: string }

export const invitationMail = ({ email, role, organisationName, url }: Invited): Mail => ({
  to: email,
  subject: 'You are invited to an organisation at Countersign',
  text: [
    `You are invited to ${calledInMail(organisationName)} at Countersign as ${role}.`,
    `Accept it here within ${INVITATION_DAYS} days; the link works once:`,
    url,
    'If you do not know who invites you, do nothing. Nobody has an account in your name by this mail.',
  ].join('\n\n'),
})

export const invitationEnd = (now: number): number => now + INVITATION_DAYS * DAY_MS
