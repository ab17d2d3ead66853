// The public log's signed heads and proofs as they are answered.
import { z } from '@hono/zod-openapi'
import { consistencyMembers, headMembers, inclusionMembers } from './log.schema.ts'

const log = { v: z.literal(1), log: z.literal('public') }

export const PublicTreeHeadSchema = z
  .strictObject({
    ...log,
    ...headMembers({
      bytes: 'the text `aqta-sth-public-v1|SIZE|`, the 32 bytes of the root and the text `|TIMESTAMP`',
      timestamp: 'When it was signed, again at least every minute while somebody asks.',
    }),
  })
  .openapi('PublicTreeHead')

export const PublicInclusionProofSchema = z.strictObject(inclusionMembers).openapi('PublicInclusionProof')

export const PublicConsistencyProofSchema = z
  .strictObject({ ...log, ...consistencyMembers })
  .openapi('PublicConsistencyProof')

export const PublicTimestampSchema = z
  .strictObject({
    checkpoint: z.string().openapi({ description: 'The whole note, as it was served.' }),
    timestamp_token: z.base64().openapi({
      description:
        'A time-stamp token (DER) over the SHA-256 of the checkpoint’s UTF-8, with its signer’s certificate.',
    }),
  })
  .openapi('PublicTimestamp')

export type PublicConsistencyProof = z.infer<typeof PublicConsistencyProofSchema>
