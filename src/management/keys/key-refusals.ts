// The errors for keys that cannot be made or changed as requested.
import { refuseKey } from '../../keys/bearer.ts'
import { type UnchangeableKey, newKeyError } from '../../keys/key-change.policy.ts'
import type { KeyBound, KeyForbidden } from '../../keys/key-permission.policy.ts'
import type { KeyRefusal } from '../../organisation/keys/keys.target.ts'
import { AppError } from '../../platform/errors.ts'

export function keyRefusalError(refusal: KeyRefusal | UnchangeableKey): AppError {
  switch (refusal.outcome) {
    case 'invalid_api_key':
      return refuseKey('gateway', refusal.why)
    case 'forbidden':
      return forbiddenError(refusal)
    case 'invalid':
      return newKeyError(refusal.reason)
    case 'not_found':
      return keyNotFound()
    case 'too_many':
      return new AppError(
        'conflict',
        `Your organisation has ${refusal.most} keys in force, which is the most. Revoke those that nobody uses: last_used_at tells.`,
      )
    case 'repeated':
      return new AppError(
        'conflict',
        `A request with this idempotency-key was run and made the key ${refusal.made}, which is not shown again. If you do not have it, have another take its place: POST /api/keys/${refusal.made}/rotate with overlap_seconds 0.`,
        { param: 'idempotency-key' },
      )
    case 'other_body':
      return new AppError(
        'idempotency_conflict',
        'Another request was run with this idempotency-key. Send a new one with each key that you want.',
        { param: 'idempotency-key' },
      )
    case 'over':
      return new AppError('conflict', `${OVER[refusal.status]} It cannot be changed any more: make a new one.`)
    case 'rotated':
      return new AppError(
        'conflict',
        `This key was rotated: ${refusal.replacedBy} has taken its place. It ends when its overlap does, or sooner.`,
      )
    case 'issued_by_operator':
      return new AppError(
        'invalid_request',
        'This is a key of the referral service: it can be revoked here, and the operator issues another.',
        { param: 'key_id', fields: [{ path: 'key_id', rule: 'a key that starts aqta_ or sk-aqta-' }] },
      )
  }
}

export const keyNotFound = (): AppError =>
  new AppError('not_found', 'There is no key with this id. GET /api/keys?status=all lists what there is.')

const OVER = { revoked: 'This key was revoked.', expired: 'This key has expired.' }

function forbiddenError(forbidden: KeyForbidden): AppError {
  switch (forbidden.why) {
    case 'right_lost':
      return new AppError(
        'role_required',
        'You were removed from this organisation, or your role there has changed. Sign in again to see what you may do.',
      )
    case 'of_another_maker':
      return new AppError(
        'role_required',
        'Somebody else made this key. Owners and admins may change it; you, your own.',
      )
    case 'manage_needs_role':
      return new AppError('role_required', 'Keys with the scope manage need the role owner or admin.')
    case 'manage_needs_person':
      return new AppError(
        'role_required',
        'Keys with the scope manage are made, changed and revoked by an owner or admin who has signed in: keys may not do it.',
      )
    case 'not_fresh':
      return new AppError(
        'fresh_sign_in_required',
        'A key with the scope manage needs a session that began within the last 15 minutes. Sign in again and repeat it.',
      )
    case 'scope_missing':
      return new AppError(
        'scope_required',
        `A key makes no key that may do more than it may itself: it needs the scope ${forbidden.scope}.`,
      )
    case 'beyond_own':
      return new AppError(
        'role_required',
        `A key gives no other more than it has itself, and this one ${presentOwn(forbidden)}. Ask for no more than that, or let an owner or admin do it who has signed in.`,
      )
  }
}

const presentOwn = ({ bound, most }: { bound: KeyBound; most: number }): string =>
  bound === 'expiresAt'
    ? `ends at ${new Date(most).toISOString()} (expires_at)`
    : `has ${bound === 'requestsPerMinute' ? 'requests_per_minute' : 'requests_per_day'} ${most}`
