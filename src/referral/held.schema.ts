// The body of a held action: exactly these seven members.
import { z } from '@hono/zod-openapi'
import { HELD_ACTIONS } from './actions.ts'

export const HeldResponseSchema = z
  .strictObject({
    action: z.enum(HELD_ACTIONS),
    decision: z.literal('held'),
    because: z.string(),
    established: z.array(z.string()).openapi({ description: 'What the published figures do establish.' }),
    cannot_tell_you_about_this_patient: z.array(z.string()),
    who_holds_this: z.string(),
    note: z.string(),
  })
  .openapi('HeldResponse', { description: 'The action is held: nothing was read and nothing was done.' })

export type HeldResponse = z.infer<typeof HeldResponseSchema>
