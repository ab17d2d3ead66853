// The members that heads and proofs of a log have, whichever log it is, as ATTESTATION-v1 names them.
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
