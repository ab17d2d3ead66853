// The route for bias detection: compares how groups of calls were served, and lists anomalies.
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import { actorOf, type AccessControl } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { reachOrganisation, type OpenOrganisation } from '../../organisation/organisation-client.ts'
import type { BiasDetected, BiasQuery } from '../../organisation/bias/bias.target.ts'
import type { Clock } from '../../platform/time.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { readQuery } from '../../platform/read-request.ts'
import type { Api } from '../../platform/router.ts'
import { readDateRange } from '../date-range.ts'
import type { RequireFeature } from '../require-feature.ts'
import { BiasDetectionSchema, BiasQuerySchema } from './bias.schema.ts'
import { presentBias } from './present-bias.ts'
import { demoMark } from '../../platform/names.schema.ts'

/** The maximum number of days of a report, because one turn of the object reads all groups by day. */
const MOST_DAYS = 92

type Deps = { open: OpenOrganisation; access: AccessControl; requireBiasDetection: RequireFeature; clock: Clock }

export function biasRoutes({ open, access, requireBiasDetection, clock }: Deps): Api {
  const { api, openapi } = managementOperations(access, {})

  openapi(
    {
      route: 'GET /api/compliance/bias-detection',
      tags: ['Compliance'],
      security: MANAGEMENT_SECURITY,
      operationId: 'detectBias',
      summary: 'Detect bias',
      description:
        'Compares how groups of calls were served, and lists what is unusual. Of organisations with the tier healthcare or enterprise. The ledger says that it was asked for.',
      permission: 'audit:read',
      requireTier: requireBiasDetection,
      query: BiasQuerySchema,
      answers: { 200: [BiasDetectionSchema, 'The comparisons, with what they do not say.'] },
    },
    async ({ c, caller: { organisation, manager } }) => {
      const query = readBiasQuery(c, clock())
      // A HEAD request asks for no report, so the log gets no entry about it.
      if (c.req.method === 'HEAD') return c.body(null)
      const act = { actor: actorOf(manager), act: 'compliance.bias_report', requestId: c.get('requestId') }
      const detect = async (): Promise<BiasDetected> => open(organisation).bias.detect(query, act)
      const detected = await reachOrganisation(c, detect)
      if (detected.outcome === 'no_reference') throw noReference()
      return c.json({ ...presentBias(query, detected.report), ...demoMark(organisation.id) })
    },
  )

  return api
}

function readBiasQuery(c: AppContext, now: number): BiasQuery {
  const { by, outcome, reference = null, start, end } = readQuery(c, BiasQuerySchema())
  if (by === 'cohort' && outcome === 'approved') throw noCohort()
  return { ...readDateRange({ start, end }, now, MOST_DAYS), by, outcome, reference }
}

const noCohort = (): AppError =>
  new AppError('invalid_request', 'Approvals have no cohort. Group them by key, model or use_case.', {
    param: 'by',
    fields: [{ path: 'by', rule: 'key, model or use_case, where the outcome is approved' }],
  })

const noReference = (): AppError =>
  new AppError(
    'invalid_request',
    'The group in reference has no calls on these days. Leave reference out, or name a group that has calls.',
    { param: 'reference', fields: [{ path: 'reference', rule: 'a group that has calls' }] },
  )
