// Routes for an organisation's keys, for its people and its keys with the scope manage. Each handler reads the request,
// calls the service and presents the object.
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import type { Access, AccessControl } from '../../accounts/access/access.ts'
import { managementOperations } from '../../accounts/access/operations.ts'
import { reachOrganisation } from '../../organisation/client.ts'
import { CreatedKeySchema, KeySchema, RevokedKeySchema } from '../../keys/key.schema.ts'
import type { KeyRecord } from '../../keys/keys.store.ts'
import { presentKey, presentRevoked } from '../../keys/present-key.ts'
import type { Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { keyId, parseId, type KeyId } from '../../platform/ids.ts'
import { listOf, pageOf } from '../../platform/pagination.schema.ts'
import type { Api } from '../../platform/route.ts'
import { idempotencyHeader, readClaim } from './idempotency-key.ts'
import { keyNotFound, keyRefusalError } from './key-refusals.ts'
import { readKeyChange, readWantedKey } from './key-wire.ts'
import type { KeysRequest, KeysService } from './keys.service.ts'
import { KeysQuerySchema, MakeKeySchema, RotateKeySchema, UpdateKeySchema } from './managed-keys.schema.ts'

const asked = (c: AppContext, by: Access): KeysRequest => ({ access: by, requestId: c.get('requestId') })

type Deps = { service: KeysService; access: AccessControl; clock: Clock }

export function keyRoutes({ service, access, clock }: Deps): Api {
  const { api, add } = managementOperations(access, { tags: ['Keys'], security: MANAGEMENT_SECURITY })
  const show = (key: KeyRecord) => presentKey(key, clock())

  add(
    {
      route: 'POST /api/keys',
      operationId: 'createKey',
      summary: 'Make a key of the gateway',
      permission: 'keys:own',
      headers: idempotencyHeader,
      body: MakeKeySchema,
      answers: { 201: [CreatedKeySchema, 'The key, shown once.'] },
      errors: ['fresh_sign_in_required', 'conflict', 'idempotency_conflict'],
    },
    async ({ c, caller, sent }) => {
      const wanted = readWantedKey(await sent.body())
      const claim = readClaim(c, 'createKey', wanted)
      const made = await reachOrganisation(c, () => service.createKey({ ...asked(c, caller), claim }, wanted))
      if (made.outcome !== 'made') throw keyRefusalError(made)
      return c.json({ ...show(made.key), key: made.secret }, 201)
    },
  )

  add(
    {
      route: 'GET /api/keys',
      operationId: 'listKeys',
      summary: 'List the organisation’s keys, newest first',
      permission: 'keys:read',
      query: KeysQuerySchema,
      answers: { 200: [listOf(KeySchema), 'A page of keys, without their secrets.'] },
    },
    async ({ c, caller, sent }) => {
      const { status, limit, cursor = null } = sent.query()
      const page = { status, limit: limit + 1, cursor }
      const keys = await reachOrganisation(c, () => service.listKeys(asked(c, caller), page))
      return c.json(pageOf(keys.map(show), limit))
    },
  )

  add(
    {
      route: 'GET /api/keys/{key_id}',
      operationId: 'showKey',
      summary: 'Show one key',
      permission: 'keys:read',
      answers: { 200: [KeySchema, 'The key, without its secret.'] },
    },
    async ({ c, caller }) => {
      const id = keyOf(c)
      const key = await reachOrganisation(c, () => service.showKey(asked(c, caller), id))
      if (key === null) throw keyNotFound()
      return c.json(show(key))
    },
  )

  add(
    {
      route: 'PATCH /api/keys/{key_id}',
      operationId: 'updateKey',
      summary: 'Rename a key, or change its end and its own limits',
      permission: 'keys:own',
      body: UpdateKeySchema,
      answers: { 200: [KeySchema, 'The key as it is now.'] },
      errors: ['fresh_sign_in_required', 'conflict'],
    },
    async ({ c, caller, sent }) => {
      const id = keyOf(c)
      const change = readKeyChange(await sent.body())
      const updated = await reachOrganisation(c, () => service.updateKey(asked(c, caller), id, change))
      if (updated.outcome !== 'changed') throw keyRefusalError(updated)
      return c.json(show(updated.key))
    },
  )

  add(
    {
      route: 'POST /api/keys/{key_id}/rotate',
      operationId: 'rotateKey',
      summary: 'Put a new key in the place of one, which works on for the overlap',
      permission: 'keys:own',
      headers: idempotencyHeader,
      body: RotateKeySchema,
      answers: { 201: [CreatedKeySchema, 'The new key, shown once, with the old one’s scopes, limits and end.'] },
      errors: ['fresh_sign_in_required', 'conflict', 'idempotency_conflict'],
    },
    async ({ c, caller, sent }) => {
      const id = keyOf(c)
      const { overlap_seconds: overlapSeconds } = await sent.body()
      const claim = readClaim(c, 'rotateKey', { id, overlapSeconds })
      const rotating = () => service.rotateKey({ ...asked(c, caller), claim }, id, overlapSeconds * 1000)
      const rotated = await reachOrganisation(c, rotating)
      if (rotated.outcome !== 'rotated_now') throw keyRefusalError(rotated)
      return c.json({ ...show(rotated.successor), key: rotated.secret }, 201)
    },
  )

  add(
    {
      route: 'DELETE /api/keys/{key_id}',
      operationId: 'revokeKey',
      summary: 'Revoke a key and the keys that it made, from their next request on',
      permission: 'keys:own',
      answers: { 200: [RevokedKeySchema, 'The key as it is now, and the keys that were revoked with it.'] },
    },
    async ({ c, caller }) => {
      const id = keyOf(c)
      const ended = await reachOrganisation(c, () => service.revokeKey(asked(c, caller), id))
      if (ended.outcome !== 'ended') throw keyRefusalError(ended)
      return c.json(presentRevoked(ended, clock()))
    },
  )

  return api
}

function keyOf(c: AppContext): KeyId {
  const bytes = parseId('key_', c.req.param('key_id') ?? '')
  if (bytes === null) throw keyNotFound()
  return keyId(bytes)
}
