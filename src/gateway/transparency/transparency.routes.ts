// The routes of an organisation's own transparency log.
import { createRoute, z } from '@hono/zod-openapi'
import type { AppContext } from '../../platform/context.ts'
import { errorResponses, KEYED_CODES, keyedJsonResponse } from '../../platform/responses.ts'
import { createApi, mount, type Api } from '../../platform/route.ts'
import type { Admit } from '../admit-unread.ts'
import { InclusionProofSchema, TreeHeadSchema } from '../../evidence/bundles/log.schema.ts'
import { ConsistencyProofSchema } from './transparency.schema.ts'
import type { TransparencyService } from './transparency.service.ts'

const keyed = { method: 'get' as const, tags: ['Transparency'], security: [{ gatewayKey: [] }] }

const sizeParameter = z.int().min(1)

const readTreeHead = createRoute({
  ...keyed,
  path: '/v1/transparency/sth',
  operationId: 'readTreeHead',
  summary: 'The newest signed head of your organisation’s log',
  description: 'Keep the heads you have seen: a consistency proof between two of them shows that the log only grew.',
  responses: {
    200: keyedJsonResponse(TreeHeadSchema, 'Its size and its root, signed.'),
    ...errorResponses(KEYED_CODES),
  },
})

const proveInclusion = createRoute({
  ...keyed,
  path: '/v1/transparency/proof/{attestation_id}',
  operationId: 'proveInclusion',
  summary: 'Prove that a receipt is in your organisation’s log',
  request: {
    params: z.object({ attestation_id: z.string() }),
    query: z.object({
      tree_size: sizeParameter
        .optional()
        .openapi({ description: 'Of the head it is to be proven against; else the newest.' }),
    }),
  },
  responses: {
    200: keyedJsonResponse(InclusionProofSchema, 'RFC 6962: the path from the leaf to the root.'),
    ...errorResponses([...KEYED_CODES, 'not_found']),
  },
})

const proveConsistency = createRoute({
  ...keyed,
  path: '/v1/transparency/consistency',
  operationId: 'proveConsistency',
  summary: 'Prove that your organisation’s log has only grown',
  request: {
    query: z.object({
      old_size: sizeParameter,
      new_size: sizeParameter.optional().openapi({ description: 'Else the newest.' }),
    }),
  },
  responses: {
    200: keyedJsonResponse(ConsistencyProofSchema, 'RFC 6962: the path that leads to both roots.'),
    ...errorResponses(KEYED_CODES),
  },
})

export function transparencyRoutes(service: TransparencyService, admit: Admit): Api {
  const api = createApi()
  mount(api, readTreeHead, async (c) => answer(c, await service.readTreeHead(c)), { admit })
  mount(
    api,
    proveInclusion,
    async (c) => answer(c, await service.proveInclusion(c, c.req.param('attestation_id') ?? '')),
    { admit },
  )
  mount(api, proveConsistency, async (c) => answer(c, await service.proveConsistency(c)), { admit })
  return api
}

function answer(c: AppContext, body: object): Response {
  c.header('cache-control', 'no-store')
  return c.json(body)
}
