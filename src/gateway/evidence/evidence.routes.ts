// GET /v1/attestations/{id}: the record of a decision, at any time, by itself or with all that it takes to check it.
import { z } from '@hono/zod-openapi'
import { AttestationSchema } from '../../evidence/records/attestation.schema.ts'
import { selfAdmittingOperations } from '../../platform/operations.ts'
import type { Api } from '../../platform/route.ts'
import type { Admit } from '../admit-unread.ts'
import { EvidenceBundleSchema, type EvidenceService } from './evidence.service.ts'

export function evidenceRoutes(service: EvidenceService, admit: Admit): Api {
  const { api, add } = selfAdmittingOperations(admit)
  add(
    {
      route: 'GET /v1/attestations/{id}',
      operationId: 'readAttestation',
      tags: ['Attestation'],
      summary: 'The signed record of a decision about a chat call, again',
      description:
        'By its attestation_id or its trace_id, which stand on every answer as headers: also of a stream that was cut. Any ' +
        'gateway key of the same organisation may ask. With `bundle=true` the record comes with its settlement, its proofs in ' +
        'both logs, their signed heads and the history of keys: one file, which `countersign-verify` checks without this service.',
      security: [{ gatewayKey: [] }],
      params: { id: z.string().openapi({ description: 'An attestation_id or a trace_id.' }) },
      query: z.object({ bundle: z.enum(['true', 'false']).optional() }),
      answers: {
        200: [z.union([AttestationSchema, EvidenceBundleSchema]), 'The record, signed again; or the bundle.'],
      },
      errors: ['not_found'],
    },
    async ({ c }) => {
      const evidence = await service.readAttestation(c, c.req.param('id') ?? '')
      c.header('cache-control', 'no-store')
      return c.json(evidence)
    },
  )
  return api
}
