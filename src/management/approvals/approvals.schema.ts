// What is asked about approvals, and how a person decides.
import { z } from '@hono/zod-openapi'
import { APPROVAL_STATES, DECISIONS } from '../../organisation/state/approval.schema.ts'
import { PageQuerySchema } from '../../platform/list.schema.ts'

export const ApprovalsQuerySchema = PageQuerySchema.extend({
  state: z.enum(APPROVAL_STATES).optional().openapi({ description: 'Only those that are in this state.' }),
})

const MOST_REASON_CHARACTERS = 2000

export const DecideApprovalSchema = z
  .strictObject({
    decision: z.enum(DECISIONS).openapi({ description: 'escalate: somebody else is to decide; it goes on waiting.' }),
    reason: z.string().min(1).max(MOST_REASON_CHARACTERS).optional().openapi({
      description: 'Its salted hash goes into the record. The text itself is not kept: keep it, with the salt.',
    }),
  })
  .openapi('DecideApproval')
