// Routes for erasure: owners erase their organisation, people their own account, and anybody reads the signed record. The
// operator lists erasures, and repeats them after a database was restored.
import { SESSION_SECURITY } from '../../accounts/access/access.schema.ts'
import type { Access, AccessControl } from '../../accounts/access/access-control.ts'
import { managementOperations, sessionOperations } from '../../accounts/access/access-operations.ts'
import { sessionCookie } from '../../accounts/access/session-cookie.ts'
import { operatorOperations } from '../../accounts/operator/operator-operations.ts'
import { reachOrganisation } from '../../organisation/organisation-client.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { parseId, type ErasureId } from '../../platform/ids.ts'
import { listSchema, pageOf, PageQuerySchema } from '../../platform/pagination.schema.ts'
import { publicOperations } from '../../platform/operations.ts'
import type { Api } from '../../platform/router.ts'
import {
  ErasureRecordSchema,
  OperatorErasureSchema,
  OrganisationErasureSchema,
  PersonErasureSchema,
  presentErasure,
  presentOperatorErasure,
  presentOrganisationErasure,
  RequestErasureSchema,
} from './erasure.schema.ts'
import type { Asking, ErasureService } from './erasure.service.ts'
import type { OperatorErasuresService } from './operator-erasures.service.ts'
import type { PersonErasureService } from './person-erasure.service.ts'

const PATH = '/api/settings/erasure'
const OPERATOR_PATH = '/api/operator/erasures'

const originOf = (c: AppContext, publicOrigin: string | null): string => publicOrigin ?? new URL(c.req.url).origin

/** @param publicOrigin the origin of this service; null to use the request's origin */
export function erasureRoutes(service: ErasureService, access: AccessControl, publicOrigin: string | null): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Erasure'], security: SESSION_SECURITY })
  const open = publicOperations({}, api)

  function requesterOf(c: AppContext, { organisation, manager }: Access): Asking {
    // Only owners have the permission, and a key is never an owner.
    if (manager.kind !== 'person') throw new TypeError('a key is no owner')
    return {
      organisation,
      personId: manager.id,
      requestId: c.get('requestId'),
      origin: originOf(c, publicOrigin),
      later: (work) => c.executionCtx.waitUntil(work),
    }
  }

  openapi(
    {
      route: `POST ${PATH}`,
      operationId: 'requestOrganisationErasure',
      summary: 'Erase an organisation',
      description:
        'Schedules the erasure of the organisation, after seven days or at once. For an owner, with a confirmation of the last 15 minutes. From this moment on every key of the organisation is refused ' +
        '(`organisation_closing`) and nothing goes to a provider; people can still look, export and cancel. Asked for again, ' +
        'the first request holds; `immediately` brings it forward.',
      permission: 'organisation:erase',
      proof: 'fresh',
      body: RequestErasureSchema,
      answers: { 202: [OrganisationErasureSchema, 'It is scheduled.'] },
      errors: ['conflict'],
    },
    async ({ c, caller, sent }) => {
      const requester = requesterOf(c, caller)
      const body = await sent.body()
      const requested = await reachOrganisation(c, () => service.request(requester, body))
      if (requested.outcome === 'other_name') throw otherName()
      if (requested.outcome === 'too_late') throw tooLate('cancelled or changed')
      return c.json(presentOrganisationErasure(requested.erasure, requester.origin), 202)
    },
  )

  openapi(
    {
      route: `GET ${PATH}`,
      operationId: 'showOrganisationErasure',
      summary: 'Get the erasure',
      description:
        'Returns the erasure that is scheduled or runs. For owners; 404 where there is none. `GET /api/auth/me` tells every member whether there is one, and when.',
      permission: 'organisation:erase',
      answers: { 200: [OrganisationErasureSchema, 'The erasure.'] },
    },
    async ({ c, caller }) => {
      const requester = requesterOf(c, caller)
      const erasure = await reachOrganisation(c, () => service.show(requester))
      if (erasure === null) throw nothingScheduled('this organisation')
      return c.json(presentOrganisationErasure(erasure, requester.origin))
    },
  )

  openapi(
    {
      route: `DELETE ${PATH}`,
      operationId: 'cancelOrganisationErasure',
      summary: 'Cancel the erasure',
      description: 'Cancels the erasure, until it begins.',
      permission: 'organisation:erase',
      answers: { 200: [OrganisationErasureSchema, 'It is cancelled, and the keys work again.'] },
      errors: ['conflict'],
    },
    async ({ c, caller }) => {
      const requester = requesterOf(c, caller)
      const cancelled = await reachOrganisation(c, () => service.cancel(requester))
      if (cancelled.outcome === 'none') throw nothingScheduled('this organisation')
      if (cancelled.outcome === 'too_late') throw tooLate('cancelled or changed')
      return c.json(presentOrganisationErasure(cancelled.erasure, requester.origin))
    },
  )

  open.openapi(
    {
      route: 'GET /v1/erasures/{erasure_id}',
      operationId: 'readErasureRecord',
      summary: 'Get an erasure record',
      description:
        'Returns the signed record of a completed erasure of an organisation. No key is needed. `countersign-verify` checks it.',
      tags: ['Erasure'],
      security: [],
      answers: { 200: [ErasureRecordSchema, 'The record, signed.'] },
      errors: ['invalid_request', 'not_found', 'internal_error'],
    },
    async ({ c }) => {
      const id = c.req.param('erasure_id') ?? ''
      const record = parseId('era_', id) === null ? null : await service.findRecord(id)
      if (record === null) {
        throw new AppError('not_found', 'There is no completed erasure with this id. Check the id, or try again later.')
      }
      c.header('cache-control', 'public, max-age=300')
      return c.body(record, 200, { 'content-type': 'application/json' })
    },
  )

  return api
}

/** @param publicOrigin the origin of this service; null to use the request's origin */
export function personErasureRoutes(
  service: PersonErasureService,
  access: AccessControl,
  publicOrigin: string | null,
): Api {
  const { api, openapi } = sessionOperations(access, { tags: ['Erasure'], security: SESSION_SECURITY })

  openapi(
    {
      route: 'POST /api/auth/erasure',
      operationId: 'requestPersonErasure',
      summary: 'Erase your account',
      description:
        'Schedules the erasure of your account, after seven days. With a confirmation of the last 15 minutes. All sessions end, and a mail says so; sign in again to cancel. The only owner of an ' +
        'organisation is answered 409.',
      proof: 'fresh',
      answers: { 202: [PersonErasureSchema, 'It is scheduled.'] },
      errors: ['conflict'],
    },
    async ({ c, caller: { personId } }) => {
      const requested = await service.request({
        personId,
        origin: originOf(c, publicOrigin),
        later: (work) => c.executionCtx.waitUntil(work),
      })
      if (requested.outcome === 'only_owner') {
        throw new AppError(
          'conflict',
          'You are the only owner of an organisation. Add another owner (PATCH /api/members/{person_id}), or erase it (POST /api/settings/erasure).',
        )
      }
      sessionCookie.clear(c)
      return c.json(presentErasure(requested.erasure), 202)
    },
  )

  openapi(
    {
      route: 'GET /api/auth/erasure',
      operationId: 'showPersonErasure',
      summary: 'Get your account’s erasure',
      description: 'Returns the erasure of your account.',
      answers: { 200: [PersonErasureSchema, 'The erasure.'] },
      errors: ['not_found'],
    },
    async ({ c, caller: { personId } }) => {
      const erasure = await service.show(personId)
      if (erasure === null) throw nothingScheduled('your account')
      return c.json(presentErasure(erasure))
    },
  )

  openapi(
    {
      route: 'DELETE /api/auth/erasure',
      operationId: 'cancelPersonErasure',
      summary: 'Cancel your erasure',
      description: 'Cancels the erasure of your account, until it begins.',
      answers: { 200: [PersonErasureSchema, 'It is cancelled.'] },
      errors: ['not_found', 'conflict'],
    },
    async ({ c, caller: { personId } }) => {
      const cancelled = await service.cancel(personId)
      if (cancelled.outcome === 'none') throw nothingScheduled('your account')
      if (cancelled.outcome === 'too_late') throw tooLate('cancelled')
      return c.json(presentErasure(cancelled.erasure))
    },
  )

  return api
}

export function operatorErasureRoutes(service: OperatorErasuresService, operatorTokens: readonly string[]): Api {
  const { api, openapi } = operatorOperations(operatorTokens)

  openapi(
    {
      route: `GET ${OPERATOR_PATH}`,
      operationId: 'listErasures',
      summary: 'List erasures',
      description: 'Lists erasures, newest first.',
      query: PageQuerySchema,
      answers: { 200: [() => listSchema(OperatorErasureSchema()), 'A page of erasures.'] },
      errors: ['not_found'],
    },
    async ({ c, sent }) => {
      const { limit, cursor } = sent.query()
      const erasures = await reachOrganisation(c, () => service.list(limit + 1, cursor, c.get('requestId')))
      return c.json(pageOf(erasures.map(presentOperatorErasure), limit))
    },
  )

  openapi(
    {
      route: `GET ${OPERATOR_PATH}/{erasure_id}`,
      operationId: 'showErasure',
      summary: 'Get an erasure',
      answers: { 200: [OperatorErasureSchema, 'The erasure.'] },
      errors: ['not_found'],
    },
    async ({ c }) => {
      const id = erasureIdOf(c)
      const erasure = await reachOrganisation(c, () => service.show(id, c.get('requestId')))
      if (erasure === null) throw notFound()
      return c.json(presentOperatorErasure(erasure))
    },
  )

  openapi(
    {
      route: `POST ${OPERATOR_PATH}/{erasure_id}/reapply`,
      operationId: 'reapplyErasure',
      summary: 'Repeat an erasure',
      description:
        'Runs a completed erasure again, after a database was restored. Harmless twice. An organisation’s runs for some seconds: show it until it is `completed`. One that is `scheduled` ' +
        'stays so, and is put back where its organisation has forgotten it. 409 where it was cancelled, or a person is the ' +
        'only owner of an organisation.',
      answers: { 202: [OperatorErasureSchema, 'It runs, or is done.'] },
      errors: ['not_found', 'conflict'],
    },
    async ({ c }) => {
      const id = erasureIdOf(c)
      const reapplied = await reachOrganisation(c, () => service.reapply(id, c.get('requestId')))
      if (reapplied === null) throw notFound()
      if (reapplied.outcome === 'cancelled') {
        throw new AppError('conflict', 'This erasure was cancelled, so it cannot be repeated.')
      }
      if (reapplied.outcome === 'only_owner') {
        throw new AppError(
          'conflict',
          'This person is the only owner of an organisation. Invite another owner or erase the organisation, then repeat this.',
        )
      }
      return c.json(presentOperatorErasure(reapplied.erasure), 202)
    },
  )

  return api
}

const otherName = (): AppError =>
  new AppError('invalid_request', 'The name is wrong. Type the organisation’s name as GET /api/auth/me shows it.', {
    param: 'name',
    fields: [{ path: 'name', rule: 'the organisation’s name' }],
  })

const nothingScheduled = (subject: 'this organisation' | 'your account'): AppError =>
  new AppError('not_found', `No erasure of ${subject} is scheduled.`)

const tooLate = (verbs: 'cancelled' | 'cancelled or changed'): AppError =>
  new AppError('conflict', `The erasure has begun. It can no longer be ${verbs}.`)

// Accepts only well-formed ids, because the id from the path is written to the log.
function erasureIdOf(c: AppContext): ErasureId {
  const id = c.req.param('erasure_id') ?? ''
  if (!isErasureId(id)) throw notFound()
  return id
}

const isErasureId = (id: string): id is ErasureId => parseId('era_', id) !== null

const notFound = (): AppError =>
  new AppError('not_found', 'There is no erasure with this id. List the existing ones first.')
