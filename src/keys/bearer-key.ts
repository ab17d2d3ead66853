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

const HOW_TO_GET_A_KEY: Record<KeyedService, string> = {
  referral:
    'This call needs a valid key, sent as Authorization: Bearer KEY. Sandbox keys start vk_test_, live keys vk_live_. ' +
    'Keys are requested by e-mail from the operator, stating the system being built.',
  gateway:
    'This call needs a valid key, sent as Authorization: Bearer KEY. Keys start aqta_ or sk-aqta-. Members of an ' +
    'organisation make them (POST /api/keys), and the operator issues them.',
}

/** `absent`: no key, or one that was never issued. All others have a valid tag, so they were issued here. */
type WrongKey = 'absent' | 'other_service' | BadKey

const WRONG_KEY_MESSAGES: Record<Exclude<WrongKey, 'absent'>, string> = {
  other_service: 'This key is one of the other service here.',
  unknown: 'This key is not known here: it was issued for another deployment, or what it belonged to is gone.',
  revoked: 'This key was revoked. Use another one.',
  expired: 'This key has expired. Use another one.',
}

/** Returns the error for a bad key. SECURITY: an invented or altered key gets the same answer as no key. */
export function invalidKeyError(service: KeyedService, wrong: WrongKey): AppError {
  const message =
    wrong === 'absent' ? HOW_TO_GET_A_KEY[service] : `${WRONG_KEY_MESSAGES[wrong]} ${HOW_TO_GET_A_KEY[service]}`
  return new AppError('invalid_api_key', message, { headers: { 'www-authenticate': 'Bearer' } })
}

/** Throws `invalid_api_key` if the key is absent or of the other service. */
export function readBearerKey(c: AppContext, service: KeyedService, peppers: readonly Pepper[]): ParsedKey {
  const token = bearerToken(c.req.header('authorization')) ?? bearerToken(c.req.header('authorisation'))
  const key = token === null ? null : parseKey(token, peppers)
  if (key === null) throw invalidKeyError(service, 'absent')
  if (!PREFIXES[service].includes(key.prefix)) throw invalidKeyError(service, 'other_service')
  const logged = c.get('logged')
  logged.keyId = key.keyId
  logged.organisationId = key.organisationId
  return key
}

/** Returns true if the request has a key header, valid or not. */
export const hasAuthorization = (c: AppContext): boolean =>
  c.req.header('authorization') !== undefined || c.req.header('authorisation') !== undefined

/** Returns null for another scheme, such as Basic from a proxy. Then the other spelling may have the key. */
const bearerToken = (header: string | undefined): string | null =>
  /^Bearer +([\w-]{20,200})$/i.exec(header ?? '')?.[1] ?? null
