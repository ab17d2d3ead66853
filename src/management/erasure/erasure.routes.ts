// An owner has the organisation erased; anybody reads the signed record of it.
import { createRoute, z } from '@hono/zod-openapi'
import type { AccessControl } from '../../accounts/access/access.ts'
import { reachOrganisation } from '../../accounts/reach-organisation.ts'
import {
  ACCESS_CODES,
  CHANGE_CODES,
  organisationHeader,
  SESSION_SECURITY,
} from '../../accounts/access/access.schema.ts'
import type { AppContext } from '../../platform/context.ts'
import { errorResponses, jsonResponse, managementJsonResponse } from '../../platform/responses.ts'
import { AppError } from '../../platform/errors.ts'
import { bodyOf, readForm } from '../../platform/form.ts'
import { parseId } from '../../platform/ids.ts'
import { createApi, mount, mountFor, type Api } from '../../platform/route.ts'
import { ErasureRecordSchema, OrganisationErasureSchema, RequestErasureSchema } from './erasure.schema.ts'
import type { Asking, ErasureService } from './erasure.service.ts'
import { presentOrganisationErasure } from './erasure-wire.ts'

const PATH = '/api/settings/erasure'
const shared = { tags: ['Erasure'], security: SESSION_SECURITY }

const routes = {
  request: createRoute({
    ...shared,
    method: 'post',
    path: PATH,
    operationId: 'requestOrganisationErasure',
    summary: 'Have the organisation erased, after seven days or at once',
    description:
      'For an owner who signed in within the last 15 minutes. From this moment on every key of the organisation is refused ' +
      '(`organisation_closing`) and nothing goes to a provider; people can still look, export and cancel. Asked for again, ' +
      'the first request holds; `immediately` brings it forward.',
    request: { headers: organisationHeader, ...bodyOf(RequestErasureSchema) },
    responses: {
      202: managementJsonResponse(OrganisationErasureSchema, 'It is scheduled.'),
      ...errorResponses([...ACCESS_CODES, ...CHANGE_CODES, 'fresh_sign_in_required', 'conflict']),
    },
  }),
  show: createRoute({
    ...shared,
    method: 'get',
    path: PATH,
    operationId: 'showOrganisationErasure',
    summary: 'Show the erasure that is scheduled or runs',
    description:
      'For owners; 404 where there is none. `GET /api/auth/me` tells every member whether there is one, and when.',
    request: { headers: organisationHeader },
    responses: {
      200: managementJsonResponse(OrganisationErasureSchema, 'The erasure.'),
      ...errorResponses(ACCESS_CODES),
    },
  }),
  cancel: createRoute({
    ...shared,
    method: 'delete',
    path: PATH,
    operationId: 'cancelOrganisationErasure',
    summary: 'Cancel the erasure, until it begins',
    request: { headers: organisationHeader },
    responses: {
      200: managementJsonResponse(OrganisationErasureSchema, 'It is cancelled, and the keys work again.'),
      ...errorResponses([...ACCESS_CODES, 'origin_refused', 'conflict']),
    },
  }),
  readRecord: createRoute({
    method: 'get',
    path: '/v1/erasures/{erasure_id}',
    operationId: 'readErasureRecord',
    summary: 'The signed record of a completed erasure of an organisation',
    description: 'No key is needed. `countersign-verify` checks it.',
    tags: ['Erasure'],
    security: [],
    request: { params: z.object({ erasure_id: z.string() }) },
    responses: {
      200: jsonResponse(ErasureRecordSchema, 'The record, signed.'),
      ...errorResponses(['invalid_request', 'not_found', 'internal_error']),
    },
  }),
}

/** @param publicOrigin where the service is; null for wherever it was asked */
export function erasureRoutes(service: ErasureService, access: AccessControl, publicOrigin: string | null): Api {
  const api = createApi()
  const originOf = (c: AppContext): string => publicOrigin ?? new URL(c.req.url).origin

  async function ask(c: AppContext, isFresh: boolean): Promise<Asking> {
    const { organisation, manager } = await access.requireAccess(c, 'organisation:erase', { isFresh })
    // The permission is of owners, and no key is one.
    if (manager.kind !== 'person') throw new TypeError('a key is no owner')
    return {
      organisation,
      personId: manager.id,
      requestId: c.get('requestId'),
      origin: originOf(c),
      later: (work) => c.executionCtx.waitUntil(work),
    }
  }

  mountFor(
    api,
    routes.request,
    (c) => ask(c, true),
    async (c, asking) => {
      const wanted = await readForm(c, RequestErasureSchema)
      const requested = await reachOrganisation(c, () => service.request(asking, wanted))
      if (requested.outcome === 'other_name') throw otherName()
      if (requested.outcome === 'too_late') throw tooLate()
      return c.json(presentOrganisationErasure(requested.erasure, asking.origin), 202)
    },
  )

  mountFor(
    api,
    routes.show,
    (c) => ask(c, false),
    async (c, asking) => {
      const erasure = await reachOrganisation(c, () => service.show(asking))
      if (erasure === null) throw nothingScheduled()
      return c.json(presentOrganisationErasure(erasure, asking.origin))
    },
  )

  mountFor(
    api,
    routes.cancel,
    (c) => ask(c, false),
    async (c, asking) => {
      const cancelled = await reachOrganisation(c, () => service.cancel(asking))
      if (cancelled.outcome === 'none') throw nothingScheduled()
      if (cancelled.outcome === 'too_late') throw tooLate()
      return c.json(presentOrganisationErasure(cancelled.erasure, asking.origin))
    },
  )

  mount(api, routes.readRecord, async (c) => {
    const id = c.req.param('erasure_id') ?? ''
    const record = parseId('era_', id) === null ? null : await service.findRecord(id)
    if (record === null) throw noRecord()
    c.header('cache-control', 'public, max-age=300')
    return c.body(record, 200, { 'content-type': 'application/json' })
  })

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
