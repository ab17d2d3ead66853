// The public routes for the keys that verify records: GET /v1/attestation/public-key and /v1/attestation/keys.
import type { Clock } from '../platform/time.ts'
import type { AppContext } from '../platform/context.ts'
import { publicOperations } from '../platform/operations.ts'
import type { Api } from '../platform/router.ts'
import { currentKey, type AttestationKeys, noSigningKey } from '../evidence/records/configured-keys.ts'
import { KeyHistorySchema, SigningKeySchema, type PublishedKeyHistory } from '../evidence/records/attestation.schema.ts'
import { toPublishedKey } from '../evidence/records/key-history.ts'

const KEYS_PATH = '/v1/attestation/keys'

/** @param keys null if this deployment has no keys */
export function attestationKeyRoutes(keys: AttestationKeys | null, clock: Clock): Api {
  const { api, openapi } = publicOperations({ tags: ['Attestation'], security: [] })
  openapi(
    {
      route: 'GET /v1/attestation/public-key',
      operationId: 'showSigningKey',
      summary: 'Get the signing key',
      description: 'Returns the key that signs now.',
      answers: { 200: [SigningKeySchema, 'The public half.'] },
      errors: ['invalid_request', 'service_unavailable', 'internal_error'],
    },
    ({ c }) => {
      const key = keys && currentKey(keys, clock())
      if (keys === null || key === null) throw noSigningKey()
      const { public_key, key_id, algorithm, format } = toPublishedKey(key)
      return send(c, { public_key, key_id, algorithm, format, spec: SPECIFICATION, keys: KEYS_PATH, ...noteOn(keys) })
    },
  )
  openapi(
    {
      route: 'GET /v1/attestation/keys',
      operationId: 'listSigningKeys',
      summary: 'List signing keys',
      description: 'Lists every key that ever signed.',
      answers: { 200: [KeyHistorySchema, 'The history of keys.'] },
      errors: ['invalid_request', 'service_unavailable', 'internal_error'],
    },
    ({ c }) => {
      if (keys === null) throw noSigningKey()
      return send(c, publishHistory(keys))
    },
  )
  return api
}

const SPECIFICATION = 'https://github.com/Aqta-ai/attestation-spec'
const THROW_AWAY = 'A key for development on one machine, made from a secret of that machine. Do not trust it.'

const noteOn = ({ isThrowAway }: AttestationKeys) => (isThrowAway ? { note: THROW_AWAY } : {})

export const publishHistory = (keys: AttestationKeys): PublishedKeyHistory => ({
  keys: keys.history.map(toPublishedKey),
  ...noteOn(keys),
})

function send(c: AppContext, body: object): Response {
  c.header('cache-control', 'public, max-age=300')
  return c.json(body)
}
