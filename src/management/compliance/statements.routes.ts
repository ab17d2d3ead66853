// What people state about the compliance checklist: controls that need a person, anomalies, disparities, incidents.
import { createRoute, z } from '@hono/zod-openapi'
import {
  ACCESS_CODES,
  CHANGE_CODES,
  MANAGEMENT_SECURITY,
  organisationHeader,
  SESSION_SECURITY,
} from '../../accounts/access/access.schema.ts'
import { actorOf, type Access, type AccessControl } from '../../accounts/access/access.ts'
import { reachOrganisation } from '../../accounts/reach-organisation.ts'
import type { Act } from '../../organisation/acts.ts'
import type { StatementMade, StatementRemoved } from '../../organisation/compliance/compliance.target.ts'
import type { Statement } from '../../organisation/compliance/statements.store.ts'
import type { OpenOrganisation } from '../../organisation/organisation-stub.ts'
import { isSubject, SUBJECT_RULE } from '../../reports/statements/subjects.ts'
import type { AppContext } from '../../platform/context.ts'
import { demoMark, demoMember, listOf } from '../../platform/list.schema.ts'
import { errorResponses, managementJsonResponse } from '../../platform/responses.ts'
import { AppError } from '../../platform/errors.ts'
import { bodyOf, readForm } from '../../platform/form.ts'
import { createApi, mountFor, type Api } from '../../platform/route.ts'
import { presentStatement } from './statements-wire.ts'
import {
  MadeStatementSchema,
  MakeStatementSchema,
  StatementRemovalSchema,
  StatementSchema,
  subject,
} from './statements.schema.ts'

const PATH = '/api/compliance/statements'
const shared = { tags: ['Compliance'] }
const headers = organisationHeader
const params = z.object({ subject })

const routes = {
  listStatements: createRoute({
    ...shared,
    method: 'get',
    path: PATH,
    operationId: 'listStatements',
    summary: 'List what people state about the compliance checklist',
    security: MANAGEMENT_SECURITY,
    request: { headers },
    responses: {
      200: managementJsonResponse(listOf(StatementSchema).extend(demoMember), 'All of them, on one page.'),
      ...errorResponses(ACCESS_CODES),
    },
  }),
  putStatement: createRoute({
    ...shared,
    method: 'put',
    path: `${PATH}/{subject}`,
    operationId: 'putStatement',
    summary: 'State something, in the place of what was stated about the same',
    description:
      'For owners, admins and auditors. It is listed with their id and the time, and never counts in the score; an anomaly or a ' +
      'disparity that somebody made a statement about counts as answered. The ledger has the hash of the text.',
    security: SESSION_SECURITY,
    request: { headers, params, ...bodyOf(MakeStatementSchema) },
    responses: {
      200: managementJsonResponse(MadeStatementSchema, 'What is stated then.'),
      ...errorResponses([...ACCESS_CODES, ...CHANGE_CODES, 'conflict']),
    },
  }),
  removeStatement: createRoute({
    ...shared,
    method: 'delete',
    path: `${PATH}/{subject}`,
    operationId: 'removeStatement',
    summary: 'Take a statement back',
    description: 'For owners, admins and auditors. The ledger keeps that it was made, and its hash.',
    security: SESSION_SECURITY,
    request: { headers, params },
    responses: {
      200: managementJsonResponse(StatementRemovalSchema, 'It is gone.'),
      ...errorResponses([...ACCESS_CODES, 'origin_refused']),
    },
  }),
}

export function statementRoutes(open: OpenOrganisation, access: AccessControl): Api {
  const api = createApi()
  const mayState = (c: AppContext) => access.requireAccess(c, 'compliance:state')

  mountFor(
    api,
    routes.listStatements,
    (c) => access.requireAccess(c, 'audit:read'),
    async (c, { organisation }) => {
      const list = async (): Promise<Statement[]> => open(organisation).compliance.listStatements()
      const data = (await reachOrganisation(c, list)).map(presentStatement)
      return c.json({ object: 'list', data, has_more: false, next_cursor: null, ...demoMark(organisation.id) })
    },
  )

  mountFor(api, routes.putStatement, mayState, async (c, who) => {
    const about = subjectOf(c)
    const { text, date = null } = await readForm(c, MakeStatementSchema)
    const { manager, organisation } = who
    // The permission is of people alone.
    if (manager.kind !== 'person') throw new TypeError('a key does not state anything')
    const statement = { subject: about, text, date, statedBy: manager.id }
    const make = async (): Promise<StatementMade> =>
      open(organisation).compliance.makeStatement(statement, actOf(c, who))
    const made = await reachOrganisation(c, make)
    if (made.outcome === 'too_many') throw tooMany(made.most)
    return c.json({ ...presentStatement(made.statement), ...demoMark(organisation.id) })
  })

  mountFor(api, routes.removeStatement, mayState, async (c, who) => {
    const about = subjectOf(c)
    const remove = async (): Promise<StatementRemoved> =>
      open(who.organisation).compliance.removeStatement(about, actOf(c, who, 'compliance.statement_removed'))
    const removed = await reachOrganisation(c, remove)
    if (removed.outcome === 'not_found') throw new AppError('not_found', 'Nobody has stated anything about this.')
    const removal = { object: 'compliance_statement_removal', subject: about, position: removed.position }
    return c.json({ ...removal, ...demoMark(who.organisation.id) })
  })

  return api
}

const actOf = (c: AppContext, { manager }: Access, act = 'compliance.statement'): Act => ({
  actor: actorOf(manager),
  act,
  requestId: c.get('requestId'),
})

/** Throws `invalid_request` for what nothing can be stated about. */
function subjectOf(c: AppContext): string {
  const about = c.req.param('subject') ?? ''
  if (isSubject(about)) return about
  throw new AppError('invalid_request', `subject: one of these is expected: ${SUBJECT_RULE}.`, { param: 'subject' })
}

const tooMany = (most: number): AppError =>
  new AppError('conflict', `There are ${most} statements, and may not be more. Take back those that are answered.`)
