// Proofs between two sizes of an organisation's log as they are answered.
import { z } from '@hono/zod-openapi'
import { consistencyMembers, ofOrganisation } from '../../evidence/bundles/log.schema.ts'

export const ConsistencyProofSchema = z
  .strictObject({ ...ofOrganisation, ...consistencyMembers })
  .openapi('ConsistencyProof')

export type ConsistencyProof = z.infer<typeof ConsistencyProofSchema>
