// Routes for statements: what people explain in their own words about controls, anomalies, disparities and incidents of the
// compliance checklist.
import { MANAGEMENT_SECURITY, SESSION_SECURITY } from '../../accounts/access/access.schema.ts'
import { actorOf, type Access, type AccessControl } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { reachOrganisation, type OpenOrganisation } from '../../organisation/organisation-client.ts'
import type { Act } from '../../organisation/append-act.ts'
import type { Statement } from '../../reports/controls/control.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { listSchema } from '../../platform/pagination.schema.ts'
import { demoMark, demoMember } from '../../platform/names.schema.ts'
import type { Api } from '../../platform/router.ts'
import {
  MadeStatementSchema,
  MakeStatementSchema,
  presentStatement,
  StatementRemovalSchema,
  StatementSchema,
  subject,
} from './compliance.schema.ts'
import type { StatementMade, StatementRemoved } from '../../organisation/compliance/compliance.target.ts'
import { isStatementSubject, STATEMENT_SUBJECT_RULE } from '../../reports/controls/monitoring-controls.ts'

export function statementRoutes(open: OpenOrganisation, access: AccessControl): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Compliance'] })

  openapi(
    {
      route: 'GET /api/compliance/statements',
      operationId: 'listStatements',
      summary: 'List statements',
      description: 'Lists what people state about the compliance checklist.',
      security: MANAGEMENT_SECURITY,
      permission: 'audit:read',
      answers: { 200: [() => listSchema(StatementSchema()).extend(demoMember()), 'All of them, on one page.'] },
    },
    async ({ c, caller: { organisation } }) => {
      const list = async (): Promise<Statement[]> => open(organisation).compliance.listStatements()
      const data = (await reachOrganisation(c, list)).map(presentStatement)
      return c.json({ object: 'list', data, has_more: false, next_cursor: null, ...demoMark(organisation.id) })
    },
  )

  openapi(
    {
      route: 'PUT /api/compliance/statements/{subject}',
      operationId: 'putStatement',
      summary: 'Make a statement',
      description:
        'Makes a statement, in the place of the earlier one about the same subject. For owners, admins and auditors. It is listed with their id, the time and what they looked at. It never raises the score: a control whose findings are all explained is “stated”, which ' +
        'does not pass. The ledger has the cause, and the hashes of the texts.',
      security: SESSION_SECURITY,
      permission: 'compliance:state',
      params: () => ({ subject: subject() }),
      body: MakeStatementSchema,
      answers: { 200: [MadeStatementSchema, 'What is stated then.'] },
      errors: ['conflict'],
    },
    async ({ c, caller: who, sent }) => {
      const about = subjectOf(c)
      const { text, looked_at: lookedAt, cause = null, date = null } = await sent.body()
      const { manager, organisation } = who
      // Only people have the permission.
      if (manager.kind !== 'person') throw new TypeError('a key does not state anything')
      const statement = { subject: about, text, lookedAt, cause, date, statedBy: manager.id }
      const make = async (): Promise<StatementMade> =>
        open(organisation).compliance.makeStatement(statement, actOf(c, who))
      const made = await reachOrganisation(c, make)
      if (made.outcome === 'too_many') throw tooMany(made.most)
      return c.json({ ...presentStatement(made.statement), ...demoMark(organisation.id) })
    },
  )

  openapi(
    {
      route: 'DELETE /api/compliance/statements/{subject}',
      operationId: 'removeStatement',
      summary: 'Withdraw a statement',
      description: 'For owners, admins and auditors. The ledger keeps that it was made, and its hash.',
      security: SESSION_SECURITY,
      permission: 'compliance:state',
      params: () => ({ subject: subject() }),
      answers: { 200: [StatementRemovalSchema, 'It is gone.'] },
    },
    async ({ c, caller: who }) => {
      const about = subjectOf(c)
      const remove = async (): Promise<StatementRemoved> =>
        open(who.organisation).compliance.removeStatement(about, actOf(c, who, 'compliance.statement_removed'))
      const removed = await reachOrganisation(c, remove)
      if (removed.outcome === 'not_found')
        throw new AppError(
          'not_found',
          'There is no explanation of this. GET /api/compliance/statements lists those that exist.',
        )
      const removal = { object: 'compliance_statement_removal', subject: about, position: removed.position }
      return c.json({ ...removal, ...demoMark(who.organisation.id) })
    },
  )

  return api
}

const actOf = (c: AppContext, { manager }: Access, act = 'compliance.statement'): Act => ({
  actor: actorOf(manager),
  act,
  requestId: c.get('requestId'),
})

/** Returns the subject of the path. Throws `invalid_request` if no statement can be about it. */
function subjectOf(c: AppContext): string {
  const about = c.req.param('subject') ?? ''
  if (isStatementSubject(about)) return about
  throw new AppError(
    'invalid_request',
    `The subject has a wrong value. Send one of these: ${STATEMENT_SUBJECT_RULE}.`,
    {
      param: 'subject',
    },
  )
}

const tooMany = (most: number): AppError =>
  new AppError(
    'conflict',
    `The organisation has ${most} explanations, which is the most. Delete those that you no longer need.`,
  )
