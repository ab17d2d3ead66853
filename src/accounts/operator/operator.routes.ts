// The operator's own routes. Each handler: read what is asked, do the verb, show the object.
import { createRoute, z } from '@hono/zod-openapi'
import { CreatedKeySchema, CreateKeySchema, KeySchema, RevokedKeySchema } from '../../keys/key.schema.ts'
import { newKeyError } from '../../keys/new-key-error.ts'
import { presentKey, presentRevoked } from '../../keys/present-key.ts'
import type { KeyRecord } from '../../keys/keys.store.ts'
import type { Clock } from '../../platform/clock.ts'
import { bodyOf, readForm, readQuery } from '../../platform/form.ts'
import type { AppContext } from '../../platform/context.ts'
import { errorResponses } from '../../platform/responses.ts'
import { AppError } from '../../platform/errors.ts'
import { parseId } from '../../platform/ids.ts'
import { listOf, pageOf, PageQuerySchema } from '../../platform/list.schema.ts'
import { createApi, mount, type Api } from '../../platform/route.ts'
import { requireOperator } from './operator.middleware.ts'
import type { KeyIssued, OperatorService } from './operator.service.ts'
import { assertChanged } from '../organisation-refusals.ts'
import { presentOrganisation, readNewOrganisation, readOrganisationChange } from '../organisation-wire.ts'
import { CreateOrganisationSchema, OrganisationSchema, UpdateOrganisationSchema } from '../organisation.schema.ts'
import { reachOrganisation } from '../reach-organisation.ts'

const READ_CODES = [
  'invalid_request',
  'invalid_credentials',
  'not_found',
  'service_unavailable',
  'internal_error',
] as const
const WRITE_CODES = [...READ_CODES, 'payload_too_large', 'unsupported_media_type'] as const

const json = (schema: z.ZodType, description: string) => ({ description, content: { 'application/json': { schema } } })
const organisationPath = { params: z.object({ organisation_id: z.string() }) }
const keyPath = { params: z.object({ organisation_id: z.string(), key_id: z.string() }) }
const shared = { tags: ['Operator'], security: [{ operatorToken: [] }] }

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

const routes = {
  checkLedger: createRoute({
    ...shared,
    method: 'get',
    path: '/api/operator/organisations/{organisation_id}/ledger',
    operationId: 'checkLedger',
    summary: 'Check an organisation’s ledger',
    description:
      'Works the organisation’s state out again from its oldest snapshot and every entry at hand, counts its calls anew from every entry that is kept, and compares both with what its object holds. Calls go on meanwhile.',
    request: organisationPath,
    responses: { 200: json(LedgerCheckSchema, 'What was found.'), ...errorResponses(READ_CODES) },
  }),
  createOrganisation: createRoute({
    ...shared,
    method: 'post',
    path: '/api/operator/organisations',
    operationId: 'createOrganisation',
    summary: 'Found an organisation',
    request: bodyOf(CreateOrganisationSchema),
    responses: { 201: json(OrganisationSchema, 'The organisation.'), ...errorResponses(WRITE_CODES) },
  }),
  listOrganisations: createRoute({
    ...shared,
    method: 'get',
    path: '/api/operator/organisations',
    operationId: 'listOrganisations',
    summary: 'List organisations, newest first',
    request: { query: PageQuerySchema },
    responses: { 200: json(listOf(OrganisationSchema), 'A page of organisations.'), ...errorResponses(READ_CODES) },
  }),
  showOrganisation: createRoute({
    ...shared,
    method: 'get',
    path: '/api/operator/organisations/{organisation_id}',
    operationId: 'showOrganisation',
    summary: 'Show one organisation',
    request: organisationPath,
    responses: { 200: json(OrganisationSchema, 'The organisation.'), ...errorResponses(READ_CODES) },
  }),
  updateOrganisation: createRoute({
    ...shared,
    method: 'patch',
    path: '/api/operator/organisations/{organisation_id}',
    operationId: 'updateOrganisation',
    summary: 'Rename an organisation, assign its tier or set what its gateway may do',
    request: { ...organisationPath, ...bodyOf(UpdateOrganisationSchema) },
    responses: { 200: json(OrganisationSchema, 'The organisation.'), ...errorResponses([...WRITE_CODES, 'conflict']) },
  }),
  createOrganisationKey: createRoute({
    ...shared,
    method: 'post',
    path: '/api/operator/organisations/{organisation_id}/keys',
    operationId: 'createOrganisationKey',
    summary: 'Issue a key',
    request: { ...organisationPath, ...bodyOf(CreateKeySchema) },
    responses: { 201: json(CreatedKeySchema, 'The key, shown once.'), ...errorResponses(WRITE_CODES) },
  }),
  listOrganisationKeys: createRoute({
    ...shared,
    method: 'get',
    path: '/api/operator/organisations/{organisation_id}/keys',
    operationId: 'listOrganisationKeys',
    summary: 'List an organisation’s keys, newest first',
    request: { ...organisationPath, query: PageQuerySchema },
    responses: {
      200: json(listOf(KeySchema), 'A page of keys, without their secrets.'),
      ...errorResponses(READ_CODES),
    },
  }),
  showOrganisationKey: createRoute({
    ...shared,
    method: 'get',
    path: '/api/operator/organisations/{organisation_id}/keys/{key_id}',
    operationId: 'showOrganisationKey',
    summary: 'Show one key',
    request: keyPath,
    responses: { 200: json(KeySchema, 'The key, without its secret.'), ...errorResponses(READ_CODES) },
  }),
  revokeOrganisationKey: createRoute({
    ...shared,
    method: 'delete',
    path: '/api/operator/organisations/{organisation_id}/keys/{key_id}',
    operationId: 'revokeOrganisationKey',
    summary: 'Revoke a key, from its next request on',
    request: keyPath,
    responses: {
      200: json(RevokedKeySchema, 'The key as it is now, and the keys that were revoked with it.'),
      ...errorResponses(READ_CODES),
    },
  }),
}

export function operatorRoutes(service: OperatorService, operatorToken: string | null, clock: Clock): Api {
  const api = createApi()
  const show = (key: KeyRecord) => presentKey(key, clock())
  api.use('/api/operator/*', requireOperator(operatorToken))

  mount(api, routes.createOrganisation, async (c) => {
    const input = readNewOrganisation(await readForm(c, CreateOrganisationSchema))
    const founded = await reachOrganisation(c, () => service.createOrganisation(input, c.get('requestId')))
    assertChanged(founded)
    return c.json(presentOrganisation(founded.record), 201)
  })

  mount(api, routes.listOrganisations, async (c) => {
    const { limit, cursor } = readQuery(c, PageQuerySchema)
    const listing = () => service.listOrganisations(limit + 1, cursor, c.get('requestId'))
    const records = await reachOrganisation(c, listing)
    return c.json(pageOf(records.map(presentOrganisation), limit))
  })

  mount(api, routes.showOrganisation, async (c) => {
    const id = organisationOf(c)
    const shown = await reachOrganisation(c, () => service.showOrganisation(id, c.get('requestId')))
    return c.json(presentOrganisation(found(shown)))
  })

  mount(api, routes.updateOrganisation, async (c) => {
    const change = readOrganisationChange(await readForm(c, UpdateOrganisationSchema))
    const id = organisationOf(c)
    const changing = () => service.updateOrganisation(id, change, c.get('requestId'))
    const changed = found(await reachOrganisation(c, changing))
    assertChanged(changed)
    return c.json(presentOrganisation(changed.record))
  })

  mount(api, routes.createOrganisationKey, async (c) => {
    const input = await readForm(c, CreateKeySchema)
    const id = organisationOf(c)
    const issued = found(await reachOrganisation(c, () => service.createKey(id, input, c.get('requestId'))))
    assertIssued(issued)
    return c.json({ ...show(issued.record), key: issued.key }, 201)
  })

  mount(api, routes.listOrganisationKeys, async (c) => {
    const id = organisationOf(c)
    const { limit, cursor = null } = readQuery(c, PageQuerySchema)
    const listing = () => service.listKeys(id, { limit: limit + 1, cursor }, c.get('requestId'))
    const keys = found(await reachOrganisation(c, listing))
    return c.json(pageOf(keys.map(show), limit))
  })

  mount(api, routes.checkLedger, async (c) => {
    const id = organisationOf(c)
    const checked = found(await reachOrganisation(c, () => service.checkLedger(id, c.get('requestId'))))
    const is_equal = checked.differences.length === 0
    return c.json({ object: 'ledger_check', organisation_id: id, is_equal, ...checked })
  })

  mount(api, routes.showOrganisationKey, async (c) => {
    const [id, key] = [organisationOf(c), keyOf(c)]
    return c.json(show(found(await reachOrganisation(c, () => service.showKey(id, key, c.get('requestId'))))))
  })

  mount(api, routes.revokeOrganisationKey, async (c) => {
    const [id, key] = [organisationOf(c), keyOf(c)]
    const revoked = found(await reachOrganisation(c, () => service.revokeKey(id, key, c.get('requestId'))))
    return c.json(presentRevoked(revoked, clock()))
  })

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

// Only a well-formed id goes on from here: what is asked for is written to a ledger.
function idParameter(c: AppContext, name: string, prefix: string): string {
  const id = c.req.param(name) ?? ''
  if (parseId(prefix, id) === null) throw notFound()
  return id
}

type Issued = Extract<KeyIssued, { outcome: 'created' }>

/** Throws `invalid_request` where the key would have expired already, or its limits are above its plan's. */
function assertIssued(issued: KeyIssued): asserts issued is Issued {
  if (issued.outcome !== 'created') throw newKeyError(issued.reason)
}
