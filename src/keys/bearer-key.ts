// Reads the API key from a request's headers, and makes the error for a key that is not accepted. One page of the
// specification writes the header as `Authorisation`, so both spellings are read.
import { AppError } from '../platform/errors.ts'
import type { AppContext } from '../platform/context.ts'
import type { Pepper } from '../platform/config.ts'
import { GATEWAY_PREFIXES, parseKey, type KeyPrefix, type ParsedKey } from './key-format.ts'
import type { BadKey } from './key-rules.policy.ts'

export type KeyedService = 'referral' | 'gateway'

const PREFIXES: Record<KeyedService, readonly KeyPrefix[]> = {
  referral: ['vk_test_', 'vk_live_'],
  gateway: GATEWAY_PREFIXES,
}

const PREFIXES_IN_WORDS: Record<KeyedService, string> = {
  referral: 'vk_test_… or vk_live_…',
  gateway: 'aqta_… or sk-aqta-…',
}

const OR_AS: Record<KeyedService, string> = { referral: '', gateway: ', or as x-api-key' }

const HOW_TO_GET_A_KEY: Record<KeyedService, string> = {
  referral: 'keys are requested by e-mail from the operator, stating the system being built.',
  gateway: 'POST /api/keys makes one, or the operator issues one.',
}

/** `absent`: no key, or one that was never issued. All others have a valid tag, so they were issued here. */
type WrongKey = 'absent' | 'other_service' | BadKey

const WRONG_KEY_MESSAGES: Record<Exclude<WrongKey, 'absent'>, string> = {
  other_service: 'This key is for the other service here.',
  unknown: 'This key belongs to another deployment or an erased organisation.',
  revoked: 'This key was revoked.',
  expired: 'This key has expired.',
}

/**
 * Returns the error for a bad key. SECURITY: an invented or altered key gets the same answer as no key.
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-3
 */
export function invalidKeyError(service: KeyedService, wrong: WrongKey): AppError {
  const problem = wrong === 'absent' ? 'This call needs a valid key.' : WRONG_KEY_MESSAGES[wrong]
  const remedy = `Send one (${PREFIXES_IN_WORDS[service]}) as Authorization: Bearer KEY${OR_AS[service]}; ${HOW_TO_GET_A_KEY[service]}`
  const message = `${problem} ${remedy}`
  return new AppError('invalid_api_key', message, { headers: { 'www-authenticate': 'Bearer' } })
}

/** Returns the key of the request, or null. Clients of Anthropic's format have a header of their own for it. */
function readKey(c: AppContext, peppers: readonly Pepper[]): ParsedKey | null {
  const bearer = bearerToken(c.req.header('authorization')) ?? bearerToken(c.req.header('authorisation'))
  const own = /^[\w-]{20,200}$/.exec(c.req.header('x-api-key') ?? '')?.[0]
  const [key = null, other] = [...new Set([bearer, own])].flatMap((token) => (token && parseKey(token, peppers)) || [])
  if (other === undefined) return key
  throw new AppError('invalid_api_key', 'Two keys were sent. Send one of them, as Authorization or as x-api-key.', {
    param: 'x-api-key',
  })
}

/**
 * Throws `invalid_api_key` if the key is absent or of the other service.
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-2.1
 */
export function readBearerKey(c: AppContext, service: KeyedService, peppers: readonly Pepper[]): ParsedKey {
  const key = readKey(c, peppers)
  if (key === null) throw invalidKeyError(service, 'absent')
  if (!PREFIXES[service].includes(key.prefix)) throw invalidKeyError(service, 'other_service')
  const logged = c.get('logged')
  logged.keyId = key.keyId
  logged.organisationId = key.organisationId
  return key
}

/** Returns true if the request has a key header, valid or not. */
export const hasAuthorization = (c: AppContext): boolean =>
  ['authorization', 'authorisation', 'x-api-key'].some((name) => c.req.header(name) !== undefined)

/** Returns null for another scheme, such as Basic from a proxy. Then the other spelling may have the key. */
const bearerToken = (header: string | undefined): string | null =>
  /^Bearer +([\w-]{20,200})$/i.exec(header ?? '')?.[1] ?? null
