// Request shapes of the approval routes, and the response with the reasons of decisions.
import { z } from '@hono/zod-openapi'
import { APPROVAL_STATES, DECISIONS } from '../../organisation/journal/state/approval.schema.ts'
import { orNull } from '../../platform/names.schema.ts'
import { PageQuerySchema } from '../../platform/pagination.schema.ts'

export const ApprovalsQuerySchema = PageQuerySchema.extend({
  state: z.enum(APPROVAL_STATES).optional().openapi({ description: 'Only those that are in this state.' }),
})

const MOST_REASON_CHARACTERS = 2000

export const DecideApprovalSchema = z
  .strictObject({
    decision: z.enum(DECISIONS).openapi({ description: 'escalate: somebody else is to decide; it goes on waiting.' }),
    reason: z.string().min(1).max(MOST_REASON_CHARACTERS).optional().openapi({
      description:
        'Its salted hash goes into the record. The text is kept only where the organisation keeps content: else keep it, with the salt.',
    }),
  })
  .openapi('DecideApproval')

const hex = z.string().regex(/^[0-9a-f]{64}$/)

export const ReasonsSchema = z
  .strictObject({
    object: z.literal('approval_reasons'),
    approval_id: z.string(),
    data: z.array(
      z.strictObject({
        acceptance_id: z.string().openapi({ description: 'Of the record of the decision.' }),
        decided_by: z.string(),
        reason: orNull(z.string()).openapi({
          description: 'Null where it was not kept, could not be, is erased, or its time is over.',
        }),
        salt: orNull(hex).openapi({
          description: 'The reason_hash of the record is the SHA-256 of these bytes and the reason.',
        }),
      }),
    ),
  })
  .openapi('ApprovalReasons')
