// Maps each refused change of a member, each refused invitation and each refused joining to an error.
import { AppError } from '../../platform/errors.ts'
import type { InvitationResult } from './invitations.service.ts'
import { MOST_OPEN_INVITATIONS } from './invitations.store.ts'
import type { JoinRefused } from './accept-invitation.service.ts'
import type { MemberRefused } from './members.service.ts'

type Row = ConstructorParameters<typeof AppError>

const OVERTAKEN: Row = [
  'conflict',
  'Somebody changed this at the same time, so nothing was done. Look at it and decide again.',
]

const MEMBER_ERRORS: Record<MemberRefused['outcome'] | 'own_role', Row> = {
  not_found: ['not_found', 'The organisation has no member with this id. GET /api/members lists them.'],
  last_owner: ['conflict', 'This is the organisation’s last owner. Name another one first.'],
  overtaken: OVERTAKEN,
  own_role: [
    'role_required',
    'Nobody changes their own role, but an owner who gives it up. Ask another owner or admin.',
  ],
}

export const memberError = (outcome: keyof typeof MEMBER_ERRORS): AppError => new AppError(...MEMBER_ERRORS[outcome])

type InvitationRefused = Exclude<InvitationResult, { outcome: 'invited' }>

const INVITATION_ERRORS: Record<InvitationRefused['outcome'], Row> = {
  is_member: ['conflict', 'A member of the organisation has this address. GET /api/members lists them.'],
  too_many: ['conflict', `${MOST_OPEN_INVITATIONS} invitations wait already. Take one back that is not needed.`],
  of_owner: ['role_required', 'An invitation to become an owner waits for this address. Only an owner may replace it.'],
  too_often: [
    'rate_limit_exceeded',
    'As many invitations as may go out in a day were sent: by you, by the organisation or to this address. Wait as long as retry_after says.',
  ],
  overtaken: OVERTAKEN,
}

/** Throws the error of the outcome if nobody was invited. */
export function assertInvited(
  made: InvitationResult,
): asserts made is Extract<InvitationResult, { outcome: 'invited' }> {
  if (made.outcome === 'invited') return
  const [code, message] = INVITATION_ERRORS[made.outcome]
  throw new AppError(code, message, made.outcome === 'too_often' ? { retryAfterSeconds: made.retryAfterSeconds } : {})
}

export const noSuchInvitation = (): AppError =>
  new AppError(
    'not_found',
    'No invitation with this id waits: it was accepted, taken back or is over. GET /api/members/invitations lists them.',
  )

const JOIN_ERRORS: Record<JoinRefused['outcome'], Row> = {
  used_up: [
    'invalid_request',
    'This invitation was used, was taken back or is over. Ask for another one.',
    { param: 'token', fields: [{ path: 'token', rule: 'of an invitation that waits' }] },
  ],
  other_address: [
    'conflict',
    'This invitation is not for the account that is signed in. Sign out, and open the link again.',
  ],
  closing: [
    'organisation_closing',
    'This organisation is to be erased, so nobody joins it. Should that be cancelled, the invitation is valid until its end.',
  ],
  is_member: ['conflict', 'You are a member of this organisation already.'],
  has_account: [
    'conflict',
    'The invited person has an account. Sign in (POST /api/auth/login), then accept with the token alone.',
  ],
}

export const joinError = (outcome: JoinRefused['outcome']): AppError => new AppError(...JOIN_ERRORS[outcome])
