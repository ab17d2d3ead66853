// The routes of an organisation's own transparency log.
import { z } from '@hono/zod-openapi'
import type { AppContext } from '../../platform/context.ts'
import { selfAdmittingOperations } from '../../platform/operations.ts'
import type { Api } from '../../platform/route.ts'
import type { Admit } from '../admit-unread.ts'
import { InclusionProofSchema, TreeHeadSchema } from '../../evidence/bundles/log.schema.ts'
import { ConsistencyProofSchema, type TransparencyService } from './transparency.service.ts'

const sizeParameter = z.int().min(1)

export function transparencyRoutes(service: TransparencyService, admit: Admit): Api {
  const { api, add } = selfAdmittingOperations(admit, { tags: ['Transparency'], security: [{ gatewayKey: [] }] })
  add(
    {
      route: 'GET /v1/transparency/sth',
      operationId: 'readTreeHead',
      summary: 'The newest signed head of your organisation’s log',
      description:
        'Keep the heads you have seen: a consistency proof between two of them shows that the log only grew.',
      answers: { 200: [TreeHeadSchema, 'Its size and its root, signed.'] },
    },
    async ({ c }) => answer(c, await service.readTreeHead(c)),
  )
  add(
    {
      route: 'GET /v1/transparency/proof/{attestation_id}',
      operationId: 'proveInclusion',
      summary: 'Prove that a receipt is in your organisation’s log',
      query: z.object({
        tree_size: sizeParameter
          .optional()
          .openapi({ description: 'Of the head it is to be proven against; else the newest.' }),
      }),
      answers: { 200: [InclusionProofSchema, 'RFC 6962: the path from the leaf to the root.'] },
      errors: ['not_found'],
    },
    async ({ c }) => answer(c, await service.proveInclusion(c, c.req.param('attestation_id') ?? '')),
  )
  add(
    {
      route: 'GET /v1/transparency/consistency',
      operationId: 'proveConsistency',
      summary: 'Prove that your organisation’s log has only grown',
      query: z.object({
        old_size: sizeParameter,
        new_size: sizeParameter.optional().openapi({ description: 'Else the newest.' }),
      }),
      answers: { 200: [ConsistencyProofSchema, 'RFC 6962: the path that leads to both roots.'] },
    },
    async ({ c }) => answer(c, await service.proveConsistency(c)),
  )
  return api
}

function answer(c: AppContext, body: object): Response {
  c.header('cache-control', 'no-store')
  return c.json(body)
}
