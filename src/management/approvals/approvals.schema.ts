// Request shapes of the approval routes, and the response with the reasons of decisions.
import * as z from 'zod'
import { once } from '../../platform/once.ts'
import { APPROVAL_STATES, DECISIONS } from '../../organisation/journal/state/approval.schema.ts'
import { orNull } from '../../platform/names.schema.ts'
import { PageQuerySchema } from '../../platform/pagination.schema.ts'

export const ApprovalsQuerySchema = once(() =>
  PageQuerySchema().extend({
    state: z.enum(APPROVAL_STATES).optional().meta({ description: 'Only those that are in this state.' }),
  }),
)

const MOST_REASON_CHARACTERS = 2000

export const DecideApprovalSchema = once(() =>
  z
    .strictObject({
      decision: z.enum(DECISIONS).meta({ description: 'escalate: somebody else is to decide; it goes on waiting.' }),
      reason: z.string().min(1).max(MOST_REASON_CHARACTERS).optional().meta({
        description:
          'Its salted hash goes into the record. The text is kept only where the organisation keeps content: else keep it, with the salt.',
      }),
    })
    .meta({ id: 'DecideApproval' }),
)

const hex = once(() => z.string().regex(/^[0-9a-f]{64}$/))

export const ReasonsSchema = once(() =>
  z
    .strictObject({
      object: z.literal('approval_reasons'),
      approval_id: z.string(),
      data: z.array(
        z.strictObject({
          acceptance_id: z.string().meta({ description: 'Of the record of the decision.' }),
          decided_by: z.string(),
          reason: orNull(z.string()).meta({
            description: 'Null where it was not kept, could not be, is erased, or its time is over.',
          }),
          salt: orNull(hex()).meta({
            description: 'The reason_hash of the record is the SHA-256 of these bytes and the reason.',
          }),
        }),
      ),
    })
    .meta({ id: 'ApprovalReasons' }),
)
