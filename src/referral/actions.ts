// The table of actions, which is a contract, and the body of the answer to a held one. Allowed actions assemble evidence and commit
// nothing. Held actions would commit something and are always refused. Any other action is unknown.
import { z } from '@hono/zod-openapi'

export const ALLOWED_ACTIONS = [
  'read',
  'identify_specialty',
  'list_destinations',
  'compare',
  'assemble_evidence',
  'flag',
] as const
export type AllowedAction = (typeof ALLOWED_ACTIONS)[number]

export const HELD_ACTIONS = [
  'choose_destination',
  'submit_referral',
  'assign_urgency',
  'rank_suitability',
  'book_appointment',
] as const
export type HeldAction = (typeof HELD_ACTIONS)[number]

export const DEFAULT_ACTION: AllowedAction = 'identify_specialty'

export const isAllowed = (action: string): action is AllowedAction =>
  (ALLOWED_ACTIONS as readonly string[]).includes(action)

export const isHeld = (action: string): action is HeldAction => (HELD_ACTIONS as readonly string[]).includes(action)

/** The contract fixes these seven members. */
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
