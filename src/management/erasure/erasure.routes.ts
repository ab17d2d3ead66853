// Routes by which an owner has the organisation erased, and anybody reads the signed record.
import { SESSION_SECURITY } from '../../accounts/access/access.schema.ts'
import type { Access, AccessControl } from '../../accounts/access/access.ts'
import { managementOperations } from '../../accounts/access/operations.ts'
import { reachOrganisation } from '../../organisation/client.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { parseId } from '../../platform/ids.ts'
import { openOperations } from '../../platform/operations.ts'
import type { Api } from '../../platform/route.ts'
import {
  ErasureRecordSchema,
  OrganisationErasureSchema,
  presentOrganisationErasure,
  RequestErasureSchema,
} from './erasure.schema.ts'
import type { Asking, ErasureService } from './erasure.service.ts'

const PATH = '/api/settings/erasure'
/** @param publicOrigin the origin of this service; null for the request's own */
export function erasureRoutes(service: ErasureService, access: AccessControl, publicOrigin: string | null): Api {
  const { api, add } = managementOperations(access, { tags: ['Erasure'], security: SESSION_SECURITY })
  const open = openOperations({}, api)
  const originOf = (c: AppContext): string => publicOrigin ?? new URL(c.req.url).origin

  function askedBy(c: AppContext, { organisation, manager }: Access): Asking {
    // Only owners have the permission, and no key is one.
    if (manager.kind !== 'person') throw new TypeError('a key is no owner')
    return {
      organisation,
      personId: manager.id,
      requestId: c.get('requestId'),
      origin: originOf(c),
      later: (work) => c.executionCtx.waitUntil(work),
    }
  }

  add(
    {
      route: `POST ${PATH}`,
      operationId: 'requestOrganisationErasure',
      summary: 'Have the organisation erased, after seven days or at once',
      description:
        'For an owner who signed in within the last 15 minutes. From this moment on every key of the organisation is refused ' +
        '(`organisation_closing`) and nothing goes to a provider; people can still look, export and cancel. Asked for again, ' +
        'the first request holds; `immediately` brings it forward.',
      permission: 'organisation:erase',
      isFresh: true,
      body: RequestErasureSchema,
      answers: { 202: [OrganisationErasureSchema, 'It is scheduled.'] },
      errors: ['fresh_sign_in_required', 'conflict'],
    },
    async ({ c, caller, sent }) => {
      const asking = askedBy(c, caller)
      const wanted = await sent.body()
      const requested = await reachOrganisation(c, () => service.request(asking, wanted))
      if (requested.outcome === 'other_name') throw otherName()
      if (requested.outcome === 'too_late') throw tooLate()
      return c.json(presentOrganisationErasure(requested.erasure, asking.origin), 202)
    },
  )

  add(
    {
      route: `GET ${PATH}`,
      operationId: 'showOrganisationErasure',
      summary: 'Show the erasure that is scheduled or runs',
      description:
        'For owners; 404 where there is none. `GET /api/auth/me` tells every member whether there is one, and when.',
      permission: 'organisation:erase',
      answers: { 200: [OrganisationErasureSchema, 'The erasure.'] },
    },
    async ({ c, caller }) => {
      const asking = askedBy(c, caller)
      const erasure = await reachOrganisation(c, () => service.show(asking))
      if (erasure === null) throw nothingScheduled()
      return c.json(presentOrganisationErasure(erasure, asking.origin))
    },
  )

  add(
    {
      route: `DELETE ${PATH}`,
      operationId: 'cancelOrganisationErasure',
      summary: 'Cancel the erasure, until it begins',
      permission: 'organisation:erase',
      answers: { 200: [OrganisationErasureSchema, 'It is cancelled, and the keys work again.'] },
      errors: ['conflict'],
    },
    async ({ c, caller }) => {
      const asking = askedBy(c, caller)
      const cancelled = await reachOrganisation(c, () => service.cancel(asking))
      if (cancelled.outcome === 'none') throw nothingScheduled()
      if (cancelled.outcome === 'too_late') throw tooLate()
      return c.json(presentOrganisationErasure(cancelled.erasure, asking.origin))
    },
  )

  open.add(
    {
      route: 'GET /v1/erasures/{erasure_id}',
      operationId: 'readErasureRecord',
      summary: 'The signed record of a completed erasure of an organisation',
      description: 'No key is needed. `countersign-verify` checks it.',
      tags: ['Erasure'],
      security: [],
      answers: { 200: [ErasureRecordSchema, 'The record, signed.'] },
      errors: ['invalid_request', 'not_found', 'internal_error'],
    },
    async ({ c }) => {
      const id = c.req.param('erasure_id') ?? ''
      const record = parseId('era_', id) === null ? null : await service.findRecord(id)
      if (record === null) throw noRecord()
      c.header('cache-control', 'public, max-age=300')
      return c.body(record, 200, { 'content-type': 'application/json' })
    },
  )

  return api
}

const otherName = (): AppError =>
  new AppError('invalid_request', 'This is not the organisation’s name. Type it as GET /api/auth/me shows it.', {
    param: 'name',
    fields: [{ path: 'name', rule: 'the organisation’s name' }],
  })

const nothingScheduled = (): AppError => new AppError('not_found', 'No erasure of this organisation is scheduled.')

const tooLate = (): AppError =>
  new AppError('conflict', 'The erasure has begun. It cannot be cancelled or changed any more.')

const noRecord = (): AppError =>
  new AppError('not_found', 'There is no record of an erasure with this id, or it is not completed yet.')
