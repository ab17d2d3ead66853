// The key in a request's headers. One page of the specification spells the header `Authorisation`: both are read.
import { AppError } from '../platform/errors.ts'
import type { AppContext } from '../platform/context.ts'
import type { Pepper } from '../platform/config.ts'
import { parseKey, type KeyPrefix, type ParsedKey } from './key-format.ts'

export type KeyedService = 'referral' | 'gateway'

const PREFIXES: Record<KeyedService, readonly KeyPrefix[]> = {
  referral: ['vk_test_', 'vk_live_'],
  gateway: ['aqta_', 'sk-aqta-'],
}

const HOW_TO_GET_ONE: Record<KeyedService, string> = {
  referral:
    'This call needs a valid key, sent as Authorization: Bearer KEY. Sandbox keys start vk_test_, live keys vk_live_. ' +
    'Keys are requested by e-mail from the operator, stating the system being built.',
  gateway:
    'This call needs a valid key, sent as Authorization: Bearer KEY. Keys start aqta_ and are created in the dashboard ' +
    'under Settings, API Keys, or through POST /api/keys.',
}

/** One answer for a missing, made-up, unknown, revoked or expired key: which of them it was is nobody's business. */
export const invalidKey = (service: KeyedService): AppError =>
  new AppError('invalid_api_key', HOW_TO_GET_ONE[service], { headers: { 'www-authenticate': 'Bearer' } })

/** Throws `invalid_api_key`. */
export function bearerKey(c: AppContext, service: KeyedService, peppers: readonly Pepper[]): ParsedKey {
  const header = c.req.header('authorization') ?? c.req.header('authorisation') ?? ''
  const token = /^Bearer +([\w-]{20,200})$/i.exec(header)?.[1]
  const key = token === undefined ? null : parseKey(token, peppers)
  if (key === null || !PREFIXES[service].includes(key.prefix)) throw invalidKey(service)
  const logged = c.get('logged')
  logged.keyId = key.keyId
  logged.organisationId = key.organisationId
  return key
}
