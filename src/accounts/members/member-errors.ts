// Maps each refused change of a member, each refused invitation and each refused joining to an error.
import { AppError } from '../../platform/errors.ts'
import { MOST_AUDITOR_DAYS, type AccessEndFault } from '../access/roles.policy.ts'
import type { InvitationResult } from './invitations.service.ts'
import { MOST_OPEN_INVITATIONS } from '../../policies/organisation-limits.policy.ts'
import type { JoinRefused } from './accept-invitation.service.ts'
import type { MemberRefused } from './members.service.ts'

type Row = ConstructorParameters<typeof AppError>

const OVERTAKEN: Row = [
  'conflict',
  'Somebody else changed this at the same time, so nothing was done. Read it again, then decide.',
]

const MEMBER_ERRORS: Record<MemberRefused['outcome'] | 'own_role', Row> = {
  not_found: ['not_found', 'The organisation has no member with this id. GET /api/members lists them.'],
  last_owner: ['conflict', 'This person is the last owner of the organisation. Make somebody else an owner first.'],
  overtaken: OVERTAKEN,
  own_role: ['role_required', 'You cannot change your own role. Ask another owner or admin.'],
}

export const nothingChangesError = (): AppError =>
  new AppError(
    'invalid_request',
    'revoke_keys needs another role, or another end of an auditor’s access. Revoke single keys under /api/keys.',
    { param: 'revoke_keys', fields: [{ path: 'revoke_keys', rule: 'only with a change of the member' }] },
  )

export const memberError = (outcome: keyof typeof MEMBER_ERRORS): AppError => new AppError(...MEMBER_ERRORS[outcome])

const END_ERRORS: Record<AccessEndFault, { rule: string; message: string }> = {
  other_role: {
    rule: 'only for the role auditor',
    message: 'Only the access of an auditor has an end. Leave ends_at out, or choose the role auditor.',
  },
  past: { rule: 'in the future', message: 'The access would already have ended. Send a time in the future.' },
  too_far: {
    rule: `at most ${MOST_AUDITOR_DAYS} days ahead`,
    message: `The access of an auditor ends at most ${MOST_AUDITOR_DAYS} days from now. Send an earlier time.`,
  },
}

export function accessEndError(fault: AccessEndFault): AppError {
  const { rule, message } = END_ERRORS[fault]
  return new AppError('invalid_request', message, { param: 'ends_at', fields: [{ path: 'ends_at', rule }] })
}

type InvitationRefused = Exclude<InvitationResult, { outcome: 'invited' | 'wrong_end' }>

const INVITATION_ERRORS: Record<InvitationRefused['outcome'], Row> = {
  is_member: ['conflict', 'A member of the organisation already has this address. GET /api/members lists the members.'],
  too_many: [
    'conflict',
    `The organisation already has ${MOST_OPEN_INVITATIONS} open invitations, which is the most. Revoke one that you do not need.`,
  ],
  of_owner: ['role_required', 'This address has an open invitation as owner. Ask an owner to replace it.'],
  too_often: [
    'rate_limit_exceeded',
    'You, the organisation or this address have reached the daily limit of invitations. Wait as long as retry_after says.',
  ],
  overtaken: OVERTAKEN,
}

/** Throws the error of the outcome if nobody was invited. */
export function assertInvited(
  made: InvitationResult,
): asserts made is Extract<InvitationResult, { outcome: 'invited' }> {
  if (made.outcome === 'invited') return
  if (made.outcome === 'wrong_end') throw accessEndError(made.fault)
  const [code, message] = INVITATION_ERRORS[made.outcome]
  throw new AppError(code, message, made.outcome === 'too_often' ? { retryAfterSeconds: made.retryAfterSeconds } : {})
}

export const noSuchInvitation = (): AppError =>
  new AppError(
    'not_found',
    'There is no open invitation with this id: it was accepted, revoked or has expired. GET /api/members/invitations lists them.',
  )

const JOIN_ERRORS: Record<JoinRefused['outcome'], Row> = {
  used_up: [
    'invalid_request',
    'This invitation was used, was revoked or has expired. Ask for another one.',
    { param: 'token', fields: [{ path: 'token', rule: 'of an invitation that waits' }] },
  ],
  other_address: ['conflict', 'This invitation is for another account than yours. Sign out, then open the link again.'],
  closing: [
    'organisation_closing',
    'This organisation is scheduled for erasure, so nobody can join it. Try again if an owner cancels the erasure.',
  ],
  is_member: ['conflict', 'You are already a member of this organisation. GET /api/auth/me lists your organisations.'],
  has_account: [
    'conflict',
    'The invited address has an account. Sign in (POST /api/auth/login), then send only the token.',
  ],
}

export const joinError = (outcome: JoinRefused['outcome']): AppError => new AppError(...JOIN_ERRORS[outcome])
