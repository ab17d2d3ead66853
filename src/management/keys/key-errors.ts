// Maps each reason why the organisation's object refuses to make or change a key to an error.
import { invalidKeyError } from '../../keys/bearer-key.ts'
import type { KeyForbidden } from '../../keys/key-permission.policy.ts'
import { newKeyError, type UnchangeableKey } from '../../keys/key-rules.policy.ts'
import type { KeyRefusal } from '../../organisation/keys/keys.target.ts'
import { AppError } from '../../platform/errors.ts'
import { toSnakeCase } from '../../platform/wire.ts'

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
        `Your organisation has ${refusal.most} active keys, which is the most. Revoke unused keys; last_used_at shows them.`,
      )
    case 'repeated':
      return new AppError(
        'conflict',
        `This idempotency-key already made the key ${refusal.made}, which is not shown again. Rotate it to get a new one: POST /api/keys/${refusal.made}/rotate with overlap_seconds 0.`,
        { param: 'idempotency-key' },
      )
    case 'other_body':
      return new AppError(
        'idempotency_conflict',
        'This idempotency-key was used for a different request. Send a new one for each key.',
        { param: 'idempotency-key' },
      )
    case 'nothing_ends':
      return new AppError(
        'invalid_request',
        'revoke_made needs an expires_at that is not after the key’s present end. Send both, or revoke the key.',
        { param: 'revoke_made', fields: [{ path: 'revoke_made', rule: 'only with an expires_at that ends the key' }] },
      )
    case 'over':
      return new AppError('conflict', `${OVER[refusal.status]} Make a new one.`)
    case 'rotated':
      return new AppError(
        'conflict',
        `This key was rotated, so it ends with its overlap or sooner. Use ${refusal.replacedBy} instead.`,
      )
    case 'issued_by_operator':
      return new AppError(
        'invalid_request',
        'This is a key of the referral service, so it can only be revoked here. Ask the operator for a new one.',
        { param: 'key_id', fields: [{ path: 'key_id', rule: 'a key that starts aqta_ or sk-aqta-' }] },
      )
  }
}

export const keyNotFound = (): AppError =>
  new AppError('not_found', 'There is no key with this id. GET /api/keys?status=all lists the keys.')

const OVER = {
  revoked: 'This key was revoked, so it cannot be changed.',
  expired: 'This key has expired, so it cannot be changed.',
}

const FORBIDDEN: Record<
  Exclude<KeyForbidden['why'], 'scope_missing' | 'beyond_own' | 'region_beyond_own'>,
  ConstructorParameters<typeof AppError>
> = {
  right_lost: [
    'role_required',
    'You are no longer a member here, or your role has changed. Sign in again to see your rights.',
  ],
  of_another_maker: ['role_required', 'Somebody else made this key. Ask an owner or an admin to change it.'],
  manage_needs_role: [
    'role_required',
    'A key with the scope manage needs the role owner or admin. Ask an owner or admin.',
  ],
  manage_needs_person: [
    'role_required',
    'A key cannot make, change or revoke keys with the scope manage. Sign in as an owner or admin.',
  ],
  evaluation_needs_role: [
    'role_required',
    'A key for evaluation needs an owner or admin who is signed in. Ask one of them, or leave evaluation out.',
  ],
}

function forbiddenError(forbidden: KeyForbidden): AppError {
  if (forbidden.why === 'scope_missing') {
    const message = `A key cannot make a key with more rights than its own. Use a key that has the scope ${forbidden.scope}.`
    return new AppError('scope_required', message)
  }
  if (forbidden.why === 'region_beyond_own') {
    const message = `A key cannot give another key a wider data_region than its own, ${forbidden.region}. Send one within it, or sign in as an owner or admin.`
    return new AppError('role_required', message)
  }
  if (forbidden.why !== 'beyond_own') return new AppError(...FORBIDDEN[forbidden.why])
  const { limit, most } = forbidden
  const has =
    limit === 'expiresAt' ? `ends at ${new Date(most).toISOString()} (expires_at)` : `has ${toSnakeCase(limit)} ${most}`
  return new AppError(
    'role_required',
    `A key cannot give another key more than its own limits: this key ${has}. Ask for less, or sign in as an owner or admin.`,
  )
}
