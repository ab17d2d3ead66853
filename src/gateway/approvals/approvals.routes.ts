// GET /v1/approvals/{id}: what became of an approval, for the key that asked for it.
import { createRoute, z } from '@hono/zod-openapi'
import { ApprovalWithRecordsSchema } from '../../organisation/approvals/shown-approval.schema.ts'
import { errorResponses, KEYED_CODES, keyedJsonResponse } from '../../platform/responses.ts'
import { readQuery } from '../../platform/form.ts'
import { createApi, mount, type Api } from '../../platform/route.ts'
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

const readOwnApproval = createRoute({
  method: 'get',
  path: '/v1/approvals/{id}',
  operationId: 'readOwnApproval',
  tags: ['Approvals'],
  summary: 'What became of an approval that this key asked for',
  description:
    'Once it is approved, send the very same request again with the header `x-aqta-approval`. Only the key that asked may look and use it.',
  security: [{ gatewayKey: [] }],
  request: { params: z.object({ id: z.string() }), query: QuerySchema },
  responses: {
    200: keyedJsonResponse(ApprovalWithRecordsSchema, 'The approval.'),
    ...errorResponses([...KEYED_CODES, 'not_found']),
  },
})

export function callerApprovalRoutes(service: CallerApprovalsService, admit: Admit): Api {
  const api = createApi()
  mount(
    api,
    readOwnApproval,
    async (c) => {
      const asked = await service.findApproval(c, c.req.param('id') ?? '')
      const { wait } = readQuery(c, QuerySchema)
      c.header('cache-control', 'no-store')
      return c.json(await service.showDecided(c, asked, wait))
    },
    { admit },
  )
  return api
}
