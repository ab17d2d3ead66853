// The organisation's signed heads and proofs as they are answered.
import { z } from '@hono/zod-openapi'
import { consistencyMembers, headMembers, inclusionMembers } from '../../ledger/log.schema.ts'

const log = { v: z.literal(1), org_id: z.string() }

export const TreeHeadSchema = z
  .strictObject({
    ...log,
    ...headMembers({
      bytes: 'the text `aqta-sth-v1|ORG|SIZE|` and the 32 bytes of the root',
      timestamp: 'When it was signed. Not among the signed bytes.',
    }),
  })
  .openapi('TreeHead')

export const InclusionProofSchema = z
  .strictObject({ ...log, attestation_id: z.string(), ...inclusionMembers })
  .openapi('InclusionProof')

export const ConsistencyProofSchema = z.strictObject({ ...log, ...consistencyMembers }).openapi('ConsistencyProof')

export type TreeHead = z.infer<typeof TreeHeadSchema>
export type InclusionProof = z.infer<typeof InclusionProofSchema>
export type ConsistencyProof = z.infer<typeof ConsistencyProofSchema>
