// Routes for approvals: people list and show the requests that wait for a decision, decide them, and read the reasons.
import { MANAGEMENT_SECURITY, SESSION_SECURITY } from '../../accounts/access/access.schema.ts'
import { type AccessControl, assertNotLinkedTo } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { reachOrganisation } from '../../organisation/organisation-client.ts'
import { approvalNotFound, readApprovalId } from '../../organisation/approvals/present-approval.ts'
import {
  DecidedApprovalSchema,
  NamedApprovalSchema,
  NamedApprovalWithRecordsSchema,
} from '../../organisation/approvals/approval-response.schema.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError, type ErrorCode } from '../../platform/errors.ts'
import type { ApprovalId } from '../../platform/ids.ts'
import { listSchema, pageOf } from '../../platform/pagination.schema.ts'
import type { Api } from '../../platform/router.ts'
import { ApprovalsQuerySchema, DecideApprovalSchema, ReasonsSchema } from './approvals.schema.ts'
import type { ApprovalsService, DecisionResult } from './approvals.service.ts'

export function approvalRoutes(service: ApprovalsService, access: AccessControl): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Approvals'] })

  openapi(
    {
      route: 'GET /api/approvals',
      operationId: 'listApprovals',
      summary: 'List approvals',
      description:
        'Lists the requests that wait for a person and those that were decided, newest first. The key that asked is named. Who made it and who decided are named for roles that may decide.',
      security: MANAGEMENT_SECURITY,
      permission: 'approvals:read',
      query: ApprovalsQuerySchema,
      answers: { 200: [() => listSchema(NamedApprovalSchema()), 'A page of approvals.'] },
    },
    async ({ c, caller: who, sent }) => {
      const { state = null, limit, cursor = null } = sent.query()
      const query = { state, before: cursor, limit: limit + 1 }
      return c.json(pageOf(await reachOrganisation(c, () => service.listApprovals(who, query)), limit))
    },
  )

  openapi(
    {
      route: 'GET /api/approvals/{approval_id}',
      operationId: 'showApproval',
      summary: 'Get an approval',
      description: 'Returns one approval, with the records of the refusal and of each decision.',
      security: MANAGEMENT_SECURITY,
      permission: 'approvals:read',
      answers: { 200: [NamedApprovalWithRecordsSchema, 'The approval.'] },
    },
    async ({ c, caller: who }) => {
      const id = approvalIdOf(c)
      const approval = await reachOrganisation(c, () => service.showApproval(who, id))
      if (approval === null) throw approvalNotFound()
      return c.json(approval)
    },
  )

  openapi(
    {
      route: 'GET /api/approvals/{approval_id}/reasons',
      operationId: 'readApprovalReasons',
      summary: 'Get an approval’s reasons',
      description:
        'Returns the reasons of its decisions, if the organisation keeps content. For owners, admins and auditors. The ledger says who read them before they have them.',
      security: SESSION_SECURITY,
      permission: 'content:read',
      answers: { 200: [ReasonsSchema, 'A reason for each decision that has one.'] },
      errors: ['origin_refused'],
    },
    async ({ c, caller: who }) => {
      assertNotLinkedTo(c, who.manager, 'read reasons')
      const id = approvalIdOf(c)
      // A HEAD request reads nothing, so the log gets no entry about it.
      if (c.req.method === 'HEAD') return c.body(null)
      const reasons = await reachOrganisation(c, () => service.readReasons(who, id, c.get('requestId')))
      if (reasons === null) throw approvalNotFound()
      return c.json({ object: 'approval_reasons', approval_id: id, data: reasons })
    },
  )

  openapi(
    {
      route: 'POST /api/approvals/{approval_id}/decision',
      operationId: 'decideApproval',
      summary: 'Decide an approval',
      description: 'Approves or declines a request, as a person who did not ask for it.',
      security: SESSION_SECURITY,
      permission: 'approvals:decide',
      body: DecideApprovalSchema,
      answers: { 200: [DecidedApprovalSchema, 'The approval as it is then, with the record of the decision.'] },
      errors: ['fresh_sign_in_required', 'conflict'],
    },
    async ({ c, caller: who, sent }) => {
      const id = approvalIdOf(c)
      const { decision, reason = null } = await sent.body()
      const { manager } = who
      // Declining only takes away, and is never held up.
      if (decision === 'approve') await access.assertProved(manager, 'fresh')
      // Only people have the permission.
      if (manager.kind !== 'person') throw new TypeError('a key does not decide')
      const asked = { access: who, decider: manager, requestId: c.get('requestId') }
      const decided = await reachOrganisation(c, () => service.decideApproval(asked, id, { decision, reason }))
      if (decided.outcome !== 'decided') throw refusalError(decided)
      return c.json({ ...decided.approval, reason_salt: decided.reasonSalt })
    },
  )

  return api
}

function approvalIdOf(c: AppContext): ApprovalId {
  const id = readApprovalId(c.req.param('approval_id') ?? '')
  if (id === null) throw approvalNotFound()
  return id
}

type Refused = Exclude<DecisionResult, { outcome: 'decided' }>

const REFUSALS: Record<Exclude<Refused['outcome'], 'not_found' | 'not_pending'>, [code: ErrorCode, message: string]> = {
  own_request: ['role_required', 'You made the key that asks for this, so you cannot decide. Ask somebody else.'],
  may_not_decide: [
    'role_required',
    'You are no longer a member here, or your role has changed. Sign in again to see your rights.',
  ],
  decided_before: ['conflict', 'You have already decided this. Another person must decide now.'],
}

function refusalError(refused: Refused): AppError {
  if (refused.outcome === 'not_found') return approvalNotFound()
  if (refused.outcome !== 'not_pending') return new AppError(...REFUSALS[refused.outcome])
  return new AppError('conflict', `This approval is already ${refused.state}. Nobody can decide it now.`)
}
