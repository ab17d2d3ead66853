// The route for the audit trail of an organisation's calls, the latest first, with their stored content if the caller asks for it.
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import { type Access, type AccessControl, assertNotLinkedTo } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { type OpenOrganisation, reachOrganisation } from '../../organisation/organisation-client.ts'
import type { TrailQuery } from '../../organisation/audit/audit-trail.ts'
import type { Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { readQuery } from '../../platform/read-request.ts'
import type { Api } from '../../platform/router.ts'
import { requireFeature } from '../require-feature.ts'
import { AuditTrailQuerySchema, AuditTrailSchema, MOST_WITH_CONTENT } from './audit-trail.schema.ts'
import type { AuditTrailService, TrailAsJson } from './audit-trail.service.ts'
import { readCallFilters } from '../calls/call-filters.ts'
import { demoMark } from '../../platform/names.schema.ts'

type Deps = { service: AuditTrailService; access: AccessControl; open: OpenOrganisation; clock: Clock }

export function auditTrailRoutes({ service, access, open, clock }: Deps): Api {
  const { api, openapi } = managementOperations(access, {})
  const requireTier = requireFeature(open, 'audit_trail', 'the audit trail')

  openapi(
    {
      route: 'GET /api/compliance/audit-trail',
      tags: ['Audit'],
      security: MANAGEMENT_SECURITY,
      operationId: 'readAuditTrail',
      summary: 'List the audit trail',
      description:
        'Returns the outcome of each call, the latest first. From the tier Healthcare on. A page takes a bounded look at the log: it may be short, or empty, and say that there is more. ' +
        'What it tells of a call is covered by leaves of the log.',
      permission: 'audit:read',
      requireTier,
      query: AuditTrailQuerySchema,
      answers: { 200: [AuditTrailSchema, 'A page of calls.'] },
      errors: ['origin_refused', 'fresh_sign_in_required'],
    },
    async ({ c, caller: who }) => {
      const asked = { access: who, requestId: c.get('requestId') }
      const { trailQuery, withContent } = readTrailQuery(c, clock())
      c.header('content-type', 'application/json')
      if (!withContent)
        return c.body(render(who, await reachOrganisation(c, () => service.readTrail(asked, trailQuery))))
      access.assertMay(who.manager, 'content:read')
      await access.assertProved(who.manager, 'fresh')
      assertNotLinkedTo(c, who.manager, 'read content')
      // A HEAD request reads nothing, so the log gets no entry about it.
      if (c.req.method === 'HEAD') return c.body(null)
      return c.body(render(who, await reachOrganisation(c, () => service.readTrailWithContent(asked, trailQuery))))
    },
  )

  return api
}

function readTrailQuery(c: AppContext, now: number): { trailQuery: TrailQuery; withContent: boolean } {
  const { content, ...filters } = readQuery(c, AuditTrailQuerySchema())
  const withContent = content === 'true'
  if (withContent && c.req.query('limit') !== undefined && filters.limit > MOST_WITH_CONTENT) throw tooManyWithContent()
  const wanted = readCallFilters(filters, now)
  const trailQuery = { ...wanted, limit: withContent ? Math.min(wanted.limit, MOST_WITH_CONTENT) : wanted.limit }
  return { trailQuery, withContent }
}

function render({ organisation }: Access, { json, next, unreadable }: TrailAsJson): string {
  const rest = {
    ...demoMark(organisation.id),
    has_more: next !== null,
    next_cursor: next === null ? null : String(next),
    unreadable_entries: unreadable,
  }
  return `{"object":"list","data":[${json.join(',')}],${JSON.stringify(rest).slice(1)}`
}

const tooManyWithContent = (): AppError =>
  new AppError('invalid_request', `A page with content has at most ${MOST_WITH_CONTENT} entries. Send a lower limit.`, {
    param: 'limit',
    fields: [{ path: 'limit', rule: `at most ${MOST_WITH_CONTENT} with content` }],
  })
