// The table of actions, which is a contract: allowed ones assemble evidence and commit nothing; held ones would commit
// something and are always refused; any other is unknown.

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
