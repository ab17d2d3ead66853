// GET /v1/attestations/{id}: the record of a decision, at any time, by itself or with all that it takes to check it.
import { createRoute, z } from '@hono/zod-openapi'
import { AttestationSchema } from '../../evidence/records/attestation.schema.ts'
import { errorResponses, keyedJsonResponse } from '../../platform/responses.ts'
import { createApi, mount, type Api } from '../../platform/route.ts'
import type { Admit } from '../admit-unread.ts'
import { EvidenceBundleSchema } from './evidence.schema.ts'
import type { EvidenceService } from './evidence.service.ts'

const readAttestation = createRoute({
  method: 'get',
  path: '/v1/attestations/{id}',
  operationId: 'readAttestation',
  tags: ['Attestation'],
  summary: 'The signed record of a decision about a chat call, again',
  description:
    'By its attestation_id or its trace_id, which stand on every answer as headers: also of a stream that was cut. Any ' +
    'gateway key of the same organisation may ask. With `bundle=true` the record comes with its settlement, its proofs in ' +
    'both logs, their signed heads and the history of keys: one file, which `countersign-verify` checks without this service.',
  security: [{ gatewayKey: [] }],
  request: {
    params: z.object({ id: z.string().openapi({ description: 'An attestation_id or a trace_id.' }) }),
    query: z.object({ bundle: z.enum(['true', 'false']).optional() }),
  },
  responses: {
    200: keyedJsonResponse(
      z.union([AttestationSchema, EvidenceBundleSchema]),
      'The record, signed again; or the bundle.',
    ),
    ...errorResponses([
      'invalid_request',
      'invalid_api_key',
      'scope_required',
      'organisation_closing',
      'not_found',
      'rate_limit_exceeded',
      'service_unavailable',
      'internal_error',
    ]),
  },
})

export function evidenceRoutes(service: EvidenceService, admit: Admit): Api {
  const api = createApi()
  mount(
    api,
    readAttestation,
    async (c) => {
      const evidence = await service.readAttestation(c, c.req.param('id') ?? '')
      c.header('cache-control', 'no-store')
      return c.json(evidence)
    },
    { admit },
  )
  return api
}
