// Routes by which a person has their own account erased.
import type { AccessControl } from '../../accounts/access/access.ts'
import { SESSION_SECURITY } from '../../accounts/access/access.schema.ts'
import { sessionOperations } from '../../accounts/access/operations.ts'
import { clearSessionCookie } from '../../accounts/access/session-cookie.ts'
import { AppError } from '../../platform/errors.ts'
import type { Api } from '../../platform/route.ts'
import { PersonErasureSchema, presentErasure } from './erasure.schema.ts'
import type { PersonErasureService } from './person-erasure.service.ts'

/** @param publicOrigin the origin of this service; null for the request's own */
export function personErasureRoutes(
  service: PersonErasureService,
  access: AccessControl,
  publicOrigin: string | null,
): Api {
  const { api, add } = sessionOperations(access, { tags: ['Erasure'], security: SESSION_SECURITY })

  add(
    {
      route: 'POST /api/auth/erasure',
      operationId: 'requestPersonErasure',
      summary: 'Have your account erased after seven days',
      description:
        'For whoever signed in within the last 15 minutes. All sessions end, and a mail says so; sign in again to cancel. The only owner of an ' +
        'organisation is answered 409.',
      isFresh: true,
      answers: { 202: [PersonErasureSchema, 'It is scheduled.'] },
      errors: ['fresh_sign_in_required', 'conflict'],
    },
    async ({ c, caller: { personId } }) => {
      const requested = await service.request({
        personId,
        origin: publicOrigin ?? new URL(c.req.url).origin,
        later: (work) => c.executionCtx.waitUntil(work),
      })
      if (requested.outcome === 'only_owner') throw onlyOwner()
      clearSessionCookie(c)
      return c.json(presentErasure(requested.erasure), 202)
    },
  )

  add(
    {
      route: 'GET /api/auth/erasure',
      operationId: 'showPersonErasure',
      summary: 'Show the erasure of your account',
      answers: { 200: [PersonErasureSchema, 'The erasure.'] },
      errors: ['not_found'],
    },
    async ({ c, caller: { personId } }) => {
      const erasure = await service.show(personId)
      if (erasure === null) throw nothingScheduled()
      return c.json(presentErasure(erasure))
    },
  )

  add(
    {
      route: 'DELETE /api/auth/erasure',
      operationId: 'cancelPersonErasure',
      summary: 'Cancel the erasure of your account, until it begins',
      answers: { 200: [PersonErasureSchema, 'It is cancelled.'] },
      errors: ['not_found', 'conflict'],
    },
    async ({ c, caller: { personId } }) => {
      const cancelled = await service.cancel(personId)
      if (cancelled.outcome === 'none') throw nothingScheduled()
      if (cancelled.outcome === 'too_late') throw tooLate()
      return c.json(presentErasure(cancelled.erasure))
    },
  )

  return api
}

const onlyOwner = (): AppError =>
  new AppError(
    'conflict',
    'You are the only owner of an organisation. Name another owner first (PATCH /api/members/{person_id}), or have it erased (POST /api/settings/erasure).',
  )

const nothingScheduled = (): AppError => new AppError('not_found', 'No erasure of your account is scheduled.')

const tooLate = (): AppError => new AppError('conflict', 'The erasure has begun. It cannot be cancelled any more.')
