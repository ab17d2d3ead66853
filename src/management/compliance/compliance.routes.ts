// Routes for compliance: show the score; make, list and read reports, or export them as PDF. The tier is checked before the body.
import * as z from 'zod'
import { once, type Infer } from '../../platform/once.ts'
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import type { Access, AccessControl } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { organisationGoneError } from '../../organisation/refusal-errors.ts'
import { reachOrganisation } from '../../organisation/organisation-client.ts'
import { loadFontPrograms } from '../../reports/pdf/fonts/typeface.ts'
import { drawReport } from '../../reports/report/drawing/draw-report.ts'
import { ComplianceReportSchema, type ComplianceReport } from '../../reports/report/report.schema.ts'
import type { StoredReport } from '../../organisation/compliance/reports-and-statements.store.ts'
import type { Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { listSchema, pageOf } from '../../platform/pagination.schema.ts'
import { demoFileName, demoMark, demoMember } from '../../platform/names.schema.ts'
import { managementJsonResponse } from '../../platform/responses.ts'
import type { Api } from '../../platform/router.ts'
import { readDateRange } from '../date-range.ts'
import type { RequireFeature } from '../require-feature.ts'
import {
  ComplianceScoreSchema,
  ExportReportSchema,
  KeptReportSchema,
  MadeReportSchema,
  ReportPeriodSchema,
  ReportsQuerySchema,
  ScoreQuerySchema,
} from './compliance.schema.ts'
import {
  readReport,
  type Checklist,
  type ComplianceService,
  type ReportMade,
  type ReportRequest,
} from './compliance.service.ts'

const MOST_DAYS = 400

const textHeader = (description: string) => ({ description, required: true, schema: { type: 'string' as const } })
const etag = { etag: textHeader('The SHA-256 of the report’s canonical JSON, in quotes.') }
const reportResponse = once(() =>
  managementJsonResponse(ComplianceReportSchema(), 'Its canonical JSON (RFC 8785), to the byte that was hashed.'),
)

type Deps = {
  service: ComplianceService
  access: AccessControl
  clock: Clock
  requireReports: RequireFeature
  requirePdf: RequireFeature
}

export function complianceRoutes({ service, access, clock, requireReports, requirePdf }: Deps): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Compliance'], security: MANAGEMENT_SECURITY })

  /** Makes a report of the days. Throws if they are invalid, a report is being made, or the day's limit is reached. */
  async function makeReport(c: AppContext, who: Access, range: Infer<typeof ReportPeriodSchema>) {
    const { first, last } = readDateRange(range, clock(), MOST_DAYS)
    const made = await reachOrganisation(c, () => service.makeReport(requestOf(c, who), { first, last, seed: null }))
    if (made.outcome !== 'made') throw notMade(made)
    return made
  }

  openapi(
    {
      route: 'GET /api/compliance/score',
      operationId: 'readComplianceScore',
      summary: 'Get the compliance score',
      description:
        'Judges the compliance checklist of the last 30 days. Never a number without its list. It is a measure of the evidence in this gateway, and no legal advice.',
      permission: 'audit:read',
      query: ScoreQuerySchema,
      answers: { 200: [ComplianceScoreSchema, 'The checklist.'] },
    },
    async ({ c, caller: who, sent }) => {
      const { at, seed = null } = sent.query()
      if (at === undefined)
        return c.json(presentScore(who, await reachOrganisation(c, () => service.readScore(who, seed))))
      if (seed !== null) throw seedOfThePast()
      const moment = Date.parse(at)
      const found = moment > clock() ? null : await reachOrganisation(c, () => service.readScoreAt(who, moment))
      if (found === null) throw noReportMadeBy()
      return c.json(presentScore(who, found))
    },
  )

  openapi(
    {
      route: 'POST /api/compliance/report',
      operationId: 'makeComplianceReport',
      summary: 'Make a report',
      description:
        'Makes a report of a period. The hash of the report goes into the ledger. For the tiers healthcare and enterprise. One at a time, and 20 in 24 hours.',
      permission: 'audit:read',
      requireTier: requireReports,
      body: ReportPeriodSchema,
      answers: { 201: [MadeReportSchema, 'The report.'] },
      errors: ['conflict'],
    },
    async ({ c, caller: who, sent }) => {
      const { report, stored } = await makeReport(c, who, await sent.body())
      c.header('etag', `"${stored.sha256}"`)
      return c.json({ ...report, sha256: stored.sha256, position: stored.position }, 201)
    },
  )

  openapi(
    {
      route: 'GET /api/compliance/reports',
      operationId: 'listComplianceReports',
      summary: 'List reports',
      description: 'Lists the reports that are kept, newest first.',
      permission: 'audit:read',
      requireTier: requirePdf,
      query: ReportsQuerySchema,
      answers: {
        200: [() => listSchema(KeptReportSchema()).extend(demoMember()), 'A page of reports, without what they say.'],
      },
    },
    async ({ c, caller: who, sent }) => {
      const { limit, cursor = null } = sent.query()
      const reports = await reachOrganisation(c, () => service.listReports(who, limit + 1, cursor))
      return c.json({ ...pageOf(reports.map(presentStored), limit), ...demoMark(who.organisation.id) })
    },
  )

  openapi(
    {
      route: 'GET /api/compliance/report/{report_id}',
      operationId: 'readComplianceReport',
      summary: 'Get a report',
      permission: 'audit:read',
      requireTier: requirePdf,
      answers: { 200: () => ({ ...reportResponse(), headers: { ...reportResponse().headers, ...etag } }) },
    },
    async ({ c, caller: who }) => {
      const id = c.req.param('report_id') ?? ''
      const found = await reachOrganisation(c, () => service.findReport(who, id))
      if (found === null) throw noSuchReport()
      const type = { 'content-type': 'application/json' }
      return c.body(found.bytes, 200, { ...type, etag: `"${found.stored.sha256}"` })
    },
  )

  openapi(
    {
      route: 'POST /api/compliance/export',
      operationId: 'exportComplianceReport',
      summary: 'Export a report as PDF',
      description:
        'Returns a report as a PDF, which is drawn from its JSON alone. From the tier pro on. The same report gives the same bytes. Without report_id a report is made first.',
      permission: 'audit:read',
      proof: 'fresh',
      requireTier: requirePdf,
      body: ExportReportSchema,
      answers: {
        200: () => ({
          description: 'A tagged PDF that is made to be kept (PDF/UA-1, PDF/A-2a).',
          content: { 'application/pdf': { schema: z.string().meta({ format: 'binary' }) } },
          headers: {
            ...reportResponse().headers,
            ...etag,
            'content-disposition': textHeader('A file name.'),
            'x-aqta-report-id': textHeader('The id of the report that was drawn.'),
          },
        }),
      },
      errors: ['conflict'],
    },
    async ({ c, caller: who, sent }) => {
      const { report_id: id, ...range } = await sent.body()
      if (id !== undefined && Object.keys(range).length > 0) throw idWithPeriod()
      // Before a report is made, which counts towards the limit of the day.
      const fonts = await loadFontPrograms(c.env.ASSETS)
      const { report, stored } = id === undefined ? await makeReport(c, who, range) : await findReport(c, who, id)
      const pdf = drawReport(report, fonts)
      return c.body(new Uint8Array(pdf), 200, {
        'content-type': 'application/pdf',
        'content-disposition': `attachment; filename="${demoFileName(who.organisation.id, `countersign-report-${stored.start}-${stored.end}.pdf`)}"`,
        'x-aqta-report-id': stored.id,
        etag: `"${stored.sha256}"`,
      })
    },
  )

  async function findReport(
    c: AppContext,
    who: Access,
    id: string,
  ): Promise<{ report: ComplianceReport; stored: StoredReport }> {
    const found = await reachOrganisation(c, () => service.findReport(who, id))
    if (found === null) throw noSuchReport()
    return { report: readReport(found.bytes), stored: found.stored }
  }

  return api
}

const requestOf = (c: AppContext, who: Access): ReportRequest => ({ access: who, requestId: c.get('requestId') })

const presentScore = ({ organisation }: Access, { checkedAt, reportId, ...checklist }: Checklist) => ({
  object: 'compliance_score',
  ...demoMark(organisation.id),
  checked_at: checkedAt,
  report_id: reportId,
  ...checklist,
})

const presentStored = (report: StoredReport): Infer<typeof KeptReportSchema> => ({
  id: report.id,
  object: 'kept_compliance_report',
  created_at: new Date(report.madeAt).toISOString(),
  expires_at: new Date(report.expiresAt).toISOString(),
  created_by: report.madeBy,
  start: report.start,
  end: report.end,
  sha256: report.sha256,
  position: report.position,
})

function notMade(made: Exclude<ReportMade, { outcome: 'made' }>): AppError {
  switch (made.outcome) {
    case 'erased':
      return organisationGoneError()
    case 'running':
      return new AppError('conflict', 'Another report is being made. Try again in a minute.')
    case 'too_many': {
      const { retryAfterSeconds } = made
      return new AppError(
        'rate_limit_exceeded',
        'Your organisation has made 20 reports in 24 hours, which is the limit. GET /api/compliance/reports lists them.',
        { retryAfterSeconds },
      )
    }
  }
}

const noReportMadeBy = (): AppError =>
  new AppError(
    'invalid_request',
    'There is no stored report from that time or before. Leave at out to get the current checklist.',
    { param: 'at', fields: [{ path: 'at', rule: 'the time of a report that is kept, or later' }] },
  )

const seedOfThePast = (): AppError =>
  new AppError('invalid_request', 'A stored report has its own sample. Leave out seed, or leave out at.', {
    param: 'seed',
    fields: [{ path: 'seed', rule: 'not together with at' }],
  })

const noSuchReport = (): AppError =>
  new AppError(
    'not_found',
    'There is no report with this id, or it has expired. GET /api/compliance/reports lists the stored reports.',
  )

const idWithPeriod = (): AppError =>
  new AppError('invalid_request', 'A report has its own period. Leave out start and end, or leave out report_id.', {
    param: 'report_id',
    fields: [{ path: 'report_id', rule: 'not together with start or end' }],
  })
