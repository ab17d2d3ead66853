// The organisation's signed heads and proofs as they are answered: the members of ATTESTATION-v1's log.
import { z } from '@hono/zod-openapi'

const size = z.int().min(0)
const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .openapi({ example: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d' })

const log = { v: z.literal(1), org_id: z.string() }

export const TreeHeadSchema = z
  .strictObject({
    ...log,
    tree_size: size,
    root_hash: hash,
    timestamp: z.iso.datetime().openapi({ description: 'When it was signed. Not among the signed bytes.' }),
    signature: z.string().length(86).openapi({
      description: 'Over the text `aqta-sth-v1|ORG|SIZE|` and the 32 bytes of the root. base64url.',
    }),
    public_key: z.string().length(43),
    key_id: z.string(),
    algorithm: z.literal('Ed25519'),
  })
  .openapi('TreeHead')

export const InclusionProofSchema = z
  .strictObject({
    ...log,
    attestation_id: z.string(),
    leaf_hash: hash,
    leaf_index: size,
    tree_size: size,
    root_hash: hash,
    audit_path: z.array(hash),
  })
  .openapi('InclusionProof')

export const ConsistencyProofSchema = z
  .strictObject({
    ...log,
    old_size: size,
    new_size: size,
    old_root: hash,
    new_root: hash,
    consistency_path: z.array(hash),
  })
  .openapi('ConsistencyProof')

export type TreeHead = z.infer<typeof TreeHeadSchema>
export type InclusionProof = z.infer<typeof InclusionProofSchema>
export type ConsistencyProof = z.infer<typeof ConsistencyProofSchema>
