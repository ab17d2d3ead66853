// The operator's own routes. Each handler reads the request, calls the service and presents the object.
import { z } from '@hono/zod-openapi'
import { CreatedKeySchema, CreateKeySchema, KeySchema, RevokedKeySchema } from '../../keys/key.schema.ts'
import { presentKey, presentRevoked } from '../../keys/present-key.ts'
import type { KeyRecord } from '../../keys/keys.store.ts'
import type { Clock } from '../../platform/clock.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { parseId } from '../../platform/ids.ts'
import { listOf, pageOf, PageQuerySchema } from '../../platform/list.schema.ts'
import type { Api } from '../../platform/route.ts'
import { requireOperator } from './operator.middleware.ts'
import type { KeyIssued, OperatorService } from './operator.service.ts'
import { assertChanged } from '../organisation-refusals.ts'
import { presentOrganisation, readNewOrganisation, readOrganisationChange } from '../organisation-wire.ts'
import { CreateOrganisationSchema, OrganisationSchema, UpdateOrganisationSchema } from '../organisation.schema.ts'
import { reachOrganisation } from '../../organisation/client.ts'
import { openOperations } from '../../platform/operations.ts'
import { newKeyError } from '../../keys/key-change.policy.ts'

const LedgerCheckSchema = z
  .strictObject({
    object: z.literal('ledger_check'),
    organisation_id: z.string(),
    is_equal: z.boolean().openapi({
      description:
        'True if what the object holds is what its entries come to: its state, and what was counted of its calls.',
    }),
    differences: z.array(z.string()).openapi({
      description:
        'If not: paths of the state; `entries.N` for an entry that is not what its leaf is the hash of; `usage.`, a day and a place in it for what was counted, at most 100 of them; and `usage.unreadable.N` for N entries that cannot be read. `usage.DAY.sha256`: the rows of that day are not those that its entry says.',
    }),
    from: z.int().openapi({
      description: 'The position of the first entry that the state was worked out from: those before have left.',
    }),
    to: z.int().openapi({ description: 'The size of the log. All entries before it were gone through.' }),
  })
  .openapi('LedgerCheck')

export function operatorRoutes(service: OperatorService, operatorToken: string | null, clock: Clock): Api {
  const { api, add } = openOperations({ tags: ['Operator'], security: [{ operatorToken: [] }] })
  const show = (key: KeyRecord) => presentKey(key, clock())
  api.use('/api/operator/*', requireOperator(operatorToken))

  add(
    {
      route: 'POST /api/operator/organisations',
      operationId: 'createOrganisation',
      summary: 'Found an organisation',
      body: CreateOrganisationSchema,
      answers: { 201: [OrganisationSchema, 'The organisation.'] },
      errors: ['invalid_request', 'invalid_credentials', 'not_found', 'service_unavailable', 'internal_error'],
    },
    async ({ c, sent }) => {
      const input = readNewOrganisation(await sent.body())
      const founded = await reachOrganisation(c, () => service.createOrganisation(input, c.get('requestId')))
      assertChanged(founded)
      return c.json(presentOrganisation(founded.record), 201)
    },
  )

  add(
    {
      route: 'GET /api/operator/organisations',
      operationId: 'listOrganisations',
      summary: 'List organisations, newest first',
      query: PageQuerySchema,
      answers: { 200: [listOf(OrganisationSchema), 'A page of organisations.'] },
      errors: ['invalid_request', 'invalid_credentials', 'not_found', 'service_unavailable', 'internal_error'],
    },
    async ({ c, sent }) => {
      const { limit, cursor } = sent.query()
      const listing = () => service.listOrganisations(limit + 1, cursor, c.get('requestId'))
      const records = await reachOrganisation(c, listing)
      return c.json(pageOf(records.map(presentOrganisation), limit))
    },
  )

  add(
    {
      route: 'GET /api/operator/organisations/{organisation_id}',
      operationId: 'showOrganisation',
      summary: 'Show one organisation',
      answers: { 200: [OrganisationSchema, 'The organisation.'] },
      errors: ['invalid_request', 'invalid_credentials', 'not_found', 'service_unavailable', 'internal_error'],
    },
    async ({ c }) => {
      const id = organisationOf(c)
      const shown = await reachOrganisation(c, () => service.showOrganisation(id, c.get('requestId')))
      return c.json(presentOrganisation(found(shown)))
    },
  )

  add(
    {
      route: 'PATCH /api/operator/organisations/{organisation_id}',
      operationId: 'updateOrganisation',
      summary: 'Rename an organisation, assign its tier or set what its gateway may do',
      body: UpdateOrganisationSchema,
      answers: { 200: [OrganisationSchema, 'The organisation.'] },
      errors: [
        'invalid_request',
        'invalid_credentials',
        'not_found',
        'service_unavailable',
        'internal_error',
        'conflict',
      ],
    },
    async ({ c, sent }) => {
      const change = readOrganisationChange(await sent.body())
      const id = organisationOf(c)
      const changing = () => service.updateOrganisation(id, change, c.get('requestId'))
      const changed = found(await reachOrganisation(c, changing))
      assertChanged(changed)
      return c.json(presentOrganisation(changed.record))
    },
  )

  add(
    {
      route: 'POST /api/operator/organisations/{organisation_id}/keys',
      operationId: 'createOrganisationKey',
      summary: 'Issue a key',
      body: CreateKeySchema,
      answers: { 201: [CreatedKeySchema, 'The key, shown once.'] },
      errors: ['invalid_request', 'invalid_credentials', 'not_found', 'service_unavailable', 'internal_error'],
    },
    async ({ c, sent }) => {
      const input = await sent.body()
      const id = organisationOf(c)
      const issued = found(await reachOrganisation(c, () => service.createKey(id, input, c.get('requestId'))))
      assertIssued(issued)
      return c.json({ ...show(issued.record), key: issued.key }, 201)
    },
  )

  add(
    {
      route: 'GET /api/operator/organisations/{organisation_id}/keys',
      operationId: 'listOrganisationKeys',
      summary: 'List an organisation’s keys, newest first',
      query: PageQuerySchema,
      answers: { 200: [listOf(KeySchema), 'A page of keys, without their secrets.'] },
      errors: ['invalid_request', 'invalid_credentials', 'not_found', 'service_unavailable', 'internal_error'],
    },
    async ({ c, sent }) => {
      const id = organisationOf(c)
      const { limit, cursor = null } = sent.query()
      const listing = () => service.listKeys(id, { limit: limit + 1, cursor }, c.get('requestId'))
      const keys = found(await reachOrganisation(c, listing))
      return c.json(pageOf(keys.map(show), limit))
    },
  )

  add(
    {
      route: 'GET /api/operator/organisations/{organisation_id}/ledger',
      operationId: 'checkLedger',
      summary: 'Check an organisation’s ledger',
      description:
        'Works the organisation’s state out again from its oldest snapshot and every entry at hand, counts its calls anew from every entry that is kept, and compares both with what its object holds. Calls go on meanwhile.',
      answers: { 200: [LedgerCheckSchema, 'What was found.'] },
      errors: ['invalid_request', 'invalid_credentials', 'not_found', 'service_unavailable', 'internal_error'],
    },
    async ({ c }) => {
      const id = organisationOf(c)
      const checked = found(await reachOrganisation(c, () => service.checkLedger(id, c.get('requestId'))))
      const is_equal = checked.differences.length === 0
      return c.json({ object: 'ledger_check', organisation_id: id, is_equal, ...checked })
    },
  )

  add(
    {
      route: 'GET /api/operator/organisations/{organisation_id}/keys/{key_id}',
      operationId: 'showOrganisationKey',
      summary: 'Show one key',
      answers: { 200: [KeySchema, 'The key, without its secret.'] },
      errors: ['invalid_request', 'invalid_credentials', 'not_found', 'service_unavailable', 'internal_error'],
    },
    async ({ c }) => {
      const [id, key] = [organisationOf(c), keyOf(c)]
      return c.json(show(found(await reachOrganisation(c, () => service.showKey(id, key, c.get('requestId'))))))
    },
  )

  add(
    {
      route: 'DELETE /api/operator/organisations/{organisation_id}/keys/{key_id}',
      operationId: 'revokeOrganisationKey',
      summary: 'Revoke a key, from its next request on',
      answers: { 200: [RevokedKeySchema, 'The key as it is now, and the keys that were revoked with it.'] },
      errors: ['invalid_request', 'invalid_credentials', 'not_found', 'service_unavailable', 'internal_error'],
    },
    async ({ c }) => {
      const [id, key] = [organisationOf(c), keyOf(c)]
      const revoked = found(await reachOrganisation(c, () => service.revokeKey(id, key, c.get('requestId'))))
      return c.json(presentRevoked(revoked, clock()))
    },
  )

  return api
}

const notFound = (): AppError => new AppError('not_found', 'There is nothing with this id. List what there is first.')

function found<T>(value: T | null): T {
  if (value === null) throw notFound()
  return value
}

function organisationOf(c: AppContext): string {
  return idParameter(c, 'organisation_id', 'org_')
}

function keyOf(c: AppContext): string {
  return idParameter(c, 'key_id', 'key_')
}

// Only a well-formed id passes, because the requested id is written to a ledger.
function idParameter(c: AppContext, name: string, prefix: string): string {
  const id = c.req.param(name) ?? ''
  if (parseId(prefix, id) === null) throw notFound()
  return id
}

type Issued = Extract<KeyIssued, { outcome: 'created' }>

/** Throws `invalid_request` if the key would be expired already, or its limits are above its plan's. */
function assertIssued(issued: KeyIssued): asserts issued is Issued {
  if (issued.outcome !== 'created') throw newKeyError(issued.reason)
}
