// Routes with which people read and erase the stored prompts and answers of calls.
import { SESSION_SECURITY } from '../../accounts/access/access.schema.ts'
import { type AccessControl, assertNotLinkedTo } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { reachOrganisation } from '../../organisation/organisation-client.ts'
import { prependMembers } from '../../organisation/content/content-object.ts'
import type { Api } from '../../platform/router.ts'
import { type ContentErasure, ContentErasureSchema, ContentSchema } from './content.schema.ts'
import type { ContentService } from './content.service.ts'
import type { ContentErased, NoContent } from '../../organisation/content/content.target.ts'
import type { UnopenedContent } from '../../organisation/content/content-bucket.store.ts'
import { AppError } from '../../platform/errors.ts'

const erasure = (attestationId: string | null, position: number): ContentErasure => ({
  object: 'content_erasure',
  attestation_id: attestationId,
  position,
})

export function contentRoutes(service: ContentService, access: AccessControl): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Content'], security: SESSION_SECURITY })

  openapi(
    {
      route: 'GET /api/compliance/content/{attestation_id}',
      operationId: 'readContent',
      summary: 'Get a call’s content',
      description:
        'Returns what was asked and answered in a call, if the organisation keeps that. For owners, admins and auditors. The ledger says who read it before they have it.',
      permission: 'content:read',
      proof: 'fresh',
      answers: { 200: [ContentSchema, 'The content.'] },
      errors: ['origin_refused', 'conflict'],
    },
    async ({ c, caller: who }) => {
      assertNotLinkedTo(c, who.manager, 'read content')
      const id = c.req.param('attestation_id') ?? ''
      c.header('content-type', 'application/json')
      // A HEAD request reads nothing, so the log gets no entry about it.
      if (c.req.method === 'HEAD') return c.body(null)
      const read = await reachOrganisation(c, () =>
        service.readContent({ access: who, requestId: c.get('requestId') }, id),
      )
      if (read.outcome !== 'read') throw contentError(read)
      const { place, stored, plain } = read
      const expiresAt = new Date(place.expiresAt).toISOString()
      return c.body(prependMembers({ object: 'content', attestation_id: id, expires_at: expiresAt, ...stored }, plain))
    },
  )

  openapi(
    {
      route: 'DELETE /api/compliance/content/{attestation_id}',
      operationId: 'eraseContent',
      summary: 'Erase a call’s content',
      description:
        'Erases the content that was kept of a call. For owners and admins. Its decision and settlement stay in the ledger, with the hash of what was sealed.',
      permission: 'content:erase',
      proof: 'fresh',
      answers: { 200: [ContentErasureSchema, 'It is erased.'] },
      errors: ['conflict'],
    },
    async ({ c, caller: who }) => {
      const id = c.req.param('attestation_id') ?? ''
      const answer = await reachOrganisation(c, () =>
        service.eraseContent({ access: who, requestId: c.get('requestId') }, id),
      )
      if (answer.outcome !== 'erased') throw contentError(answer)
      return c.json(erasure(id, answer.position))
    },
  )

  openapi(
    {
      route: 'DELETE /api/compliance/content',
      operationId: 'eraseAllContent',
      summary: 'Erase all content',
      description:
        'Erases all content: destroys the key that it is sealed under. For owners and admins, with a confirmation of the last 15 minutes. Nobody can read any of it from then on; the sealed objects ' +
        'are deleted soon after. The ledger stays as it is.',
      permission: 'content:erase',
      proof: 'fresh',
      answers: { 200: [ContentErasureSchema, 'It is erased.'] },
    },
    async ({ c, caller: who }) => {
      const asked = { access: who, requestId: c.get('requestId') }
      return c.json(erasure(null, await reachOrganisation(c, () => service.eraseAllContent(asked))))
    },
  )

  return api
}

type Absent = Exclude<ContentErased, { outcome: 'erased' }> | { outcome: UnopenedContent }

function contentError(absent: Absent): AppError {
  switch (absent.outcome) {
    case 'not_found':
      return new AppError('not_found', 'Your organisation has no record with this attestation_id. Check the id.')
    case 'not_kept':
      return new AppError(
        'not_found',
        'The details and the content of this call have expired. Its leaf stays in the log.',
      )
    case 'object_missing':
      return new AppError('not_found', 'The content of this call was erased. Its record stays in the log.')
    case 'object_damaged':
      return new AppError('internal_error', DAMAGED)
    case 'unreadable':
    case 'storage_failed':
      return notNow()
    case 'none':
      return absent.why === 'running' ? stillRunning() : new AppError('not_found', WHY[absent.why])
  }
}

const DAMAGED = 'The stored content does not match the SHA-256 in the ledger, so it is not shown. Tell the operator.'

const WHY: Readonly<Record<Exclude<NoContent, 'running'>, string>> = {
  not_logged: 'This call has no stored content: content logging was off, or the call was refused.',
  lost: 'The content of this call was lost: it could not be stored, or the call was cut off. Its settlement says so.',
  over: 'The content of this call has expired.',
  erased: 'An erasure deleted all content from the time of this call.',
}

const stillRunning = (): AppError =>
  new AppError('conflict', 'This call is still running, so its content is not stored yet. Try again when it has ended.')

const notNow = (): AppError =>
  new AppError('service_unavailable', 'The content cannot be read right now. Try again in a moment.', {
    retryAfterSeconds: 5,
  })
