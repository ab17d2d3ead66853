// A record with all that is needed to check it later, without this service.
import { z } from '@hono/zod-openapi'
import { AttestationSchema, KeyHistorySchema } from '../../evidence/records/attestation.schema.ts'
import { PublicInclusionProofSchema, PublicTreeHeadSchema } from '../../evidence/bundles/public-log.schema.ts'
import { ANCHOR_DESCRIPTION, AnchorSchema } from '../../evidence/bundles/anchor.schema.ts'
import { InclusionProofSchema, SettlementProofSchema, TreeHeadSchema } from '../../evidence/bundles/log.schema.ts'
import { orNull } from '../../platform/list.schema.ts'

export const EvidenceBundleSchema = z
  .strictObject({
    format: z.literal('countersign-evidence-v1'),
    record: AttestationSchema,
    settlement: z
      .strictObject({
        settles: z.int().min(0).openapi({ description: 'The position in the organisation’s log of the record.' }),
        content: z.record(z.string(), z.unknown()).openapi({ description: 'How the call ended and what it cost.' }),
        entry: z
          .string()
          .regex(/^[A-Za-z0-9_-]+$/)
          .openapi({ description: 'What the leaf is the hash of: a byte 0x80, 16 random ones, `content`. base64url.' }),
        proof: SettlementProofSchema,
      })
      .nullable()
      .openapi({ description: 'Null while the call runs, and for a refusal.' }),
    organisation_log: z.strictObject({ head: TreeHeadSchema, proof: InclusionProofSchema }),
    public_log: z
      .strictObject({ head: PublicTreeHeadSchema, proof: PublicInclusionProofSchema })
      .nullable()
      .openapi({ description: 'Null for up to a minute, until the public log has the record.' }),
    anchor: orNull(AnchorSchema).openapi({ description: ANCHOR_DESCRIPTION }),
    keys: z
      .strictObject({ keys: KeyHistorySchema.shape.keys })
      .openapi({ description: 'The history of keys. Evidence, not trust: whoever checks brings a key of their own.' }),
  })
  .openapi('EvidenceBundle')

export type EvidenceBundle = z.infer<typeof EvidenceBundleSchema>
