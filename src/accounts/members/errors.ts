// The errors for changes of members and invitations that are not possible.
import { AppError } from '../../platform/errors.ts'
import type { InvitationMade } from './invitations.service.ts'
import { MOST_WAITING } from './invitations.store.ts'
import type { Addressed, Joined, JoinRefused } from './joining.service.ts'
import type { MemberRemoved, RoleChanged } from './members.service.ts'

type Changed = Extract<RoleChanged, { outcome: 'changed' }>
type Removed = Extract<MemberRemoved, { outcome: 'removed' }>
type Refused = Exclude<RoleChanged | MemberRemoved, Changed | Removed>

export const noSuchMember = (): AppError =>
  new AppError('not_found', 'The organisation has no member with this id. GET /api/members lists them.')

export const noSuchInvitation = (): AppError =>
  new AppError(
    'not_found',
    'No invitation with this id waits: it was accepted, taken back or is over. GET /api/members/invitations lists them.',
  )

export const ownRole = (): AppError =>
  new AppError(
    'role_required',
    'Nobody changes their own role, but an owner who gives it up. Ask another owner or admin.',
  )

export function assertChanged(change: RoleChanged): asserts change is Changed {
  if (change.outcome !== 'changed') throw memberError(change)
}

export function assertRemoved(removal: MemberRemoved): asserts removal is Removed {
  if (removal.outcome !== 'removed') throw memberError(removal)
}

function memberError({ outcome }: Refused): AppError {
  switch (outcome) {
    case 'not_found':
      return noSuchMember()
    case 'last_owner':
      return new AppError('conflict', 'This is the organisation’s last owner. Name another one first.')
    case 'overtaken':
      return overtaken()
  }
}

const overtaken = (): AppError =>
  new AppError('conflict', 'Somebody changed this at the same time, so nothing was done. Look at it and decide again.')

export function assertInvited(made: InvitationMade): asserts made is Extract<InvitationMade, { outcome: 'invited' }> {
  if (made.outcome !== 'invited') throw invitationError(made)
}

function invitationError(made: Exclude<InvitationMade, { outcome: 'invited' }>): AppError {
  switch (made.outcome) {
    case 'is_member':
      return new AppError('conflict', 'A member of the organisation has this address. GET /api/members lists them.')
    case 'too_many':
      return new AppError('conflict', `${MOST_WAITING} invitations wait already. Take one back that is not needed.`)
    case 'of_owner':
      return new AppError(
        'role_required',
        'An invitation to become an owner waits for this address. Only an owner may replace it.',
      )
    case 'too_often':
      return new AppError(
        'rate_limit_exceeded',
        'As many invitations as may go out in a day were sent: by you, by the organisation or to this address. Wait as long as retry_after says.',
        { retryAfterSeconds: made.retryAfterSeconds },
      )
    case 'overtaken':
      return overtaken()
  }
}

export function assertJoined(joined: Joined | JoinRefused): asserts joined is Joined {
  if (joined.outcome !== 'joined') throw joinError(joined)
}

export function assertAddressed(found: Addressed): asserts found is Extract<Addressed, { outcome: 'addressed' }> {
  if (found.outcome !== 'addressed') throw joinError(found)
}

export function joinError({ outcome }: JoinRefused): AppError {
  switch (outcome) {
    case 'used_up':
      return new AppError(
        'invalid_request',
        'This invitation was used, was taken back or is over. Ask for another one.',
        { param: 'token', fields: [{ path: 'token', rule: 'of an invitation that waits' }] },
      )
    case 'other_address':
      return new AppError(
        'conflict',
        'This invitation is not for the account that is signed in. Sign out, and open the link again.',
      )
    case 'closing':
      return new AppError(
        'organisation_closing',
        'This organisation is to be erased, so nobody joins it. Should that be cancelled, the invitation is valid until its end.',
      )
    case 'is_member':
      return new AppError('conflict', 'You are a member of this organisation already.')
    case 'has_account':
      return new AppError(
        'conflict',
        'The invited person has an account. Sign in (POST /api/auth/login), then accept with the token alone.',
      )
  }
}
