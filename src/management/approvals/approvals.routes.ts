// Approvals as people of the organisation have them: what waits, what became of it, and a decision. Each handler: read what is
// asked, do the verb, show the object.
import { createRoute, z } from '@hono/zod-openapi'
import {
  ACCESS_CODES,
  CHANGE_CODES,
  MANAGEMENT_SECURITY,
  organisationHeader,
  SESSION_SECURITY,
} from '../../accounts/access/access.schema.ts'
import type { AccessControl } from '../../accounts/access/access.ts'
import { assertNotLinkedTo } from '../../accounts/access/linked-to.ts'
import { reachOrganisation } from '../../accounts/reach-organisation.ts'
import { approvalNotFound, readApprovalId } from '../../organisation/approvals/present-approval.ts'
import {
  ApprovalSchema,
  ApprovalWithRecordsSchema,
  DecidedApprovalSchema,
} from '../../organisation/approvals/shown-approval.schema.ts'
import type { AppContext } from '../../platform/context.ts'
import { errorResponses, managementJsonResponse } from '../../platform/responses.ts'
import { AppError } from '../../platform/errors.ts'
import { bodyOf, readForm, readQuery } from '../../platform/form.ts'
import type { ApprovalId } from '../../platform/ids.ts'
import { listOf, pageOf } from '../../platform/list.schema.ts'
import { createApi, mountFor, type Api } from '../../platform/route.ts'
import { ApprovalsQuerySchema, DecideApprovalSchema, ReasonsSchema } from './approvals.schema.ts'
import type { ApprovalsService, Decided } from './approvals.service.ts'

const shared = { tags: ['Approvals'] }
const params = z.object({ approval_id: z.string() })
const headers = organisationHeader

const routes = {
  listApprovals: createRoute({
    ...shared,
    method: 'get',
    path: '/api/approvals',
    operationId: 'listApprovals',
    summary: 'List what waits for a person, and what became of it, newest first',
    security: MANAGEMENT_SECURITY,
    request: { headers, query: ApprovalsQuerySchema },
    responses: {
      200: managementJsonResponse(listOf(ApprovalSchema), 'A page of approvals.'),
      ...errorResponses(ACCESS_CODES),
    },
  }),
  showApproval: createRoute({
    ...shared,
    method: 'get',
    path: '/api/approvals/{approval_id}',
    operationId: 'showApproval',
    summary: 'Show one approval, with the records of the refusal and of each decision',
    security: MANAGEMENT_SECURITY,
    request: { headers, params },
    responses: {
      200: managementJsonResponse(ApprovalWithRecordsSchema, 'The approval.'),
      ...errorResponses(ACCESS_CODES),
    },
  }),
  readApprovalReasons: createRoute({
    ...shared,
    method: 'get',
    path: '/api/approvals/{approval_id}/reasons',
    operationId: 'readApprovalReasons',
    summary: 'Read the reasons of its decisions, where the organisation keeps content',
    description: 'For owners, admins and auditors. The ledger says who read them before they have them.',
    security: SESSION_SECURITY,
    request: { headers, params },
    responses: {
      200: managementJsonResponse(ReasonsSchema, 'A reason for each decision that has one.'),
      ...errorResponses([...ACCESS_CODES, 'origin_refused']),
    },
  }),
  decideApproval: createRoute({
    ...shared,
    method: 'post',
    path: '/api/approvals/{approval_id}/decision',
    operationId: 'decideApproval',
    summary: 'Decide about an approval, as a person who did not ask for it',
    security: SESSION_SECURITY,
    request: { headers, params, ...bodyOf(DecideApprovalSchema) },
    responses: {
      200: managementJsonResponse(
        DecidedApprovalSchema,
        'The approval as it is then, with the record of the decision.',
      ),
      ...errorResponses([...ACCESS_CODES, ...CHANGE_CODES, 'conflict']),
    },
  }),
}

export function approvalRoutes(service: ApprovalsService, access: AccessControl): Api {
  const api = createApi()

  mountFor(
    api,
    routes.listApprovals,
    (c) => access.requireAccess(c, 'approvals:read'),
    async (c, who) => {
      const { state = null, limit, cursor = null } = readQuery(c, ApprovalsQuerySchema)
      const wanted = { state, before: cursor, limit: limit + 1 }
      return c.json(pageOf(await reachOrganisation(c, () => service.listApprovals(who, wanted)), limit))
    },
  )

  mountFor(
    api,
    routes.showApproval,
    (c) => access.requireAccess(c, 'approvals:read'),
    async (c, who) => {
      const id = approvalOf(c)
      const approval = await reachOrganisation(c, () => service.showApproval(who, id))
      if (approval === null) throw approvalNotFound()
      return c.json(approval)
    },
  )

  mountFor(
    api,
    routes.readApprovalReasons,
    (c) => access.requireAccess(c, 'content:read'),
    async (c, who) => {
      assertNotLinkedTo(c, who.manager, 'Reasons are read')
      const id = approvalOf(c)
      // Whoever looks at the headers only has read nothing.
      if (c.req.method === 'HEAD') return c.body(null)
      const reasons = await reachOrganisation(c, () => service.readReasons(who, id, c.get('requestId')))
      if (reasons === null) throw approvalNotFound()
      return c.json({ object: 'approval_reasons', approval_id: id, data: reasons })
    },
  )

  mountFor(
    api,
    routes.decideApproval,
    (c) => access.requireAccess(c, 'approvals:decide'),
    async (c, who) => {
      const id = approvalOf(c)
      const { decision, reason = null } = await readForm(c, DecideApprovalSchema)
      const { manager } = who
      // The permission is of people alone.
      if (manager.kind !== 'person') throw new TypeError('a key does not decide')
      const asked = { access: who, decider: manager, requestId: c.get('requestId') }
      const decided = await reachOrganisation(c, () => service.decideApproval(asked, id, { decision, reason }))
      if (decided.outcome !== 'decided') throw refusalError(decided)
      return c.json({ ...decided.approval, reason_salt: decided.reasonSalt })
    },
  )

  return api
}

function approvalOf(c: AppContext): ApprovalId {
  const id = readApprovalId(c.req.param('approval_id') ?? '')
  if (id === null) throw approvalNotFound()
  return id
}

function refusalError(refusal: Exclude<Decided, { outcome: 'decided' }>): AppError {
  switch (refusal.outcome) {
    case 'not_found':
      return approvalNotFound()
    case 'own_request':
      return new AppError(
        'role_required',
        'You made the key that asks for this, or one that made it. Somebody else decides.',
      )
    case 'may_not_decide':
      return new AppError(
        'role_required',
        'You were removed from this organisation, or your role there has changed. Sign in again to see what you may do.',
      )
    case 'not_pending':
      return new AppError('conflict', `It does not wait for a decision any more: it is ${refusal.state}.`)
    case 'decided_before':
      return new AppError('conflict', 'You have decided so before. It waits for somebody else.')
  }
}
