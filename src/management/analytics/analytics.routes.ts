// Routes for analytics: an organisation's calls by outcome, tokens, latency and cost, per day or month, as JSON or CSV.
import * as z from 'zod'
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import type { Access, AccessControl } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { reachOrganisation, type OpenOrganisation } from '../../organisation/organisation-client.ts'
import { MOST_ROWS, type Analytics, type AnalyticsCursor } from '../../organisation/usage/read-analytics.ts'
import type { Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { managementJsonResponse } from '../../platform/responses.ts'
import type { Api } from '../../platform/router.ts'
import { readDateRange } from '../date-range.ts'
import { requireFeature } from '../require-feature.ts'
import { NO_TRAIL_FILTER } from '../../organisation/audit/audit-trail.ts'
import type { StopCount } from '../../organisation/usage/call-index.store.ts'
import type { OrganisationId } from '../../platform/ids.ts'
import {
  AnalyticsQuerySchema,
  CostsSchema,
  KeyFiguresQuerySchema,
  KeyFiguresSchema,
  RequestsSchema,
  StopsQuerySchema,
  StopsSchema,
  type AnalyticsQuery,
} from './analytics.schema.ts'
import {
  costsCsv,
  presentCosts,
  presentKeyFigures,
  presentRequests,
  presentStops,
  requestsCsv,
  stopsCsv,
  type AnalyticsRequest,
} from './present-analytics.ts'
import { demoFileName } from '../../platform/names.schema.ts'

/** The maximum number of days of a query. More than a year, so that a month can be compared with the year before. */
const MOST_DAYS = 400
/** The maximum for queries by day and key, because there can be many keys. */
const MOST_DAYS_BY_KEY = 92
/** The maximum for a comparison with as many days before: counts are stored for 25 months. */
const MOST_DAYS_COMPARED = 366
const PAGE_ROWS = 100

const withCsv = (schema: z.ZodType, description: string) => {
  const json = managementJsonResponse(schema, description)
  return { ...json, content: { ...json.content, 'text/csv': { schema: z.string() } } }
}

const DESCRIPTION =
  'Counted from the ledger, and exact at the moment of the answer. UTC days, both ends included: the last 30 days where none are named, at most 400. Not by day and key, which is at most 92 days: `bucket=month` has more.'

type Presenters = {
  json: (asked: AnalyticsRequest, answer: Analytics) => object
  csv: (asked: AnalyticsRequest, answer: Analytics) => string
}

export function analyticsRoutes(open: OpenOrganisation, access: AccessControl, clock: Clock): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Analytics'], security: MANAGEMENT_SECURITY })
  const rule = {
    permission: 'usage:read',
    requireTier: requireFeature(open, 'analytics', 'analytics'),
  } as const

  const show =
    (name: string, latencies: boolean, presenters: Presenters) =>
    async (c: AppContext, { organisation }: Access, analyticsQuery: AnalyticsQuery): Promise<Response> => {
      const asked = { organisationId: organisation.id, ...readAnalyticsRequest(analyticsQuery, clock()) }
      const calls = { ...rowsQueryOf(analyticsQuery), days: asked.days, latencies }
      const answer = await reachOrganisation(c, async () => open(organisation).usage.analyse(calls))
      if (answer.outcome === 'too_many_rows') throw tooManyRows(answer.rows)
      if (answer.outcome === 'too_much_to_read') throw tooMuchToRead()
      if (analyticsQuery.format === 'json') return c.json(presenters.json(asked, answer))
      sendCsvHeaders(c, organisation.id, name)
      return c.body(presenters.csv(asked, answer))
    }

  const showRequests = show('requests', true, { json: presentRequests, csv: requestsCsv })
  const showCosts = show('costs', false, { json: presentCosts, csv: costsCsv })

  openapi(
    {
      ...rule,
      route: 'GET /api/analytics/requests',
      operationId: 'showRequestAnalytics',
      summary: 'Get request analytics',
      description: `Returns how many calls there were, and how they ended. ${DESCRIPTION}`,
      query: AnalyticsQuerySchema,
      answers: { 200: () => withCsv(RequestsSchema(), 'What was counted.') },
    },
    ({ c, caller, sent }) => showRequests(c, caller, sent.query()),
  )

  openapi(
    {
      ...rule,
      route: 'GET /api/analytics/costs',
      operationId: 'showCostAnalytics',
      summary: 'Get cost analytics',
      description: `Returns what calls cost. ${DESCRIPTION}`,
      query: AnalyticsQuerySchema,
      answers: { 200: () => withCsv(CostsSchema(), 'What was counted.') },
    },
    ({ c, caller, sent }) => showCosts(c, caller, sent.query()),
  )

  openapi(
    {
      ...rule,
      route: 'GET /api/analytics/keys',
      operationId: 'showKeyAnalytics',
      summary: 'Get key analytics',
      description:
        'Returns the calls, the cost and the last use of each key, beside those of as many days before. UTC days, both included, at most 366: the last 30 where none are named. With `key_id`, of that key alone, and its busiest hour.',
      query: KeyFiguresQuerySchema,
      answers: { 200: [KeyFiguresSchema, 'What was counted.'] },
    },
    async ({ c, caller, sent }) => {
      const { key_id: only = null, ...dates } = sent.query()
      const days = readDateRange(dates, clock(), MOST_DAYS_COMPARED)
      const figures = await reachOrganisation(c, async () =>
        open(caller.organisation).usage.analyseKeys({ days, only }),
      )
      return c.json(presentKeyFigures({ organisationId: caller.organisation.id, days }, figures))
    },
  )

  openapi(
    {
      ...rule,
      route: 'GET /api/analytics/stops',
      operationId: 'showStopAnalytics',
      summary: 'Get stop analytics',
      description:
        'Returns what stopped calls: how many, by rule, reason and version of the policy. Calls that were held, blocked or suppressed. A held call that a person approved was not stopped, and is in no row. Counted for as long as the details of calls are kept; UTC days, both included: the last 30 where none are named.',
      query: StopsQuerySchema,
      answers: { 200: () => withCsv(StopsSchema(), 'What was counted.') },
    },
    async ({ c, caller, sent }) => {
      const { model = null, key_id: keyId = null, use_case: useCase = null, group_by, format, ...dates } = sent.query()
      const { id: organisationId } = caller.organisation
      const days = readDateRange(dates, clock(), MOST_DAYS)
      const isByKey = group_by === 'key'
      const wanted = { days, filter: { ...NO_TRAIL_FILTER, model, keyId, useCase }, isByKey }
      const stops: StopCount[] = await reachOrganisation(c, async () =>
        open(caller.organisation).audit.countStops(wanted),
      )
      if (format === 'json') return c.json(presentStops({ organisationId, days, isByKey }, stops))
      sendCsvHeaders(c, organisationId, 'stops')
      return c.body(stopsCsv(stops))
    },
  )

  return api
}

function sendCsvHeaders(c: AppContext, organisationId: OrganisationId, name: string): void {
  c.header('content-type', 'text/csv; charset=utf-8; header=present')
  c.header('content-disposition', `attachment; filename="${demoFileName(organisationId, `countersign-${name}.csv`)}"`)
}

function readAnalyticsRequest(query: AnalyticsQuery, now: number): Omit<AnalyticsRequest, 'organisationId'> {
  const { bucket, group_by, format, limit, cursor } = query
  const days = readDateRange(query, now, MOST_DAYS)
  if (bucket === 'day' && group_by === 'key' && days.last - days.first + 1 > MOST_DAYS_BY_KEY) {
    throw refuse(
      'start',
      `By day and key, an answer covers at most ${MOST_DAYS_BY_KEY} days. Ask for fewer, or send bucket=month.`,
      `at most ${MOST_DAYS_BY_KEY} days`,
    )
  }
  const pageParameters = [...(limit === undefined ? [] : ['limit']), ...(cursor === undefined ? [] : ['cursor'])]
  if (format === 'csv' && pageParameters[0] !== undefined) {
    throw refuse(pageParameters[0], 'CSV always has all rows. Leave limit and cursor out.', 'not with format=csv')
  }
  return { days, bucket, group_by }
}

function rowsQueryOf({
  bucket,
  group_by = 'all' as const,
  format,
  ...query
}: { group_by?: AnalyticsQuery['group_by'] | 'all' } & Omit<AnalyticsQuery, 'group_by'>) {
  const { model, key_id, use_case, limit = PAGE_ROWS, cursor } = query
  return {
    bucket,
    by: group_by,
    filter: {
      ...(model !== undefined && { model }),
      ...(key_id !== undefined && { key: key_id }),
      ...(use_case !== undefined && { use_case }),
    },
    limit: format === 'csv' ? MOST_ROWS : limit,
    after: cursor === undefined ? null : parseCursor(cursor),
  }
}

function parseCursor(cursor: string): AnalyticsCursor {
  const [day, number] = cursor.split('.').map(Number)
  return { day: day ?? 0, number: number ?? 0 }
}

const tooManyRows = (rows: number): AppError =>
  refuse(
    'start',
    `This answer would have ${rows} rows, and the limit is ${MOST_ROWS}. Ask for fewer days, or send bucket=month.`,
    'fewer days',
  )

const tooMuchToRead = (): AppError =>
  refuse(
    'start',
    'With two filters of model, key, use case and ending, an answer covers at most 92 days. Ask for fewer.',
    'at most 92 days',
  )

const refuse = (param: string, message: string, rule: string): AppError =>
  new AppError('invalid_request', message, { param, fields: [{ path: param, rule }] })
