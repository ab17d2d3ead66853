// An organisation's keys: for its people, and for its keys with the scope manage. Each handler: read what is asked, do the
// verb, show the object.
import { createRoute, z } from '@hono/zod-openapi'
import {
  ACCESS_CODES,
  CHANGE_CODES,
  MANAGEMENT_SECURITY,
  organisationHeader,
} from '../../accounts/access/access.schema.ts'
import type { Access, AccessControl } from '../../accounts/access/access.ts'
import { reachOrganisation } from '../../accounts/reach-organisation.ts'
import { CreatedKeySchema, KeySchema, RevokedKeySchema } from '../../keys/key.schema.ts'
import type { KeyRecord } from '../../keys/keys.store.ts'
import { presentKey, presentRevoked } from '../../keys/present-key.ts'
import type { Clock } from '../../platform/clock.ts'
import type { AppContext } from '../../platform/context.ts'
import { errorResponses, managementJsonResponse } from '../../platform/responses.ts'
import { bodyOf, readForm, readQuery } from '../../platform/form.ts'
import { keyId, parseId, type KeyId } from '../../platform/ids.ts'
import { listOf, pageOf } from '../../platform/list.schema.ts'
import { createApi, mountFor, type Api } from '../../platform/route.ts'
import { idempotencyHeader, readClaim } from './idempotency-key.ts'
import { keyNotFound, keyRefusalError } from './key-refusals.ts'
import { readKeyChange, readWantedKey } from './key-wire.ts'
import type { KeysRequest, KeysService } from './keys.service.ts'
import { KeysQuerySchema, MakeKeySchema, RotateKeySchema, UpdateKeySchema } from './managed-keys.schema.ts'

const shared = { tags: ['Keys'], security: MANAGEMENT_SECURITY }
const params = z.object({ key_id: z.string() })
const headers = organisationHeader
const claimingHeaders = organisationHeader.extend(idempotencyHeader.shape)

const CONFLICT_CODES = [...ACCESS_CODES, ...CHANGE_CODES, 'fresh_sign_in_required', 'conflict'] as const
const CLAIM_CODES = [...CONFLICT_CODES, 'idempotency_conflict'] as const

const routes = {
  createKey: createRoute({
    ...shared,
    method: 'post',
    path: '/api/keys',
    operationId: 'createKey',
    summary: 'Make a key of the gateway',
    request: { headers: claimingHeaders, ...bodyOf(MakeKeySchema) },
    responses: {
      201: managementJsonResponse(CreatedKeySchema, 'The key, shown once.'),
      ...errorResponses(CLAIM_CODES),
    },
  }),
  listKeys: createRoute({
    ...shared,
    method: 'get',
    path: '/api/keys',
    operationId: 'listKeys',
    summary: 'List the organisation’s keys, newest first',
    request: { headers, query: KeysQuerySchema },
    responses: {
      200: managementJsonResponse(listOf(KeySchema), 'A page of keys, without their secrets.'),
      ...errorResponses(ACCESS_CODES),
    },
  }),
  showKey: createRoute({
    ...shared,
    method: 'get',
    path: '/api/keys/{key_id}',
    operationId: 'showKey',
    summary: 'Show one key',
    request: { headers, params },
    responses: {
      200: managementJsonResponse(KeySchema, 'The key, without its secret.'),
      ...errorResponses(ACCESS_CODES),
    },
  }),
  updateKey: createRoute({
    ...shared,
    method: 'patch',
    path: '/api/keys/{key_id}',
    operationId: 'updateKey',
    summary: 'Rename a key, or change its end and its own limits',
    request: { headers, params, ...bodyOf(UpdateKeySchema) },
    responses: { 200: managementJsonResponse(KeySchema, 'The key as it is now.'), ...errorResponses(CONFLICT_CODES) },
  }),
  rotateKey: createRoute({
    ...shared,
    method: 'post',
    path: '/api/keys/{key_id}/rotate',
    operationId: 'rotateKey',
    summary: 'Put a new key in the place of one, which works on for the overlap',
    request: { headers: claimingHeaders, params, ...bodyOf(RotateKeySchema) },
    responses: {
      201: managementJsonResponse(
        CreatedKeySchema,
        'The new key, shown once, with the old one’s scopes, limits and end.',
      ),
      ...errorResponses(CLAIM_CODES),
    },
  }),
  revokeKey: createRoute({
    ...shared,
    method: 'delete',
    path: '/api/keys/{key_id}',
    operationId: 'revokeKey',
    summary: 'Revoke a key and the keys that it made, from their next request on',
    request: { headers, params },
    responses: {
      200: managementJsonResponse(RevokedKeySchema, 'The key as it is now, and the keys that were revoked with it.'),
      ...errorResponses([...ACCESS_CODES, 'origin_refused']),
    },
  }),
}

const asked = (c: AppContext, by: Access): KeysRequest => ({ access: by, requestId: c.get('requestId') })

type Deps = { service: KeysService; access: AccessControl; clock: Clock }

export function keyRoutes({ service, access, clock }: Deps): Api {
  const api = createApi()
  const show = (key: KeyRecord) => presentKey(key, clock())

  const mayRead = async (c: AppContext) => asked(c, await access.requireAccess(c, 'keys:read'))
  const mayChange = async (c: AppContext) => asked(c, await access.requireAccess(c, 'keys:own'))

  mountFor(api, routes.createKey, mayChange, async (c, request) => {
    const wanted = readWantedKey(await readForm(c, MakeKeySchema))
    const claim = readClaim(c, 'createKey', wanted)
    const made = await reachOrganisation(c, () => service.createKey({ ...request, claim }, wanted))
    if (made.outcome !== 'made') throw keyRefusalError(made)
    return c.json({ ...show(made.key), key: made.secret }, 201)
  })

  mountFor(api, routes.listKeys, mayRead, async (c, request) => {
    const { status, limit, cursor = null } = readQuery(c, KeysQuerySchema)
    const page = { status, limit: limit + 1, cursor }
    const keys = await reachOrganisation(c, () => service.listKeys(request, page))
    return c.json(pageOf(keys.map(show), limit))
  })

  mountFor(api, routes.showKey, mayRead, async (c, request) => {
    const id = keyOf(c)
    const key = await reachOrganisation(c, () => service.showKey(request, id))
    if (key === null) throw keyNotFound()
    return c.json(show(key))
  })

  mountFor(api, routes.updateKey, mayChange, async (c, request) => {
    const id = keyOf(c)
    const change = readKeyChange(await readForm(c, UpdateKeySchema))
    const updated = await reachOrganisation(c, () => service.updateKey(request, id, change))
    if (updated.outcome !== 'changed') throw keyRefusalError(updated)
    return c.json(show(updated.key))
  })

  mountFor(api, routes.rotateKey, mayChange, async (c, request) => {
    const id = keyOf(c)
    const { overlap_seconds: overlapSeconds } = await readForm(c, RotateKeySchema)
    const claim = readClaim(c, 'rotateKey', { id, overlapSeconds })
    const rotating = () => service.rotateKey({ ...request, claim }, id, overlapSeconds * 1000)
    const rotated = await reachOrganisation(c, rotating)
    if (rotated.outcome !== 'rotated_now') throw keyRefusalError(rotated)
    return c.json({ ...show(rotated.successor), key: rotated.secret }, 201)
  })

  mountFor(api, routes.revokeKey, mayChange, async (c, request) => {
    const id = keyOf(c)
    const ended = await reachOrganisation(c, () => service.revokeKey(request, id))
    if (ended.outcome !== 'ended') throw keyRefusalError(ended)
    return c.json(presentRevoked(ended, clock()))
  })

  return api
}

function keyOf(c: AppContext): KeyId {
  const bytes = parseId('key_', c.req.param('key_id') ?? '')
  if (bytes === null) throw keyNotFound()
  return keyId(bytes)
}
