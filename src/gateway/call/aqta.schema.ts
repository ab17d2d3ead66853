// The member `aqta` that every answer to a chat call has once its decision is recorded.
import { z } from '@hono/zod-openapi'
import { AttestationSchema } from '../../evidence/records/attestation.schema.ts'
import { orNull } from '../../platform/list.schema.ts'
import { PROVIDER_IDS } from '../../providers/registry.ts'

export const AqtaSchema = z
  .strictObject({
    trace_id: z.string().regex(/^tr_[0-9a-f]{32}$/),
    cost_eur: z.number().nonnegative().openapi({ description: 'At most 6 decimals.', example: 0.000123 }),
    cost_estimated: z
      .literal(true)
      .optional()
      .openapi({ description: 'There when the provider sent no usage, so that tokens and cost are an estimate.' }),
    provider: orNull(z.enum(PROVIDER_IDS)).openapi({ description: 'Null where none was reached.' }),
    status: z.enum(['passed', 'suppressed', 'blocked']),
    cached: z
      .boolean()
      .openapi({ description: 'Whether the organisation’s cache gave the answer: no provider was asked.' }),
    loop_detected: z.boolean(),
    attestation: AttestationSchema,
  })
  .openapi('Aqta')

export type Aqta = z.infer<typeof AqtaSchema>
