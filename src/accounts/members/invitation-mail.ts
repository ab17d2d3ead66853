// What an invited person is written. An organisation's name is its own choice: what could be taken for an address that somebody
// is to visit or to write to stays out of our mail.
import { DAY_MS } from '../../platform/clock.ts'
import type { Mail } from '../../mail/mailer.ts'
import type { Role } from '../access/roles.policy.ts'

export const INVITATION_DAYS = 7

type Invited = { email: string; role: Role; organisationName: string; url: string }

export const invitationMail = ({ email, role, organisationName, url }: Invited): Mail => ({
  to: email,
  subject: 'You are invited to an organisation at Countersign',
  text: [
    `You are invited to ${called(organisationName)} at Countersign as ${role}.`,
    `Accept it here within ${INVITATION_DAYS} days; the link works once:`,
    url,
    'If you do not know who invites you, do nothing. Nobody has an account in your name by this mail.',
  ].join('\n\n'),
})

export const invitationEnd = (now: number): number => now + INVITATION_DAYS * DAY_MS

/** Letters, digits, blanks and a few marks, and no dot, slash, colon or at sign within a word. */
const PLAIN = /^[\p{L}\p{M}\p{N} '’"&()+,.–-]{1,80}$/u
const ADDRESS_LIKE = /\.\S/u

const called = (name: string): string =>
  PLAIN.test(name) && !ADDRESS_LIKE.test(name) ? `the organisation “${name}”` : 'an organisation'
