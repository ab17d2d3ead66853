// A person has their own account erased.
import { createRoute } from '@hono/zod-openapi'
import type { AccessControl } from '../../accounts/access/access.ts'
import { SESSION_CODES, SESSION_SECURITY } from '../../accounts/access/access.schema.ts'
import { clearSessionCookie } from '../../accounts/access/session-cookie.ts'
import type { AppContext } from '../../platform/context.ts'
import { errorResponses, jsonResponse } from '../../platform/responses.ts'
import { AppError } from '../../platform/errors.ts'
import { createApi, mountFor, type Api } from '../../platform/route.ts'
import { PersonErasureSchema } from './erasure.schema.ts'
import { presentPersonErasure } from './erasure-wire.ts'
import type { PersonErasureService } from './person-erasure.service.ts'

const shared = { path: '/api/auth/erasure', tags: ['Erasure'], security: SESSION_SECURITY }

const routes = {
  request: createRoute({
    ...shared,
    method: 'post',
    operationId: 'requestPersonErasure',
    summary: 'Have your account erased after seven days',
    description:
      'For whoever signed in within the last 15 minutes. All sessions end, and a mail says so; sign in again to cancel. The only owner of an ' +
      'organisation is answered 409.',
    responses: {
      202: jsonResponse(PersonErasureSchema, 'It is scheduled.'),
      ...errorResponses([...SESSION_CODES, 'fresh_sign_in_required', 'origin_refused', 'conflict']),
    },
  }),
  show: createRoute({
    ...shared,
    method: 'get',
    operationId: 'showPersonErasure',
    summary: 'Show the erasure of your account',
    responses: {
      200: jsonResponse(PersonErasureSchema, 'The erasure.'),
      ...errorResponses([...SESSION_CODES, 'not_found']),
    },
  }),
  cancel: createRoute({
    ...shared,
    method: 'delete',
    operationId: 'cancelPersonErasure',
    summary: 'Cancel the erasure of your account, until it begins',
    responses: {
      200: jsonResponse(PersonErasureSchema, 'It is cancelled.'),
      ...errorResponses([...SESSION_CODES, 'origin_refused', 'not_found', 'conflict']),
    },
  }),
}

/** @param publicOrigin where the service is; null for wherever it was asked */
export function personErasureRoutes(
  service: PersonErasureService,
  access: AccessControl,
  publicOrigin: string | null,
): Api {
  const api = createApi()
  const admit = (c: AppContext) => access.requireSession(c)

  mountFor(
    api,
    routes.request,
    (c) => access.requireSession(c, { isFresh: true }),
    async (c, { personId }) => {
      const requested = await service.request({
        personId,
        origin: publicOrigin ?? new URL(c.req.url).origin,
        later: (work) => c.executionCtx.waitUntil(work),
      })
      if (requested.outcome === 'only_owner') throw onlyOwner()
      clearSessionCookie(c)
      return c.json(presentPersonErasure(requested.erasure), 202)
    },
  )

  mountFor(api, routes.show, admit, async (c, { personId }) => {
    const erasure = await service.show(personId)
    if (erasure === null) throw nothingScheduled()
    return c.json(presentPersonErasure(erasure))
  })

  mountFor(api, routes.cancel, admit, async (c, { personId }) => {
    const cancelled = await service.cancel(personId)
    if (cancelled.outcome === 'none') throw nothingScheduled()
    if (cancelled.outcome === 'too_late') throw tooLate()
    return c.json(presentPersonErasure(cancelled.erasure))
  })

  return api
}

const onlyOwner = (): AppError =>
  new AppError(
    'conflict',
    'You are the only owner of an organisation. Name another owner first (PATCH /api/members/{person_id}), or have it erased (POST /api/settings/erasure).',
  )

const nothingScheduled = (): AppError => new AppError('not_found', 'No erasure of your account is scheduled.')

const tooLate = (): AppError => new AppError('conflict', 'The erasure has begun. It cannot be cancelled any more.')
