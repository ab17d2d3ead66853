// Routes with which the operator manages organisations and their keys, checks logs and invites first owners.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import {
  CreatedKeySchema,
  CreateKeySchema,
  KeySchema,
  PepperSchema,
  RevokedKeySchema,
  presentKey,
  presentRevoked,
  type KeyRecord,
} from '../../keys/key.schema.ts'
import type { Clock } from '../../platform/time.ts'
import { AppError } from '../../platform/errors.ts'
import { parseId } from '../../platform/ids.ts'
import { listSchema, pageOf, PageQuerySchema } from '../../platform/pagination.schema.ts'
import type { Api } from '../../platform/router.ts'
import type { InvitationsService } from '../members/invitations.service.ts'
import { assertInvited } from '../members/member-errors.ts'
import { presentCreatedInvitation } from '../members/member-wire.ts'
import { CreatedInvitationSchema, CreateInvitationSchema, millisecondsOf } from '../members/members.schema.ts'
import type { OrganisationsStore } from '../organisations.store.ts'
import { requireFound, idParameter, operatorOperations, requireOperator } from './operator-operations.ts'
import type { OperatorService } from './operator.service.ts'
import { assertSettingsChanged } from '../settings-errors.ts'
import {
  presentOrganisation,
  presentWarnings,
  readNewOrganisation,
  readOrganisationChange,
} from '../organisation-wire.ts'
import {
  ChangedOrganisationSchema,
  CreateOrganisationSchema,
  OrganisationSchema,
  UpdateOrganisationSchema,
} from '../organisation.schema.ts'
import { reachOrganisation } from '../../organisation/organisation-client.ts'
import { newKeyError } from '../../keys/key-rules.policy.ts'

const LedgerCheckSchema = once(() =>
  z
    .strictObject({
      object: z.literal('ledger_check'),
      organisation_id: z.string(),
      is_equal: z.boolean().meta({
        description:
          'True if what the object holds is what its entries come to: its state, and what was counted of its calls.',
      }),
      differences: z.array(z.string()).meta({
        description:
          'If not: paths of the state; `entries.N` for an entry that is not what its leaf is the hash of; `usage.`, a day and a place in it for what was counted, at most 100 of them; and `usage.unreadable.N` for N entries that cannot be read. `usage.DAY.sha256`: the rows of that day are not those that its entry says.',
      }),
      from: z.int().meta({
        description: 'The position of the first entry that the state was worked out from: those before have left.',
      }),
      to: z.int().meta({ description: 'The size of the log. All entries before it were gone through.' }),
    })
    .meta({ id: 'LedgerCheck' }),
)

export function operatorRoutes(service: OperatorService, operatorTokens: readonly string[], clock: Clock): Api {
  const { api, openapi } = operatorOperations(operatorTokens)
  api.use('/api/operator/*', requireOperator(operatorTokens))
  const show = (key: KeyRecord) => presentKey(key, clock())

  openapi(
    {
      route: 'POST /api/operator/organisations',
      operationId: 'createOrganisation',
      summary: 'Create an organisation',
      body: CreateOrganisationSchema,
      answers: { 201: [OrganisationSchema, 'The organisation.'] },
      errors: ['not_found'],
    },
    async ({ c, sent }) => {
      const input = readNewOrganisation(await sent.body())
      const founded = await reachOrganisation(c, () => service.createOrganisation(input, c.get('requestId')))
      assertSettingsChanged(founded)
      return c.json(presentOrganisation(founded.record), 201)
    },
  )

  openapi(
    {
      route: 'GET /api/operator/organisations',
      operationId: 'listOrganisations',
      summary: 'List organisations',
      description: 'Lists organisations, newest first.',
      query: PageQuerySchema,
      answers: { 200: [() => listSchema(OrganisationSchema()), 'A page of organisations.'] },
      errors: ['not_found'],
    },
    async ({ c, sent }) => {
      const { limit, cursor } = sent.query()
      const listing = () => service.listOrganisations(limit + 1, cursor, c.get('requestId'))
      const records = await reachOrganisation(c, listing)
      return c.json(pageOf(records.map(presentOrganisation), limit))
    },
  )

  openapi(
    {
      route: 'GET /api/operator/organisations/{organisation_id}',
      operationId: 'showOrganisation',
      summary: 'Get an organisation',
      answers: { 200: [OrganisationSchema, 'The organisation.'] },
      errors: ['not_found'],
    },
    async ({ c }) => {
      const id = idParameter(c, 'organisation_id', 'org_')
      const shown = await reachOrganisation(c, () => service.showOrganisation(id, c.get('requestId')))
      return c.json(presentOrganisation(requireFound(shown)))
    },
  )

  openapi(
    {
      route: 'PATCH /api/operator/organisations/{organisation_id}',
      operationId: 'updateOrganisation',
      summary: 'Update an organisation',
      description: 'Renames an organisation, assigns its tier or sets what its gateway may do.',
      body: UpdateOrganisationSchema,
      answers: { 200: [ChangedOrganisationSchema, 'The organisation, and warnings about the change.'] },
      errors: ['not_found', 'conflict'],
    },
    async ({ c, sent }) => {
      const change = readOrganisationChange(await sent.body())
      const id = idParameter(c, 'organisation_id', 'org_')
      const changing = () => service.updateOrganisation(id, change, c.get('requestId'))
      const changed = requireFound(await reachOrganisation(c, changing))
      assertSettingsChanged(changed)
      const warnings = presentWarnings(changed.warnings, 'retention_days')
      return c.json({ ...presentOrganisation(changed.record), warnings })
    },
  )

  openapi(
    {
      route: 'POST /api/operator/organisations/{organisation_id}/keys',
      operationId: 'createOrganisationKey',
      summary: 'Create an organisation’s key',
      description: 'Creates a key of an organisation.',
      body: CreateKeySchema,
      answers: { 201: [CreatedKeySchema, 'The key, shown once.'] },
      errors: ['not_found'],
    },
    async ({ c, sent }) => {
      const input = await sent.body()
      const id = idParameter(c, 'organisation_id', 'org_')
      const issued = requireFound(await reachOrganisation(c, () => service.createKey(id, input, c.get('requestId'))))
      if (issued.outcome !== 'created') throw newKeyError(issued.reason)
      return c.json({ ...show(issued.record), key: issued.key }, 201)
    },
  )

  openapi(
    {
      route: 'GET /api/operator/organisations/{organisation_id}/keys',
      operationId: 'listOrganisationKeys',
      summary: 'List an organisation’s keys',
      description: 'Lists an organisation’s keys, newest first.',
      query: PageQuerySchema,
      answers: { 200: [() => listSchema(KeySchema()), 'A page of keys, without their secrets.'] },
      errors: ['not_found'],
    },
    async ({ c, sent }) => {
      const id = idParameter(c, 'organisation_id', 'org_')
      const { limit, cursor = null } = sent.query()
      const listing = () => service.listKeys(id, { limit: limit + 1, cursor }, c.get('requestId'))
      const keys = requireFound(await reachOrganisation(c, listing))
      return c.json(pageOf(keys.map(show), limit))
    },
  )

  openapi(
    {
      route: 'GET /api/operator/organisations/{organisation_id}/ledger',
      operationId: 'checkLedger',
      summary: 'Check a ledger',
      description:
        'Checks an organisation’s ledger. Works the organisation’s state out again from its oldest snapshot and every entry at hand, counts its calls anew from every entry that is kept, and compares both with what its object holds. Calls go on meanwhile.',
      answers: { 200: [LedgerCheckSchema, 'What was found.'] },
      errors: ['not_found'],
    },
    async ({ c }) => {
      const id = idParameter(c, 'organisation_id', 'org_')
      const checked = requireFound(await reachOrganisation(c, () => service.checkLedger(id, c.get('requestId'))))
      const is_equal = checked.differences.length === 0
      return c.json({ object: 'ledger_check', organisation_id: id, is_equal, ...checked })
    },
  )

  openapi(
    {
      route: 'GET /api/operator/organisations/{organisation_id}/keys/{key_id}',
      operationId: 'showOrganisationKey',
      summary: 'Get an organisation’s key',
      answers: { 200: [KeySchema, 'The key, without its secret.'] },
      errors: ['not_found'],
    },
    async ({ c }) => {
      const [id, key] = [idParameter(c, 'organisation_id', 'org_'), idParameter(c, 'key_id', 'key_')]
      return c.json(show(requireFound(await reachOrganisation(c, () => service.showKey(id, key, c.get('requestId'))))))
    },
  )

  openapi(
    {
      route: 'DELETE /api/operator/organisations/{organisation_id}/keys/{key_id}',
      operationId: 'revokeOrganisationKey',
      summary: 'Revoke an organisation’s key',
      description: 'Revokes a key, from its next request on.',
      answers: { 200: [RevokedKeySchema, 'The key as it is now, and the keys that were revoked with it.'] },
      errors: ['not_found'],
    },
    async ({ c }) => {
      const [id, key] = [idParameter(c, 'organisation_id', 'org_'), idParameter(c, 'key_id', 'key_')]
      const revoked = requireFound(await reachOrganisation(c, () => service.revokeKey(id, key, c.get('requestId'))))
      return c.json(presentRevoked(revoked, clock()))
    },
  )

  openapi(
    {
      route: 'GET /api/operator/peppers',
      operationId: 'listPeppers',
      summary: 'List peppers that seal apps',
      description:
        'Lists the versions of the pepper that seal secrets of authenticator apps. Removing one ends these apps.',
      answers: { 200: [() => listSchema(PepperSchema()), 'All of them; none if nobody has an app.'] },
      errors: ['not_found'],
    },
    async ({ c }) => {
      const peppers = await reachOrganisation(c, () => service.listPeppers(c.get('requestId')))
      return c.json(pageOf(peppers, peppers.length))
    },
  )

  return api
}

type InvitationDeps = {
  invitations: InvitationsService
  organisations: OrganisationsStore
  operatorTokens: readonly string[]
  publicOrigin: string | null
}

/** Returns the operator's route that invites a person to an organisation, which gives it its first owner. */
export function operatorInvitationRoutes(deps: InvitationDeps): Api {
  const { invitations, organisations, operatorTokens, publicOrigin } = deps
  const { api, openapi } = operatorOperations(operatorTokens)

  openapi(
    {
      route: 'POST /api/operator/organisations/{organisation_id}/invitations',
      operationId: 'inviteToOrganisation',
      summary: 'Invite an owner',
      description: 'Invites somebody to an organisation, such as its first owner.',
      body: CreateInvitationSchema,
      answers: { 201: [CreatedInvitationSchema, 'The invitation, valid for seven days and once.'] },
      errors: ['organisation_closing', 'not_found', 'conflict'],
    },
    async ({ c, sent }) => {
      const { ends_at: end, ...wanted } = await sent.body()
      const id = c.req.param('organisation_id') ?? ''
      const record = parseId('org_', id) === null ? null : await organisations.findOrganisation(id)
      if (record === null) throw noSuchOrganisation()
      const organisation = { id: record.id, jurisdiction: record.jurisdiction }
      const origin = publicOrigin ?? new URL(c.req.url).origin
      const made = await invitations.invite(
        { organisation, by: null, requestId: c.get('requestId'), origin },
        { ...wanted, endsAt: millisecondsOf(end) },
      )
      assertInvited(made)
      return c.json(presentCreatedInvitation(made), 201)
    },
  )

  return api
}

const noSuchOrganisation = (): AppError =>
  new AppError('not_found', 'There is no organisation with this id. GET /api/operator/organisations lists them.')
