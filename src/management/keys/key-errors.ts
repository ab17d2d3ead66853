// Maps each reason why the organisation's object refuses to make or change a key to an error.
import { invalidKeyError } from '../../keys/bearer-key.ts'
import { newKeyError, type KeyForbidden, type UnchangeableKey } from '../../keys/key-rules.policy.ts'
import type { KeyRefusal } from '../../organisation/keys/keys.target.ts'
import { AppError } from '../../platform/errors.ts'
import { toSnakeCase } from '../../platform/wire.ts'

type ErrorArguments = ConstructorParameters<typeof AppError>

export function keyError(refusal: KeyRefusal | UnchangeableKey): AppError {
  switch (refusal.outcome) {
    case 'invalid_api_key':
      return invalidKeyError('gateway', refusal.why)
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

const FORBIDDEN: Record<Exclude<KeyForbidden['why'], 'scope_missing' | 'beyond_own'>, ErrorArguments> = {
  right_lost: [
    'role_required',
    'You were removed from this organisation, or your role there has changed. Sign in again to see what you may do.',
  ],
  of_another_maker: ['role_required', 'Somebody else made this key. Owners and admins may change it; you, your own.'],
  manage_needs_role: ['role_required', 'Keys with the scope manage need the role owner or admin.'],
  manage_needs_person: [
    'role_required',
    'Keys with the scope manage are made, changed and revoked by an owner or admin who has signed in: keys may not do it.',
  ],
  not_fresh: [
    'fresh_sign_in_required',
    'A key with the scope manage needs a session that began within the last 15 minutes. Sign in again and repeat it.',
  ],
}

function forbiddenError(forbidden: KeyForbidden): AppError {
  if (forbidden.why === 'scope_missing') {
    const message = `A key makes no key that may do more than it may itself: it needs the scope ${forbidden.scope}.`
    return new AppError('scope_required', message)
  }
  if (forbidden.why !== 'beyond_own') return new AppError(...FORBIDDEN[forbidden.why])
  const { limit, most } = forbidden
  const has =
    limit === 'expiresAt' ? `ends at ${new Date(most).toISOString()} (expires_at)` : `has ${toSnakeCase(limit)} ${most}`
  return new AppError(
    'role_required',
    `A key gives no other more than it has itself, and this one ${has}. Ask for no more than that, or let an owner or admin do it who has signed in.`,
  )
}
