// POST /v1/referral/outcome: takes the signed record of a reading back with what the clinician chose, and returns that signed.
import type { RequireKey } from '../../organisation/admit/require-key.ts'
import { selfAdmittingOperations } from '../../platform/operations.ts'
import type { Api } from '../../platform/router.ts'
import { OutcomeRequestSchema, OutcomeResponseSchema } from './outcome.schema.ts'
import type { OutcomeService } from './outcome.service.ts'

export function outcomeRoutes(service: OutcomeService, requireKey: RequireKey): Api {
  const { api, openapi } = selfAdmittingOperations(requireKey)
  openapi(
    {
      route: 'POST /v1/referral/outcome',
      operationId: 'recordOutcome',
      tags: ['Referral'],
      summary: 'Record a choice',
      description:
        'Signs what a clinician chose after a reading. `record` is its `record.signed`, at most 30 days old, without salt or letter. Once for each reading: the same choice again gets the same bytes, another one is 409. ' +
        'No text and no person. The log’s entry has the decision and the role; the choice is only counted, by month and specialty. ' +
        'It changes nothing about readers, and no reading shows it.',
      security: [{ referralKey: [] }],
      body: OutcomeRequestSchema,
      answers: { 200: [OutcomeResponseSchema, 'The signed outcome.'] },
      errors: [
        'invalid_api_key',
        'scope_required',
        'not_found',
        'specialty_not_published',
        'conflict',
        'rate_limit_exceeded',
        'organisation_closing',
        'service_unavailable',
      ],
    },
    async ({ c }) => {
      const recorded = await service.recordOutcome(c)
      c.header('cache-control', 'no-store')
      return c.json(recorded)
    },
  )
  return api
}
