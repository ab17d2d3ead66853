// GET /api/analytics/concordance: compares readings with what clinicians chose, by specialty, as JSON or CSV.
import * as z from 'zod'
import { MANAGEMENT_SECURITY } from '../../accounts/access/access.schema.ts'
import type { AccessControl } from '../../accounts/access/access-control.ts'
import { managementOperations } from '../../accounts/access/access-operations.ts'
import { reachOrganisation, type OpenOrganisation } from '../../organisation/organisation-client.ts'
import { csv } from '../../platform/download.ts'
import { demoFileName, demoMark } from '../../platform/names.schema.ts'
import { once } from '../../platform/once.ts'
import { managementJsonResponse } from '../../platform/responses.ts'
import type { Api } from '../../platform/router.ts'
import { concordanceOf, coverageOf, totalsOf, type SpecialtyConcordance } from './concordance.policy.ts'
import { CONCORDANCE_NOTE, ConcordanceSchema } from './concordance.schema.ts'

const QuerySchema = once(() => z.strictObject({ format: z.enum(['json', 'csv']).default('json') }))

/** @param namesInOrder returns the specialties of the served file, in its order; empty if it cannot be read */
export function concordanceRoutes(
  open: OpenOrganisation,
  access: AccessControl,
  namesInOrder: () => Promise<readonly string[]>,
): Api {
  const { api, openapi } = managementOperations(access, { tags: ['Analytics'], security: MANAGEMENT_SECURITY })
  openapi(
    {
      route: 'GET /api/analytics/concordance',
      operationId: 'showConcordance',
      summary: 'Compare readings and choices',
      description:
        'Compares readings with what clinicians chose (`POST /v1/referral/outcome`), by the chosen specialty. Months are joined until they have ' +
        'ten outcomes. It does not say who was right: a choice can be wrong too. It has no keys, practices or people, and changes no reading.',
      permission: 'audit:read',
      query: QuerySchema,
      answers: { 200: () => withCsv() },
    },
    async ({ c, caller: { organisation }, sent }) => {
      const { format } = sent.query()
      const closed = await reachOrganisation(c, async () => open(organisation).outcomes.list())
      const specialties = concordanceOf(closed, await namesInOrder())
      if (format === 'csv') {
        const name = demoFileName(organisation.id, 'countersign-concordance.csv')
        c.header('content-type', 'text/csv; charset=utf-8; header=present')
        c.header('content-disposition', `attachment; filename="${name}"`)
        return c.body(csv(csvRows(specialties)))
      }
      const [coverage, totals] = [coverageOf(closed), totalsOf(specialties)]
      return c.json({
        object: 'concordance',
        ...demoMark(organisation.id),
        note: CONCORDANCE_NOTE,
        coverage,
        totals,
        data: specialties,
        pending: coverage.with_outcome > (totals?.n ?? 0),
      })
    },
  )
  return api
}

function withCsv() {
  const json = managementJsonResponse(ConcordanceSchema(), 'By specialty, with the coverage.')
  return { ...json, content: { ...json.content, 'text/csv': { schema: z.string() } } }
}

const COLUMNS = [
  'specialty',
  'from',
  'to',
  'n',
  'accepted',
  'overridden',
  'chosen',
  'reader_a_same',
  'reader_a_lower',
  'reader_a_upper',
  'reader_b_same',
  'reader_b_lower',
  'reader_b_upper',
  'note',
]

/** A row for each block. The specialty of none is an empty cell. */
const csvRows = (specialties: readonly SpecialtyConcordance[]): string[][] => [
  COLUMNS,
  ...specialties.flatMap(({ specialty, blocks }) =>
    blocks.map(({ from, to, n, accepted, overridden, chosen, reader_a_same: a, reader_b_same: b }) =>
      [
        specialty ?? '',
        from,
        to,
        n,
        accepted,
        overridden,
        chosen,
        a.k,
        ...a.interval,
        b.k,
        ...b.interval,
        CONCORDANCE_NOTE,
      ].map(String),
    ),
  ),
]
