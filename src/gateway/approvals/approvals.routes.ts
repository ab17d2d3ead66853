// GET /v1/approvals/{id}: what became of an approval, for the key that asked for it.
import { z } from '@hono/zod-openapi'
import { ApprovalWithRecordsSchema } from '../../organisation/approvals/shown-approval.schema.ts'
import { selfAdmittingOperations } from '../../platform/operations.ts'
import type { Api } from '../../platform/route.ts'
import type { Admit } from '../admit-unread.ts'
import type { CallerApprovalsService } from './approvals.service.ts'

const MOST_WAIT_SECONDS = 50

const QuerySchema = z.object({
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(MOST_WAIT_SECONDS)
    .default(0)
    .openapi({ description: 'For so many seconds at most the answer waits while nobody has decided.' }),
})

export function callerApprovalRoutes(service: CallerApprovalsService, admit: Admit): Api {
  const { api, add } = selfAdmittingOperations(admit)
  add(
    {
      route: 'GET /v1/approvals/{id}',
      operationId: 'readOwnApproval',
      tags: ['Approvals'],
      summary: 'What became of an approval that this key asked for',
      description:
        'Once it is approved, send the very same request again with the header `x-aqta-approval`. Only the key that asked may look and use it.',
      security: [{ gatewayKey: [] }],
      query: QuerySchema,
      answers: { 200: [ApprovalWithRecordsSchema, 'The approval.'] },
      errors: ['not_found'],
    },
    async ({ c, sent }) => {
      const asked = await service.findApproval(c, c.req.param('id') ?? '')
      const { wait } = sent.query()
      c.header('cache-control', 'no-store')
      return c.json(await service.showDecided(c, asked, wait))
    },
  )
  return api
}
