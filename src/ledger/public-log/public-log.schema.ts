// The public log's signed heads and proofs as they are answered: the members of ATTESTATION-v1's log.
import { z } from '@hono/zod-openapi'

const size = z.int().min(0)
const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .openapi({ example: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d' })

const log = { v: z.literal(1), log: z.literal('public') }

export const PublicTreeHeadSchema = z
  .strictObject({
    ...log,
    tree_size: size,
    root_hash: hash,
    timestamp: z.iso.datetime().openapi({ description: 'When it was signed, which is once for each size.' }),
    signature: z.string().length(86).openapi({
      description:
        'Over the text `aqta-sth-public-v1|SIZE|`, the 32 bytes of the root and the text `|TIMESTAMP`. base64url.',
    }),
    public_key: z.string().length(43),
    key_id: z.string(),
    algorithm: z.literal('Ed25519'),
  })
  .openapi('PublicTreeHead')

export const PublicInclusionProofSchema = z
  .strictObject({
    leaf_hash: hash,
    leaf_index: size,
    tree_size: size,
    root_hash: hash,
    audit_path: z.array(hash),
  })
  .openapi('PublicInclusionProof')

export const PublicConsistencyProofSchema = z
  .strictObject({
    ...log,
    old_size: size,
    new_size: size,
    old_root: hash,
    new_root: hash,
    consistency_path: z.array(hash),
  })
  .openapi('PublicConsistencyProof')

export type PublicInclusionProof = z.infer<typeof PublicInclusionProofSchema>
export type PublicConsistencyProof = z.infer<typeof PublicConsistencyProofSchema>
