// Describes API keys in words, decides which buttons of a key a person gets, and writes example commands for keys.
import type * as z from 'zod'
import type {
  CreatedKeySchema,
  Key,
  KeyWithMadeSchema,
  RevokedKeySchema,
  RotatedKeySchema,
} from '../../../keys/key.schema.ts'
import { formatNumber, plural } from '../../text/format.ts'
import { hasPermission, session } from '../session.ts'

export type CreatedKey = z.infer<typeof CreatedKeySchema>
export type KeyWithMade = z.infer<typeof KeyWithMadeSchema>
export type RotatedKey = z.infer<typeof RotatedKeySchema>
export type RevokedKey = z.infer<typeof RevokedKeySchema>

export const SCOPE_WORDS: Readonly<Record<Key['scopes'][number], string>> = {
  chat: 'Call models',
  manage: 'Manage the organisation',
  'referral:read': 'Read referrals',
  'waiting-lists:read': 'Look up waiting lists',
}

export const scopesOf = ({ scopes }: Key): string => scopes.map((scope) => SCOPE_WORDS[scope]).join(', ')

/** Returns the only part of a key that is shown after its creation. */
export const maskedKey = ({ prefix, last_four: lastFour }: Key): string => `${prefix}…${lastFour}`

export const namesOf = (keys: readonly Key[]): string =>
  keys.map(({ name, last_four: lastFour }) => `${name} (…${lastFour})`).join(', ')

export function describeRevoked({ name, also_revoked: others }: RevokedKey): string {
  const said = `${name} is revoked: it is refused from its next request on.`
  return others.length === 0 ? said : `${said} So are ${plural(others.length, 'key')} that it made: ${namesOf(others)}.`
}

/** Returns a sentence about the keys that a key made, or '' if there are none. */
export function describeMade(made: readonly Key[]): string {
  if (made.length === 0) return ''
  const state = made.every(({ status }) => status === 'revoked') ? 'revoked' : 'still at work'
  return `${plural(made.length, 'key')} that it made ${state}: ${namesOf(made)}.`
}

export const isGatewayKey = ({ prefix }: Key): boolean => !prefix.startsWith('vk_')

export function KeyStatusBadge({ of }: { of: Key }) {
  const [look, words] = statusOf(of)
  return <span class={`badge ${look}`}>{words}</span>
}

function statusOf({ status, replaced_by: next }: Key): readonly [look: string, words: string] {
  if (status === 'revoked') return ['bad', 'Revoked']
  if (status === 'expired') return ['soft', next === null ? 'Expired' : 'Replaced']
  return next === null ? ['good', 'In force'] : ['warn', 'Being replaced']
}

/** True if this person may revoke the key. */
export const mayRevokeKey = (key: Key): boolean =>
  hasPermission('keys:all') || (hasPermission('keys:own') && key.created_by === session().user.id)

/** True if this person may rename the key, rotate it, or set its limits. */
export const mayChangeKey = (key: Key): boolean =>
  isGatewayKey(key) &&
  key.status === 'active' &&
  mayRevokeKey(key) &&
  (!key.scopes.includes('manage') || hasPermission('keys:all'))

export function limitsOf({ requests_per_minute: minute, requests_per_day: day }: Key): string {
  const limits = [
    minute === null ? [] : [`${formatNumber(minute)} a minute`],
    day === null ? [] : [`${formatNumber(day)} a day`],
  ].flat()
  return limits.length === 0 ? 'none of its own: those of the organisation' : `${limits.join(', ')} at most`
}

/** Returns a command that sends a first request with the key. */
export const firstRequestCommand = ({ scopes, key }: CreatedKey): string =>
  scopes.includes('chat')
    ? `curl ${location.origin}/v1/chat/completions -H 'authorization: Bearer ${key}' -H 'content-type: application/json' -d '{"model": "gpt-4.1-mini", "messages": [{"role": "user", "content": "Say hello."}]}'`
    : `curl ${location.origin}/api/keys -H 'authorization: Bearer ${key}'`

export const createKeyCommand = (): string =>
  `curl ${location.origin}/api/keys -H "authorization: Bearer $MANAGEMENT_KEY" -H 'content-type: application/json' -d '{"name": "Discharge letters"}'`
