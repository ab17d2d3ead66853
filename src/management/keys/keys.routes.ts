// Routes with which people, and keys with the scope `manage`, manage an organisation's API keys. The organisation's object
// decides what is allowed.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import type { Access, AccessControl } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { keysReachOf } from '../../accounts/access/roles.policy.ts'
import { mintKey } from '../../keys/key-format.ts'
import {
  CreatedKeySchema,
  KEY_SCOPES,
  KeySchema,
  KeysQuerySchema,
  CreateGatewayKeySchema,
  KeyWithMadeSchema,
  presentKey,
  presentKeyWithMade,
  presentRevoked,
  RevokedKeySchema,
  RotatedKeySchema,
  RotateKeySchema,
  UpdateKeySchema,
  type KeyRecord,
} from '../../keys/key.schema.ts'
import type { KeyActor, KeyRequest } from '../../organisation/keys/keys.target.ts'
import { reachOrganisation, type OpenOrganisation } from '../../organisation/organisation-client.ts'
import type { Pepper } from '../../platform/config.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { IDEMPOTENCY_HEADER, readIdempotencyKey } from '../../platform/read-request.ts'
import { keyId, parseId, uuidV7Bytes, type KeyId } from '../../platform/ids.ts'
import { listSchema, pageOf } from '../../platform/pagination.schema.ts'
import type { Api } from '../../platform/router.ts'
import { sha256 } from '../../platform/sha256.ts'
import type { Clock } from '../../platform/time.ts'
import { fromWire } from '../../platform/wire.ts'
import { keyError, keyNotFound } from './key-errors.ts'

type Deps = {
  open: OpenOrganisation
  access: AccessControl
  clock: Clock
  pepper: Pepper
}

const idempotencyHeader = once(() =>
  z.object({
    [IDEMPOTENCY_HEADER]: z.string().optional().meta({
      description:
        'As for calls, new for each key that you want. A repeat within 24 hours is 409 conflict, which names the key that was made.',
    }),
  }),
)

const NO_LIMITS = { requestsPerMinute: null, requestsPerDay: null, dataRegion: null, expiresAt: null }

export function keyRoutes({ open, access, clock, pepper }: Deps): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Keys'], security: MANAGEMENT_SECURITY })
  const show = (key: KeyRecord) => presentKey(key, clock())

  const keysOf = ({ organisation }: Access) => open(organisation).keys

  function mint({ organisation: { id: organisationId, jurisdiction } }: Access, prefix: KeyRecord['prefix']) {
    const createdAt = clock()
    const id = keyId(uuidV7Bytes(createdAt))
    const { key, ...minted } = mintKey({ prefix, pepper, jurisdiction, organisationId, keyId: id })
    return { secret: key, minted: { id, ...minted }, createdAt }
  }

  openapi(
    {
      route: 'POST /api/keys',
      operationId: 'createKey',
      summary: 'Create a key',
      description: 'Creates a gateway key.',
      permission: 'keys:own',
      proof: 'fresh',
      headers: idempotencyHeader,
      body: CreateGatewayKeySchema,
      answers: { 201: [CreatedKeySchema, 'The key, shown once.'] },
      errors: ['conflict', 'idempotency_conflict'],
    },
    async ({ c, caller, sent }) => {
      const form = await sent.body()
      const scopes = KEY_SCOPES.filter((scope) => form.scopes.some((one) => one === scope))
      const keyMembers = { ...NO_LIMITS, ...fromWire(form), scopes }
      const request = requestOf(c, caller, readClaim(c, 'createKey', keyMembers))
      const { secret, minted, createdAt } = mint(caller, form.prefix)
      const made = await reachOrganisation(c, async () =>
        keysOf(caller).make({ ...keyMembers, ...minted, createdAt }, request),
      )
      if (made.outcome !== 'made') throw keyError(made)
      return c.json({ ...show(made.key), key: secret }, 201)
    },
  )

  openapi(
    {
      route: 'GET /api/keys',
      operationId: 'listKeys',
      summary: 'List keys',
      description: 'Lists the organisation’s keys, newest first.',
      permission: 'keys:read',
      query: KeysQuerySchema,
      answers: { 200: [() => listSchema(KeySchema()), 'A page of keys, without their secrets.'] },
    },
    async ({ c, caller, sent }) => {
      const { status, limit, cursor = null } = sent.query()
      const page = { status, limit: limit + 1, cursor }
      const keys = await reachOrganisation(c, async () => keysOf(caller).list(page, null))
      return c.json(pageOf(keys.map(show), limit))
    },
  )

  openapi(
    {
      route: 'GET /api/keys/{key_id}',
      operationId: 'showKey',
      summary: 'Get a key',
      permission: 'keys:read',
      answers: { 200: [KeyWithMadeSchema, 'The key, without its secret, and the working keys that it made.'] },
    },
    async ({ c, caller }) => {
      const id = keyIdOf(c)
      const found = await reachOrganisation(c, async () => keysOf(caller).findWithMade(id))
      if (found === null) throw keyNotFound()
      return c.json(presentKeyWithMade(found, clock()))
    },
  )

  openapi(
    {
      route: 'PATCH /api/keys/{key_id}',
      operationId: 'updateKey',
      summary: 'Update a key',
      description: 'Renames a key, or changes when it expires and its own limits.',
      permission: 'keys:own',
      proof: 'fresh',
      body: UpdateKeySchema,
      answers: { 200: [KeyWithMadeSchema, 'The key as it is now, and the keys that it made.'] },
      errors: ['conflict'],
    },
    async ({ c, caller, sent }) => {
      const id = keyIdOf(c)
      const change = fromWire(await sent.body())
      const request = requestOf(c, caller)
      const updated = await reachOrganisation(c, async () => keysOf(caller).update(id, change, request))
      if (updated.outcome !== 'changed') throw keyError(updated)
      return c.json(presentKeyWithMade(updated, clock()))
    },
  )

  openapi(
    {
      route: 'POST /api/keys/{key_id}/rotate',
      operationId: 'rotateKey',
      summary: 'Rotate a key',
      description: 'Creates a key in the place of another one, which works on for the overlap.',
      permission: 'keys:own',
      proof: 'fresh',
      headers: idempotencyHeader,
      body: RotateKeySchema,
      answers: {
        201: [
          RotatedKeySchema,
          'The new key, shown once, with the old one’s scopes, limits and end, and the keys that the old one made.',
        ],
      },
      errors: ['conflict', 'idempotency_conflict'],
    },
    async ({ c, caller, sent }) => {
      const id = keyIdOf(c)
      const { overlap_seconds: overlapSeconds, revoke_made: revokeMade } = await sent.body()
      const request = requestOf(c, caller, readClaim(c, 'rotateKey', { id, overlapSeconds, revokeMade }))
      const { key, rotated } = await reachOrganisation(c, async () => {
        const keys = keysOf(caller)
        // The prefix of a key never changes, and the new key has the same.
        const old = await keys.find(id, null)
        if (old === null) throw keyNotFound()
        const { secret, minted: successor } = mint(caller, old.prefix)
        const rotation = { id, successor, overlapMs: overlapSeconds * 1000, revokeMade }
        return { key: secret, rotated: await keys.rotate(rotation, request) }
      })
      if (rotated.outcome !== 'rotated_now') throw keyError(rotated)
      return c.json({ ...show(rotated.successor), key, made: rotated.made.map(show) }, 201)
    },
  )

  openapi(
    {
      route: 'DELETE /api/keys/{key_id}',
      operationId: 'revokeKey',
      summary: 'Revoke a key',
      description: 'Revokes a key and the keys that it made, from their next request on.',
      permission: 'keys:own',
      answers: { 200: [RevokedKeySchema, 'The key as it is now, and the keys that were revoked with it.'] },
    },
    async ({ c, caller }) => {
      const id = keyIdOf(c)
      const request = requestOf(c, caller)
      const ended = await reachOrganisation(c, async () => keysOf(caller).end(id, request))
      if (ended.outcome !== 'ended') throw keyError(ended)
      return c.json(presentRevoked(ended, clock()))
    },
  )

  return api
}

const requestOf = (c: AppContext, { manager }: Access, claim: KeyRequest['claim'] = null): KeyRequest => ({
  actor: actorOf(manager),
  requestId: c.get('requestId'),
  claim,
})

function keyIdOf(c: AppContext): KeyId {
  const bytes = parseId('key_', c.req.param('key_id') ?? '')
  if (bytes === null) throw keyNotFound()
  return keyId(bytes)
}

function actorOf(manager: Access['manager']): KeyActor {
  if (manager.kind === 'key') return { kind: 'key', id: manager.id }
  const { id, role } = manager
  return { kind: 'person', id, reach: keysReachOf(role) ?? 'own' }
}

/**
 * Returns the request's idempotency claim, or null without the header. Throws `invalid_request`.
 * @param route the operation's id
 * @param request the members that identify this request among others of the route, always in the same order
 */
function readClaim(c: AppContext, route: string, request: object): KeyRequest['claim'] {
  const key = readIdempotencyKey(c.req.raw.headers)
  if (key instanceof AppError) throw key
  return key === null ? null : { route, keyHash: sha256(key), bodyHash: sha256(JSON.stringify(request)) }
}
