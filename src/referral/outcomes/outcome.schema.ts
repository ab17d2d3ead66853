// Schemas of POST /v1/referral/outcome: what a clinician chose after a reading, and the signed record of it.
import * as z from 'zod'
import { OutcomeRecordSchema, ReadingSignedSchema } from '../../evidence/records/attestation.schema.ts'
import { CHOICE_REASONS, CHOOSER_ROLES } from '../../evidence/records/reading-words.ts'
import { orNull } from '../../platform/names.schema.ts'
import { once, type Infer } from '../../platform/once.ts'

export const OutcomeRequestSchema = once(() =>
  z
    .strictObject({
      record: ReadingSignedSchema(),
      chosen: z.strictObject({
        specialty: orNull(z.string().min(1).max(200)).meta({
          description: 'An entry of the published file that the record names; null if it is none.',
          example: 'Cardiology',
        }),
      }),
      role: z.enum(CHOOSER_ROLES).meta({ description: 'Who chose. The caller keeps who it was.' }),
      reason: z.enum(CHOICE_REASONS).optional().meta({ description: 'Empty when absent.' }),
    })
    .meta({ id: 'OutcomeRequest' }),
)

/** The form that is read: the record is checked by its own rules, so that each fault has the verifier's name. */
export const SentOutcomeSchema = once(() =>
  OutcomeRequestSchema().extend({ record: z.record(z.string(), z.unknown()) }),
)

export type SentOutcome = Infer<typeof SentOutcomeSchema>

export const OutcomeResponseSchema = once(() =>
  z
    .strictObject({
      outcome: OutcomeRecordSchema(),
      repeated: z.boolean().meta({ description: 'True if this choice was recorded before: the same bytes again.' }),
    })
    .meta({ id: 'OutcomeResponse' }),
)

export type OutcomeResponse = Infer<typeof OutcomeResponseSchema>
