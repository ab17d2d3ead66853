// GET /v1/attestation/public-key and /v1/attestation/keys: what a record is checked with. No key is needed.
import { createRoute } from '@hono/zod-openapi'
import type { Clock } from '../platform/clock.ts'
import type { AppContext } from '../platform/context.ts'
import { errorResponses, jsonResponse } from '../platform/responses.ts'
import { createApi, mount, type Api } from '../platform/route.ts'
import { currentKey, type AttestationKeys } from '../evidence/records/attestation-keys.ts'
import { KeyHistorySchema, SigningKeySchema, type PublishedHistory } from '../evidence/records/attestation.schema.ts'
import { noSigningKey } from '../evidence/records/configured-keys.ts'
import { publishKey } from '../evidence/records/key-history.ts'

const open = { method: 'get' as const, tags: ['Attestation'], security: [] }
const failures = errorResponses(['invalid_request', 'service_unavailable', 'internal_error'])

const KEYS_PATH = '/v1/attestation/keys'

const showSigningKey = createRoute({
  ...open,
  path: '/v1/attestation/public-key',
  operationId: 'showSigningKey',
  summary: 'Show the key that signs now',
  responses: { 200: jsonResponse(SigningKeySchema, 'The public half.'), ...failures },
})

const listSigningKeys = createRoute({
  ...open,
  path: KEYS_PATH,
  operationId: 'listSigningKeys',
  summary: 'List every key that ever signed',
  responses: { 200: jsonResponse(KeyHistorySchema, 'The history of keys.'), ...failures },
})

/** @param keys null where this deployment has none */
export function attestationRoutes(keys: AttestationKeys | null, clock: Clock): Api {
  const api = createApi()
  mount(api, showSigningKey, (c) => {
    const key = keys && currentKey(keys, clock())
    if (keys === null || key === null) throw noSigningKey()
    const { public_key, key_id, algorithm, format } = publishKey(key)
    return send(c, { public_key, key_id, algorithm, format, spec: SPECIFICATION, keys: KEYS_PATH, ...noteOn(keys) })
  })
  mount(api, listSigningKeys, (c) => {
    if (keys === null) throw noSigningKey()
    return send(c, publishHistory(keys))
  })
  return api
}

const SPECIFICATION = 'https://github.com/Aqta-ai/attestation-spec'
const THROW_AWAY = 'A key for development on one machine, made from a secret of that machine. Do not trust it.'

const noteOn = ({ isThrowAway }: AttestationKeys) => (isThrowAway ? { note: THROW_AWAY } : {})

export const publishHistory = (keys: AttestationKeys): PublishedHistory => ({
  keys: keys.history.map(publishKey),
  ...noteOn(keys),
})

function send(c: AppContext, body: object): Response {
  c.header('cache-control', 'public, max-age=300')
  return c.json(body)
}
