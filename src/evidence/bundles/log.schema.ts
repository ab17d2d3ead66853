// Heads and proofs of logs as they are answered, as ATTESTATION-v1 names their members: those that any log's have, and an
// organisation's.
import { z } from '@hono/zod-openapi'

const size = z.int().min(0)
const hash = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .openapi({ example: '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d' })

/** @param signed what the signature is over, and what the timestamp says */
export const headMembers = (signed: { bytes: string; timestamp: string }) => ({
  tree_size: size,
  root_hash: hash,
  timestamp: z.iso.datetime().openapi({ description: signed.timestamp }),
  signature: z
    .string()
    .length(86)
    .openapi({ description: `Over ${signed.bytes}. base64url.` }),
  public_key: z.string().length(43),
  key_id: z.string(),
  algorithm: z.literal('Ed25519'),
})

export const inclusionMembers = {
  leaf_hash: hash,
  leaf_index: size,
  tree_size: size,
  root_hash: hash,
  audit_path: z.array(hash),
}

export const consistencyMembers = {
  old_size: size,
  new_size: size,
  old_root: hash,
  new_root: hash,
  consistency_path: z.array(hash),
}

/** What those of an organisation's log begin with. */
export const ofOrganisation = { v: z.literal(1), org_id: z.string() }

export const TreeHeadSchema = z
  .strictObject({
    ...ofOrganisation,
    ...headMembers({
      bytes: 'the text `aqta-sth-v1|ORG|SIZE|` and the 32 bytes of the root',
      timestamp: 'When it was signed. Not among the signed bytes.',
    }),
  })
  .openapi('TreeHead')

export const InclusionProofSchema = z
  .strictObject({ ...ofOrganisation, attestation_id: z.string(), ...inclusionMembers })
  .openapi('InclusionProof')

/** Of an entry that is no receipt. */
export const SettlementProofSchema = InclusionProofSchema.omit({ attestation_id: true }).openapi('SettlementProof')

export type TreeHead = z.infer<typeof TreeHeadSchema>
export type InclusionProof = z.infer<typeof InclusionProofSchema>
